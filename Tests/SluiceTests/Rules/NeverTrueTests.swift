import Testing

@testable import Core
@testable import sluice

@Suite("Conditions that can never be true")
struct NeverTrueTests {
  static let impossible = [
    "bmi in (1, 2) and bmi = 3", "bmi = 1 and bmi <> 1", "goal = 'a' and goal in ('b', 'c')",
    "bmi not in (1) and bmi = 1", "premium and not premium", "bmi is null and bmi > 2",
    "bmi is null and bmi = 2", "goal is null and goal like 'a%'", "bmi is null and bmi + 1 > 2",
    "version(profile.app_version) > version('5.0.0') and version(profile.app_version) < version('4.0.0')",
    "days_since(onboarding.started_at) > 10 and days_since(onboarding.started_at) < 5",
    "days_since(onboarding.started_at) > 5 and days_since(onboarding.started_at) < 6",
    "onboarding.days_since_completed > 10 and onboarding.days_since_completed < 5",
    "bucket('s') < 10 and bucket('s') >= 50", "bucket('s') > 99", "bucket('s') < 0",
    "bucket('s') = 1.5", "age(birthday) > 30 and age(birthday) < 30",
    "count(hobbies) > 3 and count(hobbies) < 2", "count(hobbies) < 0", "length(goal) < 0",
    "abs(bmi) < 0", "length(goal) > 3 and length(goal) < 4", "(bmi > 5 and premium) and (bmi < 2)",
    "(bmi < 1 or bmi > 9) and bmi = 5", "bmi = 5 and (bmi < 1 or bmi > 9)",
    "(bmi = 1 or bmi = 2) and (bmi = 3 or bmi = 4)", "bmi between 3 and 1",
    "bmi not between 1 and 5 and bmi = 3", "birthday > '2026-01-01' and birthday < '2026-01-02'",
    "onboarding.started_at > '2026-01-02' and onboarding.started_at < '2026-01-01'",
    "now() > '2026-01-02' and now() < '2026-01-01'", "goal not in ('a', null)",
    "not (bmi >= 3 or bmi < 3)", "not (length(goal) >= 0)", "bmi < weight and bmi > weight",
    "bmi < weight and weight <= bmi", "bmi = weight and bmi <> weight",
    "goal like 'a%' and goal like 'b%'", "goal like 'a%' and not goal like 'a%'",
    "goal like 'a%' and goal in ('b', 'c')", "starts_with(goal, 'a') and goal = 'b'",
    "goal = 'x' and not goal like '%x'", "premium = true and premium = false",
    "premium is true and premium is false", "premium is true and premium is unknown",
    "bmi is distinct from 1 and bmi = 1", "bmi is not distinct from null and bmi > 1",
    "-bmi > 0 and bmi > 0", "coalesce(bmi, 1) > 3 and coalesce(bmi, 1) < 2",
    "case when premium then 'a' else 'b' end = 'c'", "greatest(bmi, 5) < 3",
    "obese or bmi > 1 and bmi < 0", "case when bmi > 3 and bmi < 2 then premium else obese end",
    "bmi >= 1 and bmi <= 1 and bmi <> 1", "premium and (bmi > 1 and (obese and bmi < 1))",
    "(bmi = 1 and weight = 1 or bmi = 2 and weight = 2) and bmi = 1 and weight = 2",
    "case bmi when 1 then 2 end = 3", "upper(goal) = 'a'", "trim(goal) in (' a', 'b ')",
    "not (bmi is null) and not (bmi is not null)", "(bmi > 3) = true and bmi < 2",
    "lower(goal) like 'A%'", "lower(goal) like '%A%'", "upper(goal) like '_a'",
    "trim(goal) like ' %'", "starts_with(lower(goal), 'A')", "starts_with(trim(goal), ' a')",
    "goal not like '%'", "not starts_with(goal, '')", "bmi > null + 1", "length(null) > 1",
    "null and bmi > 1", "premium and false", "premium or false", "premium or null",
    "nullif(bmi, 5) = 5", "nullif(bmi, 5) > 3 and bmi is null", "coalesce(bmi, 5) is null",
    "greatest(bmi, 1) is null", "concat(goal, 'a') is null", "(bmi is null) is unknown",
    "(concat(goal) || 'x') is null", "case when premium then 1 else 2 end is null",
    "coalesce(bmi, weight) is null and bmi > 1", "(bmi > 1) is unknown and bmi = 3",
    "(bmi > 1) is not true and bmi = 3", "bmi is distinct from bmi",
    "has(goal, 'a') and has(goal, 'b')", "has(goal, 'a') and goal = 'b'",
    "has(hobbies, 'a') and count(hobbies) = 0", "age(birthday) = 36.5", "round(bmi, 1) = 1.25",
    "length(goal) = 2.5", "bucket('s') = 100", "bmi in (1, null)", "lower(goal) in ('a', 'B')",
    "case bmi when 1 then 1 when 1 then 2 end = 1",
    "case bmi when 1 then true when weight then false when 1 then true end",
    "case when bmi > 10 then premium when bmi > 20 then obese end",
    "case when true then premium when obese then premium end",
    "case when bmi > 1 then premium when bmi <= 1 then obese when bmi = 5 then true end",
  ]

  static let possible = [
    "(bmi < 1 and bmi > 2) is unknown", "(bmi < 1 and bmi > 2) is not true",
    "(bmi < 1 and bmi > 2) is false", "not (bmi < 1 and bmi > 2)",
    "coalesce(bmi < 1 and bmi > 2, true)", "not (premium and length(goal) >= 0)",
    "bmi < 1 or bmi > 2", "bmi > 1 and bmi < 2", "bmi >= 1 and bmi <= 1",
    "bmi in (1, 2) and bmi = 2",
    "bmi not in (1, 2) and bmi = 3", "premium or not premium", "bmi is null or bmi > 2",
    "goal is null and length(coalesce(goal, 'a')) > 0", "bucket('a') < 10 and bucket('b') >= 50",
    "bucket('s') = 99", "bucket('s') = 0", "count(hobbies) = 0", "length(goal) = 0",
    "days_since(onboarding.started_at) < 0", "age(birthday) < 0",
    "days_since(onboarding.started_at) > 5 and days_since(onboarding.started_at) < 7",
    "version(profile.app_version) > version('2.0.0-a') and version(profile.app_version) < version('2.0.0')",
    "birthday > '2026-01-01' and birthday < '2026-01-03'",
    "(bmi < 1 or weight > 9) and bmi = 5", "bmi is distinct from 1 and bmi is null",
    "goal like 'a%' and goal like '%b'", "goal ilike 'A%' and goal = 'abc'",
    "goal < 'b' and goal > 'a'", "bmi <> 1 and bmi <> 2", "bmi < weight and weight < height",
    "premium is not true and premium is null", "premium is not false and premium is not true",
    "case when bmi > 3 then premium else bmi < 2 end", "nullif(bmi, 1) is null and bmi = 1",
    "coalesce(bmi, 0) = 0 and bmi is null", "greatest(bmi, 5) = 5", "false",
    "true", "premium and true",
    "(bmi > 1) is null and bmi is null", "lower(goal) = 'a' and goal = 'A'", "bmi = 0 and -bmi = 0",
    "least(bmi, 1) is not null and bmi is null",
    "profile.country <> 'US' and profile.country <> 'DE'",
    "bmi between 1 and 5 and bmi not between 2 and 4", "round(bmi) = 1 and bmi > 1",
    "bmi + 1 > 3 and bmi < 2.5", "has(hobbies, 'a') and not has(hobbies, 'b')",
    "case bmi when 1 then 1 else 3 end = 3", "1 in (bmi, weight) and bmi = 2",
    "lower(goal) ilike 'A%'", "lower(goal) like 'a%'", "trim(goal) like 'a b%'", "goal like '%'",
    "nullif(bmi, 5) is null", "nullif(bmi, 5) = 6", "coalesce(bmi, weight) is null",
    "round(bmi, 1) = 1.2", "has(goal, 'a') or has(goal, 'b')",
    "has(hobbies, 'a') and has(hobbies, 'b')", "has(hobbies, 'a') and count(hobbies) = 1",
    "case when bmi > 20 then premium when bmi > 10 then obese end",
    "case when bmi is null then true when bmi > 1 then premium when bmi <= 1 then obese else true end",
    "case bmi when 1 then true when 2 then premium else obese end",
    "sqrt(bmi) is null and bmi = -1",
    "(bmi / weight) is null and bmi = 1 and weight = 0", "bmi between 1 and 5 and weight is null",
    "(premium and obese) is null and premium", "(bmi in (1, weight)) is null and bmi = 2",
  ]

  @Test("what excludes itself is refused", arguments: impossible)
  func refused(_ rule: String) {
    #expect(!Rules.problems(Bytes(rule)).isEmpty)
    #expect(Rules.problems(Bytes(rule)).allSatisfy { $0.contains("never") })
  }

  @Test("what can be true for someone is not refused", arguments: possible)
  func accepted(_ rule: String) { #expect(Rules.problems(Bytes(rule)) == []) }

  @Test("the two conditions that exclude each other are named, at the later one")
  func words() {
    #expect(
      Rules.problems("bmi >= 30 and premium and ( bmi ) < 30 -- why\n")
        == ["1:29: this can never be true together with “bmi >= 30”"])
    #expect(
      Rules.problems("(bmi < 1 or bmi > 9) and bmi = 5")
        == ["1:26: this can never be true together with “bmi < 1 or bmi > 9”"])
    #expect(
      Rules.problems("bmi >= 1 and bmi <= 1 and bmi <> 1")
        == ["1:27: this can never be true together with the other conditions"])
    #expect(
      Rules.problems("goal not in ('a', null)")
        == ["1:19: not in with null is never true: take the null out"])
    #expect(
      Rules.problems("case bmi when 1 then 1 else 3 end = 3 or case abs(bmi) when -1 then true end")
        == ["1:61: this when can never apply: the subject is never equal to it"])
  }

  @Test("what is known of a name's values counts")
  func knownValues() {
    func problems(_ rule: Bytes) -> Int {
      var scope = RuleScope()
      scope.add("o.runs", RuleScope.Entry(FlowFact.runs, slot: 0))
      scope.add("purchases.count", RuleScope.Entry(NamedFact.purchases(.count), slot: 1))
      scope.add("subscription_state", RuleScope.Entry(NamedFact.subscriptionState, slot: 2))
      do {
        _ = try compileRule(RuleText(rule), scope: scope, expecting: .boolean, use: .segment)
        return 0
      } catch {
        return error.list.count
      }
    }
    for rule in [
      "o.runs < 0", "purchases.count < 0", "purchases.count > 1 and purchases.count < 2",
      "subscription_state = 'trial'", "subscription_state <> 'trial'", "o.runs is null",
      "subscription_state in ('trial', 'cancelled')", "coalesce(subscription_state = 'paid', true)",
    ] as [Bytes] { #expect(problems(rule) == 1, "\(rule.string)") }
    for rule in [
      "o.runs = 0", "purchases.count > 1 and purchases.count < 3",
      "subscription_state <> 'active_trial'", "subscription_state is null",
      "coalesce(subscription_state, 'none') = 'none'", "subscription_state like '%trial%'",
    ] as [Bytes] { #expect(problems(rule) == 0, "\(rule.string)") }
  }

  @Test("nothing is refused that is true for a random row")
  func sound() throws {
    var generator = ConditionGenerator(seed: 11)
    var evaluator = Evaluator()
    var refused = 0
    for run in 0..<1500 {
      let text = generator.condition(depth: Int.random(in: 0...4, using: &generator.random))
      for finding in try findings(in: text) {
        refused += 1
        let program = Program(finding.clause, type: .boolean, terms: [])
        for _ in 0..<30 {
          let row = Rules.slots(generator.row())
          let value = program.evaluate(row, in: Rules.context(), using: &evaluator)
          #expect(value != .boolean(true), "seed 11, run \(run): \(text): \(finding.message)")
        }
      }
    }
    #expect(refused > 100)
  }

  private func findings(in text: String) throws -> [NeverTrue.Finding] {
    let tree = try Parser.expression(of: Bytes(text))
    var checker = Checker(scope: Rules.scope, use: .segment)
    let checked = checker.root(tree, expecting: .boolean)
    let root = try #require(checked, "\(text)")
    return NeverTrue.findings(
      in: tree, root.expression, asksTruth: true, scope: Rules.scope, rule: Bytes(text))
  }

  @Test(
    "what is never true beside another mistake is told, and nothing that is true for a random row")
  func soundBesideMistakes() throws {
    var generator = ConditionGenerator(seed: 12)
    var evaluator = Evaluator()
    var refused = 0
    for run in 0..<500 {
      let text = generator.condition(depth: Int.random(in: 1...3, using: &generator.random))
      for rule in ["\(text) and nobody", "nobody and (nobody or \(text))"] {
        let found = NeverTrue.findings(
          inSoundPartsOf: try Parser.expression(of: Bytes(rule)), asksTruth: true,
          scope: Rules.scope, use: .segment, rule: Bytes(rule))
        #expect(found.isEmpty == (try findings(in: text).isEmpty), "seed 12, run \(run): \(rule)")
        refused += found.count
        for finding in found {
          let program = Program(finding.clause, type: .boolean, terms: [])
          for _ in 0..<20 {
            let row = Rules.slots(generator.row())
            let value = program.evaluate(row, in: Rules.context(), using: &evaluator)
            #expect(value != .boolean(true), "seed 12, run \(run): \(rule): \(finding.message)")
          }
        }
      }
    }
    #expect(refused > 50)
  }

  @Test("a rule that gives no value to anyone is refused, one that may give one is not")
  func values() {
    for rule in ["bmi * null", "length(null)", "nullif(1, 1) + bmi", "null + 1"] as [Bytes] {
      #expect(Rules.problems(rule, use: .attribute).count == 1, "\(rule.string)")
    }
    for rule in ["nullif(bmi, 1)", "coalesce(null, bmi)", "greatest(null, bmi)", "1 / 0"] as [Bytes]
    {
      #expect(Rules.problems(rule, use: .attribute).isEmpty, "\(rule.string)")
    }
  }

  @Test("long rules are judged in a time that grows with their length")
  func long() throws {
    let numbers = 0..<5000
    let all = numbers.map { "bmi <> \($0)" }.joined(separator: " and ")
    #expect(Rules.problems(Bytes(all)).isEmpty)
    #expect(Rules.problems(Bytes(all + " and bmi = 77")).count == 1)
    let any = numbers.map { "bmi = \($0)" }.joined(separator: " or ")
    #expect(Rules.problems(Bytes(any)).isEmpty)
    #expect(Rules.problems(Bytes("(\(any)) and bmi = 6000")).count == 1)
    // Would be 2^200 alternatives.
    let pairs = (0..<200).map { "(bmi = \($0) or weight = \($0))" }.joined(separator: " and ")
    #expect(Rules.problems(Bytes(pairs)).isEmpty)
  }

  @Test("long chains of operators are no deep trees")
  func chains() throws {
    let sum = (0..<3000).map { _ in "bmi" }.joined(separator: " + ")
    #expect(try Rules.value(Bytes(sum), ["bmi": .number(2)]) == .number(6000))
    let text = (0..<3000).map { _ in "goal" }.joined(separator: " || ")
    #expect(try Rules.value(Bytes("length(\(text))"), ["goal": .text("ab")]) == .number(6000))
    #expect(try Rules.value("2 - 3 - 4 + 1") == .number(-4))
    #expect(
      try Rules.value("birthday - '2026-01-01' - 1 - 2", ["birthday": .date(Day(days: 20_464))])
        == .number(7))
    #expect(
      Rules.problems("1 + 2 + birthday = 1") == [
        "1:1: with dates only date - date is calculated, in days"
      ])
  }
}
