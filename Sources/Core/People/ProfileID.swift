/// What the core knows of ids that stand in an event's params: nobody has read them as ids before.
package enum ProfileID {
  /// Bytes of an id at most (SEMANTICS 1.5).
  package static let longest = 200

  /// What a program writes when it has no id, in lower case (SEMANTICS 1.3).
  package static let junk: Set<Bytes> = [
    "", "null", "nil", "none", "undefined", "nan", "(null)", "[object object]",
    "00000000-0000-0000-0000-000000000000",
  ]

  /// The id as the envelope's would be read: a UUID in lower case, all else exact; nil for what is
  /// junk or too long to be one.
  package static func read(_ text: Bytes) -> Bytes? {
    guard text.count <= longest else { return nil }
    let lowered = Bytes(
      text.slice.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 })
    return junk.contains(lowered) ? nil : text.withLowercaseUUID
  }

  /// The id in a member of params: text, or a whole number as it was written; nil for anything else.
  package static func read(_ value: JSONText) -> Bytes? {
    switch value.kind {
    case .string: value.string.flatMap { read($0) }
    case .number: Int64(value.text.string) == nil ? nil : read(value.text)
    case .object, .array, .boolean, .null, .none: nil
    }
  }

  /// The one spelling of all that mean one person where ids are compared for good: a UUID in lower case,
  /// behind the prefix of another tool too.
  package static func folded(_ id: Bytes) -> Bytes {
    let own = own(id)
    guard own.count < id.count else { return id.withLowercaseUUID }
    let lowered = own.withLowercaseUUID
    return lowered == own ? id : Bytes(id[0..<(id.count - own.count)].array + lowered.array)
  }

  /// The id without the prefix that tells whose it is, as events carry it.
  package static func own(_ id: Bytes) -> Bytes {
    guard isExternal(id), let colon = id.slice.firstIndex(of: UInt8(ascii: ":")) else { return id }
    return Bytes(Array(id.slice[(colon + 1)...]))
  }

  /// True for an id of another tool or of the app's owner: a word in small letters, a colon, an id.
  ///
  /// The vendor's ids are UUIDs, which hold no colon.
  package static func isExternal(_ id: Bytes) -> Bool {
    for (index, byte) in id.slice.enumerated() {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): continue
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        if index == 0 { return false }
      case UInt8(ascii: ":"): return index > 0 && index + 1 < id.count
      default: return false
      }
    }
    return false
  }
}
