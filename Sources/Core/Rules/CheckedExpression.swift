/// A rule whose names are slots and whose operators fit their operands.
indirect enum CheckedExpression: Hashable, Sendable {
  case constant(Value)
  case slot(Int)
  case negative(CheckedExpression)
  /// From left to right.
  case calculated(CheckedExpression, [Link])
  /// Date − date, in days.
  case dateDifference(CheckedExpression, CheckedExpression)
  case joined([CheckedExpression])
  case not(CheckedExpression)
  case all([CheckedExpression])
  case any([CheckedExpression])
  case comparison(Comparison, CheckedExpression, CheckedExpression)
  case versionComparison(Comparison, CheckedExpression, CheckedExpression)
  case distinct(CheckedExpression, CheckedExpression)
  case test(CheckedExpression, TruthTest)
  case between(CheckedExpression, CheckedExpression, CheckedExpression)
  case oneOf(CheckedExpression, [CheckedExpression])
  case like(CheckedExpression, LikePattern)
  case choice([Branch], otherwise: CheckedExpression?)
  /// `case` with a subject: `when` is a value to compare it with.
  case match(CheckedExpression, [Branch], otherwise: CheckedExpression?)
  /// A function by its index in ``Functions/table``.
  case call(Int, [CheckedExpression])

  struct Link: Hashable, Sendable {
    let sign: Arithmetic
    let operand: CheckedExpression
  }

  struct Branch: Hashable, Sendable {
    let when: CheckedExpression
    let then: CheckedExpression
  }

  /// What it is made of, in the order of the text.
  var parts: [CheckedExpression] {
    switch self {
    case .constant, .slot: []
    case .negative(let part), .not(let part), .test(let part, _), .like(let part, _): [part]
    case .calculated(let first, let links): [first] + links.map(\.operand)
    case .joined(let parts), .all(let parts), .any(let parts), .call(_, let parts): parts
    case .dateDifference(let left, let right), .comparison(_, let left, let right),
      .versionComparison(_, let left, let right), .distinct(let left, let right):
      [left, right]
    case .between(let subject, let low, let high): [subject, low, high]
    case .oneOf(let subject, let items): [subject] + items
    case .choice(let branches, let otherwise):
      branches.flatMap { [$0.when, $0.then] } + (otherwise.map { [$0] } ?? [])
    case .match(let subject, let branches, let otherwise):
      [subject] + branches.flatMap { [$0.when, $0.then] } + (otherwise.map { [$0] } ?? [])
    }
  }

  /// What is known without running the rule.
  var constant: Value? {
    if case .constant(let value) = self { value } else { nil }
  }
}

/// A place where a rule changes with time alone.
struct ClockTerm: Sendable {
  enum Kind: Sendable {
    /// `now()` against each of `comparisons`.
    case now
    /// Whole days since `subject` against each of `comparisons`.
    case daysSince
    /// The age of `subject`, wherever it stands: it changes once a year.
    case age
  }

  struct Test: Sendable {
    let comparison: Comparison
    let other: CheckedExpression
  }

  let kind: Kind
  let subject: CheckedExpression?
  let tests: [Test]
}
