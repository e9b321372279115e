package import Core

/// What a unit did, and what it left.
package struct UnitResult: Hashable, Sendable {
  package var counts: UnitCounts
  /// True where no profile of the shard waits any more for what the unit was asked to derive anew.
  package var isRefoldComplete: Bool
  /// True where another generation came into force: events are stored, their profiles wait to be
  /// derived by it, and the job should end with `.tryAgain`.
  package var foundNewerGeneration: Bool
  /// Profiles that a unit left alone: they need one that locks more shards.
  ///
  /// Their events are not stored, and nothing of a slice that is derived anew counts as done while one
  /// of it is left.
  package var left: Set<Bytes> = []
  /// Profiles that waited and are derived.
  package var done: Set<Bytes> = []
}

extension Store {
  /// Does the work of one shard in one transaction.
  ///
  /// Stores events and derives the people they change, and those that are to be derived anew. Done
  /// again after anything that can pass. A person can have ids in other shards: then it starts again
  /// with the locks of those as well, until it holds all it needs.
  ///
  /// - Parameters:
  ///   - job: the job it belongs to.
  ///   - number: differs between the units of a job; the row (job, number) settles whether a commit
  ///     whose answer was lost took place.
  ///   - shard: the shard that is locked at first.
  ///   - incoming: events by profile, in any order; all profiles belong to the shard.
  ///   - refold: who is derived anew.
  ///   - refoldLimit: profiles derived anew at most; call again until `isRefoldComplete`.
  ///   - staysInShard: true to leave those profiles alone whose people reach into other shards, so
  ///     that the many of one id never wait for them.
  ///   - done: profiles of the slice that such a unit has derived anew already.
  ///   - people: which ids are one person's, besides merges.
  ///   - privacy: what the pipeline drops, for what was stored before it did.
  ///   - resolve: what follows from a person's events at an instant; called under the lock.
  /// - Returns: what was done, and what is left.
  /// - Throws: a ``Problem``: `.tryAgain`, or `.bug` with the SQLSTATE where the data is refused.
  package func runUnit(
    _ job: Job, number: Int64, shard: Shard, incoming: [Bytes: [Event]], refold: Refold = .none,
    refoldLimit: Int = 2000, staysInShard: Bool = false, done: Set<Bytes> = [],
    people: PeopleRules = PeopleRules(), privacy: PrivacyRules = PrivacyRules(),
    resolve: (PersonEvents, Instant) -> Outcome
  ) throws -> UnitResult {
    var work = UnitWork(incoming: incoming, refold: refold, refoldLimit: refoldLimit, done: done)
    work.staysInShard = staysInShard
    work.privacy = privacy
    do {
      return try attempt(
        work, job, number: number, shards: [shard], people: people, resolve: resolve)
    } catch let refused as RefusedUnit {
      throw refused.problem(at: [shard].words, "cannot write a unit", schema)
    }
  }

  /// Does one transaction's work, as often as what fails can pass.
  ///
  /// - Throws: ``RefusedUnit`` where the data is refused, else a ``Problem``.
  func attempt(
    _ work: UnitWork, _ job: Job, number: Int64, shards: [Shard], people: PeopleRules,
    resolve: (PersonEvents, Instant) -> Outcome
  ) throws -> UnitResult {
    var locked = Set(shards)
    for profileID in work.incoming.keys where !locked.contains(Shard(of: profileID, primitives)) {
      throw Problem(.bug, at: shards.words, "was given events of another shard")
    }
    var last: UnitResult?
    return try retrying(at: shards.words, "cannot write a unit") { attempt in
      while true {
        let header = try beginLocked(locked)
        // The lock is held, so an earlier attempt's transaction has ended: this read settles it.
        if attempt > 0, let result = last, try isCommitted(job, number) {
          connection.rollback()
          return result
        }
        // Whoever is released brings events that were stored before somebody was erased.
        let released =
          work.releasing.isEmpty
          ? [:]
          : try StoredSets(connection: connection, schema: schema).fetchSetAside(
            work.releasing.sorted())
        let told = work.incoming.merging(released.mapValues(\.set.copies)) { $0 + $1 }
        var unit = Unit(
          connection: connection, schema: schema, primitives: primitives, shards: shards,
          locked: locked, asOf: header.asOf ?? job.asOf,
          admission: try Admission(
            of: told, work.privacy, connection, schema, primitives), job: job)
        do {
          let result = try unit.run(
            work, isCurrent: header.generation == job.generation.hash, people, resolve)
          try record(result.counts, job, number, shards)
          last = result
          try connection.commit()
          return result
        } catch let growth as UnitGrowth {
          // Locks are taken in one order only: to get one that comes before, all are let go.
          connection.rollback()
          locked = growth.shards
        } catch let error as DatabaseError where error.isAboutData {
          throw RefusedUnit(cause: error, ids: unit.ids)
        } catch let error as UnreadableSet {
          throw RefusedUnit(cause: error, ids: unit.ids)
        }
      }
    }
  }

  func isCommitted(_ job: Job, _ number: Int64) throws -> Bool {
    let rows = try connection.execute(
      "select 1 from \(schema.quoted).job_units where job_id = $1 and unit = $2",
      [.int8(job.id), .int8(number)])
    return rows.count == 1
  }

  func record(_ counts: UnitCounts, _ job: Job, _ number: Int64, _ shards: [Shard]) throws {
    let shard = shards.count == 1 ? shards.first : nil
    try connection.execute(
      """
      insert into \(schema.quoted).job_units (job_id, unit, shard, counts)
      values ($1, $2, $3, $4::jsonb)
      """,
      [
        .int8(job.id), .int8(number), shard.map { .int4(Int32($0.number)) } ?? .null(.int4),
        .text(counts.json),
      ])
  }
}
