internal import Glibc

/// What SEMANTICS 1.3–1.5 say about ids: which are junk, how long they may be, how UUIDs are spelled.
enum IdentifierRules {
  /// Bytes of a profile, session, event or customer id.
  static let longestOfPerson = 200
  /// Bytes of an element, screen, placement, flow or variation id, and of an event's name, which is a
  /// database key like them.
  static let longestOfThing = 500

  /// True for what a program writes when it has no id. Letter case does not matter.
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

  /// - Parameter word: lower case, as long as the id.
  private static func equals(_ id: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    for index in 0..<id.count {
      let byte = id[index]
      let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
      guard (isCapital ? byte | 0x20 : byte) == word.utf8Start[index] else { return false }
    }
    return true
  }

  /// True for 36 bytes of the shape 8-4-4-4-12 in hex digits of any case.
  static func isUUID(_ id: UnsafeBufferPointer<UInt8>) -> Bool {
    guard id.count == 36 else { return false }
    for index in 0..<36 {
      let byte = id[index]
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return false }
      } else {
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        guard byte &- UInt8(ascii: "0") <= 9 || letter <= 5 else { return false }
      }
    }
    return true
  }
}
