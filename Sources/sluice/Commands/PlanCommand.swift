internal import Core
internal import Store

extension Sluice {
  /// What a changed pipeline would change for the profiles that are stored, writing nothing.
  func plan(_ options: PlanOptions) throws -> ExitCode {
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
    if old.pipeline.people != new.pipeline.people {
      console.say(
        "\(options.pipeline): `people` is another; the plan takes people as they are united now")
    }
    var last: Bytes?
    while true {
      // As they are united now: who would be united by another `people:` only a run can tell.
      let people = try store.people(after: last)
      guard let end = people.last else { break }
      for person in people {
        plan.changes.add(
          from: resolve(person, old.pipeline, asOf: asOf, primitives),
          to: resolve(person, new.pipeline, asOf: asOf, primitives))
        guard !instants.isEmpty else { continue }
        plan.replay?.add(person, old.pipeline, new.pipeline, primitives)
        plan.oldSizes.add(person, old.pipeline, primitives)
        plan.newSizes.add(person, new.pipeline, primitives)
      }
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
struct Plan {
  let asOf: Instant
  /// True for the pipeline that is in force.
  let isSame: Bool
  let file: PipelineChanges
  var changes: OutcomeChanges
  /// nil where no replay was asked for.
  var replay: ReplayChanges?
  /// At no instant where no replay was asked for.
  var oldSizes: SegmentSizes
  var newSizes: SegmentSizes
}

extension Pipeline {
  /// The starts of the latest days in the pipeline's zone, ascending.
  fileprivate func dayStarts(days: Int, before asOf: Instant) -> [Instant] {
    let today = zone.day(of: asOf)
    return (0..<days).reversed().map { zone.start(of: Day(days: today.days - Int32($0))) }
  }
}
