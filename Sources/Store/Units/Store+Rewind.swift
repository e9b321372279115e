package import Core

extension Store {
  /// Starts a job that sets the instant in force back, and has everything derived anew for it.
  ///
  /// Waits until no unit is in the middle of its work; those that come later go by the new instant,
  /// whatever job they belong to.
  ///
  /// - Parameters:
  ///   - command: without its arguments.
  ///   - instant: the one that is to be in force.
  ///   - generation: must be the one in force.
  /// - Returns: the job; all shards wait for its units.
  /// - Throws: a ``Problem`` with `.usage` for an instant that is not earlier than the one in force.
  package func rewind(command: String, to instant: Instant, generation: Generation) throws -> Job {
    try retrying(at: "schema \(schema.name)", "cannot go back in time") { _ in
      try connection.transaction {
        try connection.execute(
          "select pg_catalog.pg_advisory_xact_lock($1, -1)", [.int4(schema.lockKey)])
        let header = try header()
        guard header.generation == generation.hash else { throw newerGeneration() }
        guard let inForce = header.asOf, instant < inForce else {
          throw Problem(
            .usage, at: "--rewind", "has nothing to go back from",
            because: header.asOf.map { "the instant in force is \($0.iso8601)" }
              ?? "no job has run yet",
            next: "leave --rewind away")
        }
        let row = try connection.execute(
          """
          insert into \(schema.quoted).job_runs (command, generation, as_of, is_rewind)
          values ($1, $2, $3, true)
          returning job_id
          """, [.text(command), .text(generation.hash), .timestamptz(instant)])
        try markForRefold(generation: generation.hash)
        return Job(id: row.integer(0, 0) ?? 0, asOf: instant, generation: generation)
      }
    }
  }

  /// A scalar query for the instant in force: the greatest since the last time it was set back.
  var instantInForce: String {
    let jobs = "\(schema.quoted).job_runs"
    return """
      (
        select max(j.as_of) from \(jobs) as j
        where j.job_id >= coalesce((select max(r.job_id) from \(jobs) as r where r.is_rewind), 0)
      )
      """
  }
}
