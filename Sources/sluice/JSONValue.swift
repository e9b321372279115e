internal import Core

/// A JSON document to print, members in the order they are given.
indirect enum JSONValue {
  case null
  case boolean(Bool)
  case integer(Int)
  case text(String)
  case list([JSONValue])
  case object([(String, JSONValue)])

  /// With a line for each member and item, so that a difference of two documents is readable.
  var text: String { lines(indent: "") + "\n" }

  private func lines(indent: String) -> String {
    switch self {
    case .null: return "null"
    case .boolean(let value): return value ? "true" : "false"
    case .integer(let value): return String(value)
    case .text(let text): return Self.quoted(text)
    case .list(let items):
      return Self.block("[", "]", items.map { $0.lines(indent: indent + "  ") }, indent)
    case .object(let members):
      return Self.block(
        "{", "}",
        members.map { name, value in
          Self.quoted(name) + ": " + value.lines(indent: indent + "  ")
        }, indent)
    }
  }

  private static func block(
    _ open: String, _ close: String, _ parts: [String], _ indent: String
  ) -> String {
    guard !parts.isEmpty else { return open + close }
    let body = parts.map { indent + "  " + $0 }.joined(separator: ",\n")
    return open + "\n" + body + "\n" + indent + close
  }

  private static func quoted(_ text: String) -> String {
    jsonText(Bytes(text))
  }
}

/// A text as a JSON string.
func jsonText(_ text: Bytes) -> String { String(decoding: jsonString(text), as: UTF8.self) }
