internal import Core
internal import Ingest

extension Sluice {
  /// Runs the tests that a pipeline file holds, without a database.
  func test(_ options: PipelineOptions) throws -> ExitCode {
    let loaded = try load(options.pipeline)
    guard !loaded.tests.isEmpty else {
      console.say("\(options.pipeline): holds no tests")
      return .done
    }
    var failed = 0
    for test in loaded.tests {
      let differences = differences(test, loaded.pipeline)
      if differences.isEmpty {
        if !options.isQuiet { try console.write("passed  \(printable(test.name.value.string))\n") }
        continue
      }
      failed += 1
      try console.write(
        "FAILED  \(printable(test.name.value.string))"
          + " (\(options.pipeline):\(test.name.position.line))\n")
      for difference in differences { try console.write("        \(printable(difference))\n") }
    }
    try console.write("\(loaded.tests.count - failed) passed, \(failed) failed\n")
    return failed == 0 ? .done : .pipelineWrong
  }

  /// Expected and got, value by value; empty for a test that passes.
  func differences(_ test: PipelineTest, _ pipeline: Pipeline) -> [String] {
    let unknown = unknownNames(test, pipeline)
    guard unknown.isEmpty else { return unknown }
    let events: [ProfileEvent]
    if test.events.isEmpty {
      events = ScriptedPerson(test, pipeline).events
    } else {
      let (read, refused) = decoded(test.events)
      guard refused.isEmpty else { return refused }
      events = read
    }
    guard let person = events.first?.profileID,
      let last = events.map(\.event.occurredAt).max()
    else { return ["it has no events"] }
    guard events.allSatisfy({ $0.profileID == person }) else {
      return ["its events are of several profiles"]
    }
    let set = EventSet(profileID: person, events: events.map(\.event))
    return test.expected.differences(
      from: resolve(set, pipeline, asOf: last, primitives))
  }
}

extension Sluice {
  /// A name that nothing declares would be passed over, and the test would say less than it seems to.
  private func unknownNames(_ test: PipelineTest, _ pipeline: Pipeline) -> [String] {
    func unknown(_ what: String, _ names: [Located<Bytes>], _ known: [Bytes]) -> [String] {
      names.filter { !known.contains($0.value) }.map { name in
        "there is no \(what) `\(name.value.string)`"
          + didYouMean(name.value.string, known.map(\.string))
      }
    }
    return unknown("answer", test.answers.map(\.name), pipeline.answers.map(\.name))
      + unknown("flow", test.completed.map { [$0] } ?? [], pipeline.flows)
      + unknown("segment", test.expected.segments?.value ?? [], pipeline.segments.map(\.name))
  }

  private func decoded(_ texts: [Located<Bytes>]) -> (events: [ProfileEvent], refused: [String]) {
    let lines = Array(texts.map { $0.value.array }.joined(separator: [0x0A]))
    let limits = ReadLimits()
    var reader = ChunkReader(MemorySource(lines, name: "events"), limits: limits)
    var events: [ProfileEvent] = []
    var refused: [String] = []
    while let chunk = try? reader.next() {
      let decoded = decode(chunk: chunk, limits: limits, primitives: primitives)
      events += decoded.events
      refused += decoded.rejections.map { rejection in
        "its event \(rejection.line) is refused: \(rejection.reason.rawValue) \(rejection.field)"
      }
    }
    return (events, refused)
  }
}

/// The events that a test's answers stand for.
private struct ScriptedPerson {
  private(set) var events: [ProfileEvent] = []
  private var context: [ContextKey: Bytes] = [:]
  private let pipeline: Pipeline

  init(_ test: PipelineTest, _ pipeline: Pipeline) {
    self.pipeline = pipeline
    for member in test.profile {
      guard let key = ContextKey.allCases.first(where: { $0.name == member.name.value }) else {
        continue
      }
      context[key] =
        key == .installedAt
        ? Timestamp(text: member.text).microsecondsText ?? member.text : member.text
    }
    let flow = test.completed.flatMap { name in pipeline.flows.firstIndex(of: name.value) }
    add("flow_appeared", flow, "")
    for answer in test.answers {
      guard let definition = pipeline.answers.first(where: { $0.name == answer.name.value }) else {
        continue
      }
      add(
        "flow_user_input", flow ?? definition.flows.first, params(of: answer, definition.firstInput)
      )
    }
    if test.completed != nil {
      add("flow_screen_showed", flow, #"{"instanceId":"last screen","is_last_screen":true}"#)
      add("flow_disappeared", flow, "")
    }
  }

  private mutating func add(_ name: Bytes, _ flow: Int?, _ params: String) {
    var context = context
    if let flow { context.merge(pipeline.matcher.mark(of: flow)) { _, mark in mark } }
    let second = Int64(events.count) * 1_000_000
    // A day long past, so that no `from` of a rule lies ahead of it by accident.
    let start: Int64 = 1_767_225_600_000_000
    events.append(
      ProfileEvent(
        profileID: "00000000-0000-4000-8000-000000000001",
        event: Event(
          identity: Identity(id: Bytes("event \(events.count)")), name: name, sessionID: "session",
          occurredAt: Instant(microseconds: start + second), counter: Int64(events.count),
          params: Bytes(params), context: Context(context))))
  }

  private func params(of answer: PipelineTest.Answer, _ definition: AnswerDefinition) -> String {
    func json(_ text: Bytes) -> String { String(decoding: jsonString(text), as: UTF8.self) }
    let own = definition.flows.first.flatMap { pipeline.matcher.screen(of: $0) }
    let screen = json(definition.screens.first ?? own ?? "screen")
    let element = json(definition.elements.first ?? "")
    let given: String
    switch (answer.given, definition.reading) {
    case (.items(let ids), _): given = #""item_ids":[\#(ids.map(json).joined(separator: ","))]"#
    case (.text(let id), .choice), (.text(let id), .choices): given = #""item_ids":[\#(json(id))]"#
    case (.text(let text), .date):
      given = #""value":\#(milliseconds(day: text).map { String($0) } ?? json(text))"#
    case (.text(let text), _): given = #""value":\#(json(text))"#
    case (.cleared, _): given = #""value":"""#
    }
    return #"{"element_id":\#(element),\#(given),"instanceId":\#(screen)}"#
  }
}

extension Timestamp {
  fileprivate var microsecondsText: Bytes? {
    guard case .instant(let instant, _) = self else { return nil }
    return Bytes(String(instant.microseconds))
  }
}

/// A picker's Unix milliseconds for a day written `1990-06-15`.
private func milliseconds(day text: Bytes) -> Int64? {
  Day(iso8601: text.string).map { Int64($0.days) * 86_400_000 }
}

extension PipelineTest.Expectation {
  /// Expected and got, for each thing that is looked at and differs.
  fileprivate func differences(from outcome: Outcome) -> [String] {
    var result: [String] = []
    func compare(_ what: String, _ expected: String, _ got: String) {
      if expected != got { result.append("\(what): expected \(expected), got \(got)") }
    }
    for attribute in attributes {
      let name = "attribute \(attribute.key.value.string)"
      let got = outcome.attributes.first { $0.key == attribute.key.value }?.value
      switch attribute.value {
      case .number(let written): compare(name, written.string, shown(got, as: written))
      case .text(let text): compare(name, text.string, shown(got, as: nil))
      }
    }
    for absence in absent {
      let got = outcome.attributes.first { $0.key == absence.key.value }?.value
      compare(
        "attribute \(absence.key.value.string)", "absent: \(absence.reason.rawValue)",
        shown(got, as: nil))
    }
    if let segments {
      compare(
        "segments", list(segments.value.map(\.value)), list(outcome.segments.map(\.segment)))
    }
    let placement = outcome.profile.next.placementID
    switch next {
    case .placement(let id): compare("next", id.value.string, placement?.string ?? "nothing")
    case .nothing: compare("next", "nothing", placement?.string ?? "nothing")
    case nil: break
    }
    if let because {
      compare("because", because.value.string, outcome.profile.next.because.string)
    }
    let decision = outcome.decisions.first { $0.placementID == placement }
    if let flow { compare("flow", flow.value.string, decision?.flowID?.string ?? "none") }
    if let variation {
      compare("variation", variation.value.string, decision?.variationID?.string ?? "none")
    }
    if let texts {
      func list(_ texts: [Bytes]) -> String {
        "[" + texts.map { "\"\($0.string)\"" }.joined(separator: ", ") + "]"
      }
      compare("texts", list(texts.value), list(decision?.texts ?? []))
    }
    for tag in tags {
      let got = decision?.tags.first { $0.name == tag.name.value }?.value.string
      compare("tag \(tag.name.value.string)", tag.text.string, got ?? "none")
    }
    return result
  }

  /// A value as the expectation writes it: numbers at the decimals that are written.
  private func shown(_ value: AttributeOutcome.Value?, as written: Bytes?) -> String {
    switch value {
    case .number(let number):
      let decimals = written.flatMap { text in
        text.string.firstIndex(of: ".").map {
          text.string.distance(from: $0, to: text.string.endIndex) - 1
        }
      }
      guard written != nil else { return shortestText(of: number) }
      return plainText(number, decimals: decimals ?? 0)
    case .text(let text): return text.string
    case .absent(let reason): return "absent: \(reason.rawValue)"
    case nil: return "no such attribute"
    }
  }

  private func plainText(_ number: Double, decimals: Int) -> String {
    numberText(number, fractionDigits: decimals, in: .english).filter { $0 != "," }
  }

  private func list(_ names: [Bytes]) -> String {
    "[" + names.sorted().map(\.string).joined(separator: ", ") + "]"
  }
}
