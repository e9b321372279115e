/// The functions on text. They count code points and fold ASCII letters only, as PostgreSQL does
/// under `collate "C"`; any bytes are taken, a byte that continues no character counts as none.
extension Bytes {
  package var lowercasedASCII: Bytes {
    slice.contains(where: \.isUppercaseASCII) ? Bytes(slice.map(\.lowercasedASCII)) : self
  }

  package var uppercasedASCII: Bytes {
    slice.contains(where: \.isLowercaseASCII)
      ? Bytes(slice.map { $0.isLowercaseASCII ? $0 - 32 : $0 }) : self
  }

  /// Number of code points.
  var codePoints: Int { slice.reduce(0) { $0 + ($1.continuesCodePoint ? 0 : 1) } }

  /// Without U+0020 at both ends; other white space stays.
  var trimmed: Bytes {
    var start = 0
    var end = count
    while start < end, self[start] == UInt8(ascii: " ") { start += 1 }
    while end > start, self[end - 1] == UInt8(ascii: " ") { end -= 1 }
    return self[start..<end]
  }

  /// `length` code points from the 1-based position `start`, as PostgreSQL counts.
  ///
  /// Positions before the text take part of the length, positions after it are empty. The length is
  /// not negative; nil goes to the end.
  func substring(from start: Int, length: Int?) -> Bytes {
    let first = max(start, 1) - 1
    let (end, overflow) = (start - 1).addingReportingOverflow(length ?? .max)
    let last = length == nil || overflow ? Int.max : max(end, first)
    var position = -1
    var lower = count
    for (offset, byte) in slice.enumerated() where !byte.continuesCodePoint {
      position += 1
      if position == first { lower = offset }
      if position == last { return self[min(lower, offset)..<offset] }
    }
    return self[lower..<count]
  }

  /// The two texts one after the other.
  static func joined(_ left: Bytes, _ right: Bytes) -> Bytes {
    if left.isEmpty { return right }
    if right.isEmpty { return left }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(left.count + right.count)
    bytes.append(contentsOf: left.slice)
    bytes.append(contentsOf: right.slice)
    return Bytes(bytes)
  }
}

extension UInt8 {
  var continuesCodePoint: Bool { self & 0xC0 == 0x80 }

  var isUppercaseASCII: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }

  var isLowercaseASCII: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }

  var lowercasedASCII: UInt8 { isUppercaseASCII ? self + 32 : self }
}
