/// One word, literal or sign of a rule, and where it stands in the rule's text.
struct Token {
  enum Kind: Equatable {
    /// Finite and not negative: the sign is an operator.
    case number(Double)
    /// Of `'…'`, with doubled quotes undone.
    case text(Bytes)
    /// A bare word as written: keyword, function or part of a name.
    case word(Bytes)
    /// Of `"…"`: always part of a name.
    case quoted(Bytes)
    case sign(Sign)
    case end
  }

  enum Sign: String {
    case open = "("
    case close = ")"
    case comma = ","
    case dot = "."
    case plus = "+"
    case minus = "-"
    case times = "*"
    case over = "/"
    case power = "^"
    case join = "||"
    case equal = "="
    case notEqual = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  let kind: Kind
  /// Bytes of the rule's text.
  let range: Range<Int>
  /// The keyword that a bare word may be; the parser decides by its place whether it is one.
  let keyword: Keyword?

  init(_ kind: Kind, _ range: Range<Int>) {
    self.kind = kind
    self.range = range
    if case .word(let word) = kind {
      keyword = Keyword(rawValue: word.lowercasedASCII.string)
    } else {
      keyword = nil
    }
  }
}

/// Words that the grammar knows, in any case of letters.
enum Keyword: String, CaseIterable, Sendable {
  case or, and, not, `is`, between, `in`, like, ilike, escape, distinct, from
  case null, `true`, `false`, unknown, date, timestamp
  case `case`, when, then, `else`, end

  /// True for words that are no names unless in double quotes, because they hold the grammar
  /// together; the rest are keywords only in their places.
  var isReserved: Bool {
    switch self {
    case .unknown, .date, .timestamp: false
    default: true
    }
  }
}

/// Why a text is no rule: the first place that cannot be read.
struct SyntaxProblem: Error {
  /// Byte offset in the rule's text; its length where the rule ends too early.
  let offset: Int
  let message: String

  init(at offset: Int, _ message: String) {
    self.offset = offset
    self.message = message
  }
}
