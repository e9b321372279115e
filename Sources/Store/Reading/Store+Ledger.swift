package import Core

/// What is known of an input file that was read (SEMANTICS 3.9).
package struct FileRecord: Hashable, Sendable {
  /// Real path, links resolved.
  package var path: Bytes
  package var device: Int64
  package var inode: Int64
  package var size: Int64
  package var mtimeNanoseconds: Int64
  package var ctimeNanoseconds: Int64
  package var bytesDone: Int64
  package var linesDone: Int64
  /// Of the first 4 kB, and of the last 4 kB before ``bytesDone``.
  package var headHash: [UInt8]
  package var tailHash: [UInt8]
  package var readerRevision: Bytes
  package var isDone: Bool
  package var isTruncated: Bool
  /// The file's sheet: a JSON object of counts.
  package var counts: String
  /// Which kinds of events came from which sources: a JSON object of lists.
  package var sources: String

  package init(
    path: Bytes, device: Int64, inode: Int64, size: Int64, mtimeNanoseconds: Int64,
    ctimeNanoseconds: Int64, bytesDone: Int64, linesDone: Int64, headHash: [UInt8],
    tailHash: [UInt8], readerRevision: Bytes, isDone: Bool, isTruncated: Bool, counts: String,
    sources: String = "{}"
  ) {
    self.path = path
    self.device = device
    self.inode = inode
    self.size = size
    self.mtimeNanoseconds = mtimeNanoseconds
    self.ctimeNanoseconds = ctimeNanoseconds
    self.bytesDone = bytesDone
    self.linesDone = linesDone
    self.headHash = headHash
    self.tailHash = tailHash
    self.readerRevision = readerRevision
    self.isDone = isDone
    self.isTruncated = isTruncated
    self.counts = counts
    self.sources = sources
  }
}

/// The progress ledger, written by the main task alone, outside units and after their data.
extension Store {
  /// What is known of files, by path; those never read are left out.
  package func knownFiles(_ paths: [Bytes]) throws -> [Bytes: FileRecord] {
    try retrying(at: "schema \(schema.name)", "cannot read the ledger of files") { _ in
      let rows = try connection.execute(
        """
        select path, device, inode, size, mtime_ns, ctime_ns, bytes_done, lines_done, head_hash,
          tail_hash, reader_revision, is_done, is_truncated, counts::text,
          sources::text
        from \(schema.quoted).ingest_files
        where path = any($1)
        """, [.texts(paths)])
      var records: [Bytes: FileRecord] = [:]
      for row in 0..<rows.count {
        func integer(_ column: Int) -> Int64 { rows.integer(row, column) ?? 0 }
        let path = rows.bytes(row, 0) ?? .empty
        records[path] = FileRecord(
          path: path, device: integer(1), inode: integer(2), size: integer(3),
          mtimeNanoseconds: integer(4), ctimeNanoseconds: integer(5), bytesDone: integer(6),
          linesDone: integer(7), headHash: rows.array(row, 8), tailHash: rows.array(row, 9),
          readerRevision: rows.bytes(row, 10) ?? .empty, isDone: rows.boolean(row, 11) == true,
          isTruncated: rows.boolean(row, 12) == true, counts: rows.text(row, 13) ?? "{}",
          sources: rows.text(row, 14) ?? "{}")
      }
      return records
    }
  }

  /// Notes how far a file was read; only once everything before is stored.
  package func recordFile(_ file: FileRecord, _ job: Job) throws {
    try retrying(at: "schema \(schema.name)", "cannot write the ledger of files") { _ in
      try connection.execute(
        """
        insert into \(schema.quoted).ingest_files (
          path, device, inode, size, mtime_ns, ctime_ns, bytes_done, lines_done, head_hash,
          tail_hash, reader_revision, is_done, is_truncated, counts, job_id, sources
        )
        values (
          $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::jsonb, $15, $16::jsonb
        )
        on conflict (path) do update set
          device = excluded.device, inode = excluded.inode, size = excluded.size,
          mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns,
          bytes_done = excluded.bytes_done, lines_done = excluded.lines_done,
          head_hash = excluded.head_hash, tail_hash = excluded.tail_hash,
          reader_revision = excluded.reader_revision, is_done = excluded.is_done,
          is_truncated = excluded.is_truncated, counts = excluded.counts,
          job_id = excluded.job_id, read_at = excluded.read_at, sources = excluded.sources
        """,
        [
          .text(file.path), .int8(file.device), .int8(file.inode), .int8(file.size),
          .int8(file.mtimeNanoseconds), .int8(file.ctimeNanoseconds), .int8(file.bytesDone),
          .int8(file.linesDone), .bytea(file.headHash), .bytea(file.tailHash),
          .text(file.readerRevision), .boolean(file.isDone), .boolean(file.isTruncated),
          .text(file.counts), .int8(job.id), .text(file.sources),
        ])
    }
  }

  /// Notes which kinds of events came from which sources where no file is their record.
  ///
  /// - Parameter sources: as in ``FileRecord/sources``.
  package func recordSources(_ sources: String, _ job: Job) throws {
    try retrying(at: "job \(job.id)", "cannot note its sources") { _ in
      try connection.execute(
        "update \(schema.quoted).job_runs set sources = $2::jsonb where job_id = $1",
        [.int8(job.id), .text(sources)])
    }
  }

  /// The latest job; 0 before the first.
  package func lastJob() throws -> Int64 {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in
      try connection.execute("select max(job_id) from \(schema.quoted).job_runs").integer(0, 0) ?? 0
    }
  }

  /// How many events the jobs after one stored anew, or joined to one that they changed.
  package func eventsTakenIn(since job: Int64) throws -> Int {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in
      let rows = try connection.execute(
        """
        select sum((counts ->> 'accepted')::bigint + (counts ->> 'conflict')::bigint)::bigint
        from \(schema.quoted).job_units where job_id > $1
        """, [.int8(job)])
      return Int(rows.integer(0, 0) ?? 0)
    }
  }

  /// The sources that events of each kind ever came from, by the records of files and jobs.
  package func sourcesOfKinds() throws -> [Bytes: Set<String>] {
    try retrying(at: "schema \(schema.name)", "cannot read the sources") { _ in
      let rows = try connection.execute(
        "select event_kind, source from \(schema.quoted).event_sources", [])
      var result: [Bytes: Set<String>] = [:]
      for row in 0..<rows.count {
        result[rows.bytes(row, 0) ?? .empty, default: []].insert(rows.text(row, 1) ?? "")
      }
      return result
    }
  }

  /// Adds to how often names came in a job that mean nothing; those that are erased ids are to be taken
  /// out before.
  ///
  /// - Parameter source: of the records they came in.
  package func addUnknownNames(_ names: UnknownNames, from source: Bytes, _ job: Job) throws {
    guard !names.isEmpty else { return }
    let sorted = names.counts.sorted { $0.key < $1.key }
    try retrying(at: "schema \(schema.name)", "cannot list the unknown names") { _ in
      try connection.execute(
        """
        insert into \(schema.quoted).unknown_names as known (job_id, source, kind, name, n)
        select $1, $2, u.kind, u.name, u.n
        from unnest($3, $4, $5) as u (kind, name, n)
        on conflict (job_id, source, kind, name) do update set n = known.n + excluded.n
        """,
        [
          .int8(job.id), .text(source), .texts(sorted.map { Bytes($0.key.kind.rawValue) }),
          .texts(sorted.map(\.key.name)), .integers(sorted.map { Int64($0.value) }),
        ])
    }
  }
}
