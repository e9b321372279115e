/// Everything that compares two values: this is where the clock may stand.
extension Checker {
  mutating func comparison(
    _ comparison: Comparison, _ left: Expression, _ right: Expression
  ) -> Typed? {
    var typed = [check(left), check(right)]
    if let null = [left, right].first(where: \.isNull) {
      report(null, nullAdvice(comparison))
      return nil
    }
    guard let type = unify([left, right], &typed), let first = typed[0], let second = typed[1],
      isComparable(type, left), !comparison.needsOrder || hasOrder(type, left)
    else { return nil }
    guard first.clock == .none || second.clock == .none else {
      report(right, "both sides change with time: the moments at which this flips cannot be listed")
      return nil
    }
    if comparison.needsOrder {
      checkOrder([left, right], [first, second])
    } else {
      checkTexts([left, right], [first, second])
    }
    watch(first, [ClockTerm.Test(comparison: comparison, other: second.expression)])
    watch(second, [ClockTerm.Test(comparison: comparison.mirrored, other: first.expression)])
    return Typed(
      expression: type == .version
        ? .versionComparison(comparison, first.expression, second.expression)
        : .comparison(comparison, first.expression, second.expression),
      type: .boolean)
  }

  mutating func between(_ operand: Expression, _ low: Expression, _ high: Expression) -> Typed? {
    let parts = [operand, low, high]
    var typed = [check(operand), plain(low), plain(high)]
    if let null = parts.first(where: \.isNull) {
      report(null, "between with null is never true: use is null")
      return nil
    }
    guard let type = unify(parts, &typed), let subject = typed[0], let least = typed[1],
      let greatest = typed[2], isComparable(type, operand), hasOrder(type, operand)
    else { return nil }
    checkOrder(parts, [subject, least, greatest])
    let (bottom, top) = (least.expression, greatest.expression)
    watch(
      subject,
      [
        ClockTerm.Test(comparison: .greaterOrEqual, other: bottom),
        ClockTerm.Test(comparison: .lessOrEqual, other: top),
      ])
    guard type == .version else {
      return Typed(expression: .between(subject.expression, bottom, top), type: .boolean)
    }
    return Typed(
      expression: .all([
        .versionComparison(.greaterOrEqual, subject.expression, bottom),
        .versionComparison(.lessOrEqual, subject.expression, top),
      ]), type: .boolean)
  }

  mutating func oneOf(_ operand: Expression, _ items: [Expression]) -> Typed? {
    var typed = [check(operand)]
    for item in items { typed.append(plain(item)) }
    if operand.isNull || items.allSatisfy(\.isNull) {
      report(operand.isNull ? operand : items[0], "in with null is never true: use is null")
      return nil
    }
    guard let type = unify([operand] + items, &typed), isComparable(type, operand) else {
      return nil
    }
    let sound = typed.compactMap { $0 }
    checkTexts([operand] + items, sound)
    let others = sound.dropFirst().map(\.expression)
    watch(sound[0], others.map { ClockTerm.Test(comparison: .equal, other: $0) })
    return Typed(expression: .oneOf(sound[0].expression, others), type: .boolean)
  }

  mutating func distinct(_ left: Expression, _ right: Expression) -> Typed? {
    var typed = [plain(left), plain(right)]
    guard let type = unify([left, right], &typed), let first = typed[0], let second = typed[1],
      isComparable(type, left)
    else { return nil }
    checkTexts([left, right], [first, second])
    return Typed(expression: .distinct(first.expression, second.expression), type: .boolean)
  }

  /// `is null` of anything; the other tests of booleans.
  mutating func test(_ operand: Expression, _ test: TruthTest) -> Typed? {
    guard test == .null else {
      guard let typed = need(.boolean, operand, "is \(test.rawValue) asks") else { return nil }
      return Typed(expression: .test(typed.expression, test), type: .boolean)
    }
    guard let typed = check(operand) else { return nil }
    // Whether there is a number of days does not depend on the clock.
    if typed.clock == .now { return plain(operand) }
    return Typed(expression: .test(typed.expression, test), type: .boolean)
  }

  // MARK: What can be compared

  /// Refuses texts that the name they are compared with can never have; the first is the subject of
  /// all others.
  mutating func checkTexts(_ expressions: [Expression], _ typed: [Typed]) {
    guard let subject = typed.first else { return }
    for (expression, other) in zip(expressions, typed).dropFirst() {
      checkText(expression, other, against: subject, expressions[0])
      checkText(expressions[0], subject, against: other, expression)
    }
  }

  /// Refuses versions that would compare letter by letter: as text, '4.10.0' comes before '4.9.0'.
  private mutating func checkOrder(_ expressions: [Expression], _ typed: [Typed]) {
    for (expression, typed) in zip(expressions, typed) where typed.form == .version {
      guard case .name(let words, _) = expression.node else { continue }
      report(
        expression,
        "“\(words.string)” would compare letter by letter, '4.10.0' before '4.9.0': "
          + "write version(…) around both sides")
    }
  }

  private mutating func checkText(
    _ expression: Expression, _ typed: Typed, against subject: Typed, _ name: Expression
  ) {
    guard let form = subject.form, case .text(let text) = typed.expression.constant,
      !form.admits(text), case .name(let words, _) = name.node
    else { return }
    report(expression, "“\(words.string)” is never this: \(form.advice(against: text))")
  }

  mutating func isComparable(_ type: RuleType, _ expression: Expression) -> Bool {
    guard type == .choice else { return true }
    report(
      expression, "a choice of several is not compared: ask has(choice, 'id') or count(choice)")
    return false
  }

  mutating func hasOrder(_ type: RuleType, _ expression: Expression) -> Bool {
    guard !type.hasOrder, type != .null else { return true }
    report(expression, "\(type.words) has no order: use = or <>")
    return false
  }

  private func nullAdvice(_ comparison: Comparison) -> String {
    switch comparison {
    case .equal: "= null is never true: use is null"
    case .notEqual: "<> null is never true: use is not null"
    default: "a comparison with null is never true: use is null or is not null"
    }
  }

  /// Remembers when a comparison with the clock can flip.
  private mutating func watch(_ side: Typed, _ tests: [ClockTerm.Test]) {
    switch side.clock {
    case .none, .age: break
    case .now: add(ClockTerm(kind: .now, subject: nil, tests: tests))
    case .daysSince:
      guard case .call(_, let arguments) = side.expression else { return }
      add(ClockTerm(kind: .daysSince, subject: arguments.first, tests: tests))
    }
  }
}
