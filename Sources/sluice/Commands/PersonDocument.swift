internal import Core
internal import Store

/// Everything that is stored about one person, as one JSON document.
enum PersonDocument {
  static func text(_ person: HeldPerson) -> [UInt8] {
    var text: [UInt8] = []
    func add(_ words: String) { text += Array(words.utf8) }
    func list(_ items: [[UInt8]], indent: String) {
      guard !items.isEmpty else { return add("[]") }
      add("[\n")
      for (index, item) in items.enumerated() {
        if index > 0 { add(",\n") }
        add(indent + "  ")
        text += item
      }
      add("\n\(indent)]")
    }
    add("{\n  \"profile_id\": \(jsonText(person.profileID)),\n")
    add("  \"ids\": [\(person.ids.map(jsonText).joined(separator: ", "))],\n")
    add("  \"as_of\": " + (person.asOf.map { "\"\($0.iso8601)\"" } ?? "null") + ",\n")
    add("  \"events\": ")
    list(person.events.map(\.envelope), indent: "  ")
    add(",\n  \"tables\": {")
    for (index, table) in person.tables.enumerated() {
      add(index > 0 ? ",\n" : "\n")
      add("    \(jsonText(Bytes(table.name))): ")
      list(table.rows.map(\.array), indent: "    ")
    }
    add(person.tables.isEmpty ? "}" : "\n  }")
    add("\n}\n")
    return text
  }
}
