import Testing

@testable import Core
@testable import sluice

/// A small scope of every type, and short ways to run a rule in it.
enum Rules {
  static let names: [(name: Bytes, type: ValueType, isDaysSince: Bool)] = [
    ("bmi", .number, false), ("weight", .number, false), ("height", .number, false),
    ("profile.country", .text, false), ("profile.app_version", .text, false),
    ("goal", .text, false), ("premium", .boolean, false), ("obese", .boolean, false),
    ("onboarding.completed", .boolean, false), ("onboarding.started_at", .timestamp, false),
    ("onboarding.days_since_completed", .number, true), ("birthday", .date, false),
    ("hobbies", .choice, false), ("custom.odd key", .text, false), ("größe", .number, false),
  ]

  static var scope: RuleScope {
    var scope = RuleScope()
    for (slot, name) in names.enumerated() {
      scope.add(
        name.name,
        RuleScope.Entry(type: name.type, slot: slot, isDaysSince: name.isDaysSince))
    }
    scope.refuse("access.", because: "comes later")
    return scope
  }

  /// 2026-03-01T10:00:00Z.
  static let now = Instant(microseconds: 1_772_359_200_000_000)

  static func context(_ now: Instant = now, profile: Bytes = "p") -> RuleContext {
    RuleContext(now: now, profileID: profile, primitives: .system)
  }

  static func compile(
    _ text: Bytes, expecting: ValueType? = nil, use: RuleUse = .segment
  ) -> Result<Program, PipelineProblems> {
    do {
      return .success(
        try compileRule(RuleText(text), scope: scope, expecting: expecting, use: use))
    } catch {
      return .failure(error)
    }
  }

  /// Values for the slots by name; all others are null.
  static func slots(_ values: [Bytes: Value]) -> [Value] { names.map { values[$0.name] ?? .null } }

  static func value(
    _ text: Bytes, _ values: [Bytes: Value] = [:], now: Instant = now
  ) throws -> Value {
    var evaluator = Evaluator()
    return try compile(text).get().evaluate(slots(values), in: context(now), using: &evaluator)
  }

  static func cause(_ text: Bytes, _ values: [Bytes: Value] = [:]) throws -> NullCause {
    var evaluator = Evaluator()
    let value = try compile(text).get().evaluate(slots(values), in: context(), using: &evaluator)
    #expect(value == .null)
    return evaluator.cause
  }

  /// `line:column: message` of everything that is wrong.
  static func problems(
    _ text: Bytes, expecting: ValueType? = nil, use: RuleUse = .segment
  ) -> [String] {
    switch compile(text, expecting: expecting, use: use) {
    case .success: []
    case .failure(let failure):
      failure.list.map { "\($0.position.line):\($0.position.column): \($0.message)" }
    }
  }
}

/// A rule and what it gives, one line of a table.
struct RuleCase: CustomTestStringConvertible, Sendable {
  let rule: String
  let expected: Value

  init(_ rule: String, _ expected: Value) {
    self.rule = rule
    self.expected = expected
  }

  var testDescription: String { rule }
}
