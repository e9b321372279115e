internal import Core

/// By what one job knows of another that it is at work: `job_runs.alive_until`.
///
/// No lock of a session would do: behind PgBouncer in transaction mode it stays with a connection that
/// nobody owns. A job puts the instant off while it lives, by the server's clock; one that was killed is
/// believed dead when it has passed.
struct JobLease {
  let connection: Connection
  let schema: SchemaName

  /// How long a job is believed to live after it last said so, as SQL has it.
  static let length = "30 seconds"
  /// Seconds from one word to the next: a second one may be lost.
  static let interval = 10.0

  static func newToken() -> String {
    (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }.joined(separator: "-")
  }

  /// Lets no other job start before the transaction ends.
  func lockStarts() throws {
    try connection.execute("select pg_advisory_xact_lock($1, -2)", [.int4(schema.lockKey)])
  }

  /// The job that an earlier attempt of this program started.
  func job(of token: String, _ generation: Generation) throws -> Job? {
    let row = try connection.execute(
      "select job_id, as_of from \(schema.quoted).job_runs where token = $1", [.text(token)])
    guard row.count == 1, let id = row.integer(0, 0), let asOf = row.instant(0, 1) else {
      return nil
    }
    return Job(id: id, asOf: asOf, generation: generation)
  }

  /// Tells of jobs that have been silent for too long that they are lost: no state stays for ever.
  func markLost() throws {
    try connection.execute(
      """
      update \(schema.quoted).job_runs set state = 'lost'
      where state = 'running' and (alive_until is null or alive_until < clock_timestamp())
      """)
  }

  func refuseOthers() throws {
    let others = try connection.execute(
      """
      select job_id, command from \(schema.quoted).job_runs where state = 'running'
      order by job_id limit 1
      """)
    guard others.count > 0 else { return }
    throw Problem(
      .tryAgain, at: "--exclusive",
      "job \(others.integer(0, 0) ?? 0) (\(others.text(0, 1) ?? "")) is at work",
      because: "it said so in the last \(Self.length)",
      next: "run again when it is done; leave --exclusive away to work beside it")
  }

  /// Says that a job lives.
  ///
  /// - Parameter reviving: also where it was believed dead.
  /// - Returns: false where it was: another one may have begun to work alone.
  func renew(_ jobID: Int64, reviving: Bool) throws -> Bool {
    let done = try connection.execute(
      """
      update \(schema.quoted).job_runs
      set alive_until = clock_timestamp() + $2::text::interval, state = 'running'
      where job_id = $1 and (state = 'running' or $3 and state = 'lost')
      """, [.int8(jobID), .text(Self.length), .boolean(reviving)])
    return done.affected == 1
  }
}

extension Store {
  /// How often ``renew(_:)`` is to be called, in seconds.
  package static var renewalInterval: Double { JobLease.interval }

  /// Says that a job lives; on a connection of its own beside the units'.
  ///
  /// - Parameter reviving: also where it was believed dead meanwhile.
  /// - Returns: false where it does not count as at work.
  package func renew(_ job: Job, reviving: Bool) throws -> Bool {
    try retrying(at: "job \(job.id)", "cannot say that it lives") { _ in
      try JobLease(connection: connection, schema: schema).renew(job.id, reviving: reviving)
    }
  }
}
