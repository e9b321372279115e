/// A rule whose names are slots and whose operators fit their operands.
indirect enum CheckedExpression: Sendable {
  case constant(Value)
  case slot(Int)
  case negative(CheckedExpression)
  case arithmetic(Arithmetic, CheckedExpression, CheckedExpression)
  /// Date − date, in days.
  case dateDifference(CheckedExpression, CheckedExpression)
  case joined(CheckedExpression, CheckedExpression)
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

  struct Branch: Sendable {
    let when: CheckedExpression
    let then: CheckedExpression
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
