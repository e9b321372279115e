/// Cuts the text of a rule into tokens, as PostgreSQL's scanner does.
///
/// White space and `--` comments separate. Bare words are letters, digits, `_` and `$`, and every
/// character outside ASCII that is not a look-alike of an operator or a quote.
struct Lexer {
  private let text: Bytes
  private var offset = 0

  private init(_ text: Bytes) { self.text = text }

  /// The tokens of a rule, the last one being `.end`.
  ///
  /// Time is linear in the text. Any bytes are taken; what is no token is a problem.
  static func tokens(of text: Bytes) throws(SyntaxProblem) -> [Token] {
    var lexer = Lexer(text)
    var tokens: [Token] = []
    while let token = try lexer.next() { tokens.append(token) }
    tokens.append(Token(.end, text.count..<text.count))
    return tokens
  }

  private mutating func next() throws(SyntaxProblem) -> Token? {
    skipBlanks()
    guard let byte = byte(0) else { return nil }
    switch byte {
    case UInt8(ascii: "'"): return try quotedText()
    case UInt8(ascii: "\""): return try quotedName()
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: ".") where self.byte(1)?.isDigit == true: return try number()
    default: break
    }
    if let hint = lookAlike() { throw SyntaxProblem(at: offset, hint) }
    return byte.startsWord ? word() : try sign(byte)
  }

  private func byte(_ ahead: Int) -> UInt8? {
    offset + ahead < text.count ? text[offset + ahead] : nil
  }

  private mutating func skipBlanks() {
    while let byte = byte(0) {
      if byte == UInt8(ascii: " ") || (9...13).contains(byte) {
        offset += 1
      } else if byte == UInt8(ascii: "-"), self.byte(1) == UInt8(ascii: "-") {
        while let inComment = self.byte(0), inComment != UInt8(ascii: "\n") { offset += 1 }
      } else {
        return
      }
    }
  }

  // MARK: Literals and names

  private mutating func quotedText() throws(SyntaxProblem) -> Token {
    let start = offset
    let content = try quoted(by: UInt8(ascii: "'"), what: "text")
    return Token(.text(content), start..<offset)
  }

  private mutating func quotedName() throws(SyntaxProblem) -> Token {
    let start = offset
    let content = try quoted(by: UInt8(ascii: "\""), what: "a name")
    guard !content.isEmpty else { throw SyntaxProblem(at: start, "a name in quotes is empty") }
    return Token(.quoted(content), start..<offset)
  }

  /// The content between two quotes; a doubled quote stands for one.
  private mutating func quoted(by quote: UInt8, what: String) throws(SyntaxProblem) -> Bytes {
    let start = offset
    var content: [UInt8] = []
    offset += 1
    while let byte = byte(0) {
      offset += 1
      if byte == 0 {
        throw SyntaxProblem(at: offset - 1, "the character U+0000 is in no value and no name")
      }
      if byte == quote {
        guard self.byte(0) == quote else { return Bytes(content) }
        offset += 1
      }
      content.append(byte)
    }
    throw SyntaxProblem(at: start, "\(what) begins here and its closing quote is missing")
  }

  /// Digits, at most one dot, and an exponent: `12`, `1.5`, `.5`, `1e-3`.
  private mutating func number() throws(SyntaxProblem) -> Token {
    let start = offset
    skipDigits()
    if byte(0) == UInt8(ascii: ".") {
      offset += 1
      skipDigits()
    }
    let mantissa = text[start..<offset]
    if byte(0) == UInt8(ascii: "e") || byte(0) == UInt8(ascii: "E") {
      let hasSign = byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-")
      if byte(hasSign ? 2 : 1)?.isDigit == true {
        offset += hasSign ? 2 : 1
        skipDigits()
      }
    }
    if let byte = byte(0), byte.continuesWord || byte == UInt8(ascii: ".") {
      throw SyntaxProblem(at: start, "this is no number: it goes on without a space")
    }
    guard let value = Self.double(text[start..<offset]), value.isFinite else {
      throw SyntaxProblem(at: start, "this number is too big for a double")
    }
    if value == 0, mantissa.slice.contains(where: { $0.isDigit && $0 != UInt8(ascii: "0") }) {
      throw SyntaxProblem(at: start, "this number is too small for a double")
    }
    return Token(.number(value), start..<offset)
  }

  /// The nearest double; the standard library refuses `1.` and `.5`, which PostgreSQL takes.
  private static func double(_ digits: Bytes) -> Double? {
    var text = digits.string
    if text.hasPrefix(".") { text = "0" + text }
    if text.hasSuffix(".") { text += "0" }
    if let dot = text.firstIndex(of: ".") {
      let after = text.index(after: dot)
      if after < text.endIndex, text[after] == "e" || text[after] == "E" {
        text.insert("0", at: after)
      }
    }
    return Double(text)
  }

  private mutating func skipDigits() {
    while byte(0)?.isDigit == true { offset += 1 }
  }

  private mutating func word() -> Token {
    let start = offset
    offset += 1
    while let byte = byte(0), byte.continuesWord, lookAlike() == nil { offset += 1 }
    return Token(.word(text[start..<offset]), start..<offset)
  }

  // MARK: Signs

  private mutating func sign(_ byte: UInt8) throws(SyntaxProblem) -> Token {
    let start = offset
    let two = start + 2 <= text.count ? text[start..<start + 2].string : ""
    if let sign = two == "!=" ? .notEqual : Token.Sign(rawValue: two) {
      offset += 2
      return Token(.sign(sign), start..<offset)
    }
    switch two {
    case "==": throw SyntaxProblem(at: start, "equality is written =")
    case "&&": throw SyntaxProblem(at: start, "write and")
    default: break
    }
    if let sign = Token.Sign(rawValue: String(UnicodeScalar(byte))) {
      offset += 1
      return Token(.sign(sign), start..<offset)
    }
    switch byte {
    case UInt8(ascii: "!"): throw SyntaxProblem(at: start, "write not")
    case 0x21..<0x7F:
      throw SyntaxProblem(
        at: start, "the character \(UnicodeScalar(byte)) has no meaning in a rule")
    default:
      throw SyntaxProblem(at: start, "a control character has no place in a rule")
    }
  }

  /// What to write instead of the character at the current place, where it only looks like a sign.
  private func lookAlike() -> String? {
    guard let first = byte(0), first >= 0xC2 else { return nil }
    for (character, instead) in Self.lookAlikes {
      let bytes = character.utf8
      if offset + bytes.count <= text.count,
        text[offset..<offset + bytes.count].slice.elementsEqual(bytes)
      {
        return instead
      }
    }
    return nil
  }

  /// What word processors and phones put in place of a rule's signs.
  private static let lookAlikes: [(String, String)] = [
    ("≥", "write >= instead of this sign"), ("≤", "write <= instead of this sign"),
    ("≠", "write <> instead of this sign"), ("×", "write * instead of this sign"),
    ("÷", "write / instead of this sign"), ("−", "write - instead of this sign"),
    ("–", "write - instead of this dash"), ("—", "write - instead of this dash"),
    ("‘", "text stands in straight quotes: '…'"), ("’", "text stands in straight quotes: '…'"),
    ("“", "text stands in straight quotes: '…'"), ("”", "text stands in straight quotes: '…'"),
    ("\u{A0}", "this space is a no-break space: write a plain one"),
    ("\u{FEFF}", "this is an invisible byte-order mark: delete it"),
  ]
}

extension UInt8 {
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  fileprivate var startsWord: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) && self < 0x80
      || self == UInt8(ascii: "_") || self >= 0x80
  }

  fileprivate var continuesWord: Bool { startsWord || isDigit || self == UInt8(ascii: "$") }
}
