import Testing

@testable import Core
@testable import sluice

@Suite("Rules of which the first that holds counts")
struct RuleOrderTests {
  private func rule(_ text: String, _ window: ActiveWindow = .always) -> RuleOrder.Rule {
    RuleOrder.Rule(
      condition: CheckedExpression(
        RuleText(Bytes(text)), scope: Rules.scope, expecting: .boolean, use: .next),
      window: window)
  }

  private func days(_ from: Int64?, _ until: Int64?) -> ActiveWindow {
    ActiveWindow(
      from: from.map { Rules.now.adding(days: $0) }, until: until.map { Rules.now.adding(days: $0) }
    )
  }

  private func hiding(_ rules: [RuleOrder.Rule]) -> [[Int]] {
    var order = RuleOrder(scope: Rules.scope)
    return rules.indices.map { order.rules(hiding: $0, in: rules) }
  }

  @Test("one that an earlier one covers never gets its turn")
  func covered() {
    #expect(
      hiding(["premium", "bmi > 1", "premium and bmi > 2"].map { rule($0) }) == [[], [], [0]])
    #expect(hiding(["bmi > 1", "bmi > 2", "bmi > 0"].map { rule($0) }) == [[], [0], []])
    #expect(
      hiding(["bmi > 1", "bmi <= 1", "bmi is not null"].map { rule($0) }) == [[], [], [0, 1]])
    #expect(hiding(["bmi > 1", "not (bmi > 1)", "premium"].map { rule($0) }) == [[], [], []])
    #expect(hiding(["true", "premium"].map { rule($0) }) == [[], [0]])
    // A last rule for the rest, which here is nobody.
    #expect(
      hiding(["premium", "not premium", "premium is null", "true"].map { rule($0) })
        == [[], [], [], []])
    // Of one that is wrong nothing is said.
    #expect(hiding(["nobody", "nobody", "premium"].map { rule($0) }) == [[], [], []])
  }

  @Test("one that counts for less time covers nothing")
  func windows() {
    let narrow = rule("premium", days(1, 5))
    #expect(hiding([narrow, rule("premium")]) == [[], []])
    #expect(hiding([narrow, rule("premium", days(2, 6))]) == [[], []])
    #expect(hiding([narrow, rule("premium", days(1, 5))]) == [[], [0]])
    #expect(hiding([rule("premium", days(nil, 5)), narrow]) == [[], [0]])
    #expect(hiding([rule("premium", days(1, nil)), rule("premium", days(0, nil))]) == [[], []])
  }

  @Test("of random rules, what is said never to get its turn gets none on random rows")
  func sound() throws {
    var generator = ConditionGenerator(seed: 13)
    var evaluator = Evaluator()
    var found = 0
    for run in 0..<600 {
      let texts = (0..<4).map { _ in
        generator.condition(depth: Int.random(in: 0...2, using: &generator.random))
      }
      let rules = texts.map { rule($0) }
      for (index, hiding) in hiding(rules).enumerated() where !hiding.isEmpty {
        found += 1
        let programs = ([index] + hiding).compactMap { rules[$0].condition }
          .map { Program($0, type: .boolean, terms: []) }
        for _ in 0..<20 {
          let row = Rules.slots(generator.row())
          let values = programs.map { $0.evaluate(row, in: Rules.context(), using: &evaluator) }
          #expect(
            values[0] != .boolean(true) || values.dropFirst().contains(.boolean(true)),
            "seed 13, run \(run): \(texts[index]) behind \(hiding.map { texts[$0] })")
        }
      }
    }
    #expect(found > 50)
  }
}
