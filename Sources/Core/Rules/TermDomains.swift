/// What conditions that are true together leave to each term of a rule.
///
/// Terms are the same where they are written the same: a rule is evaluated at one instant for one
/// profile, so that even `now()` has one value. Each method returns false where nothing is left, and
/// true in doubt.
struct TermDomains {
  private enum Key: Hashable {
    case term(CheckedExpression)
    /// −1, 0 or 1: how two terms compare.
    case order(CheckedExpression, CheckedExpression)
  }

  private let scope: RuleScope
  private var domains: [Key: ValueDomain] = [:]
  /// What has changed and what it was, for taking it back.
  private var trail: [(key: Key, before: ValueDomain?)] = []
  /// Conditions that may still be looked at: a bound for the work, past which all is possible.
  private(set) var budget: Int

  init(scope: RuleScope, budget: Int) {
    self.scope = scope
    self.budget = budget
  }

  /// Takes a condition to be true.
  mutating func assume(_ condition: Condition) -> Bool {
    switch condition {
    case .literal(let literal, let isTrue): assume(literal, isTrue)
    case .all(let parts):
      parts.sorted { $0.rank < $1.rank }.allSatisfy { assume($0) }
    case .any(let parts): assume(anyOf: parts)
    }
  }

  /// Forgets everything that was assumed.
  mutating func reset() { rollBack(to: 0) }

  // MARK: Alternatives

  /// What is left is what some possible alternative leaves.
  private mutating func assume(anyOf parts: [Condition]) -> Bool {
    var joined: [Key: ValueDomain] = [:]
    var isPossible = false
    for part in parts {
      let mark = trail.count
      let isSound = assume(part)
      var left: [Key: ValueDomain] = [:]
      if isSound { for change in trail[mark...] { left[change.key] = domains[change.key] } }
      rollBack(to: mark)
      guard isSound else { continue }
      guard isPossible else {
        (joined, isPossible) = (left, true)
        continue
      }
      for key in Array(joined.keys) {
        guard let other = left[key] else {
          joined[key] = nil
          continue
        }
        joined[key]?.formUnion(other)
      }
      // Nothing more is learned, and that something is possible is known.
      if joined.isEmpty { return true }
    }
    for (key, domain) in joined { set(key, domain) }
    return isPossible
  }

  private mutating func rollBack(to mark: Int) {
    while trail.count > mark, let change = trail.popLast() { domains[change.key] = change.before }
  }

  private mutating func set(_ key: Key, _ domain: ValueDomain) {
    trail.append((key, domains[key]))
    domains[key] = domain
  }

  // MARK: Conditions

  private mutating func assume(_ literal: CheckedExpression, _ isTrue: Bool) -> Bool {
    guard budget > 0 else { return true }
    budget -= 1
    if let value = literal.constant { return value == .boolean(isTrue) }
    guard narrow(literal, { $0.allow([.boolean(isTrue)]) }) else { return false }
    switch literal {
    case .comparison(let comparison, let left, let right):
      return compare(isTrue ? comparison : comparison.negated, left, right, .plain)
    case .versionComparison(let comparison, let left, let right):
      return compare(isTrue ? comparison : comparison.negated, left, right, .version)
    case .between(let subject, let low, let high):
      if isTrue {
        return compare(.greaterOrEqual, subject, low, .plain)
          && compare(.lessOrEqual, subject, high, .plain)
      }
      guard let low = low.constant, let high = high.constant, !low.isNull, !high.isNull,
        Comparison.lessOrEqual.truth(low, high) == .boolean(true)
      else { return excludeNull(subject) }
      return narrow(subject) {
        $0.narrow(to: [
          .init(high: .init(value: low, isClosed: false)),
          .init(low: .init(value: high, isClosed: false)),
        ])
      }
    case .oneOf(let subject, let items): return assume(subject, in: items, isTrue)
    case .like(let subject, let pattern):
      return narrow(subject) {
        $0.require(pattern, matches: isTrue)
        guard isTrue, !pattern.foldsCase else { return }
        if pattern.isPlain { return $0.allow([.text(pattern.plainStart)]) }
        $0.begin(with: pattern.plainStart)
      }
    case .test(let subject, let test): return assume(subject, test, isTrue)
    case .distinct(let left, let right): return assume(left, distinctFrom: right, isTrue)
    case .call(let index, let arguments): return assume(Functions.table[index], arguments, isTrue)
    default: return true
    }
  }

  private mutating func assume(
    _ function: Function, _ arguments: [CheckedExpression], _ isTrue: Bool
  ) -> Bool {
    switch function.name {
    case "starts_with":
      guard arguments.count == 2, case .text(let prefix) = arguments[1].constant else {
        return true
      }
      // Every text begins with the empty one.
      guard isTrue else { return !prefix.isEmpty }
      return narrow(arguments[0]) { $0.begin(with: prefix) }
    case "has":
      guard isTrue, let count = Functions.byName["count"]?.first, let choice = arguments.first
      else {
        return true
      }
      return narrow(.call(count, [choice]), .greaterOrEqual, .number(1), .plain)
    default: return true
    }
  }

  private mutating func assume(
    _ subject: CheckedExpression, in items: [CheckedExpression], _ isTrue: Bool
  ) -> Bool {
    let values = items.compactMap(\.constant).filter { !$0.isNull }
    if isTrue {
      if let known = subject.constant {
        return values.count < items.count && !items.allSatisfy { $0.constant != nil }
          || values.contains(known)
      }
      // An item that is null equals nothing.
      guard items.allSatisfy({ $0.constant != nil }) else { return excludeNull(subject) }
      return narrow(subject) { $0.allow(values) }
    }
    guard !items.contains(where: { $0.constant?.isNull ?? false }) else { return false }
    for item in items where item.constant == nil {
      guard item != subject, excludeNull(item) else { return false }
    }
    if let known = subject.constant { return !values.contains(known) }
    return narrow(subject) { for value in values { $0.exclude(value) } }
  }

  private mutating func assume(
    _ subject: CheckedExpression, _ test: TruthTest, _ isTrue: Bool
  ) -> Bool {
    if let known = subject.constant { return Logic.is(known, test) == isTrue }
    switch test {
    case .null, .unknown:
      guard isTrue else { return excludeNull(subject) }
      guard narrow(subject, excludingNull: false, { $0.allowOnlyNull() }) else { return false }
      return cause(ofNull: subject).map { assume($0) } ?? true
    case .true, .false:
      let value = Value.boolean(test == .true)
      if isTrue { return narrow(subject) { $0.allow([value]) } }
      guard narrow(subject, excludingNull: false, { $0.exclude(value) }) else { return false }
      return assume(
        anyOf: [
          Condition(subject, test == .false),
          .literal(.test(subject, .null), isTrue: true),
        ])
    }
  }

  /// What must hold for a term to be null; nil where nothing is known of it.
  private func cause(ofNull term: CheckedExpression) -> Condition? {
    func isNull(_ terms: [CheckedExpression]) -> [Condition] {
      terms.map { .literal(.test($0, .null), isTrue: true) }
    }
    switch term {
    case .slot(let slot): return scope.neverNull.contains(slot) ? .any([]) : nil
    case .test, .distinct: return .any([])
    case .negative, .not, .joined, .dateDifference, .all, .any, .comparison, .versionComparison,
      .between, .oneOf, .like:
      return .any(isNull(term.parts))
    case .choice(let branches, let otherwise), .match(_, let branches, let otherwise):
      return .any(isNull(branches.map(\.then) + [otherwise ?? .constant(.null)]))
    case .call(let index, let arguments):
      switch Functions.table[index].name {
      case "now", "bucket", "concat": return .any([])
      case "coalesce", "greatest", "least": return .all(isNull(arguments))
      case "abs", "floor", "ceil", "trunc", "lower", "upper", "trim", "length", "starts_with",
        "has", "count", "days_since", "days_between", "age":
        return .any(isNull(arguments))
      default: return nil
      }
    case .constant, .calculated: return nil
    }
  }

  private mutating func assume(
    _ left: CheckedExpression, distinctFrom right: CheckedExpression, _ isTrue: Bool
  ) -> Bool {
    if left == right { return !isTrue }
    guard let value = right.constant else {
      return left.constant == nil ? true : assume(right, distinctFrom: left, isTrue)
    }
    if let other = left.constant { return Logic.areDistinct(other, value) == isTrue }
    switch (value.isNull, isTrue) {
    case (true, true): return excludeNull(left)
    case (true, false): return narrow(left, excludingNull: false) { $0.allowOnlyNull() }
    case (false, true): return narrow(left, excludingNull: false) { $0.exclude(value) }
    case (false, false): return narrow(left) { $0.allow([value]) }
    }
  }

  private mutating func compare(
    _ comparison: Comparison, _ left: CheckedExpression, _ right: CheckedExpression,
    _ order: ValueDomain.Order
  ) -> Bool {
    switch (left.constant, right.constant) {
    case (let first?, let second?):
      let truth =
        order == .plain
        ? comparison.truth(first, second) : SemanticVersion.truth(comparison, first, second)
      return truth == .boolean(true)
    case (nil, let value?): return narrow(left, comparison, value, order)
    case (let value?, nil): return narrow(right, comparison.mirrored, value, order)
    case (nil, nil): break
    }
    // `version('4.0.0')` is known as well.
    if let value = right.knownVersion {
      return left.knownVersion.map {
        SemanticVersion.truth(comparison, $0, value) == .boolean(true)
      } ?? narrow(left, comparison, value, order)
    }
    if let value = left.knownVersion { return narrow(right, comparison.mirrored, value, order) }
    guard excludeNull(left), excludeNull(right) else { return false }
    if left == right { return comparison.holds(0, 0) }
    guard domain(of: left).canHold(comparison, domain(of: right)) else { return false }
    return narrowOrder(of: left, comparison, right)
  }

  private mutating func narrowOrder(
    of left: CheckedExpression, _ comparison: Comparison, _ right: CheckedExpression
  ) -> Bool {
    let mirrored = Key.order(right, left)
    let isMirrored = domains[mirrored] != nil
    let key = isMirrored ? mirrored : .order(left, right)
    var domain = domains[key] ?? ValueDomain(shape: .whole)
    let comparison = isMirrored ? comparison.mirrored : comparison
    domain.excludeNull()
    domain.allow([-1.0, 0, 1].filter { comparison.holds($0, 0) }.map { .number($0) })
    set(key, domain)
    return !domain.isEmpty
  }

  // MARK: Terms

  private mutating func narrow(
    _ term: CheckedExpression, _ comparison: Comparison, _ value: Value, _ order: ValueDomain.Order
  ) -> Bool {
    guard !value.isNull else { return false }
    if case .boolean(let isTrue) = value, comparison == .equal || comparison == .notEqual {
      return narrow(term) { $0.allow([.boolean(isTrue == (comparison == .equal))]) }
        && assume(Condition(term, isTrue == (comparison == .equal)))
    }
    if case .negative(let operand) = term, case .number(let number) = value {
      guard narrow(operand, comparison.mirrored, .number(0 - number), order) else { return false }
    }
    return narrow(term) {
      switch comparison {
      case .equal: $0.allow([value])
      case .notEqual: $0.exclude(value)
      case .less: $0.narrow(to: .init(high: .init(value: value, isClosed: false)), order)
      case .lessOrEqual: $0.narrow(to: .init(high: .init(value: value, isClosed: true)), order)
      case .greater: $0.narrow(to: .init(low: .init(value: value, isClosed: false)), order)
      case .greaterOrEqual: $0.narrow(to: .init(low: .init(value: value, isClosed: true)), order)
      }
    }
  }

  private mutating func narrow(
    _ term: CheckedExpression, excludingNull: Bool = true, _ change: (inout ValueDomain) -> Void
  ) -> Bool {
    var domain = domain(of: term)
    let mightBeNull = domain.mayBeNull
    if excludingNull { domain.excludeNull() }
    change(&domain)
    set(.term(term), domain)
    guard !domain.isEmpty else { return false }
    guard excludingNull, mightBeNull else { return true }
    // A strict operator that has a value has operands that have one.
    return term.strictOperands.allSatisfy { excludeNull($0) }
  }

  /// Takes a term to have a value.
  mutating func excludeNull(_ term: CheckedExpression) -> Bool {
    if let value = term.constant { return !value.isNull }
    return narrow(term) { _ in }
  }

  private func domain(of term: CheckedExpression) -> ValueDomain {
    domains[.term(term)] ?? initial(term)
  }

  /// What a term can be whatever the conditions are.
  private func initial(_ term: CheckedExpression) -> ValueDomain {
    switch term {
    case .constant(let value):
      var domain = ValueDomain()
      if value.isNull {
        domain.allowOnlyNull()
      } else {
        domain.excludeNull()
        domain.allow([value])
        domain.narrow(
          to: .init(
            low: .init(value: value, isClosed: true), high: .init(value: value, isClosed: true)))
      }
      return domain
    case .slot(let slot):
      var domain = ValueDomain(shape: scope.wholes.contains(slot) ? .whole : .any)
      if let bounds = scope.bounds[slot] { domain.narrow(to: .numbers(bounds)) }
      switch scope.forms[slot] {
      case .oneOf(let texts)?: domain.allow(texts.map { .text($0) })
      case let form?: domain = ValueDomain(shape: .form(form))
      case nil: break
      }
      return domain
    case .dateDifference: return ValueDomain(shape: .whole)
    case .choice(let branches, let otherwise), .match(_, let branches, let otherwise):
      return oneOf(branches.map(\.then) + [otherwise ?? .constant(.null)])
    case .call(let index, let arguments): return initial(call: Functions.table[index], arguments)
    default: return ValueDomain()
    }
  }

  private func initial(call function: Function, _ arguments: [CheckedExpression]) -> ValueDomain {
    var domain: ValueDomain
    let notNegative = 0...Double.greatestFiniteMagnitude
    switch function.name.string {
    case "bucket":
      domain = ValueDomain(shape: .whole)
      domain.narrow(to: .numbers(0...99))
    case "length", "count":
      domain = ValueDomain(shape: .whole)
      domain.narrow(to: .numbers(notNegative))
    case "abs", "sqrt":
      domain = ValueDomain()
      domain.narrow(to: .numbers(notNegative))
    case "floor", "ceil", "trunc", "days_since", "days_between", "age":
      domain = ValueDomain(shape: .whole)
    case "round":
      switch arguments.dropFirst().first?.constant {
      case .number(let decimals)?: domain = ValueDomain(shape: .rounded(Int(decimals)))
      default: domain = ValueDomain(shape: .whole)
      }
    case "nullif":
      domain = arguments.first.map { initial($0) } ?? ValueDomain()
      domain.allowNull()
      if let value = arguments.last?.constant, !value.isNull { domain.exclude(value) }
    case "lower": domain = ValueDomain(shape: .lower)
    case "upper": domain = ValueDomain(shape: .upper)
    case "trim": domain = ValueDomain(shape: .trimmed)
    case "coalesce": return oneOf(arguments)
    case "greatest":
      domain = ValueDomain()
      for value in arguments.compactMap(\.constant) where !value.isNull {
        domain.narrow(to: .init(low: .init(value: value, isClosed: true)))
      }
    case "least":
      domain = ValueDomain()
      for value in arguments.compactMap(\.constant) where !value.isNull {
        domain.narrow(to: .init(high: .init(value: value, isClosed: true)))
      }
    default: domain = ValueDomain()
    }
    return domain
  }

  /// The values of any of several terms; null as one of them can be.
  private func oneOf(_ terms: [CheckedExpression]) -> ValueDomain {
    guard terms.count <= 1000, var domain = terms.first.map({ initial($0) }) else {
      return ValueDomain()
    }
    for term in terms.dropFirst() { domain.formUnion(initial(term)) }
    return domain
  }
}

/// A condition in negation normal form: what must hold for it to be true.
indirect enum Condition {
  /// An expression that must be true, or must be false.
  case literal(CheckedExpression, isTrue: Bool)
  case all([Condition])
  case any([Condition])

  /// What must hold for an expression to be true, or to be false.
  init(_ expression: CheckedExpression, _ isTrue: Bool) {
    switch expression {
    case .not(let operand): self = Condition(operand, !isTrue)
    case .all(let parts):
      let parts = parts.map { Condition($0, isTrue) }
      self = isTrue ? .all(parts) : .any(parts)
    case .any(let parts):
      let parts = parts.map { Condition($0, isTrue) }
      self = isTrue ? .any(parts) : .all(parts)
    case .test(let operand, .true) where isTrue: self = Condition(operand, true)
    case .test(let operand, .false) where isTrue: self = Condition(operand, false)
    default: self = .literal(expression, isTrue: isTrue)
    }
  }

  /// What is assumed first says more to what comes after it.
  var rank: Int {
    switch self {
    case .literal(.comparison(_, let left, let right), _):
      left.constant == nil && right.constant == nil ? 1 : 0
    case .literal: 0
    case .all: 2
    case .any: 3
    }
  }
}

extension Comparison {
  /// What holds where this one is false.
  var negated: Comparison {
    switch self {
    case .equal: .notEqual
    case .notEqual: .equal
    case .less: .greaterOrEqual
    case .lessOrEqual: .greater
    case .greater: .lessOrEqual
    case .greaterOrEqual: .less
    }
  }
}

extension ValueDomain.Interval {
  fileprivate static func numbers(_ range: ClosedRange<Double>) -> Self {
    Self(
      low: .init(value: .number(range.lowerBound), isClosed: true),
      high: .init(value: .number(range.upperBound), isClosed: true))
  }
}

extension CheckedExpression {
  /// The canonical text of `version('…')`.
  fileprivate var knownVersion: Value? {
    guard case .call(let index, let arguments) = self,
      Functions.table[index].name == "version", case .text(let text) = arguments.first?.constant
    else { return nil }
    return SemanticVersion.canonical(text).map { .text($0) }
  }

  /// The operands of an operator that is null as soon as one of them is.
  fileprivate var strictOperands: [CheckedExpression] {
    switch self {
    case .negative(let operand), .not(let operand): [operand]
    case .calculated(let first, let links): [first] + links.map(\.operand)
    case .joined(let parts): parts
    case .dateDifference(let left, let right), .comparison(_, let left, let right),
      .versionComparison(_, let left, let right):
      [left, right]
    case .like(let operand, _): [operand]
    case .call(let index, let arguments):
      switch Functions.table[index].body {
      case .one, .two, .three: arguments
      case .form(.nullIf): Array(arguments.prefix(1))
      case .none, .all, .form(.coalesce): []
      }
    default: []
    }
  }
}
