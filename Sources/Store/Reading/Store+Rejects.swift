package import Core

/// A row of `rejects`: why a record did not become an event and where it stands, never its text.
package struct RejectRow: Hashable, Sendable {
  /// As ``RejectFilter/file``.
  package let file: Bytes
  package let byteOffset: Int64
  package let length: Int64
  package let reason: Bytes
  package let stage: Bytes
  package let field: Bytes
  package let line: Int64
  package let jobID: Int64
}

/// Which rejects are asked for; nil is all.
package struct RejectFilter: Hashable, Sendable {
  /// Real path of an input; those of an archive's entries are meant with it.
  package var file: Bytes?
  package var reason: Rejection.Reason?
  package var job: Int64?

  package init(file: Bytes? = nil, reason: Rejection.Reason? = nil, job: Int64? = nil) {
    self.file = file
    self.reason = reason
    self.job = job
  }
}

extension Store {
  // MARK: Writing

  /// Lists records that did not become events; one that is listed already is this job's then.
  ///
  /// One record can hold several that are refused for one reason: they are one row.
  ///
  /// - Parameters:
  ///   - rejections: any number; their rows are never all in memory.
  ///   - file: real path, or a name for the standard input.
  ///   - job: the job that met them.
  /// - Throws: a ``Problem``.
  package func addRejects(_ rejections: [Rejection], file: Bytes, _ job: Job) throws {
    guard !rejections.isEmpty else { return }
    let rows = rejections.sorted { $0.precedes($1) }
    try retrying(at: "schema \(schema.name)", "cannot list the rejects") { _ in
      let known = try connection.execute(
        "select 1 from \(schema.quoted).rejects where file = $1 limit 1", [.text(file)])
      if known.count == 0 {
        // The usual case is fast; only a job beside this one can get in between.
        do {
          try connection.transaction { try copy(rows, file, job, into: "\(schema.quoted).rejects") }
          return
        } catch let error as DatabaseError where error.sqlState == "23505" {}
      }
      try connection.transaction {
        try connection.execute(
          "create temporary table new_rejects (like \(schema.quoted).rejects) on commit drop")
        try copy(rows, file, job, into: "pg_temp.new_rejects")
        try connection.execute(
          """
          insert into \(schema.quoted).rejects as rejects (\(Self.rejectColumns))
          select \(Self.rejectColumns) from pg_temp.new_rejects
          order by byte_offset, length, reason
          on conflict (file, byte_offset, length, reason) do update
          set job_id = excluded.job_id
          where rejects.job_id < excluded.job_id
          """)
      }
    }
  }

  /// Removes rejects of a file, and of its entries, that a later reading of all of it did not meet again.
  ///
  /// The rest of a cut record has arrived, or the file was replaced.
  package func forgetEarlierRejects(of file: Bytes, _ job: Job) throws {
    try retrying(at: "schema \(schema.name)", "cannot list the rejects") { _ in
      var condition = Condition(RejectFilter(file: file))
      condition.parts.append("job_id < \(condition.add(.int8(job.id)))")
      try connection.execute(
        "delete from \(schema.quoted).rejects\(condition.sql)", condition.parameters)
    }
  }

  private static let rejectColumns =
    "file, byte_offset, length, reason, stage, field, line, job_id"

  /// Loads rows that are sorted, those of one key once.
  private func copy(
    _ rejections: [Rejection], _ file: Bytes, _ job: Job, into table: String
  ) throws {
    _ = try connection.copyIn(
      "copy \(table) (\(Self.rejectColumns)) from stdin (format binary)"
    ) { put in
      var block: [UInt8] = []
      for (index, rejection) in rejections.enumerated() {
        if index > 0, rejections[index - 1].isListed(as: rejection) { continue }
        block.append(bigEndian: Int16(8))
        block.appendField(file)
        block.appendField(Int64(rejection.byteOffset))
        block.appendField(Int64(rejection.length))
        block.appendField(rejection.reason.rawValue)
        block.appendField(rejection.reason.stage.rawValue)
        block.appendField(rejection.field)
        block.appendField(Int64(rejection.line))
        block.appendField(job.id)
        if block.count >= 1 << 18 {
          try block.withUnsafeBytes(put)
          block.removeAll(keepingCapacity: true)
        }
      }
      try block.withUnsafeBytes(put)
    }
  }

  // MARK: Reading

  /// Hands out rejects in the order of file and place, a page at a time.
  ///
  /// - Parameters:
  ///   - filter: which ones.
  ///   - limit: at most so many; nil for all.
  ///   - pageRows: rows in memory at once.
  ///   - take: gets each page, none of them empty.
  /// - Throws: a ``Problem``, or what `take` throws.
  package func rejects(
    _ filter: RejectFilter, limit: Int? = nil, pageRows: Int = 10_000,
    _ take: ([RejectRow]) throws -> Void
  ) throws {
    var left = limit ?? .max
    var after: RejectRow?
    while left > 0 {
      let wanted = min(left, pageRows)
      let page = try page(of: filter, after: after, wanted)
      if !page.isEmpty { try take(page) }
      guard page.count == wanted else { return }
      left -= page.count
      after = page.last
    }
  }

  private func page(of filter: RejectFilter, after: RejectRow?, _ limit: Int) throws -> [RejectRow]
  {
    try retrying(at: "schema \(schema.name)", "cannot read the rejects") { _ in
      var condition = Condition(filter)
      if let after {
        let key = [
          condition.add(.text(after.file)), condition.add(.int8(after.byteOffset)),
          condition.add(.int8(after.length)), condition.add(.text(after.reason)),
        ]
        condition.parts.append(
          "(file, byte_offset, length, reason) > (\(key.joined(separator: ", ")))")
      }
      let most = condition.add(.int8(Int64(limit)))
      let rows = try connection.execute(
        """
        select \(Self.rejectColumns) from \(schema.quoted).rejects\(condition.sql)
        order by file, byte_offset, length, reason limit \(most)
        """, condition.parameters)
      return (0..<rows.count).map { row in
        func text(_ column: Int) -> Bytes { rows.bytes(row, column) ?? .empty }
        func integer(_ column: Int) -> Int64 { rows.integer(row, column) ?? 0 }
        return RejectRow(
          file: text(0), byteOffset: integer(1), length: integer(2), reason: text(3),
          stage: text(4), field: text(5), line: integer(6), jobID: integer(7))
      }
    }
  }

  /// How many rejects each file has, by its name.
  package func rejectedFiles(_ filter: RejectFilter) throws -> [(file: Bytes, count: Int)] {
    try retrying(at: "schema \(schema.name)", "cannot read the rejects") { _ in
      let condition = Condition(filter)
      let rows = try connection.execute(
        """
        select file, count(*) from \(schema.quoted).rejects\(condition.sql)
        group by file order by file
        """, condition.parameters)
      return (0..<rows.count).map { row in
        (rows.bytes(row, 0) ?? .empty, Int(rows.integer(row, 1) ?? 0))
      }
    }
  }

  /// A `where` with its parameters.
  private struct Condition {
    var parts: [String] = []
    var parameters: [Parameter] = []

    init(_ filter: RejectFilter) {
      if let file = filter.file {
        let name = add(.text(file))
        // `0` is the byte behind `/`: a range, so that the key's index serves.
        parts.append("file >= \(name) and file < \(name) || '!0'")
        parts.append("(file = \(name) or file >= \(name) || '!/')")
      }
      if let reason = filter.reason { parts.append("reason = \(add(.text(reason.rawValue)))") }
      if let job = filter.job { parts.append("job_id = \(add(.int8(job)))") }
    }

    /// The parameter's name.
    mutating func add(_ parameter: Parameter) -> String {
      parameters.append(parameter)
      return "$\(parameters.count)"
    }

    var sql: String { parts.isEmpty ? "" : " where " + parts.joined(separator: " and ") }
  }
}

extension Rejection {
  /// True where both are one row.
  fileprivate func isListed(as other: Rejection) -> Bool {
    byteOffset == other.byteOffset && length == other.length && reason == other.reason
  }
}
