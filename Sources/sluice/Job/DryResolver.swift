internal import Core
internal import Store

/// What a dry run would have derived.
struct DryTotals: Sendable {
  var sheet = JobSheet()
  var profiles = 0
  var runs = 0
  var completedRuns = 0
  var values: [Bytes: Int] = [:]
  var members: [Bytes: Int] = [:]
  var next: [Bytes: Int] = [:]
  /// Ids with more events than are allowed.
  var quarantined = 0
  var overfullSessions = 0
  /// Events further ahead of the as-of than is likely.
  var eventsFarAhead = 0
  /// Parts that the input was resolved in; people seen in several of them count several times.
  var parts = 0

  static func += (total: inout DryTotals, part: DryTotals) {
    total.sheet.accepted += part.sheet.accepted
    total.sheet.duplicate += part.sheet.duplicate
    total.sheet.conflict += part.sheet.conflict
    total.sheet.quarantined += part.sheet.quarantined
    total.quarantined += part.quarantined
    total.overfullSessions += part.overfullSessions
    total.eventsFarAhead += part.eventsFarAhead
    total.profiles += part.profiles
    total.runs += part.runs
    total.completedRuns += part.completedRuns
    total.values.merge(part.values, uniquingKeysWith: +)
    total.members.merge(part.members, uniquingKeysWith: +)
    total.next.merge(part.next, uniquingKeysWith: +)
    total.parts += part.parts
  }

  mutating func add(_ counts: EventSet.Counts) {
    sheet.accepted += counts.accepted
    sheet.duplicate += counts.duplicate
    sheet.conflict += counts.conflict
  }

  mutating func add(_ outcome: Outcome) {
    profiles += 1
    runs += outcome.runs.count
    overfullSessions += outcome.profile.overfullSessions.count
    for run in outcome.runs where run.completedAt != nil { completedRuns += 1 }
    for attribute in outcome.attributes {
      if case .absent = attribute.value { continue }
      values[attribute.key, default: 0] += 1
    }
    for segment in outcome.segments { members[segment.segment, default: 0] += 1 }
    next[outcome.profile.next.placementID ?? "(nothing)", default: 0] += 1
  }

  func lines(_ pipeline: Pipeline) -> [String] {
    var lines = [
      "  \(counted(profiles, "profile")), \(counted(runs, "flow run")), "
        + "\(grouped(completedRuns)) completed; nothing was written"
    ]
    lines += pipeline.attributes.map {
      "  attribute \($0.key.string): \(counted(values[$0.key] ?? 0, "value"))"
    }
    lines += pipeline.segments.map {
      "  segment \($0.name.string): \(counted(members[$0.name] ?? 0, "member"))"
    }
    lines += next.sorted { $0.key < $1.key }.map {
      "  next \($0.key.string): \(counted($0.value, "profile"))"
    }
    if quarantined > 0 {
      lines.append("  \(counted(quarantined, "profile")) with too many events: quarantined")
    }
    if overfullSessions > 0 {
      lines.append(
        "  \(counted(overfullSessions, "session")) with too many flow runs: none of them counts")
    }
    if parts > 1 {
      lines.append(
        "  the input did not fit --memory: people seen in several of \(parts) parts count several times"
      )
    }
    return lines
  }
}

/// Resolves profiles without a database.
struct DryResolver: Sendable {
  let pipeline: Pipeline
  let asOf: Instant
  /// Events beyond it are counted.
  let farAhead: Instant
  let jobs: Int
  let primitives: Primitives

  func run(_ work: [ShardWork]) async throws -> DryTotals {
    guard !work.isEmpty else { return DryTotals() }
    let linked = linkedIDs(work)
    let next = Counter()
    return await withTaskGroup(of: DryTotals.self) { group in
      group.addTask { resolvePeople(of: linked, work) }
      for _ in 0..<min(jobs, work.count) {
        group.addTask {
          var totals = DryTotals()
          while true {
            let index = Int(next.take())
            guard index < work.count else { return totals }
            for (id, events) in work[index].incoming where linked.isEmpty || !linked.contains(id) {
              let set = set(of: id, events, &totals)
              guard !set.events.isEmpty else { continue }
              totals.add(resolve(set, pipeline, asOf: asOf, primitives))
            }
          }
        }
      }
      var total = DryTotals()
      for await part in group { total += part }
      total.parts = 1
      return total
    }
  }

  private func set(of id: Bytes, _ events: [Event], _ totals: inout DryTotals) -> EventSet {
    var set = EventSet(profileID: id)
    var counts = EventSet.Counts()
    set.formUnion(events, counting: &counts)
    guard set.copyCount <= pipeline.people.maximumEvents else {
      totals.sheet.quarantined += events.count
      totals.quarantined += 1
      return EventSet(profileID: id)
    }
    totals.add(counts)
    totals.eventsFarAhead += set.count(after: farAhead)
    return set
  }

  /// Ids that may have a person in common with another, and those whose events say so.
  private func linkedIDs(_ work: [ShardWork]) -> Set<Bytes> {
    var linked: Set<Bytes> = []
    // Whatever the instant: copies that are not joined yet may tell another correction of clocks.
    for part in work {
      for (id, events) in part.incoming {
        let links = pipeline.people.links(of: events, under: id, asOf: .end)
        guard !links.isEmpty else { continue }
        linked.insert(id)
        linked.formUnion(links.ends)
      }
    }
    return linked
  }

  private func resolvePeople(of linked: Set<Bytes>, _ work: [ShardWork]) -> DryTotals {
    var totals = DryTotals()
    guard !linked.isEmpty else { return totals }
    var sets: [EventSet] = []
    for part in work {
      for (id, events) in part.incoming where linked.contains(id) {
        sets.append(set(of: id, events, &totals))
      }
    }
    for person in people(of: sets.filter { !$0.events.isEmpty }, pipeline.people, asOf: asOf) {
      totals.add(resolve(person, pipeline, asOf: asOf, primitives))
    }
    return totals
  }
}
