package import Core

/// What a unit did, and what it left.
package struct UnitResult: Hashable, Sendable {
  package var counts: UnitCounts
  /// True where no profile of the shard waits any more for what the unit was asked to derive anew.
  package var isRefoldComplete: Bool
  /// True where another generation came into force: events are stored, their profiles wait to be
  /// derived by it, and the job should end with `.tryAgain`.
  package var foundNewerGeneration: Bool
}

extension Store {
  /// Does one transaction's work on one shard.
  ///
  /// Stores events and derives the profiles they change, and those that are to be derived anew. Done
  /// again after anything that can pass.
  ///
  /// - Parameters:
  ///   - job: the job it belongs to.
  ///   - number: differs between the units of a job; the row (job, number) settles whether a commit
  ///     whose answer was lost took place.
  ///   - shard: the shard that is locked.
  ///   - incoming: events by profile, in any order; all profiles belong to the shard.
  ///   - refold: who is derived anew.
  ///   - refoldLimit: profiles derived anew at most; call again until `isRefoldComplete`.
  ///   - resolve: what follows from a profile's events at an instant; called under the lock.
  /// - Returns: what was done, and what is left.
  /// - Throws: a ``Problem``: `.tryAgain`, or `.bug` with the SQLSTATE where the data is refused.
  package func runUnit(
    _ job: Job, number: Int64, shard: Shard, incoming: [Bytes: [Event]], refold: Refold = .none,
    refoldLimit: Int = 2000, resolve: (EventSet, Instant) -> Outcome
  ) throws -> UnitResult {
    for profileID in incoming.keys where Shard(of: profileID, primitives) != shard {
      throw Problem(.bug, at: "shard \(shard.number)", "was given events of another shard")
    }
    var last: UnitResult?
    return try retrying(at: "shard \(shard.number)", "cannot write a unit") { attempt in
      let header = try beginLocked(shard: shard)
      // The lock is held, so an earlier attempt's transaction has ended: this read settles it.
      if attempt > 0, let result = last, try isCommitted(job, number) {
        connection.rollback()
        return result
      }
      var unit = Unit(
        connection: connection, schema: schema, primitives: primitives, shard: shard,
        asOf: max(job.asOf, header.asOf ?? job.asOf))
      let result = try unit.run(
        incoming, refold: refold, limit: refoldLimit,
        isCurrent: header.generation == job.generation.hash, resolve)
      try record(result.counts, job, number, shard)
      last = result
      try connection.commit()
      return result
    }
  }

  private func isCommitted(_ job: Job, _ number: Int64) throws -> Bool {
    let rows = try connection.execute(
      "select 1 from \(schema.quoted).job_units where job_id = $1 and unit = $2",
      [.int8(job.id), .int8(number)])
    return rows.count == 1
  }

  private func record(_ counts: UnitCounts, _ job: Job, _ number: Int64, _ shard: Shard) throws {
    try connection.execute(
      """
      insert into \(schema.quoted).job_units (job_id, unit, shard, counts)
      values ($1, $2, $3, $4::jsonb)
      """,
      [.int8(job.id), .int8(number), .int4(Int32(shard.number)), .text(counts.json)])
  }
}
