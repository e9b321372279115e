/// What of the things a pipeline reads the stored profiles have.
///
/// A rule over what nobody has is no error, but mostly a mistyped id: it holds for nobody, silently.
package struct DataCoverage: Sendable {
  /// Something the pipeline reads.
  package enum Thing: Hashable, Sendable {
    /// By name: runs of a declared flow.
    case flow(Bytes)
    /// By name: completed runs of a declared flow.
    case completion(Bytes)
    /// Of an answer: one of the ids of its input.
    case element(answer: Bytes, element: Bytes)
    case screen(answer: Bytes, screen: Bytes)
    /// `profile.…`.
    case profile(Bytes)
    /// `access.<level>.…`
    case accessLevel(Bytes)
    case subscriptionState
    case attribute(Bytes)
    case segment(Bytes)
    /// `purchases.…`.
    case purchases
    /// `exposed.<placement>.…`, by placement.
    case exposure(Bytes)
  }

  package private(set) var profiles = 0
  private let pipeline: Pipeline
  private let things: [Thing]
  private var found: Set<Thing> = []

  package init(_ pipeline: Pipeline) {
    self.pipeline = pipeline
    var things: [Thing] = pipeline.flows.flatMap { [.flow($0), .completion($0)] }
    for answer in pipeline.answers {
      let inputs = answer.inputs
      var seen: Set<Thing> = []
      let ids: [Thing] =
        inputs.flatMap(\.elements).map { .element(answer: answer.name, element: $0) }
        + inputs.flatMap(\.screens).map { .screen(answer: answer.name, screen: $0) }
      // Alternatives may share an input.
      things += ids.filter { seen.insert($0).inserted }
    }
    for slot in pipeline.isSlotRead.indices where pipeline.isSlotRead[slot] {
      let thing: Thing? =
        switch pipeline.slots.fact(slot) {
        case .profile(let fact): .profile(fact.name)
        case .named(.access(let level, _)): .accessLevel(level)
        case .named(.subscriptionState): .subscriptionState
        case .named(.purchases): .purchases
        case .named(.exposedVariation(let placement)): .exposure(placement)
        default: nil
        }
      if let thing, !things.contains(thing) { things.append(thing) }
    }
    things += pipeline.attributes.map { .attribute($0.key) }
    things += pipeline.segments.map { .segment($0.name) }
    self.things = things
  }

  /// What the pipeline reads and nobody has, in the pipeline's order.
  package var missing: [Thing] {
    things.filter { thing in
      // Nobody completes what nobody was shown: one word is enough.
      if case .completion(let flow) = thing, !found.contains(.flow(flow)) { return false }
      return !found.contains(thing)
    }
  }

  package mutating func add(_ outcome: Outcome) {
    profiles += 1
    for run in outcome.runs {
      found.insert(.flow(run.flow))
      if run.completedAt != nil { found.insert(.completion(run.flow)) }
      guard !run.answers.isEmpty else { continue }
      for answer in pipeline.answers { look(for: answer, in: run) }
    }
    for fact in ProfileFact.all where isKnown(fact, outcome.profile.latest) {
      found.insert(.profile(fact.name))
    }
    for level in outcome.accessLevels { found.insert(.accessLevel(level.level)) }
    if outcome.subscription != nil { found.insert(.subscriptionState) }
    for attribute in outcome.attributes {
      if case .absent = attribute.value { continue }
      found.insert(.attribute(attribute.key))
    }
    if outcome.purchases.contains(where: { $0.outcome == .success }) { found.insert(.purchases) }
    for exposure in outcome.exposures { found.insert(.exposure(exposure.placementID)) }
    for segment in outcome.segments { found.insert(.segment(segment.segment)) }
  }

  private mutating func look(for answer: AnswerDefinition, in run: FlowRun) {
    guard answer.flows.isEmpty || answer.flows.contains(where: { pipeline.flows[$0] == run.flow })
    else { return }
    for input in answer.inputs {
      for given in run.answers {
        if input.elements.contains(given.element) {
          found.insert(.element(answer: answer.name, element: given.element))
        }
        if input.screens.contains(given.screen) {
          found.insert(.screen(answer: answer.name, screen: given.screen))
        }
      }
    }
  }

  private func isKnown(_ fact: ProfileFact, _ latest: Context) -> Bool {
    switch fact {
    case .latest(let key): latest[key] != nil
    case .language: latest[.locale] != nil
    case .appVersionOnInstall: latest[.appVersion] != nil
    }
  }
}
