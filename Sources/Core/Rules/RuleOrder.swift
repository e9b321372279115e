/// Rules of which the first that holds counts: whether a later one ever gets its turn.
struct RuleOrder {
  /// A rule by its condition and the time in which it counts.
  struct Rule {
    /// nil for one that is not understood, of which nothing is said.
    let condition: CheckedExpression?
    let window: ActiveWindow
  }

  private var domains: TermDomains

  init(scope: RuleScope) { domains = TermDomains(scope: scope, budget: NeverTrue.budget) }

  /// Which of the rules before one leave nothing to it: one alone where that is enough.
  ///
  /// - Returns: their indices, none where somebody may get to the rule. What holds for everyone is
  ///   compared with rules of its own kind only: a last rule for the rest is no mistake.
  mutating func rules(hiding index: Int, in rules: [Rule]) -> [Int] {
    let rule = rules[index]
    guard let condition = rule.condition else { return [] }
    let isForAll = condition.constant == .boolean(true)
    let earlier = rules[..<index].indices.filter { other in
      rules[other].window.covers(rule.window)
        && (!isForAll || rules[other].condition?.constant == .boolean(true))
    }
    let conditions = earlier.compactMap { rules[$0].condition }
    guard !conditions.isEmpty, domains.isReached(condition, behind: []),
      !domains.isReached(condition, behind: conditions)
    else { return [] }
    let alone = earlier.first { other in
      rules[other].condition.map { !domains.isReached(condition, behind: [$0]) } ?? false
    }
    return alone.map { [$0] } ?? earlier
  }
}

extension CheckedExpression {
  /// A rule as the checker understands it; nil where something is wrong with it.
  init?(_ rule: RuleText, scope: RuleScope, expecting type: ValueType, use: RuleUse) {
    guard let expression = try? Parser.expression(of: rule.text) else { return nil }
    var checker = Checker(scope: scope, use: use)
    guard let root = checker.root(expression, expecting: type), checker.findings.isEmpty else {
      return nil
    }
    self = root.expression
  }
}

extension ActiveWindow {
  fileprivate func covers(_ other: ActiveWindow) -> Bool {
    let beginsFirst = from.map { from in other.from.map { from <= $0 } ?? false } ?? true
    let endsLast = until.map { until in other.until.map { $0 <= until } ?? false } ?? true
    return beginsFirst && endsLast
  }
}
