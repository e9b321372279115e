@testable import Core

/// A well-typed rule as a tree that can be written as a rule and as SQL.
struct Sample {
  enum Shape {
    case column(Int)
    case null
    /// `isBare` writes a timestamp or date as text in quotes only.
    case literal(Value, isBare: Bool = false)
    case negative
    case not
    /// Any operator between two operands, `is [not] distinct from` too.
    case binary(String)
    /// `is null`, `is not true`, …
    case test(String)
    case between(isNegated: Bool)
    case oneOf(isNegated: Bool)
    case like(String, pattern: String, escape: String?, isNegated: Bool)
    case choice(hasSubject: Bool, hasElse: Bool)
    case call(String)
  }

  let shape: Shape
  let type: ValueType
  let parts: [Sample]

  init(_ shape: Shape, _ type: ValueType, _ parts: [Sample] = []) {
    self.shape = shape
    self.type = type
    self.parts = parts
  }

  /// What the tree uses, for counting what a run has covered: `round/2`, `+`, `is null`, `in`.
  func collect(into used: inout Set<String>) {
    switch shape {
    case .column, .null, .literal: break
    case .negative: used.insert("unary -")
    case .not: used.insert("not")
    case .binary(let sign): used.insert(sign)
    case .test(let test): used.insert(test)
    case .between: used.insert("between")
    case .oneOf: used.insert("in")
    case .like(let word, _, let escape, _):
      used.insert(word)
      if escape != nil { used.insert("escape") }
    case .choice(let hasSubject, _): used.insert(hasSubject ? "case x when" : "case when")
    case .call(let name): used.insert("\(name)/\(parts.count)")
    }
    for part in parts { part.collect(into: &used) }
  }
}

/// One row of values for the columns that samples read; slot and column have one number.
enum SampleColumns {
  static let all: [(name: String, type: ValueType, sql: String)] = [
    ("n1", .number, "float8"), ("n2", .number, "float8"), ("n3", .number, "float8"),
    ("n4", .number, "float8"),
    ("t1", .text, "text collate \"C\""), ("t2", .text, "text collate \"C\""),
    ("t3", .text, "text collate \"C\""), ("v1", .text, "text collate \"C\""),
    ("b1", .boolean, "boolean"), ("b2", .boolean, "boolean"), ("b3", .boolean, "boolean"),
    ("s1", .timestamp, "timestamptz"), ("s2", .timestamp, "timestamptz"),
    ("d1", .date, "date"), ("d2", .date, "date"),
    ("c1", .choice, "text[]"), ("c2", .choice, "text[]"),
  ]

  static var scope: RuleScope {
    var scope = RuleScope()
    for (slot, column) in all.enumerated() {
      scope.add(Bytes(column.name), RuleScope.Entry(type: column.type, slot: slot))
    }
    return scope
  }
}
