internal import Core
internal import CSimdjson

/// JSON text being written, with a way back to where it was.
struct JSONOutput {
  private(set) var bytes: [UInt8] = []
  /// Texts written that hold a replacement for U+0000 or a lone surrogate.
  private(set) var repaired = 0

  /// Where the text ends now.
  struct Mark {
    fileprivate let count: Int
    fileprivate let repaired: Int
  }

  var mark: Mark { Mark(count: bytes.count, repaired: repaired) }

  /// Forgets what was written since.
  mutating func truncate(to mark: Mark) {
    bytes.removeLast(bytes.count - mark.count)
    repaired = mark.repaired
  }

  /// True where nothing was written since.
  func isAt(_ mark: Mark) -> Bool { bytes.count == mark.count }

  mutating func append(_ byte: Unicode.Scalar) { bytes.append(UInt8(ascii: byte)) }

  mutating func append(raw text: some Sequence<UInt8>) { bytes.append(contentsOf: text) }

  /// A key and its colon, behind a comma where a member stands before it.
  mutating func append(key: some Sequence<UInt8>) {
    if bytes.last != UInt8(ascii: "{") { append(",") }
    append("\"")
    append(escaping: key)
    append("\"")
    append(":")
  }

  mutating func append(string text: some Sequence<UInt8>, prefix: Bytes = .empty) {
    append("\"")
    append(escaping: prefix.slice)
    append(escaping: text)
    append("\"")
  }

  mutating func append(escaping text: some Sequence<UInt8>) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x08: append(raw: "\\b".utf8)
      case 0x09: append(raw: "\\t".utf8)
      case 0x0A: append(raw: "\\n".utf8)
      case 0x0C: append(raw: "\\f".utf8)
      case 0x0D: append(raw: "\\r".utf8)
      case 0..<0x20:
        append(raw: "\\u00".utf8)
        append(raw: [UInt8(ascii: "0") + byte >> 4, hexDigit(byte & 15)])
      default: bytes.append(byte)
      }
    }
  }

  /// Counts a text that is written from the token's bytes.
  mutating func count(repairsOf token: JSONToken) { if token.wasRepaired { repaired += 1 } }

  /// A value as it stands in the record.
  mutating func append(_ value: RecordValue) {
    count(repairsOf: value.token)
    switch value.shape {
    case .object:
      append("{")
      value.forEachMember { key, member in
        count(repairsOf: key.token)
        append(key: key.text)
        append(member)
      }
      append("}")
    case .array:
      append("[")
      var isFirst = true
      value.forEachItem { item in
        if !isFirst { append(",") }
        isFirst = false
        append(item)
      }
      append("]")
    case .key, .string: append(string: value.text)
    case .number: append(raw: value.text)
    case .yes: append(raw: "true".utf8)
    case .no: append(raw: "false".utf8)
    case .null: append(raw: "null".utf8)
    }
  }
}

private func hexDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
