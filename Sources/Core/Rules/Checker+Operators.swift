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
    return Typed(expression: make(sound.map(\.expression)), type: .boolean)
  }

  /// Operators from left to right; what stands left of all but the first is a number.
  mutating func calculated(_ first: Expression, _ links: [Expression.Link]) -> Typed? {
    guard let start = links.first else { return plain(first) }
    let left = calculated(start.sign, first, start.operand)
    var checked: [CheckedExpression.Link] = []
    for link in links.dropFirst() {
      guard let right = plain(link.operand), isNumber(right, link, leftOf: first) else { continue }
      checked.append(CheckedExpression.Link(sign: link.sign, operand: right.expression))
    }
    guard let left, checked.count == links.count - 1 else { return nil }
    if checked.isEmpty { return left }
    if case .calculated(let first, let earlier) = left.expression, earlier.count == 1 {
      return Typed(expression: .calculated(first, earlier + checked), type: .number)
    }
    return Typed(expression: .calculated(left.expression, checked), type: .number)
  }

  private mutating func isNumber(
    _ typed: Typed, _ link: Expression.Link, leftOf first: Expression
  ) -> Bool {
    switch typed.type {
    case .number, .null: return true
    case .timestamp:
      report(first, "timestamps are not calculated with: days_between(from, to) gives whole days")
    case .date: report(first, "with dates only date - date is calculated, in days")
    default: reportNoNumber(link.operand, typed, link.sign)
    }
    return false
  }

  private mutating func reportNoNumber(
    _ operand: Expression, _ typed: Typed, _ sign: Arithmetic
  ) {
    var message = "\(sign.rawValue) takes a number, this is \(typed.type.words)"
    if typed.type == .text, sign == .plus { message += ": text is joined with ||" }
    report(operand, message)
  }

  private mutating func calculated(
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
      reportNoNumber(operand, one, sign)
    }
    guard areNumbers, let first = typed[0], let second = typed[1] else { return nil }
    return Typed(
      expression: .calculated(
        first.expression, [CheckedExpression.Link(sign: sign, operand: second.expression)]),
      type: .number)
  }

  mutating func joined(_ parts: [Expression]) -> Typed? {
    var typed: [CheckedExpression] = []
    for part in parts {
      guard let checked = plain(part) else { continue }
      guard checked.type == .text || checked.type == .null else {
        report(
          part,
          "|| joins text and takes text, this is \(checked.type.words)"
            + (checked.type == .boolean ? ": between conditions write or" : ""))
        continue
      }
      typed.append(checked.expression)
    }
    return typed.count == parts.count ? Typed(expression: .joined(typed), type: .text) : nil
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
    checkTexts(parts, typed.compactMap { $0 })
    return typed.map(\.?.expression)
  }
}
