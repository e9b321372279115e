extension CheckedExpression {
  /// The only texts that it can be, null aside; nil where it may be any.
  func knownTexts(in scope: RuleScope) -> Set<Bytes>? {
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
  func isWhole(in scope: RuleScope) -> Bool {
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
