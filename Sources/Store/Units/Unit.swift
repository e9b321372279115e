internal import Core

/// The work of one unit, inside its transaction and under its shards' locks.
struct Unit {
  let connection: Connection
  let schema: SchemaName
  let primitives: Primitives
  /// The shards whose events came in, and whose profiles wait; one alone where all of them are derived
  /// anew.
  let shards: [Shard]
  /// These, and those of other ids of their people.
  let locked: Set<Shard>
  /// The instant in force, read under the lock.
  let asOf: Instant
  /// Which events may come in and stay.
  let admission: Admission
  let job: Job

  var counts = UnitCounts()
  /// Ids it works for, as far as they are known.
  private(set) var ids: Set<Bytes> = []
  /// Ids it sets aside.
  var quarantined: [Bytes: QuarantineReason] = [:]

  init(
    connection: Connection, schema: SchemaName, primitives: Primitives, shards: [Shard],
    locked: Set<Shard>, asOf: Instant, admission: Admission, job: Job
  ) {
    self.connection = connection
    self.schema = schema
    self.primitives = primitives
    self.shards = shards
    self.locked = locked
    self.asOf = asOf
    self.admission = admission
    self.job = job
  }

  /// Does all the work.
  ///
  /// - Parameters:
  ///   - work: what is asked for.
  ///   - isCurrent: false where another generation came into force: then events are stored, and what
  ///     follows from them waits for it.
  ///   - rules: which ids are one person's, and how many events an id can have.
  ///   - resolve: what follows from a person's events at an instant.
  /// - Returns: what was done, and what is left.
  /// - Throws: a ``DatabaseError``, a ``UnitConflict``, ``UnitGrowth`` where more shards must be
  ///   locked, ``UnreadableSet``, or a ``Problem``.
  mutating func run(
    _ work: UnitWork, isCurrent: Bool, _ rules: PeopleRules,
    _ resolve: (PersonEvents, Instant) -> Outcome
  ) throws -> UnitResult {
    ids = Set(work.incoming.keys).union(work.also)
    var writes = StoredSets.Writes()
    try QuarantineTable(connection: connection, schema: schema).remove(work.releasing)
    guard isCurrent else {
      guard work.releasing.isEmpty, work.quarantining.isEmpty else { throw Self.newerGeneration }
      let waiting = try storeOnly(work.incoming, &writes)
      try write(writes)
      try leaveWaiting(waiting)
      if !waiting.isEmpty { try updateShards(locked, Waiting()) }
      return UnitResult(counts: counts, isRefoldComplete: true, foundNewerGeneration: true)
    }
    var waiting = try profiles(waitingFor: work.refold, limit: work.refoldLimit)
    var refolded = Set(waiting.ids).subtracting(work.done)
    ids.formUnion(refolded)
    let gathered = try gather(work, refolded: refolded.union(work.also), rules, &writes)
    refolded.subtract(gathered.left)
    if !gathered.left.isEmpty { waiting.moves = false }
    let asked = refolded.union(work.also)

    // Ids that can have rows, of those that are derived: whoever neither had events nor waits has none.
    var known: [Bytes] = []
    var touched: Set<Shard> = []
    // Rows are made at once, so that no more than one outcome is in memory.
    var wanted = DerivedTable.all.map { _ in RowBuffer() }
    var pulse = Pulse()
    for person in gathered.people {
      let isAsked = person.ids.contains {
        gathered.changedSets.contains($0) || asked.contains($0)
      }
      guard isAsked || !person.isAsBefore else { continue }
      let isAlone = person.ids.count == 1 && person.isAsBefore
      known +=
        isAlone
        ? person.ids.filter { gathered.known.contains($0) || asked.contains($0) } : person.ids
      let home = Shard(of: person.canonical, primitives)
      touched.formUnion(isAlone ? [home] : person.ids.map { Shard(of: $0, primitives) })
      let sets = person.ids.compactMap { gathered.sets[$0] }
      guard !sets.isEmpty else { continue }
      counts.profiles += 1
      try pulse.beat(on: connection)
      let outcome = try outcome(
        of: PersonEvents(
          profileID: person.canonical, aliases: person.ids.filter { $0 != person.canonical },
          sets: sets), resolve)
      counts.correctedEvents += outcome.profile.eventsCorrected
      counts.overfullSessions += outcome.profile.overfullSessions.count
      for (index, table) in DerivedTable.all.enumerated() {
        table.append(outcome, home, &wanted[index])
      }
    }

    try write(writes)
    try QuarantineTable(connection: connection, schema: schema).add(quarantined, job.id)
    if !quarantined.isEmpty {
      // What may not be stored is not kept of them either, whatever had not been derived yet.
      counts.removedEvents += try StoredSets(connection: connection, schema: schema)
        .trimSetAside(admission, of: quarantined.keys.sorted(), primitives)
    }
    for reason in quarantined.values { counts.quarantinedProfiles[reason.word, default: 0] += 1 }
    try replaceRows(of: known, with: wanted)
    if waiting.moves { touched.formUnion(shards) }
    if !touched.isEmpty { try updateShards(touched, waiting) }
    return UnitResult(
      counts: counts, isRefoldComplete: waiting.isComplete, foundNewerGeneration: false,
      left: gathered.left, done: refolded)
  }

  /// Who is set aside and who is not changes what is derived: that is for the generation in force.
  private static let newerGeneration = Problem(
    .tryAgain, at: "the unit", "stopped",
    because: "another job brought in another pipeline file",
    next: "run again with the pipeline file that is to count")

  private mutating func write(_ writes: StoredSets.Writes) throws {
    try StoredSets(connection: connection, schema: schema).write(writes)
    count(
      "profile_events", inserted: writes.inserted.rows.count + writes.updates.count,
      deleted: writes.updates.count + writes.emptied.count)
  }

  mutating func count(_ table: String, inserted: Int, deleted: Int) {
    if inserted > 0 { counts.inserted[table, default: 0] += inserted }
    if deleted > 0 { counts.deleted[table, default: 0] += deleted }
  }

  /// Derives one person, and holds the result against the one rule that ends a job's work: a review
  /// that has come already would come again at once, for ever.
  private func outcome(
    of person: PersonEvents, _ resolve: (PersonEvents, Instant) -> Outcome
  ) throws -> Outcome {
    let outcome = resolve(person, asOf)
    if let review = outcome.profile.nextReviewAt, review <= asOf {
      throw Problem(
        .bug, at: shards.words, "cannot derive a profile",
        because: "its next review is not after the instant it was derived for")
    }
    return outcome
  }

  // MARK: Who waits

  private struct Waiting {
    var ids: [Bytes] = []
    var isComplete = true
    /// Where the shard's cursor stands when the unit is done; nil where it is at its end.
    var cursor: Bytes?
    /// True where the cursor moves.
    var moves = false
  }

  private func profiles(waitingFor refold: Refold, limit: Int) throws -> Waiting {
    let name = schema.quoted
    var waiting = Waiting()
    let rows: ResultSet
    switch refold {
    case .none:
      return waiting
    case .due:
      rows = try connection.execute(
        """
        select profile_id from \(name).profiles
        where shard = any($1::smallint[]) and next_review_at is not null and next_review_at <= $2
        order by next_review_at, profile_id limit $3
        """, [.integers(shards.map { Int64($0.number) }), .timestamptz(asOf), .int8(Int64(limit))])
    case .all:
      guard shards.count == 1, let shard = shards.first else {
        throw Problem(.bug, at: shards.words, "cannot be derived anew at once")
      }
      let state = try connection.execute(
        "select cursor from \(name).shard_state where shard = $1", [.int4(Int32(shard.number))])
      guard state.count == 1, let cursor = state.bytes(0, 0) else { return waiting }
      rows = try connection.execute(
        """
        select profile_id from \(name).profiles
        where shard = $1 and profile_id > $2
        order by profile_id limit $3
        """, [.int4(Int32(shard.number)), .text(cursor), .int8(Int64(limit))])
      waiting.moves = true
    }
    waiting.ids = (0..<rows.count).compactMap { rows.bytes($0, 0) }
    waiting.isComplete = rows.count < limit
    if refold == .all { waiting.cursor = waiting.isComplete ? nil : waiting.ids.last }
    return waiting
  }

  /// The earliest review is exact: the next job must find who is due by reading 64 rows.
  private func updateShards(_ touched: Set<Shard>, _ waiting: Waiting) throws {
    let name = schema.quoted
    let cursor: Parameter = waiting.cursor.map { .text($0) } ?? .null(.text)
    try connection.execute(
      """
      update \(name).shard_state as state
      set min_review_at = review.at,
        cursor = case when $3 and state.shard = any($1::smallint[]) then $2 else state.cursor end
      from (
        select
          touched.shard,
          (
            select min(profile.next_review_at)
            from \(name).profiles as profile
            where profile.shard = touched.shard and profile.next_review_at is not null
          ) as at
        from unnest($4::smallint[]) as touched (shard)
      ) as review
      where state.shard = review.shard
        and (
          state.min_review_at is distinct from review.at
          or $3 and state.shard = any($1::smallint[]) and state.cursor is distinct from $2
        )
      """,
      [
        .integers(shards.map { Int64($0.number) }), cursor, .boolean(waiting.moves),
        .integers(touched.map { Int64($0.number) }),
      ])
  }

  /// Marks profiles whose events changed as due at once; a new one gets a row without contents.
  private func leaveWaiting(_ ids: [Bytes]) throws {
    guard !ids.isEmpty else { return }
    try connection.execute(
      """
      insert into \(schema.quoted).profiles as present (
        profile_id, shard, events, events_ahead, next_review_at, next_because, next_store_messages,
        missing_keys, missing_reasons, missing_since, missing_run_ids
      )
      select new.id, new.shard, 0, 0, '-infinity', '', '{}', '{}', '{}', '{}', '{}'
      from unnest($1, $2) as new (id, shard)
      on conflict (profile_id) do update set next_review_at = excluded.next_review_at
      where present.next_review_at is distinct from excluded.next_review_at
      """,
      [.texts(ids), .integers(ids.map { Int64(Shard(of: $0, primitives).number) })])
  }

  // MARK: Events

  /// Joins events into a profile's set, as far as they may be in it; true where that changed it.
  ///
  /// The set is not written yet: it may turn out to be too large.
  mutating func union(_ events: [Event], into set: inout EventSet) -> Bool {
    let removed = admission.trim(&set)
    counts.removedEvents += removed
    let events = admission.admitted(events, of: set.profileID, &counts.sheet)
    guard removed > 0 || !events.isEmpty else { return false }
    for index in events.indices where events[index].isMerge {
      if ProfileLink(merge: events[index].params) == nil { counts.refusedMerges += 1 }
    }
    var unionCounts = EventSet.Counts()
    set.formUnion(events, counting: &unionCounts)
    counts.sheet.accepted += unionCounts.accepted
    counts.sheet.duplicate += unionCounts.duplicate
    counts.sheet.conflict += unionCounts.conflict
    return removed + unionCounts.accepted + unionCounts.conflict > 0
  }

  // MARK: Rows

  /// Makes the derived tables hold what follows from the events, touching only rows that differ.
  ///
  /// - Parameters:
  ///   - known: the profiles among them that can have rows: whoever had no events has none.
  ///   - wanted: the new rows of each of ``DerivedTable/all``.
  /// - Throws: a ``DatabaseError`` or a ``UnitConflict``.
  private mutating func replaceRows(of known: [Bytes], with wanted: [RowBuffer]) throws {
    for (table, rows) in zip(DerivedTable.all, wanted) {
      var present = RowBuffer()
      if !known.isEmpty {
        present.append(
          try connection.execute(table.selectRows(schema), [.texts(known)]),
          keyColumns: table.keyColumns)
      }
      let difference = RowDifference(from: present, to: rows)
      try write(difference, to: table, from: present, rows)
      count(difference, in: table, present, rows)
    }
  }

  private func write(
    _ difference: RowDifference, to table: DerivedTable, from present: RowBuffer,
    _ wanted: RowBuffer
  ) throws {
    if !difference.deleted.isEmpty {
      let rows = difference.deleted[...]
      let done = try connection.execute(
        table.deleteRows(schema), table.keys(of: rows, in: present))
      guard done.affected == rows.count else { throw UnitConflict.rowsMoved }
    }
    if !difference.inserted.isEmpty {
      _ = try connection.copyIn(table.copyRows(schema)) { put in
        try wanted.bytes.withUnsafeBytes { bytes in
          for range in contiguous(difference.inserted) {
            try put(UnsafeRawBufferPointer(rebasing: bytes[range]))
          }
        }
      }
    }
  }

  private mutating func count(
    _ difference: RowDifference, in table: DerivedTable, _ present: RowBuffer, _ wanted: RowBuffer
  ) {
    if !difference.inserted.isEmpty { counts.inserted[table.name] = difference.inserted.count }
    if !difference.deleted.isEmpty { counts.deleted[table.name] = difference.deleted.count }
    switch table.name {
    case "segment_members":
      let column = DerivedTable.segmentColumn
      for row in difference.appeared {
        counts.entered[Bytes(Array(wanted.value(row, column: column) ?? [])), default: 0] += 1
      }
      for row in difference.vanished {
        counts.left[Bytes(Array(present.value(row, column: column) ?? [])), default: 0] += 1
      }
    case "profiles":
      let column = DerivedTable.nextPlacementColumn
      counts.newProfiles += difference.appeared.count
      for (old, new) in difference.changed
      where present.value(old, column: column) != wanted.value(new, column: column) {
        counts.nextPlacementChanges += 1
      }
    default:
      break
    }
  }
}

/// Ranges of bytes that hold the rows, neighbours joined: few large pieces instead of many small.
func contiguous(_ rows: [RowBuffer.Row]) -> [Range<Int>] {
  var ranges: [Range<Int>] = []
  for row in rows {
    if let last = ranges.last, last.upperBound == row.start {
      ranges[ranges.count - 1] = last.lowerBound..<row.end
    } else {
      ranges.append(row.start..<row.end)
    }
  }
  return ranges
}
