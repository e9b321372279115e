import Testing

@testable import Core

@Suite("Wrong rules")
struct RuleProblemTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let rule: String
    let problems: [String]
    var testDescription: String { rule }

    init(_ rule: String, _ problems: String...) {
      self.rule = rule
      self.problems = problems
    }
  }

  static let syntax: [Case] = [
    Case("", "1:1: the rule is empty"),
    Case("-- only", "1:1: the rule is empty; what stands behind -- is a comment"),
    Case("bmi >", "1:6: the rule ends where a value was expected"),
    Case("bmi > 30)", "1:9: there is “)” where the end of the rule was expected"),
    Case("(bmi > 30", "1:10: the rule ends where a closing parenthesis was expected"),
    Case("bmi 30", "1:5: there is a number where the end of the rule was expected"),
    Case("bmi == 30", "1:5: equality is written ="), Case("a && b", "1:3: write and"),
    Case("!premium", "1:1: write not"), Case("bmi ≥ 30", "1:5: write >= instead of this sign"),
    Case("bmi≥30", "1:4: write >= instead of this sign"),
    Case("goal = ’a’", "1:8: text stands in straight quotes: '…'"),
    Case("bmi\u{A0}> 3", "1:4: this space is a no-break space: write a plain one"),
    Case("goal = 'abc", "1:8: text begins here and its closing quote is missing"),
    Case("30kg", "1:1: this is no number: it goes on without a space"),
    Case("1e999", "1:1: this number is too big for a double"),
    Case("1e-999", "1:1: this number is too small for a double"),
    Case("bmi % 2", "1:5: the character % has no meaning in a rule"),
    Case(
      "bmi is 5",
      "1:8: there is a number where null, true, false, unknown or distinct from was expected"),
    Case("bmi in 5", "1:8: there is a number where a list in parentheses was expected"),
    Case("bmi between 1 or 2", "1:15: there is “or” where and was expected"),
    Case("case bmi end", "1:10: there is “end” where when was expected"),
    Case("case when premium then 1", "1:25: the rule ends where when, else or end was expected"),
    Case("profile.", "1:9: the rule ends where a name after the dot was expected"),
    Case("premium\nand\n  ] 5", "3:3: the character ] has no meaning in a rule"),
    Case("größe > ☃ @", "1:11: the character @ has no meaning in a rule"),
  ]

  static let meaning: [Case] = [
    Case("bnmi > 3", "1:1: there is no “bnmi”: did you mean bmi?"),
    Case(
      "profile.contry = 'DE'", "1:1: there is no “profile.contry”: did you mean profile.country?"),
    Case(
      "profile.country = \"DE\"",
      "1:19: there is no “DE”: text stands in single quotes, names in double ones"),
    Case(
      "now < onboarding.started_at",
      "1:1: there is no “now”: the function is called with parentheses, now(…)"),
    Case(
      "access.premium.is_active",
      "1:1: “access.premium.is_active” comes later"),
    Case("bmi = null", "1:7: = null is never true: use is null"),
    Case("bmi <> null", "1:8: <> null is never true: use is not null"),
    Case("bmi < null", "1:7: a comparison with null is never true: use is null or is not null"),
    Case("bmi in (null)", "1:9: in with null is never true: use is null"),
    Case("bmi between null and 3", "1:13: between with null is never true: use is null"),
    Case(
      "case bmi when null then 1 end = 1",
      "1:15: when null never applies: write case when … is null"),
    Case(
      "bmi between 30 and 18.5",
      "1:13: this between can never be true: its lower bound is above its upper one"),
    Case(
      "bmi between -5 and -6",
      "1:13: this between can never be true: its lower bound is above its upper one"),
    Case("1 = 2", "1:1: this comparison can never be true"),
    Case("lower(goal) = 'Lose'", "1:1: this comparison can never be true"),
    Case(
      "bmi > '30'",
      "1:7: this is text, what it stands with is a number: write numbers without quotes"),
    Case("goal = 5", "1:8: this is a number, what it stands with is text"),
    Case("goal || 5 = 'a'", "1:9: || joins text and takes text, this is a number"),
    Case(
      "goal + 'a' = 'b'", "1:1: + takes a number, this is text: text is joined with ||",
      "1:8: + takes a number, this is text: text is joined with ||"),
    Case("bmi and premium", "1:1: and joins conditions and takes a boolean, this is a number"),
    Case("premium > obese", "1:1: a boolean has no order: use = or <>"),
    Case(
      "hobbies = 'yoga'",
      "1:11: a choice of several is not compared with text: use has(choice, 'id')"),
    Case(
      "hobbies in (hobbies)",
      "1:1: a choice of several is not compared: ask has(choice, 'id') or count(choice)"),
    Case("birthday = onboarding.started_at", "1:12: dates and timestamps do not mix"),
    Case("birthday > '2026-13-01'", "1:12: this is no date: write '2026-01-31'"),
    Case(
      "onboarding.started_at > 'soon'", "1:25: this is no timestamp: write '2026-01-31T10:00:00Z'"),
    Case(
      "onboarding.started_at - onboarding.started_at > 3",
      "1:1: timestamps are not calculated with: days_between(from, to) gives whole days"),
    Case("birthday + 1 > birthday", "1:1: with dates only date - date is calculated, in days"),
    Case(
      "case when premium then 1 else 'a' end = 1",
      "1:31: this is text, what it stands with is a number: write numbers without quotes"),
    Case("rond(bmi) = 1", "1:1: there is no function rond: did you mean round?"),
    Case("round(bmi, 1, 2) = 1", "1:1: round takes 1 or 2 arguments, not 3"),
    Case("abs() = 1", "1:1: abs takes 1 argument, not 0"),
    Case("coalesce() = 1", "1:1: coalesce takes 1 or more arguments, not 0"),
    Case(
      "round(bmi, weight) = 1",
      "1:12: round takes the number of decimals as a whole number from 0 to 15"),
    Case(
      "round(bmi, 16) = 1",
      "1:12: round takes the number of decimals as a whole number from 0 to 15"),
    Case("bucket(goal) < 50", "1:8: bucket takes text in quotes here"),
    Case("goal like goal", "1:11: a pattern is text in quotes, known before the rule runs"),
    Case(
      "goal like 'a\\'", "1:11: the pattern ends in its escape character: double it to mean itself"),
    Case("goal like 'a' escape 'ab'", "1:22: an escape is one character in quotes"),
    Case(
      "version(goal) = '1.0.0'",
      "1:17: this is text, the other side a version: write version(…) around it"),
    Case(
      "greatest(premium, obese)", "1:10: greatest has no meaning for a boolean: it has no order"),
    Case(
      "now() is null", "1:1: now() can only be one side of a comparison: now() < some_timestamp"),
    Case(
      "now() > now()",
      "1:9: both sides change with time: the moments at which this flips cannot be listed"),
    Case(
      "onboarding.days_since_completed * 2 > 5",
      "1:1: days since an instant can only be compared directly (days_since(t) >= 30): the moments at which anything else changes cannot be listed"
    ),
    Case("null", "1:1: this rule is always null"),
    Case("version('1.0.0')", "1:1: a version is no value by itself: compare it"),
    Case(
      "nope > 1 and\n  rond(1) = 2\n  or goal = 5",
      "1:1: there is no “nope”: text stands in single quotes, names in double ones",
      "2:3: there is no function rond: did you mean round?",
      "3:13: this is a number, what it stands with is text"),
  ]

  @Test("what cannot be read is told at its place", arguments: syntax)
  func unreadable(_ row: Case) { #expect(Rules.problems(Bytes(row.rule)) == row.problems) }

  @Test("what makes no sense is told at its place, all at once", arguments: meaning)
  func senseless(_ row: Case) { #expect(Rules.problems(Bytes(row.rule)) == row.problems) }

  @Test("a rule gives the type that its place needs")
  func expectedType() {
    #expect(
      Rules.problems("bmi", expecting: .boolean)
        == ["1:1: a boolean was expected, this gives a number: compare it"])
    #expect(Rules.problems("bmi", expecting: .number).isEmpty)
  }

  @Test("days since an instant are refused in attributes and tags")
  func daysSince() {
    let rule: Bytes = "case when days_since(onboarding.started_at) > 3 then 1 end"
    #expect(Rules.problems(rule, use: .segment).isEmpty)
    #expect(Rules.problems("onboarding.days_since_completed > 3", use: .next).isEmpty)
    #expect(
      Rules.problems(rule, use: .attribute) == [
        "1:11: “days_since” has no place in an attribute: it would be a new value a day for everyone; "
          + "compare it in a segment"
      ])
    #expect(Rules.problems("onboarding.days_since_completed = 1", use: .tag).count == 1)
    #expect(Rules.problems("case when now() > '2026-01-01' then 1 end", use: .attribute).isEmpty)
  }

  @Test("a plain scalar's syntax error says what YAML may have done")
  func plainScalar() {
    let text = RuleText(
      "bmi >", lineStarts: [SourcePosition(line: 7, column: 12)], isPlainScalar: true)
    let expected = PipelineProblems([
      PipelineProblem(
        at: SourcePosition(line: 7, column: 17),
        "the rule ends where a value was expected; if YAML cut the rule, quote it or use |")
    ])
    #expect(throws: expected) {
      try compileRule(text, scope: Rules.scope, expecting: .boolean, use: .segment)
    }
  }

  @Test("a rule nests at most 200 levels, and long lists of conditions are no nesting")
  func nesting() {
    let deep =
      String(repeating: "(", count: 150) + "1" + String(repeating: ")", count: 150) + " = 1"
    #expect(Rules.problems(Bytes(deep)).isEmpty)
    let nots = String(repeating: "not ", count: 190) + "premium"
    #expect(Rules.problems(Bytes(nots)).isEmpty)
    for open in ["(", "not ", "- ", "abs(", "case when ", "1 + (", "bmi in ("] {
      let problems = Rules.problems(Bytes(String(repeating: open, count: 100_000)))
      #expect(problems.count == 1 && problems[0].hasSuffix("nests deeper than 200 levels"))
    }
    let sum = Array(repeating: "1", count: 5000).joined(separator: " + ")
    #expect(Rules.problems(Bytes(sum)).isEmpty)
    let long = Array(repeating: "bmi = 1", count: 5000).joined(separator: " or ")
    #expect(Rules.problems(Bytes(long)).isEmpty)
  }
}
