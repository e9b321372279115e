package import Core

extension Store {
  /// Writes everything that the law speaks of as lines of text: all derived tables and the digest of
  /// each profile's events, each table in the order of its key (SEMANTICS 4.5).
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
        let events =
          "select profile_id, n, encode(digest, 'hex') from \(schema.quoted).profile_events order by profile_id, part"
        try copy("profile_events", events, write)
        for table in DerivedTable.all {
          let rows =
            "select \(table.columnList) from \(schema.quoted).\(table.name) order by \(table.keyList)"
          try copy(table.name, rows, write)
        }
      }
    } catch let error as DatabaseError {
      throw error.problem(at: "schema \(schema.name)", "cannot dump")
    }
  }

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
