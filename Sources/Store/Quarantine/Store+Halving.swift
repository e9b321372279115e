package import Core

extension Store {
  /// Does all of the work that a job has in some shards: as many units as it takes.
  ///
  /// People who reach into no other shard come first, under the locks of these alone; the others
  /// follow. Where the database refuses a unit's data it is halved, down to the ids at fault, which are
  /// set aside; all others land (SEMANTICS 3.6).
  ///
  /// - Parameters:
  ///   - number: gives the next number of a unit; each once in a job.
  ///   - others as of ``runUnit``.
  /// - Returns: what was done, and what is left.
  /// - Throws: a ``Problem``.
  package func runShards(
    _ job: Job, shards: [Shard], incoming: [Bytes: [Event]], refold: Refold, people: PeopleRules,
    privacy: PrivacyRules = PrivacyRules(), number: @escaping () -> Int64,
    resolve: @escaping (PersonEvents, Instant) -> Outcome
  ) throws -> UnitResult {
    let halving = Halving(
      store: self, job: job, shards: shards, people: people, number: number, resolve: resolve)
    var work = UnitWork(incoming: incoming, refold: refold)
    work.staysInShard = true
    work.privacy = privacy
    var result = try halving.run(work)
    guard !result.left.isEmpty, !result.foundNewerGeneration else { return result }
    work.staysInShard = false
    work.incoming = incoming.filter { result.left.contains($0.key) }
    work.done = result.done
    let counts = result.counts
    result = try halving.run(work)
    result.counts += counts
    return result
  }

  /// Has an id that was set aside count again; what is stored of it is derived anew.
  ///
  /// - Returns: false where it was not set aside.
  /// - Throws: a ``Problem``.
  package func release(
    _ id: Bytes, _ job: Job, people: PeopleRules, privacy: PrivacyRules = PrivacyRules(),
    number: @escaping () -> Int64,
    resolve: @escaping (PersonEvents, Instant) -> Outcome
  ) throws -> Bool {
    guard try quarantine(of: id) != nil else { return false }
    let halving = Halving(
      store: self, job: job, shards: [Shard(of: id, primitives)], people: people, number: number,
      resolve: resolve)
    let result = try halving.run(UnitWork(also: [id], privacy: privacy, releasing: [id]))
    if result.foundNewerGeneration { throw newerGeneration() }
    return true
  }
}

/// Runs units of some shards, and finds the ids at fault in one that the database refuses.
private struct Halving {
  let store: Store
  let job: Job
  let shards: [Shard]
  let people: PeopleRules
  let number: () -> Int64
  let resolve: (PersonEvents, Instant) -> Outcome

  /// Ids that a job sets aside for refusals, at most 20 a shard: more of them mean that the fault is not
  /// theirs.
  private var most: Int { 20 * shards.count }

  func run(_ work: UnitWork) throws -> UnitResult {
    do {
      return try attempt(work)
    } catch let refused as RefusedUnit {
      var counts = UnitCounts()
      try land(refused.ids.sorted()[...], work, refused, &counts)
      // All that came in has landed, and who was at fault waits no more.
      var rest = work
      rest.incoming = [:]
      rest.staysInShard = false
      rest.also = []
      rest.releasing = []
      var result: UnitResult
      do { result = try attempt(rest) } catch let again as RefusedUnit {
        throw again.problem(at: place, "cannot write a unit", store.schema)
      }
      result.counts += counts
      return result
    }
  }

  /// Does the work of some ids in units that succeed: halved until one id is at fault alone.
  private func land(
    _ ids: ArraySlice<Bytes>, _ work: UnitWork, _ refused: RefusedUnit, _ counts: inout UnitCounts
  ) throws {
    if ids.count == 1, let id = ids.first {
      counts += try setAside(id, work, refused)
      let refusals = counts.quarantinedProfiles.filter {
        $0.key != QuarantineReason.tooManyEvents.word
      }
      guard refusals.values.reduce(0, +) <= most else {
        throw refused.problem(at: place, "refuses too many profiles to go on", store.schema)
      }
      return
    }
    let middle = ids.startIndex + ids.count / 2
    for half in [ids[..<middle], ids[middle...]] where !half.isEmpty {
      do {
        counts += try attempt(part(half, of: work)).counts
      } catch let refused as RefusedUnit {
        try land(half, work, refused, &counts)
      }
    }
  }

  private func part(_ ids: ArraySlice<Bytes>, of work: UnitWork) -> UnitWork {
    let ids = Set(ids)
    return UnitWork(
      incoming: work.incoming.filter { ids.contains($0.key) }, also: ids,
      privacy: work.privacy, releasing: work.releasing.intersection(ids))
  }

  /// Sets an id aside: the one whose stored events are damaged where it is another one of the person,
  /// and the whole person where the rest of them is refused too.
  private func setAside(_ id: Bytes, _ work: UnitWork, _ refused: RefusedUnit) throws -> UnitCounts
  {
    var alone = part([id], of: work)
    let damaged = (refused.cause as? UnreadableSet)?.profileID
    if let damaged, damaged != id {
      alone.quarantining = [damaged: .unreadable]
    } else {
      alone.quarantining = [id: refused.reason(for: id)]
      alone.releasing = []
    }
    do {
      return try attempt(alone).counts
    } catch let again as RefusedUnit {
      for member in try store.idsOfPerson(id) where alone.quarantining[member] == nil {
        alone.quarantining[member] = again.reason(for: member)
      }
      alone.quarantining[id] = alone.quarantining[id] ?? again.reason(for: id)
      do { return try attempt(alone).counts } catch let third as RefusedUnit {
        throw third.problem(at: place, "cannot set a profile aside", store.schema)
      }
    }
  }

  private var place: String { shards.words }

  private func attempt(_ work: UnitWork) throws -> UnitResult {
    try store.attempt(
      work, job, number: number(), shards: shards, people: people, resolve: resolve)
  }
}

extension Store {
  /// All ids of the person that an id belongs to, itself included.
  fileprivate func idsOfPerson(_ id: Bytes) throws -> Set<Bytes> {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in
      let canonical = try PeopleTables(connection: connection, schema: schema).people(of: [id])
        .canonical
      return Set(canonical.keys).union(canonical.values).union([id])
    }
  }
}
