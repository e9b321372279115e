internal import Core

/// The file's own tests.
extension PipelineReader {
  mutating func tests(_ node: YAMLNode?) -> [PipelineTest] {
    guard let node, !node.isNull, let items = items(node, "`tests`") else { return [] }
    var lineOfName: [Bytes: Int] = [:]
    return items.compactMap { item in
      guard let test = test(item) else { return nil }
      // One without a name has been told.
      guard !trimmed(test.name.value).isEmpty else { return test }
      if let line = lineOfName[test.name.value] {
        report(
          at: test.name.position, "the test on line \(line) has this name; take another",
          leavingGap: false)
      }
      lineOfName[test.name.value] = test.name.position.line
      return test
    }
  }

  private mutating func test(_ node: YAMLNode) -> PipelineTest? {
    guard let section = section(node, .test) else { return nil }
    let name = section.required("name", by: &self) { $0.testName($1) }
    var test = PipelineTest(name: name ?? Located("", at: node.position))
    test.answers = named(section["answers"], "answers") { $0.given($1, $2) }
    if let node = section["events"], let items = items(node, "`events`") {
      test.events = items.compactMap { event($0) }
      if items.isEmpty {
        report(
          at: node.position, "the list is empty: write events, or remove the key", leavingGap: false
        )
      }
      if let answers = section["answers"] {
        report(
          at: answers.position, "a test has `answers` or `events`, not both; remove one of them",
          leavingGap: false)
      }
      if let completed = section["completed"] {
        report(
          at: completed.position, "the events say what was completed; remove it", leavingGap: false)
      }
    }
    test.completed = names(section["completed"])
    test.asOf = section["as_of"].flatMap { moment($0) }
    test.answeredAt = section["answered_at"].flatMap { moment($0) }
    if let node = section["answered_at"], section["events"] != nil {
      report(at: node.position, "the events say when they were; remove it", leavingGap: false)
    }
    test.profile = named(section["profile"], "profile") { $0.member($1, $2) }
    test.expected =
      section.required("expect", by: &self) { $0.expectation($1) } ?? PipelineTest.Expectation()
    return test
  }

  private mutating func testName(_ node: YAMLNode) -> Located<Bytes>? {
    guard let word = word(node, "the test's name") else { return nil }
    guard !trimmed(word.value).isEmpty else {
      report(
        at: word.position, "a test's name says what must be true: write it", leavingGap: false)
      return nil
    }
    return word
  }

  private mutating func given(_ name: Located<Bytes>, _ node: YAMLNode) -> PipelineTest.Answer? {
    switch node.content {
    case .scalar(let scalar):
      let isCleared = scalar.meaning == .null
      return PipelineTest.Answer(name: name, given: isCleared ? .cleared : .text(scalar.text))
    case .sequence(let items):
      let ids = namesOnce(items).map(\.value)
      return PipelineTest.Answer(name: name, given: .items(ids))
    case .mapping(let entries):
      let parts = entries.compactMap { entry -> PipelineTest.Part? in
        guard case .scalar(let scalar) = entry.value.content else {
          report(
            at: entry.value.position,
            "what was typed into an element is a text, not a list or a mapping")
          return nil
        }
        return PipelineTest.Part(
          element: entry.key, text: scalar.meaning == .null ? nil : scalar.text)
      }
      return PipelineTest.Answer(name: name, given: .elements(parts))
    }
  }

  private mutating func event(_ node: YAMLNode) -> Located<Bytes>? {
    guard case .mapping = node.content else {
      report(at: node.position, "an event is a mapping: the members of its envelope")
      return nil
    }
    return Located(CanonicalText.json(node), at: node.position)
  }

  private mutating func member(_ name: Located<Bytes>, _ node: YAMLNode) -> PipelineTest.Member? {
    let members = ["profile_id"] + ContextKey.allCases.map(\.name.string)
    guard members.contains(name.value.string) else {
      let hint = didYouMean(name.value.string, members)
      report(
        at: name.position,
        "an event has no member `\(name.value.string)` that describes a person"
          + (hint.isEmpty ? "; known are " + members.joined(separator: ", ") : hint),
        leavingGap: false
      )
      return nil
    }
    return freeText(node, "`\(name.value.string)`").map {
      PipelineTest.Member(name: name, text: $0)
    }
  }

  private mutating func expectation(_ node: YAMLNode) -> PipelineTest.Expectation? {
    guard let section = section(node, .expectation) else { return nil }
    if !node.expectsSomething {
      report(
        at: node.position,
        "nothing is expected, so that the test can never fail: write what must "
          + "come out", leavingGap: false)
    }
    var expected = PipelineTest.Expectation()
    expected.attributes = named(section["attributes"], "attributes") { $0.expectedValue($1, $2) }
    expected.absent = named(section["absent"], "absent") { reader, key, node in
      reader.choice(node, "reason", AbsenceReason.self).map { .init(key: key, reason: $0) }
    }
    if let node = section["segments"], let items = items(node, "`segments`") {
      expected.segments = Located(namesOnce(items), at: node.position)
    }
    if let node = section["next"] {
      expected.next = node.isNull ? .nothing(node.position) : name(node).map { .placement($0) }
    }
    expected.flow = nameOrNothing(section["flow"])
    expected.variation = nameOrNothing(section["variation"])
    if let node = section["store_messages"], let items = items(node, "`store_messages`") {
      expected.storeMessages = Located(namesOnce(items), at: node.position)
    }
    expected.placements = named(section["placements"], "placements") { $0.decision($1, $2) }
    expected.tags = named(section["tags"], "tags") { reader, name, node in
      reader.freeText(node, "a tag's value").map { .init(name: name, text: $0) }
    }
    if let node = section["texts"], let items = items(node, "`texts`") {
      expected.texts = Located(items.compactMap { freeText($0, "a text") }, at: node.position)
    }
    expected.because = section["because"].flatMap { word($0, "`because`") }
    return expected
  }

  /// A name; null says that there is none.
  private mutating func nameOrNothing(_ node: YAMLNode?) -> PipelineTest.Expectation.Name? {
    guard let node else { return nil }
    return node.isNull ? .nothing : name(node).map { .name($0) }
  }

  private mutating func decision(
    _ placement: Located<Bytes>, _ node: YAMLNode
  ) -> PipelineTest.Expectation.Decision? {
    guard let section = section(node, .expectedDecision) else { return nil }
    if node.entryCount == 0 {
      report(
        at: node.position,
        "nothing is expected of this placement: write its `audience`, `flow` or "
          + "`variation`", leavingGap: false)
    }
    var decision = PipelineTest.Expectation.Decision(placement: placement)
    decision.audience = nameOrNothing(section["audience"])
    decision.flow = nameOrNothing(section["flow"])
    decision.variation = nameOrNothing(section["variation"])
    return decision
  }

  private mutating func expectedValue(
    _ key: Located<Bytes>, _ node: YAMLNode
  ) -> PipelineTest.Expectation.Attribute? {
    guard case .scalar(let scalar) = node.content else {
      report(at: node.position, "an attribute's value is a number or a text", leavingGap: false)
      return nil
    }
    switch scalar.meaning {
    case .number: return .init(key: key, value: .number(scalar.text))
    case .text: return .init(key: key, value: .text(scalar.text))
    case .null:
      report(
        at: node.position,
        "say why there is none: `absent: { \(key.value.string): not_completed }`",
        leavingGap: false)
    case .boolean:
      report(
        at: node.position, "an attribute's value is a number or a text; quote it to mean the text",
        leavingGap: false)
    }
    return nil
  }
}

extension YAMLNode {
  /// False where an expectation is empty, and where all that it has are empty mappings.
  ///
  /// An empty list expects that there is none, and so does `next: null`.
  fileprivate var expectsSomething: Bool {
    guard case .mapping(let entries) = content else { return false }
    let named = ["attributes", "absent", "tags", "placements"]
    return entries.contains { entry in
      !named.contains(entry.key.value.string) || (entry.value.entryCount ?? 0) > 0
        || !entry.value.isNull && !entry.value.isMapping
    }
  }
}
