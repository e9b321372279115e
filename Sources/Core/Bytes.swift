/// UTF-8 text held as bytes, compared and ordered byte by byte.
///
/// Ids, keys, names and answers are `Bytes`, never `String`: Swift's string equality merges what
/// PostgreSQL's `collate "C"` keeps apart (`é` in two normal forms), and its order is another one.
/// A value is a slice of a shared array, so that a whole batch of events needs one allocation for
/// all its text; a small slice keeps its whole array alive, which is what a batch wants.
package struct Bytes: Sendable {
  private let storage: [UInt8]
  private let start: UInt32
  private let length: UInt32

  /// Creates text from all bytes of an array, without copying.
  package init(_ array: [UInt8]) {
    storage = array
    start = 0
    length = UInt32(array.count)
  }

  /// Creates text from a part of an array, without copying.
  ///
  /// - Parameters:
  ///   - array: shared by all slices of it; less than 4 GiB.
  ///   - range: within the array's bounds.
  package init(_ array: [UInt8], _ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= array.count)
    storage = array
    start = UInt32(range.lowerBound)
    length = UInt32(range.count)
  }

  package init(_ string: String) { self.init(Array(string.utf8)) }

  package static let empty = Bytes([UInt8]())

  package var count: Int { Int(length) }
  package var isEmpty: Bool { length == 0 }

  /// The byte at an offset from the start of this text.
  package subscript(offset: Int) -> UInt8 {
    precondition(offset >= 0 && offset < Int(length))
    return storage[Int(start) + offset]
  }

  /// A part of this text, sharing its bytes.
  package subscript(range: Range<Int>) -> Bytes {
    precondition(range.lowerBound >= 0 && range.upperBound <= Int(length))
    return Bytes(storage, (Int(start) + range.lowerBound)..<(Int(start) + range.upperBound))
  }

  /// The bytes as a slice, for appending and iterating.
  package var slice: ArraySlice<UInt8> { storage[range] }

  private var range: Range<Int> { Int(start)..<(Int(start) + Int(length)) }

  /// Calls a function with the bytes in place: scanning them is several times faster than by `slice`.
  @inline(__always)
  package func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(storage.span.extracting(range))
  }

  /// The bytes as an array of their own.
  package var array: [UInt8] {
    start == 0 && Int(length) == storage.count ? storage : Array(slice)
  }

  /// The text as a `String`, for words at the edges only.
  package var string: String { String(decoding: slice, as: UTF8.self) }

  /// The text in lower case if it has the shape of a UUID, else as it is (SEMANTICS 1.4).
  ///
  /// Ids of the envelope are lower-cased when they are read, so ids of a pipeline file must be too.
  package var withLowercaseUUID: Bytes {
    guard length == 36 else { return self }
    var lowered: [UInt8] = []
    lowered.reserveCapacity(36)
    for (index, byte) in slice.enumerated() {
      let isDash = index == 8 || index == 13 || index == 18 || index == 23
      switch byte {
      case UInt8(ascii: "-") where isDash: lowered.append(byte)
      case UInt8(ascii: "0")...UInt8(ascii: "9") where !isDash: lowered.append(byte)
      case UInt8(ascii: "a")...UInt8(ascii: "f") where !isDash: lowered.append(byte)
      case UInt8(ascii: "A")...UInt8(ascii: "F") where !isDash: lowered.append(byte | 0x20)
      default: return self
      }
    }
    return Bytes(lowered)
  }

  package func hasPrefix(_ prefix: Bytes) -> Bool {
    prefix.count <= count && self[0..<prefix.count] == prefix
  }
}

extension Bytes: Hashable, Comparable, ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self.init(value) }

  package static func == (left: Bytes, right: Bytes) -> Bool {
    left.length == right.length && left.commonPrefix(with: right) == left.count
  }

  package static func < (left: Bytes, right: Bytes) -> Bool {
    let common = left.commonPrefix(with: right)
    if common == right.count { return false }
    return common == left.count || left[common] < right[common]
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(length)
    unsafe storage.withUnsafeBytes {
      unsafe hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[range]))
    }
  }

  /// How many bytes at the front are the same, eight at a time: ids are compared for every event.
  ///
  /// Both ranges lie within their arrays, which is checked when a value is made; no load goes beyond.
  private func commonPrefix(with other: Bytes) -> Int {
    unsafe storage.withUnsafeBytes { all in
      unsafe other.storage.withUnsafeBytes { others in
        let left = unsafe UnsafeRawBufferPointer(rebasing: all[range])
        let right = unsafe UnsafeRawBufferPointer(rebasing: others[other.range])
        let shorter = Swift.min(count, other.count)
        if unsafe left.baseAddress == right.baseAddress { return shorter }
        var index = 0
        while index + 8 <= shorter {
          let difference =
            unsafe left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            ^ right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
          if difference != 0 {
            return index + UInt64(littleEndian: difference).trailingZeroBitCount / 8
          }
          index += 8
        }
        while index < shorter, unsafe left[index] == right[index] { index += 1 }
        return index
      }
    }
  }
}

extension Span<UInt8> {
  /// Whether these are the bytes of a word.
  @inline(__always)
  func spells(_ word: StaticString) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    for index in indices where unsafe self[index] != word.utf8Start[index] { return false }
    return true
  }
}
