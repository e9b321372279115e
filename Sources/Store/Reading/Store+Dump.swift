package import Core

extension Store {
  /// Writes everything that the law speaks of as lines of text: all derived tables, who is one person,
  /// and the digest of each profile's events, each table in the order of its key (SEMANTICS 4.5).
  ///
  /// Equal events, pipeline and instant give equal bytes, whatever the order, the jobs and the clock
  /// were. A line is the table's name, then the columns as COPY prints them, all between tabs.
  ///
  /// - Parameters:
  ///   - asOf: must be the instant in force, and everything must be derived for it.
  ///   - write: takes one line with its newline at a time.
  /// - Throws: a ``Problem``; lines that are out by then are no dump.
  package func dump(asOf: Instant, _ write: (UnsafeRawBufferPointer) throws -> Void) throws {
    // Not done again when the connection fails: lines are out already.
    do {
      try connection.transaction(Self.beginReading) {
        try refuseDump(asOf: asOf)
        try copyDigests(write)
        for table in DerivedTable.all {
          let rows =
            "select \(table.columnList) from \(schema.quoted).\(table.name) order by \(table.keyList)"
          try copy(table.name, rows, write)
        }
        for (table, columns) in Self.tablesOfPeople {
          let rows = "select \(columns) from \(schema.quoted).\(table) order by \(columns)"
          try copy(table, rows, write)
        }
      }
    } catch let error as DatabaseError {
      throw error.problem(at: "schema \(schema.name)", "cannot dump")
    } catch let unreadable as UnreadableSet {
      throw unreadable.problem(schema)
    }
  }

  /// Each with its columns, which sort it.
  private static let tablesOfPeople = [
    ("profile_links", "profile_id, from_id, into_id, origin"),
    ("profile_aliases", "profile_id, canonical_id"), ("ununited_profiles", "profile_id"),
    ("quarantined_profiles", "profile_id"),
  ]

  private func refuseDump(asOf: Instant) throws {
    let inForce = try header().asOf
    guard inForce == asOf else {
      throw Problem(
        .usage, at: "--as-of", "is not the instant in force",
        because: inForce.map { "everything is derived for \($0.iso8601)" }
          ?? "no job has derived anything yet",
        next: "dump at that instant, or run a job for yours first")
    }
    let waiting = try connection.execute(
      """
      select 1 from \(schema.quoted).shard_state where cursor is not null or min_review_at <= $1
      """, [.timestamptz(asOf)])
    guard waiting.count == 0 else {
      throw Problem(
        .tryAgain, at: "schema \(schema.name)", "cannot dump",
        because: "profiles wait to be derived", next: "run a job for that instant to its end first")
    }
  }

  /// The digest of each set as it decodes: a damaged value shows, whatever is stored beside it.
  private func copyDigests(_ write: (UnsafeRawBufferPointer) throws -> Void) throws {
    // Of who is set aside only that counts: what is stored of them came in some order.
    let rows = """
      select encode(events, 'hex'), profile_id, n from \(schema.quoted).profile_events as present
      where not exists (
        select from \(schema.quoted).quarantined_profiles as quarantined
        where quarantined.profile_id = present.profile_id
      )
      order by profile_id, part
      """
    let sets = StoredSets(connection: connection, schema: schema)
    try connection.copyOut("copy (\(rows)) to stdout") { row in
      let tab = row.firstIndex(of: UInt8(ascii: "\t")) ?? row.endIndex
      var bytes: [UInt8] = []
      bytes.reserveCapacity(tab / 2)
      var index = row.startIndex
      while index + 1 < tab {
        bytes.append(hexValue(row[index]) << 4 | hexValue(row[index + 1]))
        index += 2
      }
      // The id is for words alone here: an encoded set does not hold it.
      let set = try sets.decode(bytes, of: "a profile")
      var line = Array("profile_events".utf8) + row[tab..<(row.endIndex - 1)]
      line.append(UInt8(ascii: "\t"))
      line += hex(set.digest(primitives)).array
      line.append(UInt8(ascii: "\n"))
      try line.withUnsafeBytes(write)
    }
  }

  private func copy(
    _ table: String, _ rows: String, _ write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var line = Array((table + "\t").utf8)
    let prefix = line.count
    try connection.copyOut("copy (\(rows)) to stdout") { row in
      line.removeSubrange(prefix...)
      line.append(contentsOf: row)
      try line.withUnsafeBytes(write)
    }
  }
}

/// Of a digit that the server wrote: 0–9, a–f.
private func hexValue(_ digit: UInt8) -> UInt8 {
  digit < UInt8(ascii: "a") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
}
