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
    let token = JobLease.newToken()
    return try retrying(at: "schema \(schema.name)", "cannot go back in time") { attempt in
      try connection.transaction {
        try connection.lockExclusively(schema)
        let header = try header()
        // The answer to a commit was lost: the row tells whether it took place.
        let lease = JobLease(connection: connection, schema: schema)
        if attempt > 0, let job = try lease.job(of: token, generation) { return job }
        guard header.generation == generation.hash else { throw newerGeneration() }
        guard let inForce = header.asOf, instant < inForce else {
          throw Problem(
            .usage, at: "--rewind", "has nothing to go back from",
            because: header.asOf.map { "the instant in force is \($0.iso8601)" }
              ?? "no job has run yet",
            next: "leave --rewind away")
        }
        let job = try insertJob(command, at: instant, generation, token: token, isRewind: true)
        try markForRefold(generation: generation.hash)
        return job
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
