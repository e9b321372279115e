/// What is known of the values of a rule, whomever it is asked of.
struct KnownValues {
  /// The only texts, nil for any.
  let texts: Set<Bytes>?
  let isWhole: Bool
  let bounds: ClosedRange<Double>?

  init(of rule: CheckedExpression, in scope: RuleScope) {
    texts = rule.knownTexts(in: scope)
    isWhole = rule.isWhole(in: scope)
    bounds = rule.bounds(in: scope)
  }
}

extension CheckedExpression {
  /// The only texts that it can be, null aside; nil where it may be any.
  fileprivate func knownTexts(in scope: RuleScope) -> Set<Bytes>? {
    switch self {
    case .constant(.text(let text)): return [text]
    case .constant(.null): return []
    case .slot(let slot):
      guard case .oneOf(let texts)? = scope.forms[slot] else { return nil }
      return texts
    default:
      var texts: Set<Bytes> = []
      for outcome in outcomes ?? [self] {
        guard outcome != self, let known = outcome.knownTexts(in: scope) else { return nil }
        texts.formUnion(known)
      }
      return texts
    }
  }

  /// True where it is a whole number whenever it has a value.
  fileprivate func isWhole(in scope: RuleScope) -> Bool {
    switch self {
    case .constant(.number(let number)): return number == number.rounded(.down)
    case .constant(.null), .dateDifference: return true
    case .slot(let slot): return scope.wholes.contains(slot)
    case .call(let index, let arguments) where outcomes == nil:
      switch Functions.table[index].name {
      case "bucket", "length", "count", "floor", "ceil", "trunc", "days_since", "days_between",
        "age":
        return true
      case "round": return arguments.count == 1
      default: return false
      }
    default:
      return outcomes.map { $0.allSatisfy { $0.isWhole(in: scope) } } ?? false
    }
  }

  /// What its numbers lie between, where that is known.
  fileprivate func bounds(in scope: RuleScope) -> ClosedRange<Double>? {
    switch self {
    case .constant(.number(let number)): return number...number
    case .slot(let slot): return scope.bounds[slot]
    case .call(let index, _) where outcomes == nil:
      switch Functions.table[index].name {
      case "bucket": return 0...99
      case "count", "length", "abs", "sqrt": return 0...Double.greatestFiniteMagnitude
      default: return nil
      }
    default:
      var result: ClosedRange<Double>?
      for outcome in outcomes ?? [] where outcome.constant != .null {
        guard let bounds = outcome.bounds(in: scope) else { return nil }
        result =
          result.map {
            min($0.lowerBound, bounds.lowerBound)...max($0.upperBound, bounds.upperBound)
          } ?? bounds
      }
      return result
    }
  }

  /// Of what chooses one of several values: those values, null aside; nil for all else.
  private var outcomes: [CheckedExpression]? {
    switch self {
    case .choice(let branches, let otherwise), .match(_, let branches, let otherwise):
      branches.map(\.then) + (otherwise.map { [$0] } ?? [])
    case .call(let index, let arguments):
      switch Functions.table[index].name {
      case "coalesce", "greatest", "least": arguments
      case "nullif": Array(arguments.prefix(1))
      default: nil
      }
    default: nil
    }
  }
}
