/// Finds what can be true for nobody: mostly a mistyped number, and silent if it were let through.
///
/// Looked at is where only truth counts: the whole rule of a segment, the parts of its `and` and `or`,
/// each `when` of a `case`. What stands in `not`, `is unknown`, `coalesce` and so on is judged by
/// whether that as a whole can be true. Nothing is refused that can be true.
struct NeverTrue {
  struct Finding {
    /// In the rule's text.
    let offset: Int
    let message: String
    /// What is never true.
    let clause: CheckedExpression
  }

  /// Conditions looked at for one rule: some 100,000 terms are judged in full.
  private static let budget = 400_000

  private let rule: Bytes
  private var domains: TermDomains
  private var findings: [Finding] = []

  /// What is never true in a rule; `asksTruth` where the rule as a whole asks for truth.
  static func findings(
    in expression: Expression, _ checked: CheckedExpression, asksTruth: Bool, scope: RuleScope,
    rule: Bytes
  ) -> [Finding] {
    var reader = NeverTrue(
      rule: rule, domains: TermDomains(scope: scope, budget: budget))
    if asksTruth {
      _ = reader.examine(expression, checked)
    } else {
      reader.examineParts(expression, checked)
    }
    return reader.findings
  }

  private init(rule: Bytes, domains: TermDomains) {
    self.rule = rule
    self.domains = domains
  }

  // MARK: Where truth counts

  /// Returns true where something was found.
  private mutating func examine(_ expression: Expression, _ checked: CheckedExpression) -> Bool {
    switch (expression.node, checked) {
    case (.all(let parts), .all(let conditions)) where parts.count == conditions.count:
      var isFound = false
      for (part, condition) in zip(parts, conditions) {
        isFound = examine(part, condition) || isFound
      }
      return isFound || examineTogether(expression, checked)
    case (.any(let parts), .any(let conditions)) where parts.count == conditions.count:
      var isFound = false
      for (part, condition) in zip(parts, conditions) {
        isFound = examine(part, condition) || isFound
      }
      return isFound
    case (.test(let operand, .true), .test(let condition, .true)):
      return examine(operand, condition)
    default:
      let before = findings.count
      examineParts(expression, checked)
      // A constant is no comparison: `false` turns a rule off, and everyone sees it.
      guard findings.count == before, checked.constant == nil, !isPossible([checked]) else {
        return findings.count > before
      }
      let (place, message) = words(for: expression)
      findings.append(
        Finding(offset: place.range.lowerBound, message: message, clause: checked))
      return true
    }
  }

  /// `case` and what holds one.
  private mutating func examineParts(_ expression: Expression, _ checked: CheckedExpression) {
    if case .choice(subject: nil, let branches, let otherwise) = expression.node,
      case .choice(let conditions, let last) = checked
    {
      for (branch, condition) in zip(branches, conditions) {
        _ = examine(branch.when, condition.when)
        examineParts(branch.then, condition.then)
      }
      if let otherwise, let last { examineParts(otherwise, last) }
      return
    }
    if case .choice(_?, let branches, _) = expression.node,
      case .match(let subject, let conditions, _) = checked
    {
      for (branch, condition) in zip(branches, conditions) {
        let equal = CheckedExpression.comparison(.equal, subject, condition.when)
        guard subject.constant == nil, !isPossible([equal]) else { continue }
        findings.append(
          Finding(
            offset: branch.when.range.lowerBound,
            message: "this when can never apply: the subject is never equal to it", clause: equal))
      }
    }
    for (part, inner) in zip(expression.parts, checked.parts) { examineParts(part, inner) }
  }

  // MARK: Several conditions

  private mutating func examineTogether(
    _ expression: Expression, _ checked: CheckedExpression
  ) -> Bool {
    var parts: [(Expression, CheckedExpression)] = []
    flatten(expression, checked, into: &parts)
    let ordered = parts.indices.sorted {
      let ranks = (Condition(parts[$0].1, true).rank, Condition(parts[$1].1, true).rank)
      return ranks.0 == ranks.1 ? $0 < $1 : ranks.0 < ranks.1
    }
    domains.reset()
    // Twice: what one `or` leaves can rule out what another one left.
    let alternatives = ordered.filter { Condition(parts[$0].1, true).rank > 1 }
    for index in ordered + ((2...50).contains(alternatives.count) ? alternatives : []) {
      guard parts[index].1.constant == nil else { continue }
      guard !domains.assume(Condition(parts[index].1, true)) else { continue }
      report(index, among: parts, whole: checked)
      return true
    }
    return false
  }

  /// The parts of `and` in `and`, in the order of the text.
  private func flatten(
    _ expression: Expression, _ checked: CheckedExpression,
    into parts: inout [(Expression, CheckedExpression)]
  ) {
    if case .all(let inner) = expression.node, case .all(let conditions) = checked,
      inner.count == conditions.count
    {
      for (part, condition) in zip(inner, conditions) { flatten(part, condition, into: &parts) }
    } else {
      parts.append((expression, checked))
    }
  }

  /// Names the two that exclude each other, where two alone do.
  private mutating func report(
    _ index: Int, among parts: [(Expression, CheckedExpression)], whole: CheckedExpression
  ) {
    let other = parts.indices.first { $0 != index && !isPossible([parts[$0].1, parts[index].1]) }
    guard let other else {
      findings.append(
        Finding(
          offset: parts[index].0.range.lowerBound,
          message: "this can never be true together with the other conditions", clause: whole))
      return
    }
    let (first, second) = (parts[min(index, other)], parts[max(index, other)])
    findings.append(
      Finding(
        offset: second.0.range.lowerBound,
        message: "this can never be true together with “\(quoted(first.0))”",
        clause: .all([first.1, second.1])))
  }

  private mutating func isPossible(_ conditions: [CheckedExpression]) -> Bool {
    domains.reset()
    return domains.assume(.all(conditions.map { Condition($0, true) }))
  }

  // MARK: Words

  private func quoted(_ expression: Expression) -> String {
    let tokens = (try? Lexer.tokens(of: rule)) ?? []
    let text = RuleWords(rule: rule, tokens: tokens).text(of: expression.range).string
    return text.count > 80 ? text.prefix(79) + "…" : text
  }

  private func words(for expression: Expression) -> (Expression, String) {
    switch expression.node {
    case .comparison(_, let left, _): return (left, "this comparison can never be true")
    case .between(let subject, let low, let high):
      return low.isAbove(high)
        ? (low, "this between can never be true: its lower bound is above its upper one")
        : (subject, "this between can never be true: no value here lies between its bounds")
    case .oneOf(let subject, _):
      return (subject, "this in can never be true: no item is possible here")
    case .not(let part):
      if case .oneOf(_, let items) = part.node, let null = items.first(where: \.isNull) {
        return (null, "not in with null is never true: take the null out")
      }
      return (expression, "this can never be true")
    default: return (expression, "this can never be true")
    }
  }
}

extension Expression {
  /// Whether both are literals and this one is the greater.
  fileprivate func isAbove(_ other: Expression) -> Bool {
    switch (literal, other.literal) {
    case (let left?, let right?): Comparison.greater.truth(left, right) == .boolean(true)
    default: false
    }
  }

  private var literal: Value? {
    switch node {
    case .number(let number): .number(number)
    case .text(let text): .text(text)
    case .negative(let operand):
      if case .number(let number) = operand.node { .number(0 - number) } else { nil }
    case .moment(_, let text): .text(text)
    default: nil
    }
  }
}
