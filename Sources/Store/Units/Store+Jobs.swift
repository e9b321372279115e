package import Core

extension Store {
  /// Records a job, before its first unit.
  ///
  /// - Parameters:
  ///   - command: without its arguments.
  ///   - asOf: what `--as-of` says; nil is the server's clock, or the instant in force if that is later.
  ///   - isForced: allows an instant more than a day ahead of the server's clock.
  ///   - generation: must be the one in force.
  ///   - isExclusive: refuses to start beside a job that is at work.
  /// - Returns: the job with its number and instant.
  /// - Throws: a ``Problem`` with `.usage` for an instant before the one in force, with `.tryAgain`
  ///   where another job is at work and this one is to be alone.
  package func startJob(
    command: String, asOf: Instant?, isForced: Bool = false, generation: Generation,
    isExclusive: Bool = false
  ) throws -> Job {
    let token = JobLease.newToken()
    return try retrying(at: "schema \(schema.name)", "cannot start the job") { attempt in
      let header = try beginLocked()
      try refuseReadOnly()
      // Jobs start one after the other, so that of two that want to be alone one sees the other.
      let lease = JobLease(connection: connection, schema: schema)
      try lease.lockStarts()
      // The answer to a commit was lost: the row tells whether it took place.
      if attempt > 0, let job = try lease.job(of: token, generation) {
        connection.rollback()
        return job
      }
      try lease.markLost()
      guard header.generation == generation.hash else { throw newerGeneration() }
      let instant = asOf ?? max(header.now, header.asOf ?? header.now)
      if let inForce = header.asOf, instant < inForce {
        throw Problem(
          .usage, at: "--as-of", "is earlier than the instant in force",
          because: "everything is derived for \(inForce.iso8601) already",
          next: command == "recompute"
            ? "name a later instant, or add --rewind"
            : "leave --as-of away or name a later instant")
      }
      guard isForced || instant <= header.now.adding(days: 1) || asOf == nil else {
        throw Problem(
          .usage, at: "--as-of", "is more than a day ahead",
          because: "later jobs could not go back",
          next: command == "force"
            ? "name an earlier instant" : "add --force if that is meant")
      }
      if isExclusive { try lease.refuseOthers() }
      let job = try insertJob(command, at: instant, generation, token: token)
      try connection.commit()
      return job
    }
  }

  /// Writes the record of a job that is at work, in the transaction at hand.
  ///
  /// - Parameters:
  ///   - token: finds the row again where the answer to the commit is lost.
  ///   - isRewind: true where the instant sets back the one in force.
  func insertJob(
    _ command: String, at instant: Instant, _ generation: Generation, token: String,
    isRewind: Bool = false
  ) throws -> Job {
    let row = try connection.execute(
      """
      insert into \(schema.quoted).job_runs (
        command, generation, as_of, token, alive_until, is_rewind
      )
      values ($1, $2, $3, $4, clock_timestamp() + $5::text::interval, $6)
      returning job_id
      """,
      [
        .text(command), .text(generation.hash), .timestamptz(instant), .text(token),
        .text(JobLease.length), .boolean(isRewind),
      ])
    return Job(id: row.integer(0, 0) ?? 0, asOf: instant, generation: generation)
  }

  /// Closes a job's record, with the sums of its units, and with what it read.
  ///
  /// A job whose two sheets do not add up is closed as a bug (SEMANTICS 3.8).
  ///
  /// - Parameter reading: the sheet of its inputs as JSON, and the events in it.
  /// - Returns: what became of its events; the caller holds it against the sheets of its files.
  @discardableResult
  package func finish(
    _ job: Job, exit: ExitCode, reading: (sheet: String, events: Int)? = nil
  ) throws -> JobSheet {
    try retrying(at: "job \(job.id)", "cannot close the job") { _ in
      let sums = JobSheet.members
        .map { "coalesce(sum((counts ->> '\($0.name)')::bigint), 0)::bigint as \($0.name)" }
        .joined(separator: ", ")
      let names = JobSheet.members.map { "sums.\($0.name)" }.joined(separator: ", ")
      let total = JobSheet.members.map { "sums.\($0.name)" }.joined(separator: " + ")
      let sheet: Parameter = reading.map { .text($0.sheet) } ?? .null(.text)
      let events: Parameter = reading.map { .int8(Int64($0.events)) } ?? .null(.int8)
      let row = try connection.execute(
        """
        with sums as (
          select \(sums) from \(schema.quoted).job_units where job_id = $1
        )
        update \(schema.quoted).job_runs as job
        set
          finished_at = clock_timestamp(),
          state = case when \(total) = coalesce($5, \(total)) then $2 else 'failed' end,
          exit_code = case when \(total) = coalesce($5, \(total)) then $3 else $6 end,
          counts = to_jsonb(sums),
          reading = coalesce($4::jsonb, job.reading)
        from sums
        where job.job_id = $1
        returning \(names)
        """,
        [
          .int8(job.id), .text(exit == .done ? "done" : "failed"), .int4(exit.rawValue), sheet,
          events, .int4(ExitCode.bug.rawValue),
        ])
      var result = JobSheet()
      for (column, member) in JobSheet.members.enumerated() where row.count == 1 {
        result[keyPath: member.path] = Int(row.integer(0, column) ?? 0)
      }
      return result
    }
  }

  /// The shards that are not as the job's instant and generation want them; usually none.
  ///
  /// Reads the 64 rows of `shard_state`.
  package func pendingWork(for job: Job) throws -> [(shard: Shard, refold: Refold)] {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in
      let rows = try connection.execute(
        """
        select shard, cursor is not null
        from \(schema.quoted).shard_state
        where cursor is not null or min_review_at <= least($1, \(instantInForce))
        order by shard
        """, [.timestamptz(job.asOf)])
      return (0..<rows.count).map { row in
        (
          Shard(number: UInt8(rows.integer(row, 0) ?? 0)),
          rows.boolean(row, 1) == true ? .all : .due
        )
      }
    }
  }

  /// Whoever set a database to be read unless told otherwise did not mean this program as the exception.
  private func refuseReadOnly() throws {
    let setting = try connection.execute(
      "select current_setting('default_transaction_read_only')")
    guard setting.text(0, 0) == "on" else { return }
    throw Problem(
      .noDatabase, at: address.words, "is read-only",
      because: "default_transaction_read_only is on for this database, role or server",
      next: "name the primary, or set it off")
  }

  func newerGeneration() -> Problem {
    Problem(
      .tryAgain, at: "schema \(schema.name)", "is derived by another pipeline file now",
      because: "another job brought one in since this job read its own",
      next: "run again, with the pipeline file that is to count")
  }
}

/// Which profiles a unit derives anew besides those whose events changed.
package enum Refold: Hashable, Sendable {
  case none
  /// Those whose next review has come, earliest first.
  case due
  /// Those that the generation in force was not applied to yet, in order of their ids.
  case all
}
