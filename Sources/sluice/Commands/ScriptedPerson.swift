internal import Core

/// The events that a test's answers stand for: one run of each flow that is answered or completed, all
/// in one session.
struct ScriptedPerson {
  private(set) var events: [ProfileEvent] = []
  private let context: [ContextKey: Bytes]
  private var profileID: Bytes = "00000000-0000-4000-8000-000000000001"
  private let pipeline: Pipeline
  private let startsAt: Instant

  /// - Parameter context: of every event: what the test says of the person.
  init(_ test: PipelineTest, _ pipeline: Pipeline, context: [ContextKey: Bytes]) {
    self.pipeline = pipeline
    self.context = context
    // 1 January 2026 where the test does not say.
    startsAt =
      test.answeredAt?.value.instant(in: pipeline.zone)
      ?? Instant(microseconds: 1_767_225_600_000_000)
    for member in test.profile where member.name.value == "profile_id" {
      profileID = member.text.withLowercaseUUID
    }
    let completed = test.completed.compactMap { pipeline.flows.firstIndex(of: $0.value) }
    var answers: [Int?: [(PipelineTest.Answer, AnswerDefinition)]] = [:]
    for answer in test.answers {
      guard let definition = pipeline.answers.first(where: { $0.name == answer.name.value }) else {
        continue
      }
      answers[flow(of: definition, completed), default: []].append((answer, definition))
    }
    // The completed flows in the order of the test, then those that were begun.
    let begun = answers.keys.filter { $0.map { !completed.contains($0) } ?? true }
    for flow in completed.map(Optional.some) + begun.sorted(by: { ($0 ?? -1) < ($1 ?? -1) }) {
      add("flow_appeared", flow, "")
      for (answer, definition) in answers[flow] ?? [] { give(answer, definition, flow) }
      guard let flow, completed.contains(flow) else { continue }
      add("flow_screen_showed", flow, #"{"instanceId":"last screen","is_last_screen":true}"#)
      add("flow_disappeared", flow, "")
    }
    // Someone who answered nothing is there all the same.
    if events.isEmpty { add("flow_appeared", nil, "") }
  }

  /// The flow an answer is given in: one of the completed flows that ask it, else its own first one.
  private func flow(of answer: AnswerDefinition, _ completed: [Int]) -> Int? {
    if answer.flows.isEmpty { return completed.first }
    return completed.first { answer.flows.contains($0) } ?? answer.flows.first
  }

  private mutating func give(
    _ answer: PipelineTest.Answer, _ definition: AnswerDefinition, _ flow: Int?
  ) {
    guard case .elements(let parts) = answer.given else {
      add("flow_user_input", flow, params(of: answer.given, definition.firstInput, nil))
      return
    }
    for part in parts {
      guard let input = definition.inputs.first(where: { $0.elements.contains(part.element.value) })
      else { continue }
      let given: PipelineTest.Given = part.text.map { .text($0) } ?? .cleared
      add("flow_user_input", flow, params(of: given, input, part.element.value))
    }
  }

  private mutating func add(_ name: Bytes, _ flow: Int?, _ params: String) {
    var context = context
    if let flow { context.merge(pipeline.matcher.mark(of: flow)) { _, mark in mark } }
    let second = Int64(events.count) * 1_000_000
    events.append(
      ProfileEvent(
        profileID: profileID,
        event: Event(
          identity: Identity(id: Bytes("event \(events.count)")), name: name, sessionID: "session",
          occurredAt: Instant(microseconds: startsAt.microseconds + second),
          counter: Int64(events.count), params: Bytes(params), context: Context(context))))
  }

  private func params(
    of given: PipelineTest.Given, _ input: AnswerDefinition, _ element: Bytes?
  ) -> String {
    let own = input.flows.first.flatMap { pipeline.matcher.screen(of: $0) }
    let screen = jsonText(input.screens.first ?? own ?? "screen")
    let element = jsonText(element ?? input.elements.first ?? "")
    let value: String
    switch (given, input.reading) {
    case (.items(let ids), _): value = #""item_ids":[\#(ids.map(jsonText).joined(separator: ","))]"#
    case (.text(let id), .choice), (.text(let id), .choices):
      value = #""item_ids":[\#(jsonText(id))]"#
    case (.text(let text), .date):
      value = #""value":\#(milliseconds(day: text).map { String($0) } ?? jsonText(text))"#
    case (.text(let text), _): value = #""value":\#(jsonText(text))"#
    case (.cleared, _), (.elements, _): value = #""value":"""#
    }
    return #"{"element_id":\#(element),\#(value),"instanceId":\#(screen)}"#
  }
}

/// A picker's Unix milliseconds for a day written `1990-06-15`.
private func milliseconds(day text: Bytes) -> Int64? {
  Day(iso8601: text.string).map { Int64($0.days) * 86_400_000 }
}
