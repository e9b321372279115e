/// All functions of the rule language.
///
/// A new function is a row here. A name stands once for each number of arguments it takes. Values reach a body in the types of its
/// parameters; the fallbacks after `guard` are for the compiler and give null.
enum Functions {
  static let table: [Function] =
    numberFunctions + textFunctions + anyFunctions + timeFunctions + profileFunctions

  /// The rows of a name, by number of arguments.
  static let byName = Dictionary(grouping: table.indices) { table[$0].name }

  private static let numberFunctions: [Function] = [
    Function("abs", [.type(.number)], .type(.number), onNumber { x in x.magnitude }),
    // Half to even, as C's `rint`.
    Function(
      "round", [.type(.number)], .type(.number),
      onNumber { x in x.rounded(.toNearestOrEven) }),
    Function(
      "round", [.type(.number), .decimalsLiteral], .type(.number),
      onNumbers { (x, decimals, _) throws(OperatorFailure) in
        try DecimalRounding.round(x, decimals: Int(decimals))
      }),
    Function("floor", [.type(.number)], .type(.number), onNumber { x in x.rounded(.down) }),
    Function("ceil", [.type(.number)], .type(.number), onNumber { x in x.rounded(.up) }),
    Function(
      "trunc", [.type(.number)], .type(.number), onNumber { x in x.rounded(.towardZero) }),
    Function(
      "sqrt", [.type(.number)], .type(.number),
      onNumber { (x) throws(OperatorFailure) in try Arithmetic.squareRoot(x) }),
    Function(
      "power", [.type(.number), .type(.number)], .type(.number),
      onNumbers { (base, exponent, context) throws(OperatorFailure) in
        try Arithmetic.power(base, exponent, power: context.primitives.power)
      }),
  ]

  private static let textFunctions: [Function] = [
    Function("lower", [.type(.text)], .type(.text), onText { x in .text(x.lowercasedASCII) }),
    Function("upper", [.type(.text)], .type(.text), onText { x in .text(x.uppercasedASCII) }),
    Function("trim", [.type(.text)], .type(.text), onText { x in .text(x.trimmed) }),
    Function(
      "length", [.type(.text)], .type(.number), onText { x in .number(Double(x.codePoints)) }),
    Function(
      "substring", [.type(.text), .type(.number)], .type(.text),
      .two { (text, start, _) throws(OperatorFailure) in
        guard case .text(let text) = text else { return .null }
        return .text(text.substring(from: try whole(start), length: nil))
      }),
    Function(
      "substring", [.type(.text), .type(.number), .type(.number)], .type(.text),
      .three { (text, start, length, _) throws(OperatorFailure) in
        guard case .text(let text) = text else { return .null }
        let (start, length) = (try whole(start), try whole(length))
        guard length >= 0 else { throw .undefined }
        return .text(text.substring(from: start, length: length))
      }),
    Function(
      "starts_with", [.type(.text), .type(.text)], .type(.boolean),
      .two { text, prefix, _ in
        guard case .text(let text) = text, case .text(let prefix) = prefix else { return .null }
        return .boolean(text.hasPrefix(prefix))
      }),
    // Null counts as the empty text.
    Function(
      "concat", [.type(.text)], .type(.text), repeats: true,
      .all { parts in
        var bytes: [UInt8] = []
        for case .text(let part) in parts { bytes.append(contentsOf: part.slice) }
        return .text(Bytes(bytes))
      }),
    Function(
      "version", [.type(.text)], .type(.version),
      onText { x in SemanticVersion.canonical(x).map { .text($0) } ?? .null }),
  ]

  private static let anyFunctions: [Function] = [
    Function("coalesce", [.same], .same, repeats: true, .form(.coalesce)),
    Function("nullif", [.same, .same], .same, .form(.nullIf)),
    Function(
      "greatest", [.same], .same, repeats: true, needsOrder: true,
      .all { values in extreme(values, .greater) }),
    Function(
      "least", [.same], .same, repeats: true, needsOrder: true,
      .all { values in extreme(values, .less) }),
  ]

  private static let timeFunctions: [Function] = [
    Function(
      "now", [], .type(.timestamp), clock: .now, .none { context in .timestamp(context.now) }),
    // Whole periods of 24 hours, rounded down; negative for an instant to come.
    Function(
      "days_since", [.type(.timestamp)], .type(.number), clock: .daysSince,
      .one { then, context in
        guard case .timestamp(let then) = then else { return .null }
        return .number(Double(then.wholeDays(until: context.now)))
      }),
    // As `days_since`, between two instants of the data.
    Function(
      "days_between", [.type(.timestamp), .type(.timestamp)], .type(.number),
      .two { from, to, _ in
        guard case .timestamp(let from) = from, case .timestamp(let to) = to else { return .null }
        return .number(Double(from.wholeDays(until: to)))
      }),
    Function(
      "age", [.type(.date)], .type(.number), clock: .age,
      .one { birthday, context in
        guard case .date(let birthday) = birthday else { return .null }
        return .number(Double(birthday.years(until: context.today)))
      }),
  ]

  private static let profileFunctions: [Function] = [
    Function(
      "has", [.choiceOrText, .type(.text)], .type(.boolean),
      .two { choice, option, _ in
        guard case .text(let option) = option else { return .null }
        switch choice {
        case .choice(let options): return .boolean(options.contains(option))
        case .text(let single): return .boolean(single == option)
        default: return .null
        }
      }),
    // A set: an option given twice counts once.
    Function(
      "count", [.type(.choice)], .type(.number),
      .one { choice, _ in
        guard case .choice(let options) = choice else { return .null }
        return .number(Double(options.indices.count { !options[..<$0].contains(options[$0]) }))
      }),
    Function(
      "bucket", [.textLiteral], .type(.number),
      .one { salt, context in
        guard case .text(let salt) = salt else { return .null }
        let number = Bucket.number(
          salt: salt, profileID: context.profileID, md5: context.primitives.md5)
        return .number(Double(number))
      }),
  ]

  // MARK: Shapes of bodies

  private static func onNumber(
    _ compute: @escaping @Sendable (Double) throws(OperatorFailure) -> Double
  ) -> Function.Body {
    .one { (value, _) throws(OperatorFailure) in
      guard case .number(let number) = value else { return .null }
      // Adding zero turns −0 into 0: round(-0.3) is 0.
      return .number(try compute(number) + 0)
    }
  }

  private static func onNumbers(
    _ compute: @escaping @Sendable (Double, Double, RuleContext) throws(OperatorFailure) -> Double
  ) -> Function.Body {
    .two { (left, right, context) throws(OperatorFailure) in
      guard case .number(let left) = left, case .number(let right) = right else { return .null }
      return .number(try compute(left, right, context))
    }
  }

  private static func onText(_ compute: @escaping @Sendable (Bytes) -> Value) -> Function.Body {
    .one { value, _ in
      guard case .text(let text) = value else { return .null }
      return compute(text)
    }
  }

  /// A whole number as an integer, saturated far outside any text; fractions have no meaning.
  private static func whole(_ value: Value) throws(OperatorFailure) -> Int {
    guard case .number(let number) = value, number == number.rounded(.towardZero) else {
      throw .undefined
    }
    return Int(max(-1e9, min(1e9, number)))
  }

  /// The value that compares so with all others; nulls are skipped.
  private static func extreme(_ values: ArraySlice<Value>, _ comparison: Comparison) -> Value {
    var best = Value.null
    for value in values where !value.isNull {
      if best.isNull || comparison.truth(value, best) == .boolean(true) { best = value }
    }
    return best
  }
}

extension Instant {
  /// ⌊(other − self) / 24 h⌋; negative where other is earlier.
  func wholeDays(until other: Instant) -> Int64 {
    let (span, overflow) = other.microseconds.subtractingReportingOverflow(microseconds)
    // 292,000 years: no instant that was read is that far away.
    guard !overflow else { return other < self ? -106_751_991 : 106_751_991 }
    let (days, rest) = span.quotientAndRemainder(dividingBy: Self.microsecondsPerDay)
    return rest < 0 ? days - 1 : days
  }
}
