package import Core

/// Rows as the server prints them, for reports.
package struct TextTable: Hashable, Sendable {
  package let columns: [String]
  /// Nil for null.
  package let rows: [[String?]]
}

extension Store {
  /// The events stored under a profile id, its person's others left out; nil for an unknown id.
  package func fetchEvents(of profileID: Bytes) throws -> EventSet? {
    try retrying(at: "schema \(schema.name)", "cannot read events") { _ in
      try StoredSets(connection: connection, schema: schema).fetch([profileID])
        .sets[profileID]?.set
    }
  }

  /// All stored events of the person that an id belongs to; nil where there are none.
  package func fetchPerson(of id: Bytes) throws -> PersonEvents? {
    try retrying(at: "schema \(schema.name)", "cannot read events") { _ in
      try connection.transaction(Self.beginReading) { try person(of: id) }
    }
  }

  /// The same in the transaction that is open.
  func person(of id: Bytes) throws -> PersonEvents? {
    try people(of: [id]).first { $0.profileID == id || $0.aliases.contains(id) }
  }

  /// The people whose ids follow an id in byte order, at most so many; empty at the end.
  ///
  /// No transaction stays open in between: a long reader would keep the server from cleaning up.
  package func people(after profileID: Bytes?, limit: Int = 1000) throws -> [PersonEvents] {
    try retrying(at: "schema \(schema.name)", "cannot read events") { _ in
      try connection.transaction(Self.beginReading) {
        let rows = try connection.execute(
          """
          select profile_id from \(schema.quoted).profiles
          where profile_id > $1
          order by profile_id limit $2
          """, [.text(profileID ?? .empty), .int8(Int64(limit))])
        return try people(of: (0..<rows.count).compactMap { rows.bytes($0, 0) })
      }
    }
  }

  /// The people of ids as they are united now, by the id that stands for each; those without events
  /// are left out.
  private func people(of ids: [Bytes]) throws -> [PersonEvents] {
    let tables = PeopleTables(connection: connection, schema: schema)
    let canonical = try tables.people(of: ids).canonical
    var people = Dictionary(uniqueKeysWithValues: ids.map { (canonical[$0] ?? $0, [Bytes]()) })
    for (alias, id) in canonical { people[id, default: []].append(alias) }
    let sets = try StoredSets(connection: connection, schema: schema)
      .fetch(people.flatMap { [$0.key] + $0.value }).sets
    return people.sorted { $0.key < $1.key }.compactMap { id, aliases in
      let found = ([id] + aliases).compactMap { sets[$0]?.set }
      return found.isEmpty
        ? nil : PersonEvents(profileID: id, aliases: aliases, sets: found)
    }
  }

  /// How many of the stored events of ids lie beyond an instant by their corrected times.
  package func countEvents(of ids: [Bytes], after instant: Instant) throws -> Int {
    let most = 200
    return try stride(from: 0, to: ids.count, by: most).reduce(0) { sum, start in
      let part = Array(ids[start..<min(start + most, ids.count)])
      let sets = try retrying(at: "schema \(schema.name)", "cannot read events") { _ in
        try StoredSets(connection: connection, schema: schema).fetch(part).sets
      }
      return sum + sets.values.reduce(0) { $0 + $1.set.count(after: instant) }
    }
  }

  /// Runs a statement that only reads, for people: times in UTC, in ISO form.
  ///
  /// - Parameters:
  ///   - sql: names the schema as `sluice.`, which is replaced by the one in use.
  ///   - parameters: texts for `$1` …; the statement casts them. Nil is null.
  /// - Returns: the names of the columns, and the rows in the statement's order.
  /// - Throws: a ``Problem``.
  package func query(_ sql: String, _ parameters: [String?] = []) throws -> TextTable {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in
      try connection.transaction(Self.beginReading) {
        let result = try connection.executeForText(
          schema.applied(to: sql), parameters.map { $0.map { .text($0) } ?? .null(.text) })
        return TextTable(
          columns: (0..<result.columnCount).map { result.columnName($0) },
          rows: (0..<result.count).map { row in
            (0..<result.columnCount).map { result.text(row, $0) }
          })
      }
    }
  }

  /// One snapshot, and settings that fix how values are printed.
  static let beginReading = """
    begin isolation level repeatable read read only;
    set local timezone = 'UTC';
    set local datestyle = 'ISO, YMD';
    set local intervalstyle = 'postgres';
    set local extra_float_digits = 1;
    set local bytea_output = 'hex'
    """

  /// Prepares the server's planner for tables that a job grew by more than a tenth (SEMANTICS 3.7).
  ///
  /// By samples of a fifth of the usual size: a load took a tenth longer with whole ones.
  ///
  /// - Parameter rows: written, by table; a table of less than 1,000 new rows is left alone.
  package func analyze(grownBy rows: [String: Int]) throws {
    try retrying(at: "schema \(schema.name)", "cannot analyze") { _ in
      var grown: [String] = []
      for (table, count) in rows.sorted(by: { $0.key < $1.key }) where count >= 1000 {
        let known = try connection.execute(
          """
          select class.reltuples::bigint
          from pg_catalog.pg_class as class
          join pg_catalog.pg_namespace as namespace on namespace.oid = class.relnamespace
          where namespace.nspname = $1 and class.relname = $2
          """, [.text(schema.name), .text(table)])
        // Below zero where the table was never analyzed.
        guard known.count == 1, Int64(count) * 10 > (known.integer(0, 0) ?? -1) else { continue }
        grown.append("\(schema.quoted).\(table)")
      }
      guard !grown.isEmpty else { return }
      try connection.executeScript(
        """
        begin isolation level read committed read write;
        set local default_statistics_target = 20;
        analyze \(grown.joined(separator: ", "));
        commit
        """)
    }
  }
}
