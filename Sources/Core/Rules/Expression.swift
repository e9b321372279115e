/// A rule as written: a tree whose every node knows the bytes it came from.
///
/// Not typed yet. Trees are at most ``Parser/deepest`` nodes deep, so that walking one by recursion
/// is safe.
struct Expression: Sendable {
  indirect enum Node: Sendable {
    case null
    case number(Double)
    /// In quotes; next to a timestamp or date it is read as one.
    case text(Bytes)
    case boolean(Bool)
    /// `date '…'` or `timestamp '…'`, not read yet.
    case moment(ValueType, Bytes)
    /// A full dotted name; `isQuoted` where any part stood in double quotes.
    case name(Bytes, isQuoted: Bool)
    case negative(Expression)
    case not(Expression)
    /// `and` over two or more.
    case all([Expression])
    /// `or` over two or more.
    case any([Expression])
    /// Operators that bind equally, from left to right, one or more: flat, so that a long sum is not a
    /// deep tree.
    case calculated(Expression, [Link])
    /// `||` over two or more.
    case joined([Expression])
    case comparison(Comparison, Expression, Expression)
    /// `is distinct from`.
    case distinct(Expression, Expression)
    /// `is null`, `is true`, …
    case test(Expression, TruthTest)
    case between(Expression, Expression, Expression)
    case oneOf(Expression, [Expression])
    case like(Expression, pattern: Expression, escape: Expression?, foldsCase: Bool)
    /// `case`; with a subject, `when` holds values to compare it with.
    case choice(subject: Expression?, [Branch], otherwise: Expression?)
    /// A function by its lower-case name.
    case call(Bytes, [Expression])
  }

  struct Link: Sendable {
    let sign: Arithmetic
    let operand: Expression
  }

  struct Branch: Sendable {
    let when: Expression
    let then: Expression
  }

  let node: Node
  /// Bytes of the rule's text.
  let range: Range<Int>
  /// 1 for a leaf.
  let depth: Int

  /// What it is made of, in the order of the text.
  var parts: [Expression] {
    switch node {
    case .null, .number, .text, .boolean, .moment, .name: []
    case .negative(let part), .not(let part), .test(let part, _): [part]
    case .all(let parts), .any(let parts), .call(_, let parts), .joined(let parts): parts
    case .calculated(let first, let links): [first] + links.map(\.operand)
    case .comparison(_, let left, let right), .distinct(let left, let right): [left, right]
    case .between(let subject, let low, let high): [subject, low, high]
    case .oneOf(let subject, let items): [subject] + items
    case .like(let subject, let pattern, let escape, _):
      [subject, pattern] + (escape.map { [$0] } ?? [])
    case .choice(let subject, let branches, let otherwise):
      (subject.map { [$0] } ?? []) + branches.flatMap { [$0.when, $0.then] }
        + (otherwise.map { [$0] } ?? [])
    }
  }

  var isNull: Bool { if case .null = node { true } else { false } }
}

/// What `is` asks of a value; the answer is never null.
enum TruthTest: String, CaseIterable, Sendable {
  case null
  case `true`
  case `false`
  /// Of a truth value: null.
  case unknown
}
