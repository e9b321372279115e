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

  package init(
    path: Bytes, device: Int64, inode: Int64, size: Int64, mtimeNanoseconds: Int64,
    ctimeNanoseconds: Int64, bytesDone: Int64, linesDone: Int64, headHash: [UInt8],
    tailHash: [UInt8], readerRevision: Bytes, isDone: Bool, isTruncated: Bool, counts: String
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
          tail_hash, reader_revision, is_done, is_truncated, counts::text
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
          isTruncated: rows.boolean(row, 12) == true, counts: rows.text(row, 13) ?? "{}")
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
          tail_hash, reader_revision, is_done, is_truncated, counts, job_id
        )
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::jsonb, $15)
        on conflict (path) do update set
          device = excluded.device, inode = excluded.inode, size = excluded.size,
          mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns,
          bytes_done = excluded.bytes_done, lines_done = excluded.lines_done,
          head_hash = excluded.head_hash, tail_hash = excluded.tail_hash,
          reader_revision = excluded.reader_revision, is_done = excluded.is_done,
          is_truncated = excluded.is_truncated, counts = excluded.counts,
          job_id = excluded.job_id, read_at = excluded.read_at
        """,
        [
          .text(file.path), .int8(file.device), .int8(file.inode), .int8(file.size),
          .int8(file.mtimeNanoseconds), .int8(file.ctimeNanoseconds), .int8(file.bytesDone),
          .int8(file.linesDone), .bytea(file.headHash), .bytea(file.tailHash),
          .text(file.readerRevision), .boolean(file.isDone), .boolean(file.isTruncated),
          .text(file.counts), .int8(job.id),
        ])
    }
  }

  /// Removes rejects of a file that a later reading of all of it did not meet again.
  ///
  /// The rest of a cut record has arrived, or the file was replaced. Rejects of its entries, if it is an
  /// archive, go by the name `FILE!/ENTRY`.
  package func forgetEarlierRejects(of file: Bytes, _ job: Job) throws {
    try retrying(at: "schema \(schema.name)", "cannot list the rejects") { _ in
      // `0` is the byte behind `/`: a range, so that the key's index serves.
      try connection.execute(
        """
        delete from \(schema.quoted).rejects
        where (file = $1 or (file >= $1 || '!/' and file < $1 || '!0')) and job_id < $2
        """,
        [.text(file), .int8(job.id)])
    }
  }
}
