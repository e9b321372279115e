package import Core

extension Store {
  /// Tells what an erasure would remove, writing nothing.
  package func planErasure(_ request: ErasureRequest) throws -> Erasure {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in
      try connection.transaction(Self.beginReading) { try find(request).erasure }
    }
  }

  /// Removes people from every table, and keeps them out from now on.
  ///
  /// One transaction under the exclusive lock of the schema, in which tombstones are left, everybody is
  /// looked through for events that tell of the erased ids, and what follows from the rest is derived:
  /// no unit runs beside it, and none that comes later can bring anyone back. Doing it again changes
  /// nothing.
  ///
  /// - Parameters:
  ///   - request: whom; an id of which nothing is stored is kept out all the same.
  ///   - job: the job it belongs to.
  ///   - number: of the unit in its job.
  ///   - people: which ids are one person's, besides merges.
  ///   - privacy: what the pipeline drops.
  ///   - resolve: what follows from a person's events at an instant.
  /// - Returns: what was removed.
  /// - Throws: a ``Problem``: `.tryAgain` where another pipeline came into force.
  package func erase(
    _ request: ErasureRequest, _ job: Job, number: Int64, people: PeopleRules = PeopleRules(),
    privacy: PrivacyRules = PrivacyRules(), resolve: (PersonEvents, Instant) -> Outcome
  ) throws -> Erasure {
    var last: Erasure?
    return try retrying(at: "schema \(schema.name)", "cannot erase") { attempt in
      let header = try beginExclusively()
      if attempt > 0, let erasure = last, try isCommitted(job, number) {
        connection.rollback()
        return erasure
      }
      guard header.generation == job.generation.hash else { throw newerGeneration() }
      var (erasure, ids) = try find(request)
      _ = try Tombstones(connection, schema, primitives).leave(Set(ids))
      var admission = try Admission(of: [:], privacy, connection, schema, primitives)
      admission.erased = Set(ids)
      let others = try mentioning(ids, admission)
      var unit = Unit(
        connection: connection, schema: schema, primitives: primitives,
        shard: Shard(of: ids.first ?? .empty, primitives), locked: Set(Shard.all),
        asOf: header.asOf ?? job.asOf, admission: admission, job: job)
      let result = try unit.run(
        UnitWork(also: Set(ids).union(others)), isCurrent: true, people, resolve)
      let removed = result.counts.removedEvents + (try trimSetAside(admission))
      erasure.mentions = removed - erasure.events
      try removeRest(of: ids)
      try record(result.counts, job, number, Shard(of: ids.first ?? .empty, primitives))
      last = erasure
      try connection.commit()
      return erasure
    }
  }

  /// Keeps ids out of a database that holds no pipeline yet, and so nobody's events.
  package func keepOut(_ request: ErasureRequest) throws {
    try retrying(at: "schema \(schema.name)", "cannot erase") { _ in
      _ = try beginExclusively()
      _ = try Tombstones(connection, schema, primitives).leave(request.ids)
      try connection.commit()
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

  // MARK: Whom

  /// The whole people that a request names, and what is stored of them.
  private func find(_ request: ErasureRequest) throws -> (erasure: Erasure, ids: [Bytes]) {
    let name = schema.quoted
    let customers = try connection.execute(
      "select profile_id from \(name).profiles where customer_user_id = any($1)",
      [.texts(request.customerIDs)])
    let asked = request.ids.union((0..<customers.count).compactMap { customers.bytes($0, 0) })
    let canonical = try PeopleTables(connection: connection, schema: schema)
      .people(of: asked.sorted()).canonical
    let counting = asked.union(canonical.keys).union(canonical.values)
    let all = counting.union(try setAside(mergedWith: counting))
    let ids = all.sorted()

    var erasure = Erasure()
    erasure.ids = ids.count
    erasure.rows = try PersonTables(connection, schema).counts(of: ids)
      .map { Erasure.Rows(table: $0.table, rows: $0.rows) }
    let known = try connection.execute(
      """
      select
        (select count(*) from \(name).profiles where profile_id = any($1)),
        (select coalesce(sum(n), 0)::bigint from \(name).profile_events where profile_id = any($1)),
        (
          select count(*) from \(name).profiles as other
          where not other.profile_id = any($1) and other.customer_user_id in (
            select own.customer_user_id from \(name).profiles as own
            where own.profile_id = any($1)
          )
        )
      """, [.texts(ids)])
    erasure.people = Int(known.integer(0, 0) ?? 0)
    erasure.events = Int(known.integer(0, 1) ?? 0)
    erasure.sameCustomer = Int(known.integer(0, 2) ?? 0)
    let stored = try connection.execute(
      """
      select profile_id from \(name).profile_events where profile_id = any($1)
      union select profile_id from \(name).profile_aliases where profile_id = any($1)
      union select canonical_id from \(name).profile_aliases where canonical_id = any($1)
      union select profile_id from \(name).profiles where customer_user_id = any($2)
      """, [.texts(request.ids.sorted()), .texts(request.customerIDs)])
    let held = Set((0..<stored.count).compactMap { stored.bytes($0, 0) })
    erasure.unknown =
      request.ids.filter { id in
        let isCustomer = id.hasPrefix(PeopleRules.customerPrefix)
        return !held.contains(id) && !(isCustomer && customers.count > 0)
      }.count
    return (erasure, ids)
  }

  /// Profiles among whose events is one that tells of an id.
  ///
  /// The server looks for the ids' bytes, here their meaning is looked at: a text that happens to hold
  /// the same bytes is nobody's id. Where the ids are many, looking at everything costs less.
  private func mentioning(_ ids: [Bytes], _ admission: Admission) throws -> Set<Bytes> {
    let traces = Set(ids.flatMap(Self.traces)).sorted()
    let looksAtAll = traces.count > Self.mostTraces
    let own = Set(ids)
    let stored = StoredSets(connection: connection, schema: schema)
    var result: Set<Bytes> = []
    var last: Bytes = .empty
    while true {
      let found = try connection.execute(
        """
        select stored.profile_id from \(schema.quoted).profile_events as stored
        where stored.profile_id > $1
          and (
            $2
            or exists (
              select from unnest($3) as trace (bytes) where position(trace.bytes in stored.events) > 0
            )
          )
        order by stored.profile_id limit 500
        """,
        [
          .text(last), .boolean(looksAtAll),
          Parameter(.byteaArray) {
            $0.appendArray(looksAtAll ? [] : traces, of: .bytea) { $0.appendField(bytea: $1.array) }
          },
        ])
      let candidates = (0..<found.count).compactMap { found.bytes($0, 0) }
      guard let end = candidates.last else { return result }
      for (id, stored) in try stored.fetch(candidates.filter { !own.contains($0) }).sets {
        let tells = stored.set.events.contains { admission.isErased($0, of: id) }
        if tells { result.insert(id) }
      }
      last = end
    }
  }

  private static let mostTraces = 64

  /// The bytes that an id can leave in a stored event.
  private static func traces(of id: Bytes) -> [Bytes] {
    var names = [id]
    if let colon = id.slice.firstIndex(of: UInt8(ascii: ":")), ProfileID.isExternal(id) {
      // Events carry the id without the prefix that tells whose it is.
      names.append(Bytes(Array(id.slice[(colon + 1)...])))
    }
    return names.flatMap(spellings).flatMap { name in
      // Within params it stands as JSON.
      [name, Bytes(Array(jsonString(name).dropFirst().dropLast()))]
    }
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
