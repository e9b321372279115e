/// Comparisons that hold for nobody, as far as that can be seen without values: mostly a mistyped
/// number, and silent if it were let through.
extension Checker {
  func isNeverTrue(
    _ comparison: Comparison, _ left: CheckedExpression, _ right: CheckedExpression
  ) -> Bool {
    guard refusesNeverTrue else { return false }
    if let first = left.constant, let second = right.constant {
      return comparison.truth(first, second) == .boolean(false)
    }
    if case .slot(let first) = left, case .slot(let second) = right, first == second {
      return !comparison.holds(0, 0)
    }
    if let first = bounds(of: left), let second = bounds(of: right) {
      return !comparison.isPossible(first, second)
    }
    guard comparison == .equal else { return false }
    return cannotGive(left, right.constant) || cannotGive(right, left.constant)
  }

  /// Conditions joined by `and` that exclude each other: the index of the first one that leaves
  /// nothing over.
  func contradiction(among conditions: [CheckedExpression]) -> Int? {
    guard refusesNeverTrue else { return nil }
    var left: [Int: Remainder] = [:]
    for (index, condition) in conditions.enumerated() {
      for (slot, comparison, value) in condition.simpleTests {
        if !left[slot, default: Remainder()].narrow(comparison, value) { return index }
      }
    }
    return nil
  }

  /// The only values that a number can have; nil where nothing is known.
  private func bounds(of expression: CheckedExpression) -> ClosedRange<Double>? {
    switch expression {
    case .constant(.number(let number)): return number...number
    case .slot(let slot): return scope.bounds[slot]
    case .call(let index, _):
      switch Functions.table[index].name {
      case "bucket": return 0...99
      case "length", "count", "abs", "sqrt": return 0...Double.greatestFiniteMagnitude
      default: return nil
      }
    default: return nil
    }
  }

  /// Folded text against a letter that folding removes.
  private func cannotGive(_ expression: CheckedExpression, _ value: Value?) -> Bool {
    guard case .call(let index, _) = expression, case .text(let text) = value else { return false }
    switch Functions.table[index].name {
    case "lower": return text.lowercasedASCII != text
    case "upper": return text.uppercasedASCII != text
    case "trim": return text.trimmed != text
    default: return false
    }
  }
}

/// The values that earlier conditions leave to one fact.
private struct Remainder {
  private var least: (value: Double, isAllowed: Bool)?
  private var greatest: (value: Double, isAllowed: Bool)?
  private var text: Bytes?

  /// Takes one more condition into account; false where no value is left.
  mutating func narrow(_ comparison: Comparison, _ value: Value) -> Bool {
    switch value {
    case .number(let number):
      if comparison == .equal || comparison == .greater || comparison == .greaterOrEqual {
        raise(to: number, isAllowed: comparison != .greater)
      }
      if comparison == .equal || comparison == .less || comparison == .lessOrEqual {
        lower(to: number, isAllowed: comparison != .less)
      }
      guard let least, let greatest else { return true }
      return least.value < greatest.value
        || least.value == greatest.value && least.isAllowed && greatest.isAllowed
    case .text(let other) where comparison == .equal:
      defer { text = other }
      return text == nil || text == other
    default: return true
    }
  }

  private mutating func raise(to value: Double, isAllowed: Bool) {
    guard let known = least, known.value > value || known.value == value && !known.isAllowed else {
      least = (value, isAllowed)
      return
    }
  }

  private mutating func lower(to value: Double, isAllowed: Bool) {
    guard let known = greatest, known.value < value || known.value == value && !known.isAllowed
    else {
      greatest = (value, isAllowed)
      return
    }
  }
}

extension Comparison {
  /// Whether it can hold between some value of one range and some of another.
  fileprivate func isPossible(_ left: ClosedRange<Double>, _ right: ClosedRange<Double>) -> Bool {
    switch self {
    case .equal: left.overlaps(right)
    case .notEqual: left.lowerBound != left.upperBound || left != right
    case .less: left.lowerBound < right.upperBound
    case .lessOrEqual: left.lowerBound <= right.upperBound
    case .greater: left.upperBound > right.lowerBound
    case .greaterOrEqual: left.upperBound >= right.lowerBound
    }
  }
}

extension CheckedExpression {
  /// What it says of single facts, where it is a comparison of one with a constant.
  fileprivate var simpleTests: [(slot: Int, comparison: Comparison, value: Value)] {
    switch self {
    case .comparison(let comparison, .slot(let slot), .constant(let value)):
      [(slot, comparison, value)]
    case .comparison(let comparison, .constant(let value), .slot(let slot)):
      [(slot, comparison.mirrored, value)]
    case .between(.slot(let slot), .constant(let low), .constant(let high)):
      [(slot, .greaterOrEqual, low), (slot, .lessOrEqual, high)]
    default: []
    }
  }
}
