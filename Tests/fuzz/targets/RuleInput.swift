@testable import Core
@testable import sluice

/// Any bytes as a rule: read, checked, and evaluated for several persons.
enum RuleInput {
  private static let names: [(name: Bytes, type: ValueType, isDaysSince: Bool)] = [
    ("bmi", .number, false), ("weight", .number, false), ("profile.country", .text, false),
    ("profile.app_version", .text, false), ("goal", .text, false), ("premium", .boolean, false),
    ("onboarding.started_at", .timestamp, false),
    ("onboarding.days_since_completed", .number, true), ("birthday", .date, false),
    ("hobbies", .choice, false), ("größe", .number, false),
  ]

  private static let scope: RuleScope = {
    var scope = RuleScope()
    for (slot, name) in names.enumerated() {
      scope.add(
        name.name,
        RuleScope.Entry(type: name.type, slot: slot, isDaysSince: name.isDaysSince))
    }
    return scope
  }()

  private static let context = RuleContext(
    now: Instant(microseconds: 1_772_359_200_000_000), profileID: "p", primitives: .system)

  /// Values of any kind in any slot, of the wrong type too: those count as null.
  private static let rows: [[Value]] = {
    let values: [Value] = [
      .null, .number(0), .number(.greatestFiniteMagnitude), .number(-.leastNonzeroMagnitude),
      .number(31.5), .text(""), .text("1.2.3"), .text(Bytes([0xC3, 0x28, 0x80])),
      .text("2026-03-01"), .boolean(true), .boolean(false),
    ]
    return values.indices.map { start in
      names.indices.map { values[(start + $0) % values.count] }
    }
  }()

  static func read(_ bytes: [UInt8]) {
    let text = Bytes(bytes)
    var evaluator = Evaluator()
    for (use, type) in [(RuleUse.segment, ValueType?.none), (.attribute, .number)] {
      do {
        let program = try compileRule(RuleText(text), scope: scope, expecting: type, use: use)
        for row in rows {
          let value = program.evaluate(row, in: context, using: &evaluator)
          if case .number(let number) = value {
            demand(
              number.isFinite && !(number == 0 && number.sign == .minus),
              "a number is finite and no negative zero: \(number)")
          }
          demand(
            value == program.evaluate(row, in: context, using: &evaluator),
            "the same row gives the same value")
        }
      } catch {
        demand(!error.list.isEmpty, "a refusal says why")
        for problem in error.list {
          demand(
            problem.position.line > 0 && problem.position.column > 0 && !problem.message.isEmpty,
            "a problem has a place and words")
        }
      }
    }
  }
}
