import Testing

@testable import Core

@Suite("Three-valued logic")
struct LogicTests {
  static let truths: [Value] = [.boolean(true), .boolean(false), .null]

  private func value(_ rule: Bytes, _ a: Value, _ b: Value = .null) throws -> Value {
    try Rules.value(rule, ["premium": a, "obese": b])
  }

  @Test("and, or and not follow Kleene's tables")
  func tables() throws {
    let (yes, no, unknown) = (Value.boolean(true), Value.boolean(false), Value.null)
    let and = [[yes, no, unknown], [no, no, no], [unknown, no, unknown]]
    let or = [[yes, yes, yes], [yes, no, unknown], [yes, unknown, unknown]]
    let not = [no, yes, unknown]
    for (i, a) in Self.truths.enumerated() {
      #expect(try value("not premium", a) == not[i])
      for (j, b) in Self.truths.enumerated() {
        #expect(try value("premium and obese", a, b) == and[i][j], "\(a) and \(b)")
        #expect(try value("premium or obese", a, b) == or[i][j], "\(a) or \(b)")
      }
    }
  }

  @Test("De Morgan holds for all truths")
  func deMorgan() throws {
    for a in Self.truths {
      for b in Self.truths {
        #expect(
          try value("not (premium and obese)", a, b) == value("not premium or not obese", a, b))
        #expect(
          try value("not (premium or obese)", a, b) == value("not premium and not obese", a, b))
      }
    }
  }

  @Test("is never answers null")
  func tests() throws {
    for (rule, answers) in [
      ("premium is true", [true, false, false]), ("premium is not true", [false, true, true]),
      ("premium is false", [false, true, false]), ("premium is not false", [true, false, true]),
      ("premium is unknown", [false, false, true]),
      ("premium is not unknown", [true, true, false]),
      ("premium is null", [false, false, true]), ("premium is not null", [true, true, false]),
      ("premium is distinct from true", [false, true, true]),
      ("premium is not distinct from null", [false, false, true]),
    ] {
      #expect(try Self.truths.map { try value(Bytes(rule), $0) } == answers.map { .boolean($0) })
    }
  }

  static let cases: [RuleCase] = [
    RuleCase("1 in (1, null)", .boolean(true)),
    RuleCase("(2 in (1, null)) is unknown", .boolean(true)),
    RuleCase("1 + 1 in (1, 3)", .boolean(false)), RuleCase("bmi in (1)", .null),
    RuleCase("(2 not in (1, null)) is unknown", .boolean(true)),
    RuleCase("5 between 1 and bmi", .null),
    RuleCase("1 - 1 between 1 and bmi", .boolean(false)),
    RuleCase("2 between 1 and 2", .boolean(true)),
    RuleCase("bmi = 1", .null), RuleCase("greatest(1, null, 3)", .number(3)),
    RuleCase("least(null, 'b', 'a')", .text("a")), RuleCase("greatest(bmi, weight)", .null),
    RuleCase("coalesce(bmi, 2, 1 / 0)", .number(2)),
    RuleCase("coalesce(nullif(2, 2), 3)", .number(3)),
    RuleCase("nullif(2, bmi)", .number(2)),
    RuleCase("case when premium then 1 else 2 end", .number(2)),
    RuleCase("case when bmi is null then 1 end", .number(1)),
    RuleCase("case 3 when bmi then 'a' when 3 then 'b' end", .text("b")),
    RuleCase("case bmi when 1 then 'a' end", .null),
    RuleCase("case when true then case 1 when 1 then 5 end else 6 end + 1", .number(6)),
    RuleCase("'a' < 'b' and 'B' < 'a'", .boolean(true)),
    RuleCase("date '2026-01-31' > '2026-01-30'", .boolean(true)),
    RuleCase("timestamp '2026-01-31' = '2026-01-31T01:00:00+01:00'", .boolean(true)),
  ]

  @Test("nulls in every operator", arguments: cases)
  func nulls(_ row: RuleCase) throws {
    #expect(try Rules.value(Bytes(row.rule)) == row.expected)
  }

  @Test("text that looks alike is compared by its bytes")
  func bytes() throws {
    #expect(try Rules.value("goal = 'é'", ["goal": .text("e\u{301}")]) == .boolean(false))
  }

  @Test("why a value is null: the first operator that failed, else the first missing input")
  func causes() throws {
    let one: [Bytes: Value] = ["height": .number(1)]
    #expect(
      try Rules.cause("weight / 0 + bmi", ["weight": .number(1)]) == .operation(.divisionByZero))
    #expect(try Rules.cause("bmi + 1 / 0") == .operation(.divisionByZero))
    #expect(try Rules.cause("1e308 * 10") == .operation(.overflow))
    #expect(try Rules.cause("sqrt(-1)") == .operation(.noValue))
    #expect(try Rules.cause("height + weight + bmi", one) == .missing(slot: 1))
    #expect(try Rules.cause("case when height = 2 then bmi end", one) == .none)
    #expect(try Rules.cause("nullif(height, 1)", one) == .none)
  }
}
