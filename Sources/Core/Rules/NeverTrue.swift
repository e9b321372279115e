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
  static let budget = 400_000
  /// Of the parts of one `and` that exclude others.
  private static let mostTold = 10

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
      // `false` alone turns a rule off, and everyone sees it.
      if checked.constant == nil { _ = reader.examine(expression, checked) }
    } else {
      reader.examineParts(expression, checked)
      reader.examineValue(expression, checked)
    }
    return reader.findings
  }

  /// The same of a rule in which something else is wrong: of its parts that make sense by themselves.
  static func findings(
    inSoundPartsOf expression: Expression, asksTruth: Bool, scope: RuleScope, use: RuleUse,
    rule: Bytes
  ) -> [Finding] {
    var reader = NeverTrue(
      rule: rule, domains: TermDomains(scope: scope, budget: budget))
    reader.examineSoundParts(of: expression, asksTruth: asksTruth, scope, use)
    return reader.findings
  }

  private init(rule: Bytes, domains: TermDomains) {
    self.rule = rule
    self.domains = domains
  }

  private mutating func report(
    _ place: Expression, _ message: String, _ clause: CheckedExpression
  ) {
    findings.append(
      Finding(offset: place.range.lowerBound, message: message, clause: clause))
  }

  // MARK: Where something else is wrong

  private mutating func examineSoundParts(
    of expression: Expression, asksTruth: Bool, _ scope: RuleScope, _ use: RuleUse
  ) {
    func checked(_ part: Expression) -> CheckedExpression? {
      var checker = Checker(scope: scope, use: use)
      let typed = checker.check(part)
      guard checker.findings.isEmpty, !asksTruth || typed?.type == .boolean else { return nil }
      return typed?.expression
    }
    if let checked = checked(expression) {
      if asksTruth { _ = examine(expression, checked) } else { examineParts(expression, checked) }
      return
    }
    switch expression.node {
    case .all where asksTruth:
      var sound: [(Expression, CheckedExpression)] = []
      for part in expression.conjuncts {
        if let checked = checked(part) {
          sound.append((part, checked))
        } else {
          examineSoundParts(of: part, asksTruth: true, scope, use)
        }
      }
      _ = examine(all: sound)
    case .any(let parts) where asksTruth:
      for part in parts { examineSoundParts(of: part, asksTruth: true, scope, use) }
    case .test(let operand, .true) where asksTruth:
      examineSoundParts(of: operand, asksTruth: true, scope, use)
    case .choice(subject: nil, let branches, let otherwise):
      for branch in branches {
        examineSoundParts(of: branch.when, asksTruth: true, scope, use)
        examineSoundParts(of: branch.then, asksTruth: false, scope, use)
      }
      if let otherwise { examineSoundParts(of: otherwise, asksTruth: false, scope, use) }
    default:
      for part in expression.parts { examineSoundParts(of: part, asksTruth: false, scope, use) }
    }
  }

  // MARK: Where truth counts

  /// Returns true where something was found.
  private mutating func examine(_ expression: Expression, _ checked: CheckedExpression) -> Bool {
    let before = findings.count
    switch (expression.node, checked) {
    case (.all, .all):
      return examine(all: flatten(expression, checked))
    case (.any(let parts), .any(let conditions)) where parts.count == conditions.count:
      for (part, condition) in zip(parts, conditions) { _ = examine(part, condition) }
    case (.test(let operand, .true), .test(let condition, .true)):
      return examine(operand, condition)
    case (_, .constant(let value)):
      guard value != .boolean(true) else { return false }
      report(
        expression,
        value.isNull
          ? "null is never true: take it out"
          : "this is never true: take it out, or write false alone to turn the rule off", checked)
    default:
      examineParts(expression, checked)
      guard findings.count == before else { return true }
      guard isPossible([Condition(checked, true)]) else {
        let (place, message) = words(for: expression)
        report(place, message, checked)
        return true
      }
      examineItems(expression, checked)
    }
    return findings.count > before
  }

  /// Items of an `in` that are no possible value, beside others that are.
  private mutating func examineItems(_ expression: Expression, _ checked: CheckedExpression) {
    guard case .oneOf(_, let items) = expression.node,
      case .oneOf(let subject, let values) = checked,
      subject.constant == nil, items.count == values.count
    else { return }
    for (item, value) in zip(items, values) where value.constant != nil {
      let equal = CheckedExpression.comparison(.equal, subject, value)
      guard !isPossible([Condition(equal, true)]) else { continue }
      report(
        item,
        value.constant == .null
          ? "in never finds a null: take it out, or add … or … is null"
          : "this item is never met: no value here equals it", equal)
    }
  }

  /// `case` and what holds one.
  private mutating func examineParts(_ expression: Expression, _ checked: CheckedExpression) {
    if case .choice(subject: nil, let branches, let otherwise) = expression.node,
      case .choice(let conditions, let last) = checked
    {
      var earlier: [CheckedExpression] = []
      for (branch, condition) in zip(branches, conditions) {
        if !examine(branch.when, condition.when) {
          examineReach(of: branch.when, condition.when, behind: earlier)
        }
        earlier.append(condition.when)
        examineParts(branch.then, condition.then)
      }
      if let otherwise, let last { examineParts(otherwise, last) }
      return
    }
    if case .choice(_?, let branches, _) = expression.node,
      case .match(let subject, let conditions, _) = checked
    {
      var earlier: [CheckedExpression] = []
      for (branch, condition) in zip(branches, conditions) {
        let equal = CheckedExpression.comparison(.equal, subject, condition.when)
        if subject.constant == nil, !isPossible([Condition(equal, true)]) {
          report(
            branch.when, "this when can never apply: the subject is never equal to it", equal)
        } else {
          examineReach(of: branch.when, equal, behind: earlier)
        }
        earlier.append(equal)
      }
    }
    for (part, inner) in zip(expression.parts, checked.parts) { examineParts(part, inner) }
  }

  private mutating func examineReach(
    of place: Expression, _ condition: CheckedExpression, behind earlier: [CheckedExpression]
  ) {
    guard !earlier.isEmpty, !domains.isReached(condition, behind: earlier.suffix(100)) else {
      return
    }
    report(
      place, "this when can never apply: an earlier one is true whenever it is",
      .all([condition] + earlier.suffix(100).map { .not(.test($0, .true)) }))
  }

  /// What has no value for anyone.
  private mutating func examineValue(_ expression: Expression, _ checked: CheckedExpression) {
    guard findings.isEmpty, checked.constant == nil else { return }
    domains.reset()
    guard !domains.excludeNull(checked) else { return }
    report(
      expression, "this rule never gives a value: it is null for everyone",
      .not(.test(checked, .null)))
  }

  // MARK: Several conditions

  /// Parts of an `and`: each by itself, then together those that are possible.
  private mutating func examine(all parts: [(Expression, CheckedExpression)]) -> Bool {
    let before = findings.count
    let possible = parts.filter { !examine($0.0, $0.1) && $0.1.constant == nil }
    examineTogether(possible)
    return findings.count > before
  }

  private mutating func examineTogether(_ parts: [(Expression, CheckedExpression)]) {
    let conditions = parts.map { Condition($0.1, true) }
    let ordered = parts.indices.sorted {
      let ranks = (conditions[$0].rank, conditions[$1].rank)
      return ranks.0 == ranks.1 ? $0 < $1 : ranks.0 < ranks.1
    }
    // Twice: what one `or` leaves can rule out what another one left.
    let alternatives = ordered.filter { conditions[$0].rank > 1 }
    let again = (2...50).contains(alternatives.count) ? alternatives : []
    var assumed: [Int] = []
    var refused: Set<Int> = []
    domains.reset()
    for index in ordered + again where !refused.contains(index) {
      if domains.assume(conditions[index]) {
        assumed.append(index)
        continue
      }
      refused.insert(index)
      report(index, among: parts, whole: .all(parts.map(\.1)))
      guard refused.count < Self.mostTold else { return }
      assumed.removeAll { $0 == index }
      // What else excludes itself is told, too: on without the one that was refused.
      domains.reset()
      for earlier in assumed { _ = domains.assume(conditions[earlier]) }
    }
  }

  /// The parts of `and` in `and`, in the order of the text.
  private func flatten(
    _ expression: Expression, _ checked: CheckedExpression
  ) -> [(Expression, CheckedExpression)] {
    guard case .all(let inner) = expression.node, case .all(let conditions) = checked,
      inner.count == conditions.count
    else { return [(expression, checked)] }
    return zip(inner, conditions).flatMap { flatten($0, $1) }
  }

  /// Names the two that exclude each other, where two alone do.
  private mutating func report(
    _ index: Int, among parts: [(Expression, CheckedExpression)], whole: CheckedExpression
  ) {
    let other = parts.indices.first {
      $0 != index
        && !isPossible([Condition(parts[$0].1, true), Condition(parts[index].1, true)])
    }
    guard let other else {
      return report(
        parts[index].0, "this can never be true together with the other conditions", whole)
    }
    let (first, second) = (parts[min(index, other)], parts[max(index, other)])
    report(
      second.0, "this can never be true together with “\(quoted(first.0))”",
      .all([first.1, second.1]))
  }

  private mutating func isPossible(_ conditions: [Condition]) -> Bool {
    domains.reset()
    return domains.assume(.all(conditions))
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

extension TermDomains {
  /// Whether a condition is true for someone for whom none of the earlier ones is; true in doubt.
  mutating func isReached(
    _ condition: CheckedExpression, behind earlier: some Sequence<CheckedExpression>
  ) -> Bool {
    reset()
    return assume(Condition(condition, true))
      && earlier.allSatisfy { assume(.literal(.test($0, .true), isTrue: false)) }
  }
}

extension Expression {
  /// The parts of `and` in `and`, in the order of the text.
  fileprivate var conjuncts: [Expression] {
    if case .all(let parts) = node { parts.flatMap(\.conjuncts) } else { [self] }
  }

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
