/// Reads a rule with the precedence and associativity of PostgreSQL.
///
/// Source: PostgreSQL 15, `gram.y`, and its manual, table 4.2 "Operator Precedence". A Pratt parser:
/// one function, and how tightly the operator to the left binds is its argument.
struct Parser {
  /// How tightly operators bind, loosest first.
  enum Precedence: Int, Comparable {
    case or
    case and
    case not
    /// `is`; does not chain.
    case `is`
    /// Comparisons; do not chain.
    case comparison
    /// `between`, `in`, `like`, `ilike`; do not chain.
    case membership
    /// `||`.
    case other
    case sum
    case product
    /// `^`, from left to right.
    case power
    /// Unary minus: `-2 ^ 2` is 4.
    case minus

    static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }

    var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .minus }
  }

  /// How deep a rule may nest, so that no text can exhaust the stack.
  static let deepest = 200

  private let tokens: [Token]
  private var index = 0
  private var depth = 0

  /// The tree of a whole rule.
  ///
  /// - Throws: ``SyntaxProblem`` at the first place that cannot be read.
  static func expression(of text: Bytes) throws(SyntaxProblem) -> Expression {
    var parser = Parser(tokens: try Lexer.tokens(of: text))
    guard parser.token.kind != .end else { throw SyntaxProblem(at: 0, "the rule is empty") }
    let expression = try parser.expression()
    guard parser.token.kind == .end else { throw parser.unexpected("the end of the rule") }
    return expression
  }

  private init(tokens: [Token]) { self.tokens = tokens }

  // MARK: Operators

  /// Reads operands joined by operators that bind at least as tightly as `least`.
  private mutating func expression(_ least: Precedence = .or) throws(SyntaxProblem) -> Expression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else { throw tooDeep(at: token.range.lowerBound) }
    var left = try operand()
    // The level of the operator that just ended, where it does not chain.
    var closed: Precedence?
    while let (level, chains) = infix, level >= least {
      if let closed, level == closed, !chains { throw chained(level) }
      closed = nil
      let right: Expression?
      (left, right) = try extend(left, level)
      if right != nil, level == .is || level == .comparison || level == .membership {
        closed = level
      }
    }
    return left
  }

  /// The level of the operator at the current token; `chains` is true where it takes no operand
  /// to its right, so that nothing is ambiguous (`x is null is null`).
  private var infix: (level: Precedence, chains: Bool)? {
    switch token.kind {
    case .sign(let sign):
      switch sign {
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: (.comparison, false)
      case .join: (.other, true)
      case .plus, .minus: (.sum, true)
      case .times, .over: (.product, true)
      case .power: (.power, true)
      case .open, .close, .comma, .dot: nil
      }
    case .word:
      switch token.keyword {
      case .or: (.or, true)
      case .and: (.and, true)
      case .is: (.is, false)
      case .between, .in, .like, .ilike: (.membership, false)
      case .not: isNegatedMembership ? (.membership, false) : nil
      default: nil
      }
    default: nil
    }
  }

  private var isNegatedMembership: Bool {
    guard index + 1 < tokens.count else { return false }
    switch tokens[index + 1].keyword {
    case .between, .in, .like, .ilike: return true
    default: return false
    }
  }

  /// Reads one operator and what is to the right of it.
  ///
  /// The second result is the right operand, where the operator has an open one.
  private mutating func extend(
    _ left: Expression, _ level: Precedence
  ) throws(SyntaxProblem) -> (Expression, Expression?) {
    switch level {
    case .or, .and: return try chain(left, level)
    case .is: return try isTest(left)
    case .membership: return try membership(left)
    case .sum, .product, .power: return try calculation(left, level)
    case .other: return try joined(left)
    case .not, .comparison, .minus:
      guard case .sign(let sign) = token.kind, let comparison = Comparison(sign) else {
        throw unexpected("an operator")
      }
      advance()
      let right = try expression(level.next)
      return (try make(.comparison(comparison, left, right), left, right), right)
    }
  }

  /// Operators that bind equally become one flat node, in one go.
  private mutating func calculation(
    _ left: Expression, _ level: Precedence
  ) throws(SyntaxProblem) -> (Expression, Expression?) {
    var links: [Expression.Link] = []
    while infix?.level == level, case .sign(let sign) = token.kind,
      let sign = Arithmetic(rawValue: sign.rawValue)
    {
      advance()
      links.append(Expression.Link(sign: sign, operand: try expression(level.next)))
    }
    let operands = links.map(\.operand)
    return (try make(.calculated(left, links), [left] + operands), operands.last)
  }

  private mutating func joined(
    _ left: Expression
  ) throws(SyntaxProblem) -> (Expression, Expression?) {
    var parts = [left]
    while take(.join) { parts.append(try expression(.other.next)) }
    return (try make(.joined(parts), parts), parts.last)
  }

  /// `and` and `or` become one flat node, so that a long list of conditions is not a deep tree.
  private mutating func chain(
    _ left: Expression, _ level: Precedence
  ) throws(SyntaxProblem) -> (Expression, Expression?) {
    var parts = [left]
    var deepest = left.depth
    switch left.node {
    case .all(let earlier) where level == .and: (parts, deepest) = (earlier, left.depth - 1)
    case .any(let earlier) where level == .or: (parts, deepest) = (earlier, left.depth - 1)
    default: break
    }
    var last = left
    // All of them in one go: adding one by one would copy the list each time.
    while infix?.level == level {
      advance()
      last = try expression(level.next)
      parts.append(last)
      deepest = max(deepest, last.depth)
    }
    guard deepest < Self.deepest else { throw tooDeep(at: left.range.lowerBound) }
    // The last part may stand in parentheses, which are no part of it.
    let end = index > 0 ? tokens[index - 1].range.upperBound : last.range.upperBound
    let whole = Expression(
      node: level == .and ? .all(parts) : .any(parts),
      range: left.range.lowerBound..<max(last.range.upperBound, end), depth: deepest + 1)
    return (whole, last)
  }

  private mutating func isTest(
    _ left: Expression
  ) throws(SyntaxProblem) -> (Expression, Expression?) {
    advance()
    let isNegated = take(.not)
    if take(.distinct) {
      guard take(.from) else { throw unexpected("from") }
      let right = try expression(.is.next)
      let node = Expression.Node.distinct(left, right)
      return (try negated(isNegated, make(node, left, right)), right)
    }
    guard let word = token.keyword, let test = TruthTest(rawValue: word.rawValue) else {
      throw unexpected("null, true, false, unknown or distinct from")
    }
    advance()
    return (try negated(isNegated, make(.test(left, test), left)), nil)
  }

  private mutating func membership(
    _ left: Expression
  ) throws(SyntaxProblem) -> (Expression, Expression?) {
    let isNegated = take(.not)
    if take(.between) {
      // PostgreSQL's `b_expr`: nothing looser than an operator, or `and` would be ambiguous.
      let low = try expression(.other)
      guard take(.and) else { throw unexpected("and") }
      let high = try expression(.membership.next)
      let node = Expression.Node.between(left, low, high)
      return (try negated(isNegated, make(node, left, low, high)), high)
    }
    if take(.in) {
      guard take(.open) else { throw unexpected("a list in parentheses") }
      let items = try list()
      let node = Expression.Node.oneOf(left, items)
      return (try negated(isNegated, make(node, [left] + items)), nil)
    }
    let foldsCase = token.keyword == .ilike
    advance()
    let pattern = try expression(.other)
    let escape = take(.escape) ? try expression(.other) : nil
    let node = Expression.Node.like(left, pattern: pattern, escape: escape, foldsCase: foldsCase)
    return (try negated(isNegated, make(node, left, pattern)), pattern)
  }

  // MARK: Operands

  private mutating func operand() throws(SyntaxProblem) -> Expression {
    let start = token.range.lowerBound
    if take(.minus) {
      let value = try expression(.minus)
      return try make(.negative(value), from: start, [value])
    }
    if take(.open) {
      let inner = try expression()
      guard take(.close) else { throw unexpected("a closing parenthesis") }
      return inner
    }
    switch token.kind {
    case .number(let value): return try leaf(.number(value))
    case .text(let value): return try leaf(.text(value))
    case .quoted: return try name()
    case .word: return try wordOperand()
    case .sign, .end: throw unexpected("a value")
    }
  }

  private mutating func wordOperand() throws(SyntaxProblem) -> Expression {
    let start = token.range.lowerBound
    switch token.keyword {
    case .null: return try leaf(.null)
    case .true: return try leaf(.boolean(true))
    case .false: return try leaf(.boolean(false))
    case .not:
      advance()
      let value = try expression(.not)
      return try make(.not(value), from: start, [value])
    case .case: return try caseExpression()
    case .date: if let moment = try moment(.date) { return moment }
    case .timestamp: if let moment = try moment(.timestamp) { return moment }
    case let keyword? where keyword.isReserved: throw unexpected("a value")
    default: break
    }
    guard case .word(let word) = token.kind, index + 1 < tokens.count,
      tokens[index + 1].kind == .sign(.open)
    else { return try name() }
    advance()
    advance()
    let arguments = take(.close) ? [] : try list()
    return try make(.call(word.lowercasedASCII, arguments), from: start, arguments)
  }

  private mutating func moment(_ type: ValueType) throws(SyntaxProblem) -> Expression? {
    let start = token.range.lowerBound
    guard index + 1 < tokens.count, case .text(let text) = tokens[index + 1].kind else {
      return nil
    }
    advance()
    advance()
    return try make(.moment(type, text), from: start, [])
  }

  /// A dotted name; after a dot every word is a name, keywords too.
  private mutating func name() throws(SyntaxProblem) -> Expression {
    let start = token.range.lowerBound
    var parts: [UInt8] = []
    var isQuoted = false
    while true {
      switch token.kind {
      case .word(let word): parts += word.slice
      case .quoted(let word):
        parts += word.slice
        isQuoted = true
      case .number, .text, .sign, .end: throw unexpected("a name after the dot")
      }
      advance()
      guard take(.dot) else { break }
      parts.append(UInt8(ascii: "."))
    }
    return try make(.name(Bytes(parts), isQuoted: isQuoted), from: start, [])
  }

  private mutating func caseExpression() throws(SyntaxProblem) -> Expression {
    let start = token.range.lowerBound
    advance()
    let subject = token.keyword == .when ? nil : try expression()
    var branches: [Expression.Branch] = []
    while take(.when) {
      let when = try expression()
      guard take(.then) else { throw unexpected("then") }
      branches.append(Expression.Branch(when: when, then: try expression()))
    }
    guard !branches.isEmpty else { throw unexpected("when") }
    let otherwise = take(.else) ? try expression() : nil
    guard take(.end) else { throw unexpected("when, else or end") }
    let parts = [subject, otherwise].compactMap { $0 } + branches.flatMap { [$0.when, $0.then] }
    return try make(.choice(subject: subject, branches, otherwise: otherwise), from: start, parts)
  }

  /// One or more expressions up to the closing parenthesis, whose opening one is taken.
  private mutating func list() throws(SyntaxProblem) -> [Expression] {
    var items = [try expression()]
    while take(.comma) { items.append(try expression()) }
    guard take(.close) else { throw unexpected("a comma or a closing parenthesis") }
    return items
  }

  // MARK: Nodes

  private func make(
    _ node: Expression.Node, _ parts: Expression...
  ) throws(SyntaxProblem) -> Expression {
    try make(node, parts)
  }

  private func make(
    _ node: Expression.Node, _ parts: [Expression]
  ) throws(SyntaxProblem) -> Expression {
    try make(node, from: parts.first?.range.lowerBound ?? 0, parts)
  }

  /// A node that ends where the last token taken ended.
  private func make(
    _ node: Expression.Node, from start: Int, _ parts: [Expression]
  ) throws(SyntaxProblem) -> Expression {
    let depth = (parts.lazy.map(\.depth).max() ?? 0) + 1
    guard depth <= Self.deepest else { throw tooDeep(at: start) }
    let end = index > 0 ? tokens[index - 1].range.upperBound : start
    return Expression(node: node, range: start..<max(start, end), depth: depth)
  }

  private mutating func leaf(_ node: Expression.Node) throws(SyntaxProblem) -> Expression {
    let start = token.range.lowerBound
    advance()
    return try make(node, from: start, [])
  }

  private func negated(
    _ isNegated: Bool, _ expression: Expression
  ) throws(SyntaxProblem) -> Expression {
    guard isNegated else { return expression }
    return try make(.not(expression), from: expression.range.lowerBound, [expression])
  }

  // MARK: Tokens

  private var token: Token { tokens[index] }

  private mutating func advance() {
    if index < tokens.count - 1 { index += 1 }
  }

  private mutating func take(_ sign: Token.Sign) -> Bool {
    guard token.kind == .sign(sign) else { return false }
    advance()
    return true
  }

  private mutating func take(_ keyword: Keyword) -> Bool {
    guard token.keyword == keyword else { return false }
    advance()
    return true
  }

  // MARK: Problems

  private func unexpected(_ wanted: String) -> SyntaxProblem {
    let found =
      switch token.kind {
      case .end: "the rule ends"
      case .number: "there is a number"
      case .text: "there is text in quotes"
      case .word(let word): "there is “\(word.string)”"
      case .quoted(let word): "there is the name “\(word.string)”"
      case .sign(let sign): "there is “\(sign.rawValue)”"
      }
    return SyntaxProblem(at: token.range.lowerBound, "\(found) where \(wanted) was expected")
  }

  private func chained(_ level: Precedence) -> SyntaxProblem {
    let first = tokens.first { $0.kind == .sign(.join) }
    if level == .comparison, let first, first.range.lowerBound < token.range.lowerBound {
      return SyntaxProblem(
        at: first.range.lowerBound, "|| joins text: between conditions write or")
    }
    return SyntaxProblem(
      at: token.range.lowerBound,
      level == .comparison
        ? "comparisons do not chain: write a < b and b < c"
        : "these operators do not chain: use parentheses")
  }

  private func tooDeep(at offset: Int) -> SyntaxProblem {
    SyntaxProblem(at: offset, "the rule nests deeper than \(Self.deepest) levels")
  }
}

extension Comparison {
  fileprivate init?(_ sign: Token.Sign) { self.init(rawValue: sign.rawValue) }
}
