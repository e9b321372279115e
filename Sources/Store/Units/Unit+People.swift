internal import Core

/// The unit needs locks of shards that it does not hold.
struct UnitGrowth: Error {
  /// Those it holds and those it needs.
  let shards: Set<Shard>
}

/// The people whose rows a unit is to write.
struct GatheredPeople {
  struct Person {
    let canonical: Bytes
    /// The canonical one included, ascending.
    let ids: [Bytes]
    /// True where it is the same ids under the same canonical one as before.
    let isAsBefore: Bool
  }

  /// By profile id: the stored events with the incoming ones joined in; without events, none.
  var sets: [Bytes: EventSet] = [:]
  /// Ids that had events before.
  var known: Set<Bytes> = []
  var changedSets: Set<Bytes> = []
  /// Ids that were asked for and left alone: their people reach into shards that are not locked.
  var left: Set<Bytes> = []
  /// Every person of whom at least one id was asked for, or whose ids changed.
  var people: [Person] = []
}

extension Unit {
  /// Reads sets, joins events into them, and finds out whose they are.
  ///
  /// Links that the sets state are written at once, for the statements that follow the links. All
  /// that is read is read under the locks of its ids; where one is missing the unit must start again.
  ///
  /// - Parameters:
  ///   - work: events by profile, and who is set aside. Ids whose people reach into other shards are
  ///     left alone where it says so, as far as that can be told beforehand.
  ///   - refolded: profiles whose events may state other links than they did: time has gone on, or the
  ///     pipeline is another.
  /// - Throws: ``UnitGrowth``, or as ``run``.
  mutating func gather(
    _ work: UnitWork, refolded: Set<Bytes>, _ rules: PeopleRules,
    _ writes: inout StoredSets.Writes
  ) throws -> GatheredPeople {
    let (incoming, staysInShard) = (work.incoming, work.staysInShard)
    let tables = PeopleTables(connection: connection, schema: schema)
    let stored = StoredSets(connection: connection, schema: schema)
    var gathered = GatheredPeople()
    var canonical: [Bytes: Bytes] = [:]
    var ends: Set<Bytes> = []
    var split: PeopleSplit?
    var seen: Set<Bytes> = []
    var pending = Set(incoming.keys).union(refolded).union(work.quarantining.keys)
    try require(Set(work.quarantining.keys))
    while !pending.isEmpty {
      // Whoever is met on the way belongs to somebody whose links may be stated anew.
      let isFirst = seen.isEmpty
      var ids = pending.sorted()
      var known = try tables.people(of: ids)
      if isFirst {
        let needed = reach(of: incoming, rules)
        if staysInShard {
          gathered.left = leaveCrossing(ids, needed, &known)
          ids.removeAll { gathered.left.contains($0) }
        } else {
          try require(needed.values.reduce(into: []) { $0.formUnion($1) })
        }
      }
      seen.formUnion(ids)
      canonical.merge(known.canonical) { _, new in new }
      var found = Set(known.canonical.keys).union(known.canonical.values)
      try require(found)
      let fetched = try stored.fetch(ids, without: Set(work.quarantining.keys))
      var added: [PeopleTables.LinkRow] = []
      var removed: [PeopleTables.LinkRow] = []
      for id in ids {
        let before = fetched.sets[id]
        if before != nil { gathered.known.insert(id) }
        let countsBefore = counts
        let (set, hasChanged) = joined(
          incoming[id] ?? [], to: id, fetched, work.quarantining[id], rules, &writes)
        if hasChanged { gathered.changedSets.insert(id) }
        if quarantined[id] != nil { gathered.known.insert(id) }
        if !set.events.isEmpty { gathered.sets[id] = set }
        guard hasChanged || !isFirst || refolded.contains(id) else { continue }
        let now = rules.links(of: set, asOf: asOf)
        let old = known.links[id] ?? []
        guard now != old else { continue }
        if staysInShard, !hasChanged, isFirst, reachesOut(now.symmetricDifference(old).ends) {
          gathered.left.insert(id)
          seen.remove(id)
          // They are counted by the unit that takes them.
          counts = countsBefore
          continue
        }
        added += now.subtracting(old).map { PeopleTables.LinkRow(profileID: id, link: $0) }
        removed += old.subtracting(now).map { PeopleTables.LinkRow(profileID: id, link: $0) }
      }
      if !added.isEmpty || !removed.isEmpty {
        ends.formUnion((added + removed).map(\.link).ends)
        try require(ends)
        try tables.write(added: added.sorted(), removed: removed.sorted())
        count("profile_links", inserted: added.count, deleted: removed.count)
        let new = try PeopleSplit(around: ends, tables)
        try require(new.read)
        found.formUnion(new.people.joined())
        found.formUnion(new.apart)
        split = new
      }
      guard split == nil || found.isDisjoint(with: gathered.left) else {
        // A link within the shard leads to somebody who was left alone: rare, so everything is locked.
        throw UnitGrowth(shards: Set(Shard.all))
      }
      pending = found.subtracting(seen).subtracting(gathered.left)
    }
    gathered.people = try people(of: seen, canonical, split, tables)
    return gathered
  }

  /// A profile's set with events joined in; empty where the profile is set aside.
  ///
  /// - Parameter reason: why it is to be set aside; it is also where its set grows too large.
  /// - Returns: the set, and whether it is another than before.
  private mutating func joined(
    _ events: [Event], to id: Bytes, _ fetched: StoredSets.Fetched, _ reason: QuarantineReason?,
    _ rules: PeopleRules, _ writes: inout StoredSets.Writes
  ) -> (set: EventSet, hasChanged: Bool) {
    func setAside(_ reason: QuarantineReason?) -> (EventSet, Bool) {
      counts.sheet.quarantined += events.count
      if let reason { quarantined[id] = reason }
      return (EventSet(profileID: id), reason != nil)
    }
    guard !fetched.quarantined.contains(id) else { return setAside(nil) }
    if let reason { return setAside(reason) }
    let before = fetched.sets[id]
    var set = before?.set ?? EventSet(profileID: id)
    let countsBefore = counts
    let isOther = union(events, into: &set)
    guard set.copyCount <= rules.maximumEvents else {
      counts = countsBefore
      return setAside(.tooManyEvents)
    }
    return (set, isOther && writes.append(set, replacing: before?.digest, primitives))
  }

  /// By id: what its incoming events link.
  private func reach(
    of incoming: [Bytes: [Event]], _ rules: PeopleRules
  ) -> [Bytes: Set<Bytes>] {
    var needed: [Bytes: Set<Bytes>] = [:]
    for (id, events) in incoming {
      let links = rules.links(of: events, under: id, asOf: asOf)
      if !links.isEmpty { needed[id] = links.ends }
    }
    return needed
  }

  /// Takes the people out of what is known who reach into shards that are not locked, whole.
  ///
  /// - Returns: those of the ids that are theirs.
  private func leaveCrossing(
    _ ids: [Bytes], _ needed: [Bytes: Set<Bytes>], _ known: inout PeopleTables.Known
  ) -> Set<Bytes> {
    guard !needed.isEmpty || !known.canonical.isEmpty else { return [] }
    var crossing = Set(known.canonical.filter { reachesOut([$0.key, $0.value]) }.values)
    for (id, ends) in needed where reachesOut(ends) { crossing.insert(known.canonical[id] ?? id) }
    let left = ids.filter { crossing.contains(known.canonical[$0] ?? $0) }
    known.canonical = known.canonical.filter { !crossing.contains($0.value) }
    return Set(left)
  }

  private func reachesOut(_ ids: Set<Bytes>) -> Bool {
    !ids.allSatisfy { locked.contains(Shard(of: $0, primitives)) }
  }

  /// Puts ids together, and writes who stands for whom where that has changed.
  private mutating func people(
    of seen: Set<Bytes>, _ canonical: [Bytes: Bytes], _ split: PeopleSplit?, _ tables: PeopleTables
  ) throws -> [GatheredPeople.Person] {
    guard split != nil || !canonical.isEmpty else {
      return seen.sorted().map {
        GatheredPeople.Person(canonical: $0, ids: [$0], isAsBefore: true)
      }
    }
    var before: [Bytes: [Bytes]] = [:]
    for (alias, id) in canonical { before[id, default: [id]].append(alias) }
    func idsBefore(_ id: Bytes) -> [Bytes] { (before[canonical[id] ?? id] ?? [id]).sorted() }

    var people: [GatheredPeople.Person] = []
    var settled: Set<Bytes> = []
    if let split {
      let givenUp = try tables.givenUp(among: split.people.filter { $0.count > 1 }.flatMap { $0 })
      for ids in split.people + split.apart.sorted().map({ [$0] }) {
        let name = Components.canonical(of: ids, givenUp: givenUp)
        settled.formUnion(ids)
        people.append(
          GatheredPeople.Person(
            canonical: name, ids: ids,
            isAsBefore: (canonical[ids[0]] ?? ids[0]) == name && idsBefore(ids[0]) == ids))
      }
    }
    for id in seen.sorted() where settled.insert(id).inserted {
      let ids = idsBefore(id)
      settled.formUnion(ids)
      people.append(
        GatheredPeople.Person(canonical: canonical[id] ?? id, ids: ids, isAsBefore: true))
    }
    if let split { try write(people, over: canonical, split, tables) }
    return people
  }

  private mutating func write(
    _ people: [GatheredPeople.Person], over canonical: [Bytes: Bytes], _ split: PeopleSplit,
    _ tables: PeopleTables
  ) throws {
    var added: [(id: Bytes, canonical: Bytes)] = []
    var removed: [Bytes] = []
    for person in people where !person.isAsBefore {
      for id in person.ids {
        let name = id == person.canonical ? nil : person.canonical
        guard name != canonical[id] else { continue }
        if canonical[id] != nil { removed.append(id) }
        if let name { added.append((id, name)) }
      }
    }
    try tables.write(added: added, removed: removed)
    count("profile_aliases", inserted: added.count, deleted: removed.count)
    try tables.write(apart: split.apart.sorted(), noLonger: split.noLongerApart.sorted())
    count(
      "ununited_profiles", inserted: split.apart.count, deleted: split.noLongerApart.count)
  }

  /// Makes sure that the shards of ids are locked.
  func require(_ ids: Set<Bytes>) throws {
    guard !ids.isEmpty else { return }
    let needed = Set(ids.map { Shard(of: $0, primitives) })
    guard needed.isSubset(of: locked) else { throw UnitGrowth(shards: locked.union(needed)) }
  }

  /// Stores events alone, for a generation that is to derive what follows from them.
  ///
  /// - Returns: the ids that wait for it: those that rows stand under.
  mutating func storeOnly(
    _ incoming: [Bytes: [Event]], _ writes: inout StoredSets.Writes
  ) throws -> [Bytes] {
    let ids = incoming.keys.sorted()
    let canonical = try PeopleTables(connection: connection, schema: schema).people(of: ids)
      .canonical
    try require(Set(ids.compactMap { canonical[$0] }))
    let fetched = try StoredSets(connection: connection, schema: schema).fetch(ids)
    var waiting: Set<Bytes> = []
    for id in ids {
      guard !fetched.quarantined.contains(id) else {
        counts.sheet.quarantined += incoming[id]?.count ?? 0
        continue
      }
      // How many events are too many is for that generation to say.
      var set = fetched.sets[id]?.set ?? EventSet(profileID: id)
      guard union(incoming[id] ?? [], into: &set),
        writes.append(set, replacing: fetched.sets[id]?.digest, primitives)
      else { continue }
      waiting.insert(canonical[id] ?? id)
    }
    return waiting.sorted()
  }
}
