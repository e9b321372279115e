@testable import Core

/// How a sample is written: the rule itself, and SQL in the two forms of SEMANTICS 7.1.
enum SampleForm {
  /// The rule, with as few parentheses as the grammar allows.
  case rule
  /// SQL with a function call for each operator that can raise, and parentheses everywhere.
  case tree
  /// SQL that is the rule's own text: only literals differ. The prelude's operators are found first.
  case text
}

extension Sample {
  func written(as form: SampleForm) -> String { writer(form).text }

  /// A text, how tightly its outermost operator binds, and whether it ends in an open operand.
  private typealias Written = (text: String, level: Parser.Precedence?, isOpen: Bool)

  private func writer(_ form: SampleForm) -> Written {
    switch shape {
    case .column(let column): (SampleColumns.all[column].name, nil, false)
    case .null: (form == .rule ? "null" : "null::\(Sample.sql(type))", nil, false)
    case .literal(let value, let isBare): literal(value, isBare: isBare, form)
    case .negative: prefix("-", .minus, form)
    case .not: prefix("not ", .not, form)
    case .binary(let sign): binary(sign, form)
    case .test(let test):
      (operand(0, .is, form, closedIsFine: true) + " " + test, form == .tree ? .or : .is, false)
    case .between(let isNegated):
      (
        operand(0, .membership, form, closedIsFine: true) + (isNegated ? " not" : "") + " between "
          + operand(1, .membership, form) + " and " + operand(2, .membership, form),
        form == .tree ? .or : .membership, true
      )
    case .oneOf(let isNegated):
      (
        operand(0, .membership, form, closedIsFine: true) + (isNegated ? " not in (" : " in (")
          + parts.dropFirst().map { $0.written(as: form) }.joined(separator: ", ") + ")",
        form == .tree ? .or : .membership, false
      )
    case .like(let word, let pattern, let escape, let isNegated):
      (
        operand(0, .membership, form, closedIsFine: true) + (isNegated ? " not" : "")
          + " \(word) \(Sample.quoted(pattern))"
          + (escape.map { " escape \(Sample.quoted($0))" } ?? ""),
        form == .tree ? .or : .membership, true
      )
    case .choice(let hasSubject, let hasElse): (choice(hasSubject, hasElse, form), nil, false)
    case .call(let name): (call(name, form), nil, false)
    }
  }

  private func prefix(_ sign: String, _ level: Parser.Precedence, _ form: SampleForm) -> Written {
    if form == .tree, sign == "-" {
      return ("oracle.negative(\(parts[0].written(as: form)))", nil, false)
    }
    let inner = parts[0].writer(form)
    var text = inner.text
    if let own = inner.level, own < level || form == .tree { text = "(\(text))" }
    // Two minus signs would begin a comment.
    return (sign + (sign == "-" && text.hasPrefix("-") ? " " : "") + text, level, false)
  }

  private static let levels: [String: Parser.Precedence] = [
    "or": .or, "and": .and, "is distinct from": .is, "is not distinct from": .is, "=": .comparison,
    "<>": .comparison, "!=": .comparison, "<": .comparison, "<=": .comparison, ">": .comparison,
    ">=": .comparison,
    "||": .other, "+": .sum, "-": .sum, "*": .product, "/": .product, "^": .power,
  ]

  private static let functions = [
    "+": "plus", "-": "minus", "*": "times", "/": "over", "^": "power",
  ]

  private func binary(_ sign: String, _ form: SampleForm) -> Written {
    if form == .tree, let function = Sample.functions[sign] {
      return ("oracle.\(function)(\(list(form)))", nil, false)
    }
    let level = Sample.levels[sign] ?? .or
    let chains = level != .is && level != .comparison
    let left =
      chains
      ? operand(0, level, form, sameIsFine: true) : operand(0, level, form, closedIsFine: true)
    return ("\(left) \(sign) \(operand(1, level, form))", form == .tree ? .or : level, !chains)
  }

  /// An operand of an operator, in parentheses where it binds no tighter.
  private func operand(
    _ index: Int, _ level: Parser.Precedence, _ form: SampleForm, sameIsFine: Bool = false,
    closedIsFine: Bool = false
  ) -> String {
    let written = parts[index].writer(form)
    guard let own = written.level else { return written.text }
    let fits =
      own > level || (own == level && (sameIsFine || (closedIsFine && !written.isOpen)))
    return fits && form != .tree ? written.text : "(\(written.text))"
  }

  private func choice(_ hasSubject: Bool, _ hasElse: Bool, _ form: SampleForm) -> String {
    var texts = parts.map { $0.written(as: form) }
    var text = "case"
    if hasSubject { text += " " + texts.removeFirst() }
    let last = hasElse ? texts.removeLast() : nil
    for index in stride(from: 0, to: texts.count, by: 2) {
      text += " when \(texts[index]) then \(texts[index + 1])"
    }
    return text + (last.map { " else \($0)" } ?? "") + " end"
  }

  private func list(_ form: SampleForm) -> String {
    parts.map { $0.written(as: form) }.joined(separator: ", ")
  }

  private func call(_ name: String, _ form: SampleForm) -> String {
    guard form != .rule else { return "\(name)(\(list(form)))" }
    switch name {
    // Parts of PostgreSQL's grammar, or its own functions that cannot raise.
    case "coalesce", "nullif", "greatest", "least", "concat", "trim", "starts_with":
      return "\(name)(\(list(form)))"
    case "bucket": return "\(form == .tree ? "oracle." : "")bucket(\(list(form)), profile_id)"
    default: return "\(form == .tree ? "oracle." : "")\(name)(\(list(form)))"
    }
  }

  // MARK: Literals

  private func literal(_ value: Value, isBare: Bool, _ form: SampleForm) -> Written {
    switch value {
    case .null, .choice: return ("null", nil, false)
    case .boolean(let isTrue): return (isTrue ? "true" : "false", nil, false)
    case .number(let number): return Sample.number(number, form)
    case .text(let text):
      return (Sample.quoted(text.string) + (form == .rule ? "" : "::text"), nil, false)
    case .date(let day): return moment("date", day.iso8601, isBare, form)
    case .timestamp(let instant): return moment("timestamp", instant.iso8601, isBare, form)
    }
  }

  private func moment(
    _ type: String, _ text: String, _ isBare: Bool, _ form: SampleForm
  ) -> Written {
    if form != .rule { return ("\(Sample.sql(self.type)) '\(text)'", nil, false) }
    return ("\(isBare ? "" : type + " ")'\(text)'", nil, false)
  }

  private static func number(_ number: Double, _ form: SampleForm) -> Written {
    let digits = number.magnitude.description
    let text = form == .rule ? digits : "'\(digits)'::float8"
    guard number < 0 else { return (text, nil, false) }
    return form == .tree ? ("'-\(digits)'::float8", nil, false) : ("-" + text, .minus, false)
  }

  private static func quoted(_ text: String) -> String {
    // Not `replacingOccurrences`: it compares characters, and a quote may carry a combining mark.
    var quoted = "'"
    for scalar in text.unicodeScalars {
      if scalar == "'" { quoted.unicodeScalars.append("'") }
      quoted.unicodeScalars.append(scalar)
    }
    quoted.unicodeScalars.append("'")
    return quoted
  }

  private static func sql(_ type: ValueType) -> String {
    switch type {
    case .number: "float8"
    case .text: "text"
    case .boolean: "boolean"
    case .timestamp: "timestamptz"
    case .date: "date"
    case .choice: "text[]"
    }
  }

  /// SQL that gives the value of an expression as text that shows every bit; null stays null.
  static func shown(_ expression: String, _ type: ValueType) -> String {
    switch type {
    // Adding zero: SEMANTICS 7.2 has no negative zero, PostgreSQL keeps that of a column.
    case .number: "encode(float8send(float8pl((\(expression))::float8, 0)), 'hex')"
    case .text: "encode(convert_to(\(expression), 'UTF8'), 'hex')"
    case .boolean: "(\(expression))::text"
    case .timestamp:
      "(extract(epoch from (\(expression))) operator(pg_catalog.*) 1000000)::bigint::text"
    case .date: "((\(expression)) operator(pg_catalog.-) date '1970-01-01')::text"
    case .choice: "null"
    }
  }

  /// What ``shown(_:_:)`` gives for a value of ours.
  static func shown(_ value: Value) -> String? {
    switch value {
    case .null, .choice: nil
    case .number(let number): hex(number.bitPattern.bigEndianBytes)
    case .text(let text): hex(text.array)
    case .boolean(let isTrue): isTrue ? "true" : "false"
    case .timestamp(let instant): String(instant.microseconds)
    case .date(let day): String(day.days)
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// A row of the columns as SQL.
  static func row(_ values: [Value]) -> String {
    let cells = zip(values, SampleColumns.all).map { value, column in
      switch value {
      case .null: "null"
      case .choice(let options):
        "array[\(options.map { quoted($0.string) }.joined(separator: ","))]::text[]"
      case .number(let number): "'\(number)'::float8"
      default: Sample(.literal(value), column.type).written(as: .tree)
      }
    }
    return cells.joined(separator: ", ")
  }
}

extension UInt64 {
  fileprivate var bigEndianBytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) }
  }
}
