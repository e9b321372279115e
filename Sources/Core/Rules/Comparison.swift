/// The six comparison operators.
enum Comparison: String, CaseIterable, Sendable {
  case equal = "="
  case notEqual = "<>"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="

  var needsOrder: Bool { self != .equal && self != .notEqual }

  /// The same question with its sides exchanged.
  var mirrored: Comparison {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }

  func holds<T: Comparable>(_ left: T, _ right: T) -> Bool {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }

  /// The answer for two values of one type: null if one of them is.
  ///
  /// Text compares byte by byte, which is PostgreSQL's `collate "C"`. Values of different types never
  /// meet here, because rules are checked; they would compare as null.
  func truth(_ left: Value, _ right: Value) -> Value {
    switch (left, right) {
    case (.number(let a), .number(let b)): .boolean(holds(a, b))
    case (.text(let a), .text(let b)): .boolean(holds(a, b))
    case (.boolean(let a), .boolean(let b)): .boolean(holds(a ? 1 : 0, b ? 1 : 0))
    case (.timestamp(let a), .timestamp(let b)): .boolean(holds(a, b))
    case (.date(let a), .date(let b)): .boolean(holds(a, b))
    default: .null
    }
  }
}

/// The three-valued logic of SQL over values that are booleans or null.
enum Logic {
  static func not(_ value: Value) -> Value {
    if case .boolean(let isTrue) = value { .boolean(!isTrue) } else { .null }
  }

  /// False if one side is false, else null if one is null, else true.
  static func and(_ left: Value, _ right: Value) -> Value {
    switch (left, right) {
    case (.boolean(false), _), (_, .boolean(false)): .boolean(false)
    case (.boolean(true), .boolean(true)): .boolean(true)
    default: .null
    }
  }

  /// True if one side is true, else null if one is null, else false.
  static func or(_ left: Value, _ right: Value) -> Value {
    switch (left, right) {
    case (.boolean(true), _), (_, .boolean(true)): .boolean(true)
    case (.boolean(false), .boolean(false)): .boolean(false)
    default: .null
    }
  }

  static func `is`(_ value: Value, _ test: TruthTest) -> Bool {
    switch test {
    case .null, .unknown: value.isNull
    case .true: value == .boolean(true)
    case .false: value == .boolean(false)
    }
  }

  /// `is distinct from`: two nulls are the same, a null and a value are not.
  static func areDistinct(_ left: Value, _ right: Value) -> Bool {
    if left.isNull || right.isNull { return left.isNull != right.isNull }
    return Comparison.notEqual.truth(left, right) == .boolean(true)
  }
}
