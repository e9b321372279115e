package import Core

/// What is stored about one person.
package struct HeldPerson: Sendable {
  package struct Table: Sendable {
    package let name: String
    /// A JSON object a row, a member a column.
    package let rows: [Bytes]
  }

  /// The id that stands for the person.
  package let profileID: Bytes
  /// All of them, ascending.
  package let ids: [Bytes]
  /// The instant that everything was derived for.
  package let asOf: Instant?
  /// In their order, each under the id it came with.
  package let events: [ProfileEvent]
  /// Every other table that has a row of theirs, by name.
  package let tables: [Table]
}

extension Store {
  /// Everything that is stored about the person that an id belongs to, in one snapshot; nil where
  /// nothing is.
  package func everything(about id: Bytes) throws -> HeldPerson? {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in
      try connection.transaction(Self.beginReading) {
        let person = try person(of: id)
        let aliases = try PeopleTables(connection: connection, schema: schema).people(of: [id])
          .canonical
        let ids = Set([id]).union(aliases.keys).union(aliases.values).sorted()
        let all = try PersonTables(connection, schema)
        var tables: [HeldPerson.Table] = []
        for table in all.tables where table.name != "profile_events" {
          let rows = try rows(of: ids, in: table, all)
          if !rows.isEmpty { tables.append(HeldPerson.Table(name: table.name, rows: rows)) }
        }
        guard person != nil || !tables.isEmpty else { return nil }
        // Of quarantined ids all events, of the others the copies that others hide.
        let counting = person?.inOrder ?? []
        let shown = Set(counting)
        let others = try StoredSets(connection: connection, schema: schema).fetchAll(ids).sets
          .sorted { $0.profileID < $1.profileID }
          .flatMap { set in
            set.copies.map { ProfileEvent(profileID: set.profileID, event: $0) }
          }
          .filter { !shown.contains($0) }
        return HeldPerson(
          profileID: person?.profileID ?? aliases[id] ?? id, ids: ids, asOf: try header().asOf,
          events: counting + others, tables: tables)
      }
    }
  }

  /// Columns whose text is JSON: it is part of the document, not a text in it.
  private static let documents: Set<String> = ["flow_runs.answers", "placement_decisions.tags"]

  private func rows(
    of ids: [Bytes], in table: PersonTables.Table, _ all: PersonTables
  ) throws -> [Bytes] {
    let columns = table.columns.map { column in
      let isDocument = Self.documents.contains("\(table.name).\(column)")
      return "source.\"\(column)\"" + (isDocument ? "::json" : "")
    }
    let rows = try connection.executeForText(
      """
      select row_to_json(held)::text
      from (
        select \(columns.joined(separator: ", "))
        from \(all.from(table)) as source
        where \(all.condition(table))
        order by source
      ) as held
      """, [.texts(ids)])
    return (0..<rows.count).compactMap { rows.bytes($0, 0) }
  }
}
