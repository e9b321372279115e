/// Gives every name its slot and every operator its types, and collects all that is wrong.
///
/// The methods return nil where something below was wrong, so that one mistake is told once.
struct Checker {
  /// An expression that makes sense, and its type.
  struct Typed {
    var expression: CheckedExpression
    var type: RuleType
    /// `.now` and `.daysSince` for what may only stand as a side of a comparison.
    var clock = Function.Clock.none
    /// Of a name of whose texts something is known.
    var form: TextForm? = nil
  }

  struct Finding {
    /// In the rule's text.
    let offset: Int
    let message: String
  }

  let scope: RuleScope
  let use: RuleUse
  /// Whether what is no version is refused as one; off only where expressions are random.
  let refusesOddVersions: Bool
  private(set) var findings: [Finding] = []
  private(set) var terms: [ClockTerm] = []

  init(scope: RuleScope, use: RuleUse, refusesOddVersions: Bool = true) {
    self.scope = scope
    self.use = use
    self.refusesOddVersions = refusesOddVersions
  }

  mutating func report(_ expression: Expression, _ message: String) {
    findings.append(Finding(offset: expression.range.lowerBound, message: message))
  }

  /// Checks a whole rule; `expected` nil takes every type that a value can have.
  mutating func root(_ expression: Expression, expecting expected: ValueType?) -> Typed? {
    guard let root = plain(expression) else { return nil }
    guard case .value(let type) = root.type else {
      report(
        expression,
        root.type == .null
          ? "this rule is always null" : "a version is no value by itself: compare it")
      return nil
    }
    guard let expected, type != expected else { return root }
    report(
      expression,
      "\(RuleType.value(expected).words) was expected, this gives \(root.type.words)"
        + (expected == .boolean ? ": compare it" : ""))
    return nil
  }

  /// Checks an expression whose value is used as it is: nothing that only a comparison may hold.
  mutating func plain(_ expression: Expression) -> Typed? {
    guard let typed = check(expression) else { return nil }
    switch typed.clock {
    case .none, .age: return typed
    case .now:
      report(expression, "now() can only be one side of a comparison: now() < some_timestamp")
    case .daysSince:
      report(
        expression,
        "days since an instant can only be compared directly (days_since(t) >= 30): "
          + "the moments at which anything else changes cannot be listed")
    }
    return nil
  }

  /// Checks an expression for what can stand to one side of a comparison.
  mutating func check(_ expression: Expression) -> Typed? {
    switch expression.node {
    case .null: Typed(expression: .constant(.null), type: .null)
    case .number(let number): Typed(expression: .constant(.number(number)), type: .number)
    case .text(let text): Typed(expression: .constant(.text(text)), type: .text)
    case .boolean(let isTrue): Typed(expression: .constant(.boolean(isTrue)), type: .boolean)
    case .moment(let type, let text): moment(text, type, expression)
    case .name(let name, let isQuoted): self.name(name, isQuoted: isQuoted, expression)
    case .negative(let operand): negative(operand)
    case .not(let operand): not(operand)
    case .all(let parts): logical(parts, "and") { .all($0) }
    case .any(let parts): logical(parts, "or") { .any($0) }
    case .calculated(let first, let links): calculated(first, links)
    case .joined(let parts): joined(parts)
    case .comparison(let comparison, let left, let right): self.comparison(comparison, left, right)
    case .distinct(let left, let right): distinct(left, right)
    case .test(let operand, let test): self.test(operand, test)
    case .between(let operand, let low, let high): between(operand, low, high)
    case .oneOf(let operand, let items): oneOf(operand, items)
    case .like(let operand, let pattern, let escape, let foldsCase):
      like(operand, pattern: pattern, escape: escape, foldsCase: foldsCase)
    case .choice(let subject, let branches, let otherwise):
      choice(subject: subject, branches, otherwise: otherwise)
    case .call(let name, let arguments): call(name, arguments, expression)
    }
  }

  mutating func add(_ term: ClockTerm) { terms.append(term) }

  // MARK: Types

  /// Checks that an expression has one type; null literals have every type.
  mutating func need(_ type: RuleType, _ expression: Expression, _ why: String) -> Typed? {
    guard var typed = plain(expression) else { return nil }
    guard read(&typed, as: type, expression) else { return nil }
    guard typed.type != type, typed.type != .null else { return typed }
    var message = "\(why) \(type.words), this is \(typed.type.words)"
    if type == .number, case .text = expression.node { message += ": write numbers without quotes" }
    report(expression, message)
    return nil
  }

  /// Brings expressions that stand for one another to one type: that of the first which has one.
  ///
  /// Text in quotes next to a timestamp or a date is read as one. `typed` is what `check` gave, and
  /// is adjusted. The result is `.null` where all are null, nil where something was wrong.
  mutating func unify(_ expressions: [Expression], _ typed: inout [Typed?]) -> RuleType? {
    let types = typed.compactMap(\.?.type).filter { $0 != .null }
    let type =
      types.first { $0 == .timestamp || $0 == .date } ?? types.first ?? .null
    var isSound = typed.count == expressions.count
    for (index, expression) in expressions.enumerated() {
      guard var one = typed[index], read(&one, as: type, expression) else {
        isSound = false
        continue
      }
      typed[index] = one
      guard one.type != type, one.type != .null else { continue }
      isSound = false
      report(expression, mismatch(one.type, type, expression))
    }
    return isSound ? type : nil
  }

  private func mismatch(_ found: RuleType, _ wanted: RuleType, _ expression: Expression) -> String {
    switch (found, wanted) {
    case (.timestamp, .date), (.date, .timestamp): return "dates and timestamps do not mix"
    case (.choice, .text):
      return "this is a choice of several: ask has(choice, 'id') or count(choice)"
    case (.text, .choice):
      return "a choice of several is not compared with text: use has(choice, 'id')"
    case (.text, .version):
      return "this is text, the other side a version: write version(…) around it"
    default: break
    }
    let message = "this is \(found.words), what it stands with is \(wanted.words)"
    if wanted == .number, case .text = expression.node {
      return message + ": write numbers without quotes"
    }
    return message
  }

  /// Reads text in quotes as a timestamp or date where one is wanted; false where it is none.
  private mutating func read(
    _ typed: inout Typed, as type: RuleType, _ expression: Expression
  ) -> Bool {
    guard type == .timestamp || type == .date, case .text(let text) = expression.node else {
      return true
    }
    guard let read = moment(text, type == .date ? .date : .timestamp, expression) else {
      return false
    }
    typed = read
    return true
  }

  private mutating func moment(
    _ text: Bytes, _ type: ValueType, _ expression: Expression
  ) -> Typed? {
    if type == .date, let day = TimeLiteral.day(text) {
      return Typed(expression: .constant(.date(day)), type: .date)
    }
    if type == .timestamp, let instant = TimeLiteral.instant(text) {
      return Typed(expression: .constant(.timestamp(instant)), type: .timestamp)
    }
    report(
      expression,
      type == .date
        ? "this is no date: write '2026-01-31'"
        : "this is no timestamp: write '2026-01-31T10:00:00Z'")
    return nil
  }
}
