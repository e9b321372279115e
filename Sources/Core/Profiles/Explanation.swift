/// Why a profile's outcome is what it is: every rule clause by clause, every audience in turn.
package struct Explanation: Sendable {
  package let outcome: Outcome
  /// The person's other ids, ascending.
  package let aliases: [Bytes]
  /// In the order of the pipeline's attributes and segments.
  package let attributes: [Attribute]
  package let segments: [Segment]
  package let placements: [Placement]
  package let next: [NextRule]

  package struct Attribute: Sendable {
    package let key: Bytes
    package let clauses: [Clause]
    /// The answers that its rule reads.
    package let sources: [Source]
  }

  /// An answer that a rule reads, and where it came from.
  package struct Source: Sendable {
    package let answer: Bytes
    package let reading: Reading<Value>
    /// The run that speaks; nil where none does.
    package let run: FlowRun?
    /// What it holds of the answer: one input, or each part of a sum; empty where it holds none, and
    /// where the answer's default counts.
    package let given: [Answer]
    /// For each of `given`, the event that said it.
    package let events: [Identity?]

    /// True where nothing was reported and what is selected by default counts.
    package var isDefault: Bool {
      if case .value = reading { run != nil && given.isEmpty } else { false }
    }
  }

  package struct Segment: Sendable {
    package let name: Bytes
    /// True, false, or null where it is unknown: then the person is no member.
    package let value: Value
    package let clauses: [Clause]
  }

  package struct Placement: Sendable {
    package let id: Bytes
    /// By priority.
    package let audiences: [Audience]
    package let draw: Draw?
  }

  package struct Audience: Sendable {
    /// The segment's name; `default` for the default audience.
    package let name: Bytes
    /// Whether the segment holds; always true for the default audience, null for unknown.
    package let value: Value
    package let fate: Fate
  }

  /// What came of something that is tried in turn.
  package enum Fate: String, Sendable {
    case passedOver = "passed over"
    case chosen
    /// One before it was chosen.
    case notReached = "not reached"
    /// Its time has not come, or is over.
    case notNow = "not now"
  }

  /// How a variation of the chosen audience is drawn.
  package struct Draw: Sendable {
    /// 0–99.
    package let number: Int
    /// In the order in which they are laid out; one of weight 0 has an empty range.
    package let buckets: [Bucket]
  }

  package struct Bucket: Sendable {
    package let variationID: Bytes
    /// nil: nothing is shown.
    package let flowID: Bytes?
    package let numbers: Range<Int>
  }

  package struct NextRule: Sendable {
    /// nil: nothing to show.
    package let placementID: Bytes?
    package let because: Bytes
    /// Empty for a rule without a condition.
    package let clauses: [Clause]
    package let fate: Fate
  }
}

/// Explains an outcome: the same replay as `resolve`, looked at as it ends.
package func explain(
  _ person: PersonEvents, _ pipeline: Pipeline, asOf: Instant, _ primitives: Primitives
) -> Explanation {
  var attributes: [Explanation.Attribute] = []
  var segments: [Explanation.Segment] = []
  var placements: [Explanation.Placement] = []
  var next: [Explanation.NextRule] = []
  let outcome = resolve(person, pipeline, asOf: asOf, primitives) { replay, context in
    for definition in pipeline.attributes {
      attributes.append(replay.explained(definition, person, context))
    }
    segments = pipeline.segments.enumerated().map { index, segment in
      Explanation.Segment(
        name: segment.name, value: replay.slots[pipeline.slots.segment(index)],
        clauses: replay.clauses(of: segment.rule, .segment, context))
    }
    placements = pipeline.placements.map { replay.explained($0, context) }
    next = replay.explainedNext(context)
  }
  return Explanation(
    outcome: outcome, aliases: person.aliases, attributes: attributes, segments: segments,
    placements: placements, next: next)
}

/// As `explain`, for a person of one id.
package func explain(
  _ set: EventSet, _ pipeline: Pipeline, asOf: Instant, _ primitives: Primitives
) -> Explanation {
  explain(PersonEvents(set), pipeline, asOf: asOf, primitives)
}

extension Replay {
  fileprivate func clauses(
    of rule: Bytes, _ use: RuleUse, _ context: RuleContext
  ) -> [Clause] {
    ClauseReader.clauses(
      of: rule, scope: use == .attribute ? pipeline.attributeScope : pipeline.ruleScope, use: use,
      slots: slots, context: context)
  }

  fileprivate mutating func explained(
    _ definition: AttributeDefinition, _ person: PersonEvents, _ context: RuleContext
  ) -> Explanation.Attribute {
    // Fills the slots of its answers: another attribute may read the same ones from other runs.
    _ = attribute(definition, context)
    return Explanation.Attribute(
      key: definition.key, clauses: clauses(of: definition.rule, .attribute, context),
      sources: sources(of: definition, person))
  }

  private func sources(
    of definition: AttributeDefinition, _ person: PersonEvents
  ) -> [Explanation.Source] {
    let together = speakingAnswers(definition)
    return zip(definition.answers, together.answers).map { index, reading in
      // With `latest_each` every answer has a run of its own.
      let runID =
        definition.runs == .latestEach
        ? speakingAnswers(definition.reading(only: index)).runID : together.runID
      let answer = pipeline.answers[index]
      let run = runID.flatMap { id in runs.first { $0.run.runID == id }?.run }
      let given = run.map { answer.given(in: $0) } ?? []
      return Explanation.Source(
        answer: answer.name, reading: reading, run: run, given: given,
        events: given.map { person.event(thatGave: $0) })
    }
  }

  fileprivate func explained(
    _ placement: PlacementDefinition, _ context: RuleContext
  ) -> Explanation.Placement {
    var audiences: [Explanation.Audience] = []
    var chosen: PlacementDefinition.Audience?
    for audience in placement.audiences {
      let value =
        audience.segment.map { slots[pipeline.slots.segment($0)] } ?? .boolean(true)
      let isOpen = audience.window.contains(context.now)
      let isChosen = chosen == nil && isOpen && (audience.segment.map { isMember[$0] } ?? true)
      audiences.append(
        Explanation.Audience(
          name: audience.segment.map { pipeline.segments[$0].name } ?? "default", value: value,
          fate: fate(isChosen, isOpen: isOpen, isOver: chosen != nil)))
      if isChosen { chosen = audience }
    }
    return Explanation.Placement(
      id: placement.id, audiences: audiences, draw: chosen.flatMap { draw(in: $0, context) })
  }

  private func fate(_ isChosen: Bool, isOpen: Bool, isOver: Bool) -> Explanation.Fate {
    if isChosen { return .chosen }
    if isOver { return .notReached }
    return isOpen ? .passedOver : .notNow
  }

  private func draw(
    in audience: PlacementDefinition.Audience, _ context: RuleContext
  ) -> Explanation.Draw? {
    guard let version = audience.versionID, audience.variations.count > 1 else { return nil }
    // Every number is drawn once, so that the layout is the draw's own.
    let weights = audience.variations.map { ($0.weight, $0.variationID ?? .empty) }
    let drawn = (0..<100).map { VariationDraw.index(number: $0, among: weights) }
    let buckets = audience.variations.enumerated().map { index, variation in
      let first = drawn.firstIndex(of: index) ?? 0
      return Explanation.Bucket(
        variationID: variation.variationID ?? .empty, flowID: variation.flowID,
        numbers: first..<first + drawn.count { $0 == index })
    }
    return Explanation.Draw(
      number: VariationDraw.number(
        audienceVersionID: version, profileID: context.profileID, context.primitives),
      buckets: buckets.sorted {
        ($0.numbers.lowerBound, $0.variationID) < ($1.numbers.lowerBound, $1.variationID)
      })
  }

  fileprivate mutating func explainedNext(_ context: RuleContext) -> [Explanation.NextRule] {
    var isFound = false
    var rules: [Explanation.NextRule] = []
    for rule in pipeline.next {
      let isOpen = rule.window.contains(context.now)
      let holds = isOpen && rule.program.map { evaluate($0, context) == .boolean(true) } ?? true
      rules.append(
        Explanation.NextRule(
          placementID: rule.placementID, because: rule.because,
          clauses: rule.rule.map { clauses(of: $0, .next, context) } ?? [],
          fate: fate(holds && !isFound, isOpen: isOpen, isOver: isFound)))
      isFound = isFound || holds
    }
    return rules
  }
}

extension PersonEvents {
  /// The latest event that gave an answer as it stands, not after it counted.
  fileprivate func event(thatGave answer: Answer) -> Identity? {
    let clocks = ClockOffsets(self)
    let given = events.indices.filter { index in
      let event = events[index]
      guard event.kind == .flowUserInput, clocks.time(of: event, at: index) <= answer.at else {
        return false
      }
      let params = FlowParams(event.params)
      return params.element == answer.element && params.answer == answer.value
    }
    return given.map { (clocks.time(of: events[$0], at: $0), events[$0].identity) }
      .max { $0 < $1 }?.1
  }
}

extension AttributeDefinition {
  /// The same attribute as if its rule read one answer alone.
  fileprivate func reading(only answer: Int) -> AttributeDefinition {
    AttributeDefinition(
      key: key, type: type, rule: rule, program: program, runs: runs, plausible: plausible,
      answers: [answer], flows: flows)
  }
}
