internal import Core

/// The names that a pipeline's own tests use, against those that the pipeline declares.
///
/// A name that nothing declares would be passed over, and the test would say less than it seems to.
/// What could not be read of the pipeline makes no test wrong.
struct TestNames {
  private let source: PipelineSource
  private let flows: KnownNames
  private let answers: [Bytes: AnswerSource]
  private let answerNames: KnownNames
  private let attributes: [Bytes: ValueType]
  private let attributeNames: KnownNames
  private let segments: KnownNames
  private let placementNames: KnownNames
  private let nextPlacements: KnownNames
  private let storeMessages: KnownNames

  init(in source: PipelineSource) {
    self.source = source
    flows = KnownNames(source.flows.map(\.name.value))
    answers = Dictionary(
      source.answers.map { ($0.name.value, $0) }, uniquingKeysWith: { first, _ in first })
    answerNames = KnownNames(source.answers.map(\.name.value))
    attributes = Dictionary(
      source.attributes.map { ($0.name.value, $0.type.value) },
      uniquingKeysWith: { first, _ in first })
    attributeNames = KnownNames(source.attributes.map(\.name.value))
    segments = KnownNames(source.segments.map(\.name.value))
    placementNames = KnownNames(source.placements.map(\.id.value))
    nextPlacements = KnownNames(source.next.compactMap(\.placement?.value))
    storeMessages = KnownNames(source.next.flatMap { $0.storeMessages.map(\.value) })
  }

  /// All that is wrong with the names of some tests.
  func problems(of tests: [PipelineTest]) -> [PipelineProblem] {
    var found = Findings(source.unread)
    for test in tests {
      for answer in test.answers { check(answer, &found) }
      found.check(test.completed, "flow", flows, .flows)
      check(test.expected, of: test, &found)
    }
    return found.problems
  }

  private func check(_ answer: PipelineTest.Answer, _ found: inout Findings) {
    guard let declared = answers[answer.name.value] else {
      return found.check([answer.name], "answer", answerNames, .answers)
    }
    let name = answer.name.value.string
    switch (answer.given, declared.reading) {
    case (.items, .number), (.items, .date):
      found.report(
        answer.name.position, "`\(name)` is typed, not chosen: give it one value instead of a list")
    case (.elements(let parts), _):
      let elements = KnownNames(declared.inputs.flatMap { $0.elements.map(\.value) })
      found.check(parts.map(\.element), "element of `\(name)`", elements, nil)
    default: break
    }
  }

  private func check(
    _ expected: PipelineTest.Expectation, of test: PipelineTest, _ found: inout Findings
  ) {
    let keys = expected.attributes.map(\.key) + expected.absent.map(\.key)
    found.check(keys, "attribute", attributeNames, .attributes)
    for absence in expected.absent
    where expected.attributes.contains(where: { $0.key.value == absence.key.value }) {
      found.report(
        absence.key.position,
        "`\(absence.key.value.string)` cannot be absent and have the value that `attributes` says: "
          + "remove one of them")
    }
    for attribute in expected.attributes {
      guard attributes[attribute.key.value] == .number, case .text(let text) = attribute.value,
        Double(text.string) == nil
      else { continue }
      found.report(
        attribute.key.position,
        "`\(attribute.key.value.string)` is a number, and can never be `\(text.string)`: "
          + "write the number that is expected")
    }
    found.check(expected.segments?.value ?? [], "segment", segments, .segments)
    found.check(expected.storeMessages?.value ?? [], "store message", storeMessages, .next)
    var shown = source.placements
    if case .placement(let id)? = expected.next {
      found.check([id], "next placement", nextPlacements, .next)
      if nextPlacements.contains(id.value) { shown = shown.filter { $0.id.value == id.value } }
    }
    // What is not declared has no decision to look into; its name has been told, or is allowed.
    if !shown.isEmpty {
      let decision = PlacementNames(shown)
      if decision.areAudiencesKnown, !test.hasEvents {
        found.check(expected.flow, "flow id", decision.flows)
        found.check(expected.variation, "variation", decision.variations)
      }
      if decision.areTagsKnown {
        found.check(expected.tags.map(\.name), "tag", decision.tags, .placements)
      }
    }
    for decision in expected.placements {
      guard
        let placement = source.placements.first(where: {
          $0.id.value == decision.placement.value
        })
      else {
        found.check([decision.placement], "placement", placementNames, .placements)
        continue
      }
      let names = PlacementNames([placement])
      guard names.areAudiencesKnown else { continue }
      found.check(decision.audience, "audience", names.audiences)
      guard !test.hasEvents else { continue }
      found.check(decision.flow, "flow id", names.flows)
      found.check(decision.variation, "variation", names.variations)
    }
  }
}

extension PipelineTest {
  /// Events may tell of a variation that an older file declared.
  fileprivate var hasEvents: Bool { !events.isEmpty }
}

/// What decisions about some placements can hold.
private struct PlacementNames {
  let audiences: KnownNames
  let flows: KnownNames
  let variations: KnownNames
  let tags: KnownNames
  let areAudiencesKnown: Bool
  let areTagsKnown: Bool

  init(_ placements: [PlacementSource]) {
    let all = placements.flatMap(\.audiences)
    let variations = all.flatMap(\.variations)
    audiences = KnownNames(all.map { $0.segment?.value ?? "default" })
    flows = KnownNames(variations.compactMap { $0.flow?.value.withLowercaseUUID })
    self.variations = KnownNames(variations.compactMap { $0.variation?.value.withLowercaseUUID })
    tags = KnownNames(placements.flatMap { $0.tags.map(\.name.value) })
    areAudiencesKnown = placements.allSatisfy(\.areAudiencesKnown)
    areTagsKnown = placements.allSatisfy(\.areTagsKnown)
  }
}

private struct Findings {
  private let unread: UnreadNames
  private(set) var problems: [PipelineProblem] = []

  init(_ unread: UnreadNames) { self.unread = unread }

  mutating func report(_ position: SourcePosition, _ message: String) {
    problems.append(PipelineProblem(at: position, message))
  }

  /// - Parameter section: where the names are declared; nil where all of them could be read.
  mutating func check(
    _ names: [Located<Bytes>], _ what: String, _ known: KnownNames,
    _ section: UnreadNames.Section?
  ) {
    for name in names where !known.contains(name.value) {
      if let section, unread.mayDeclare(name.value, in: section) { continue }
      report(name.position, known.unknown(what, name.value))
    }
  }

  mutating func check(
    _ name: PipelineTest.Expectation.Name?, _ what: String, _ known: KnownNames
  ) {
    guard case .name(let name)? = name, !known.contains(name.value.withLowercaseUUID),
      !unread.mayDeclare(name.value, in: .placements)
    else { return }
    report(name.position, known.unknown(what, name.value))
  }
}
