/// A part of a rule that says something by itself, and what it says about one profile.
package struct Clause: Hashable, Sendable {
  /// As the rule has it, on one line and without comments.
  package let text: Bytes
  /// How many clauses it stands in.
  package let depth: Int
  /// Null is unknown.
  package let value: Value
  /// The text with values in the place of what has one; nil where that says nothing new.
  package let shown: Bytes?
}

/// Takes a rule apart at `and`, `or` and `not`, down to comparisons and what else stands alone.
///
/// Each part is compiled and evaluated by itself, by the checker, the compiler and the evaluator that
/// the whole rule goes through: what is explained cannot differ from what is derived.
struct ClauseReader {
  private let scope: RuleScope
  private let use: RuleUse
  private let slots: [Value]
  private let context: RuleContext
  private let words: RuleWords
  private var evaluator = Evaluator()
  private var clauses: [Clause] = []

  /// The clauses of a rule, the whole of it first, each before its parts; empty for no rule.
  static func clauses(
    of rule: Bytes, scope: RuleScope, use: RuleUse, slots: [Value], context: RuleContext
  ) -> [Clause] {
    guard let tokens = try? Lexer.tokens(of: rule),
      let expression = try? Parser.expression(of: rule)
    else { return [] }
    var reader = ClauseReader(
      words: RuleWords(rule: rule, tokens: tokens), scope: scope, use: use, slots: slots,
      context: context)
    reader.read(expression, depth: 0)
    return reader.clauses
  }

  private init(
    words: RuleWords, scope: RuleScope, use: RuleUse, slots: [Value], context: RuleContext
  ) {
    self.words = words
    self.scope = scope
    self.use = use
    self.slots = slots
    self.context = context
  }

  private mutating func read(_ expression: Expression, depth: Int) {
    let parts: [Expression] =
      switch expression.node {
      case .all(let conditions), .any(let conditions): conditions
      // `x is not null` and `x not in (…)` are one clause: their `not` stands in the middle.
      case .not(let part) where part.range.lowerBound > expression.range.lowerBound: [part]
      default: []
      }
    let text = words.text(of: expression.range)
    var shown: Bytes?
    if parts.isEmpty, !expression.isName {
      let found = words.text(of: expression.range, replacing: replacements(in: expression))
      shown = found == text ? nil : found
    }
    clauses.append(Clause(text: text, depth: depth, value: value(of: expression), shown: shown))
    for part in parts { read(part, depth: depth + 1) }
  }

  /// The value of a part, also of one that may only stand beside a comparison (`now()`).
  private mutating func value(of expression: Expression) -> Value {
    var checker = Checker(scope: scope, use: use, refusesOddVersions: false)
    guard let typed = checker.check(expression) else { return .null }
    // A version is text that compares in its own way.
    let type: ValueType = if case .value(let type) = typed.type { type } else { .text }
    return Program(typed.expression, type: type, terms: [])
      .evaluate(slots, in: context, using: &evaluator)
  }

  // MARK: Values in the place of names

  /// What a clause compares is shown by its value as a whole; elsewhere each name is.
  private mutating func replacements(in clause: Expression) -> [(Range<Int>, Bytes)] {
    switch clause.node {
    case .not(let part): return replacements(in: part)
    case .comparison(_, let left, let right), .distinct(let left, let right):
      return wholes([left, right])
    case .between(let subject, let low, let high): return wholes([subject, low, high])
    case .oneOf(let subject, let items): return wholes([subject] + items)
    case .test(let subject, _): return wholes([subject])
    case .like(let subject, _, _, _): return wholes([subject])
    default: return names(in: clause)
    }
  }

  private mutating func wholes(_ operands: [Expression]) -> [(Range<Int>, Bytes)] {
    operands.compactMap { operand in
      operand.readsNothing ? nil : (operand.range, value(of: operand).ruleText)
    }
  }

  private mutating func names(in expression: Expression) -> [(Range<Int>, Bytes)] {
    if case .name = expression.node { return wholes([expression]) }
    if case .call(let name, _) = expression.node, ["now", "bucket"].contains(name) {
      return wholes([expression])
    }
    var found: [(Range<Int>, Bytes)] = []
    for part in expression.parts { found += names(in: part) }
    return found
  }
}

extension Expression {
  fileprivate var isName: Bool { if case .name = node { true } else { false } }

  /// True for literals, and for what is made of literals alone.
  fileprivate var readsNothing: Bool {
    switch node {
    case .name: false
    case .call(let name, _) where name == "now" || name == "bucket": false
    default: parts.allSatisfy(\.readsNothing)
    }
  }
}

extension Value {
  /// As a rule would write it; a set of options in braces, in their order.
  package var ruleText: Bytes {
    switch self {
    case .null: "null"
    case .number(let number): Bytes(shortestText(of: number))
    case .text(let text): Bytes("'" + text.string.doublingQuotes + "'")
    case .boolean(let isTrue): isTrue ? "true" : "false"
    case .timestamp(let instant): Bytes("'" + instant.iso8601 + "'")
    case .date(let day): Bytes("'" + day.iso8601 + "'")
    case .choice(let options): Bytes("{" + options.map(\.string).joined(separator: ", ") + "}")
    }
  }
}

extension String {
  fileprivate var doublingQuotes: String {
    reduce(into: "") { $0 += $1 == "'" ? "''" : String($1) }
  }
}
