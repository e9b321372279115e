internal import Glibc

/// Finds where a zip archive ends, by its end record, in bytes that pass by.
struct ZipEndFinder {
  /// Bytes that passed by.
  private(set) var total = 0
  /// The offset behind the last end record and its comment.
  private(set) var end: Int?
  /// Entries of the archive as that record tells them; nil where it cannot.
  private(set) var entries: Int?
  /// The last bytes, in which an end record may have begun.
  private var tail: [UInt8] = []

  private static let signature: [UInt8] = [0x50, 0x4B, 0x05, 0x06]
  private static let recordBytes = 22

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    let joined = tail + bytes
    let first = total - tail.count
    var from = 0
    while let found = Self.signature(in: joined, from: from),
      found + Self.recordBytes <= joined.count
    {
      func number(at offset: Int) -> Int {
        Int(joined[found + offset]) | Int(joined[found + offset + 1]) << 8
      }
      end = first + found + Self.recordBytes + number(at: 20)
      // A larger number stands elsewhere.
      entries = number(at: 10) == 0xFFFF ? nil : number(at: 10)
      from = found + Self.signature.count
    }
    total += bytes.count
    tail = Array(joined.suffix(Self.recordBytes - 1))
  }

  private static func signature(in bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBytes { bytes -> Int? in
      guard let base = bytes.baseAddress else { return nil }
      var index = start
      while index < bytes.count {
        guard let found = memchr(base + index, Int32(signature[0]), bytes.count - index) else {
          return nil
        }
        index = UnsafeRawPointer(found) - base
        if bytes[index...].starts(with: signature) { return index }
        index += 1
      }
      return nil
    }
  }
}
