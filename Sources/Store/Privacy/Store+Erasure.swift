package import Core

extension Store {
  /// Tells what an erasure would remove, writing nothing.
  package func planErasure(_ request: ErasureRequest) throws -> Erasure {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in
      try connection.transaction(Self.beginReading) {
        try find(request.ids.union(behind(request.hashes))).erasure
      }
    }
  }

  /// Removes people from every table, and keeps them out from now on.
  ///
  /// One transaction under the exclusive lock of the schema, in which tombstones are left, everybody is
  /// looked through for events that tell of the erased ids, and what follows from the rest is derived:
  /// no unit runs beside it, and none that comes later can bring anyone back. Doing it again changes
  /// nothing. A stored set that does not decode hinders nobody's erasure.
  ///
  /// - Parameters:
  ///   - request: whom; an id of which nothing is stored is kept out all the same.
  ///   - job: the job it belongs to.
  ///   - number: of the unit in its job.
  ///   - people: which ids are one person's, besides merges.
  ///   - privacy: what the pipeline drops.
  ///   - outside: is given all ids before the database commits, for what is stored outside of it; can be
  ///     called more than once.
  ///   - resolve: what follows from a person's events at an instant.
  /// - Returns: what was removed.
  /// - Throws: a ``Problem``: `.tryAgain` where another pipeline came into force.
  package func erase(
    _ request: ErasureRequest, _ job: Job, number: Int64, people: PeopleRules = PeopleRules(),
    privacy: PrivacyRules = PrivacyRules(), outside: (Set<Bytes>) throws -> Void = { _ in },
    resolve: (PersonEvents, Instant) -> Outcome
  ) throws -> Erasure {
    var last: Erasure?
    var damaged: Set<Bytes> = []
    return try retrying(at: "schema \(schema.name)", "cannot erase") { attempt in
      while true {
        let header = try beginExclusively()
        if attempt > 0, let erasure = last, try isCommitted(job, number) {
          connection.rollback()
          return erasure
        }
        guard header.generation == job.generation.hash else { throw newerGeneration() }
        var (erasure, ids) = try find(request.ids.union(behind(request.hashes)))
        do {
          let counts = try remove(
            ids, &erasure, damaged, header.asOf ?? job.asOf, job, people, privacy, resolve)
          try leaveTombstones(Set(ids), request)
          try record(counts, job, number, Shard.all)
        } catch let unreadable as UnreadableSet where !damaged.contains(unreadable.profileID) {
          // Of somebody who is derived beside them: set aside, as any job would.
          connection.rollback()
          damaged.insert(unreadable.profileID)
          continue
        }
        try outside(Set(ids))
        last = erasure
        try connection.commit()
        return erasure
      }
    }
  }

  /// Keeps ids out of a database that holds no pipeline yet, and so nobody's events.
  package func keepOut(_ request: ErasureRequest) throws {
    try retrying(at: "schema \(schema.name)", "cannot erase") { _ in
      _ = try beginExclusively()
      try leaveTombstones(request.ids, request)
      try connection.commit()
    }
  }

  /// Lets ids in again that were erased: what is read from then on counts.
  ///
  /// - Returns: how many of them were kept out.
  /// - Throws: a ``Problem``, also where this user may not take an erasure back.
  package func liftErasure(of request: ErasureRequest) throws -> Int {
    try retrying(at: "schema \(schema.name)", "cannot lift the erasure") { _ in
      do {
        _ = try beginExclusively()
        let lifted = try Tombstones(connection, schema, primitives).lift(request.ids)
        try connection.commit()
        return lifted.count
      } catch let error as DatabaseError where error.sqlState == "42501" {
        throw Problem(
          .noDatabase, at: "schema \(schema.name)", "cannot lift the erasure",
          because: error.message, next: "run it as the user that owns the schema")
      }
    }
  }

  /// Who was erased, for a database that is restored from a backup.
  package func erasedHashes() throws -> ErasedHashes {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in
      let tombstones = try Tombstones(connection, schema, primitives)
      return ErasedHashes(check: Bytes(tombstones.check), hashes: try tombstones.all())
    }
  }

  /// Starts a transaction beside which no unit and no other such transaction runs: each unit holds the
  /// schema's lock shared until it ends (SEMANTICS 4.4).
  func beginExclusively() throws -> SchemaHeader {
    try connection.executeScript(
      """
      begin isolation level read committed read write;
      set local statement_timeout = 0;
      set local lock_timeout = '60s';
      set local search_path = pg_catalog
      """)
    try connection.lockExclusively(schema)
    return try header()
  }

  private func leaveTombstones(_ ids: Set<Bytes>, _ request: ErasureRequest) throws {
    let tombstones = try Tombstones(connection, schema, primitives)
    try tombstones.leave(ids)
    try tombstones.leave(hashes: request.hashes)
  }

  /// Removes all that is stored of ids, and what others' events say of them; fills in what is known then.
  private func remove(
    _ ids: [Bytes], _ erasure: inout Erasure, _ damaged: Set<Bytes>, _ asOf: Instant, _ job: Job,
    _ people: PeopleRules, _ privacy: PrivacyRules, _ resolve: (PersonEvents, Instant) -> Outcome
  ) throws -> UnitCounts {
    var admission = try Admission(of: [:], privacy, connection, schema, primitives)
    admission.erased = Set(ids.map(ProfileID.folded))
    var removed = try deleteDamaged(ids)
    let others = try mentioning(ids, admission)
    var unit = Unit(
      connection: connection, schema: schema, primitives: primitives, shards: Shard.all,
      locked: Set(Shard.all), asOf: asOf, admission: admission, job: job)
    var work = UnitWork(also: Set(ids).union(others.telling))
    for id in damaged.union(others.damaged.filter { !$0.isSetAside }.map(\.profileID)) {
      work.quarantining[id] = .unreadable
    }
    let counts = try unit.run(work, isCurrent: true, people, resolve).counts
    removed += counts.removedEvents + (try trimSetAside(admission))
    erasure.mentions = removed - erasure.events
    erasure.damaged = damaged.union(others.damaged.map(\.profileID)).count
    try removeRest(of: ids)
    erasure.names = try forgetNames(of: ids)
    return counts
  }

  /// Deletes those of the ids' own sets that do not decode: they go anyway.
  ///
  /// - Returns: how many events they held, as their rows say.
  private func deleteDamaged(_ ids: [Bytes]) throws -> Int {
    let damaged = try StoredSets(connection: connection, schema: schema).fetchAll(ids).damaged
    guard !damaged.isEmpty else { return 0 }
    try connection.execute(
      "delete from \(schema.quoted).profile_events where profile_id = any($1)",
      [.texts(damaged.map(\.profileID))])
    return damaged.reduce(0) { $0 + $1.count }
  }

  // MARK: What is left

  /// Removes what does not follow from events, and makes sure that nothing is left.
  private func removeRest(of ids: [Bytes]) throws {
    let tables = try PersonTables(connection, schema)
    try tables.deleteRows(of: ids)
    // Where a shard is derived anew its cursor is an id: it goes back to the one before.
    try connection.execute(
      """
      update \(schema.quoted).shard_state as state
      set cursor = coalesce(
        (
          select max(profile.profile_id) from \(schema.quoted).profiles as profile
          where profile.shard = state.shard and profile.profile_id < state.cursor
        ), '')
      where state.cursor = any($1)
      """, [.texts(ids)])
    let left = try tables.counts(of: ids)
    guard left.isEmpty else {
      throw Problem(
        .bug, at: "schema \(schema.name)", "cannot erase",
        because: "rows would stay in " + left.map(\.table).joined(separator: ", "),
        next: "please report it; nothing was changed")
    }
  }
}
