internal import Core
internal import Store

extension Sluice {
  /// What a changed pipeline would change for the profiles that are stored, writing nothing.
  func plan(_ options: PlanOptions) async throws -> ExitCode {
    let new = try load(options.pipeline)
    let store = try connector(options.database).connect()
    try store.requireSchema()
    guard let generation = try store.currentGeneration() else {
      throw Problem(
        .usage, at: "sluice plan", "has nothing to compare with",
        because: "the database holds no pipeline yet", next: "run `sluice run` first")
    }
    let old = try load(generation)
    let asOf = try options.asOf ?? store.asOfInForce() ?? now
    guard new.generation.pipeline == generation.pipeline else {
      throw Problem(
        .pipelineWrong, at: options.pipeline,
        "is another pipeline than schema \(options.database.schema) holds",
        because: "it is called \(new.generation.pipeline), the stored one \(generation.pipeline)",
        next: "give it the stored name, or name its own schema with --schema")
    }
    let instants = options.replayDays.map { new.pipeline.dayStarts(days: $0, before: asOf) } ?? []
    var plan = Plan(
      asOf: asOf, isSame: old.generation.hash == new.generation.hash,
      unitesOtherwise: old.pipeline.people != new.pipeline.people,
      failingTests: failingTests(of: new).map(\.name.value.string),
      file: PipelineChanges(
        from: Bytes(old.generation.text), to: Bytes(new.generation.text)),
      changes: OutcomeChanges(
        from: old.pipeline, to: new.pipeline, sample: options.sample),
      replay: instants.first.map {
        ReplayChanges(
          from: old.pipeline, to: new.pipeline, from: $0, until: asOf, sample: options.sample)
      },
      oldSizes: SegmentSizes(old.pipeline, at: instants),
      newSizes: SegmentSizes(new.pipeline, at: instants))
    let jobs = options.jobs ?? coreCount
    var last: Bytes?
    while true {
      // As they are united now: who would be united by another `people:` only a run can tell.
      let people = try store.people(after: last)
      guard let end = people.last else { break }
      await plan.add(people, old.pipeline, new.pipeline, primitives, jobs: jobs)
      last = end.profileID
    }
    switch options.format {
    case .text: try console.write(plan.text)
    case .json: try console.write(plan.json)
    case .markdown: try console.write(plan.markdown)
    }
    return .done
  }
}

/// Everything that `plan` found.
struct Plan: Sendable {
  let asOf: Instant
  /// True for the pipeline that is in force.
  let isSame: Bool
  /// True where the new file unites people by other rules: whom, only a run can tell.
  let unitesOtherwise: Bool
  /// Stored events that the new file's `privacy` would take away.
  var droppedEvents = 0
  /// The new file's own tests that fail, by name, in the order of the file.
  let failingTests: [String]
  let file: PipelineChanges
  var changes: OutcomeChanges
  /// nil where no replay was asked for.
  var replay: ReplayChanges?
  /// At no instant where no replay was asked for.
  var oldSizes: SegmentSizes
  var newSizes: SegmentSizes

  /// Adds people who come after all that were added before, ascending.
  ///
  /// Each job takes a stretch of them, and the stretches are put together in their order: the result
  /// does not depend on the number of jobs.
  mutating func add(
    _ people: [PersonEvents], _ old: Pipeline, _ new: Pipeline, _ primitives: Primitives, jobs: Int
  ) async {
    let size = max(1, (people.count + jobs - 1) / jobs)
    let stretches = stride(from: 0, to: people.count, by: size).map {
      people[$0..<min($0 + size, people.count)]
    }
    let empty = emptied(old, new)
    var parts = await withTaskGroup(of: (Int, Plan).self) { group in
      for (index, stretch) in stretches.enumerated() {
        group.addTask {
          var part = empty
          for person in stretch { part.add(person, old, new, primitives) }
          return (index, part)
        }
      }
      var parts: [(Int, Plan)] = []
      for await part in group { parts.append(part) }
      return parts
    }
    parts.sort { $0.0 < $1.0 }
    for (_, part) in parts {
      changes.add(part.changes)
      if let more = part.replay { replay?.add(more) }
      droppedEvents += part.droppedEvents
      oldSizes.add(part.oldSizes)
      newSizes.add(part.newSizes)
    }
  }

  private mutating func add(
    _ person: PersonEvents, _ old: Pipeline, _ new: Pipeline, _ primitives: Primitives
  ) {
    let kept = person.without(new.privacy)
    droppedEvents += person.events.count - kept.events.count
    changes.add(
      from: resolve(person, old, asOf: asOf, primitives),
      to: resolve(kept, new, asOf: asOf, primitives))
    guard replay != nil else { return }
    replay?.add(person, old, new, primitives)
    oldSizes.add(person, old, primitives)
    newSizes.add(person, new, primitives)
  }

  /// The same plan before anyone was added.
  private func emptied(_ old: Pipeline, _ new: Pipeline) -> Plan {
    var plan = self
    plan.changes = changes.emptied(from: old, to: new)
    plan.droppedEvents = 0
    plan.replay = replay?.emptied(from: old, to: new)
    plan.oldSizes = SegmentSizes(old, at: oldSizes.instants)
    plan.newSizes = SegmentSizes(new, at: newSizes.instants)
    return plan
  }
}

extension Pipeline {
  /// The starts of days in the pipeline's zone, ascending: the first lies that many days back or before.
  fileprivate func dayStarts(days: Int, before asOf: Instant) -> [Instant] {
    let today = zone.day(of: asOf)
    return (0...days).reversed().map { zone.start(of: Day(days: today.days - Int32($0))) }
  }
}
