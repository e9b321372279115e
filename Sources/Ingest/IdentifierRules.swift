/// What SEMANTICS 1.3–1.5 say about ids: which are junk, how long they may be, how UUIDs are spelled.
enum IdentifierRules {
  /// Bytes of a profile, session, event or customer id.
  static let longestOfPerson = 200
  /// Bytes of an element, screen, placement, flow or variation id, and of an event's name, which is a
  /// database key like them.
  static let longestOfThing = 500

  /// True for what a program writes when it has no id, in any letter case.
  static func isJunk(_ id: UnsafeBufferPointer<UInt8>) -> Bool {
    guard !id.isEmpty else { return true }
    switch id.count {
    case 3: return equals(id, "nil") || equals(id, "nan")
    case 4: return equals(id, "null") || equals(id, "none")
    case 6: return equals(id, "(null)")
    case 9: return equals(id, "undefined")
    case 15: return equals(id, "[object object]")
    case 36: return id[0] == UInt8(ascii: "0") && equals(id, "00000000-0000-0000-0000-000000000000")
    default: return false
    }
  }

  /// True if the id is the word, which is in lower case and as long as the id.
  private static func equals(_ id: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    for index in 0..<id.count {
      let byte = id[index]
      let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
      guard (isCapital ? byte | 0x20 : byte) == word.utf8Start[index] else { return false }
    }
    return true
  }

  /// True for 36 bytes of the shape 8-4-4-4-12 in hex digits of any case.
  ///
  /// Digits, small letters and the dash all have the bit 0x20, so such a UUID is lower-cased by setting
  /// that bit in every byte.
  static func isUUID(_ id: UnsafeBufferPointer<UInt8>) -> Bool {
    guard id.count == 36, let start = id.baseAddress, start[8] == UInt8(ascii: "-"),
      start[13] == UInt8(ascii: "-"), start[18] == UInt8(ascii: "-"), start[23] == UInt8(ascii: "-")
    else { return false }
    let bytes = UnsafeRawPointer(start)
    return isHex(bytes, bytes + 4) && isHex(bytes + 9, bytes + 14)
      && isHex(bytes + 19, bytes + 24) && isHex(bytes + 28, bytes + 32)
  }

  /// True if all of two times four bytes are hex digits: eight bytes at once, since every event has
  /// several UUIDs.
  @inline(__always)
  private static func isHex(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer) -> Bool {
    let low = UInt64(first.loadUnaligned(as: UInt32.self))
    let word = UInt64(second.loadUnaligned(as: UInt32.self)) << 32 | low
    // In ASCII bytes an addition of up to 0x80 stays in its byte, and bit 7 tells which are as large
    // as a bound.
    guard word & repeated(0x80) == 0 else { return false }
    let isDigit = (word &+ repeated(0x80 - 0x30)) & ~(word &+ repeated(0x80 - 0x3A))
    let small = word | repeated(0x20)
    let isLetter = (small &+ repeated(0x80 - 0x61)) & ~(small &+ repeated(0x80 - 0x67))
    return (isDigit | isLetter) & repeated(0x80) == repeated(0x80)
  }

  @inline(__always)
  private static func repeated(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }
}
