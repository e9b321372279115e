package import Core

/// A file outside of the database that holds texts of rejects.
package struct KeptRejectsFile: Hashable, Sendable {
  package let path: Bytes
  /// True while it is not old enough to be removed.
  package let isRecent: Bool
}

extension Store {
  /// Notes where a job writes texts of its rejects, before it does.
  package func noteKeptRejects(_ path: Bytes, _ job: Job) throws {
    try retrying(at: "job \(job.id)", "cannot note its file of rejects") { _ in
      try connection.execute(
        "update \(schema.quoted).job_runs set kept_rejects = $2 where job_id = $1",
        [.int8(job.id), .text(path)])
    }
  }

  /// All files that jobs wrote texts of rejects to, whether or not they are there now.
  package func keptRejects() throws -> [KeptRejectsFile] {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in
      let rows = try connection.execute(
        """
        select kept_rejects, bool_or(started_at > now() - interval '30 days')
        from \(schema.quoted).job_runs where kept_rejects is not null
        group by kept_rejects order by kept_rejects
        """)
      return (0..<rows.count).map {
        KeptRejectsFile(path: rows.bytes($0, 0) ?? .empty, isRecent: rows.boolean($0, 1) == true)
      }
    }
  }
}
