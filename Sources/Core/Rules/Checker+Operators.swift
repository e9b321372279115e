/// Operators on numbers, text and booleans.
extension Checker {
  mutating func negative(_ operand: Expression) -> Typed? {
    guard let typed = need(.number, operand, "- takes") else { return nil }
    if case .constant(.number(let number)) = typed.expression {
      return Typed(expression: .constant(.number(0 - number)), type: .number)
    }
    return Typed(expression: .negative(typed.expression), type: .number)
  }

  mutating func not(_ operand: Expression) -> Typed? {
    guard let typed = need(.boolean, operand, "not takes") else { return nil }
    return Typed(expression: .not(typed.expression), type: .boolean)
  }

  mutating func logical(
    _ parts: [Expression], _ word: String, _ make: ([CheckedExpression]) -> CheckedExpression
  ) -> Typed? {
    var typed: [Typed?] = []
    for part in parts { typed.append(need(.boolean, part, "\(word) joins conditions and takes")) }
    let sound = typed.compactMap { $0 }
    guard sound.count == parts.count else { return nil }
    let whole = make(sound.map(\.expression))
    if case .all(let conditions) = whole, let index = contradiction(among: conditions) {
      report(parts[index], "this can never be true together with the conditions before it")
      return nil
    }
    return Typed(expression: whole, type: .boolean)
  }

  mutating func arithmetic(
    _ sign: Arithmetic, _ left: Expression, _ right: Expression
  ) -> Typed? {
    var typed = [plain(left), plain(right)]
    let types = typed.map(\.?.type)
    if types.contains(.timestamp) {
      report(left, "timestamps are not calculated with: days_between(from, to) gives whole days")
      return nil
    }
    if types.contains(.date) {
      guard sign == .minus, types.allSatisfy({ $0 != .number }) else {
        report(left, "with dates only date - date is calculated, in days")
        return nil
      }
      guard unify([left, right], &typed) == .date, let first = typed[0], let second = typed[1]
      else { return nil }
      return Typed(expression: .dateDifference(first.expression, second.expression), type: .number)
    }
    var areNumbers = true
    for (operand, one) in zip([left, right], typed) {
      guard let one else {
        areNumbers = false
        continue
      }
      guard one.type != .number, one.type != .null else { continue }
      areNumbers = false
      var message = "\(sign.rawValue) takes a number, this is \(one.type.words)"
      if one.type == .text, sign == .plus { message += ": text is joined with ||" }
      report(operand, message)
    }
    guard areNumbers, let first = typed[0], let second = typed[1] else { return nil }
    return Typed(expression: .arithmetic(sign, first.expression, second.expression), type: .number)
  }

  mutating func joined(_ left: Expression, _ right: Expression) -> Typed? {
    let first = need(.text, left, "|| joins text and takes")
    let second = need(.text, right, "|| joins text and takes")
    guard let first, let second else { return nil }
    return Typed(expression: .joined(first.expression, second.expression), type: .text)
  }

  mutating func like(
    _ operand: Expression, pattern: Expression, escape: Expression?, foldsCase: Bool
  ) -> Typed? {
    let subject = need(.text, operand, "like takes")
    guard case .text(let text) = pattern.node else {
      report(pattern, "a pattern is text in quotes, known before the rule runs")
      return nil
    }
    var escapeText: Bytes = "\\"
    if let escape {
      guard case .text(let text) = escape.node else {
        report(escape, "an escape is one character in quotes")
        return nil
      }
      escapeText = text
    }
    do {
      let pattern = try LikePattern(text, escape: escapeText, foldsCase: foldsCase)
      guard let subject else { return nil }
      return Typed(expression: .like(subject.expression, pattern), type: .boolean)
    } catch {
      switch error {
      case .trailingEscape:
        report(pattern, "the pattern ends in its escape character: double it to mean itself")
      case .longEscape: report(escape ?? pattern, "an escape is one character in quotes")
      }
      return nil
    }
  }

  /// `case`, in both forms.
  mutating func choice(
    subject: Expression?, _ branches: [Expression.Branch], otherwise: Expression?
  ) -> Typed? {
    let whens = branches.map(\.when)
    let tests =
      subject.map { compared(whens, with: $0) }
      ?? whens.map { need(.boolean, $0, "when takes")?.expression }
    let results = branches.map(\.then) + (otherwise.map { [$0] } ?? [])
    var values: [Typed?] = []
    for result in results { values.append(plain(result)) }
    let type = unify(results, &values)
    let sound = tests.compactMap { $0 }
    let outcomes = values.compactMap { $0?.expression }
    guard let type, sound.count == tests.count else { return nil }
    let last = otherwise == nil ? nil : outcomes.last
    guard subject == nil else {
      let checked = zip(sound.dropFirst(), outcomes)
        .map { CheckedExpression.Branch(when: $0, then: $1) }
      return Typed(expression: .match(sound[0], checked, otherwise: last), type: type)
    }
    let checked = zip(sound, outcomes).map { CheckedExpression.Branch(when: $0, then: $1) }
    return Typed(expression: .choice(checked, otherwise: last), type: type)
  }

  /// The subject of a `case` and the values it is compared with; a nil where something is wrong.
  private mutating func compared(
    _ whens: [Expression], with subject: Expression
  ) -> [CheckedExpression?] {
    let parts = [subject] + whens
    var typed: [Typed?] = []
    for part in parts { typed.append(plain(part)) }
    for null in whens where null.isNull {
      report(null, "when null never applies: write case when … is null")
    }
    guard !whens.contains(where: \.isNull), let type = unify(parts, &typed),
      isComparable(type, subject)
    else { return [nil] }
    return typed.map(\.?.expression)
  }
}
