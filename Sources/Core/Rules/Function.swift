/// A function of the rule language: how it is called, what it gives, and how it is computed.
struct Function: Sendable {
  enum Parameter: Hashable, Sendable {
    case type(RuleType)
    /// A choice, or the text of a single one.
    case choiceOrText
    /// Text in quotes, known when the rule is checked.
    case textLiteral
    /// A number of decimals, known when the rule is checked.
    case decimalsLiteral
    /// Of the same type as all other arguments that say so.
    case same
  }

  enum Result: Sendable {
    case type(RuleType)
    /// The type of the arguments that are `.same`.
    case same
  }

  /// How the function reads the clock, which decides where it may stand and when it changes.
  enum Clock: Sendable {
    case none
    /// The instant itself.
    case now
    /// Whole days since the argument.
    case daysSince
    /// Whole years since the argument.
    case age
  }

  /// The computation; all but `.all` and `.form` are strict: null in, null out.
  enum Body: Sendable {
    case none(@Sendable (RuleContext) -> Value)
    case one(@Sendable (Value, RuleContext) throws(OperatorFailure) -> Value)
    case two(@Sendable (Value, Value, RuleContext) throws(OperatorFailure) -> Value)
    case three(@Sendable (Value, Value, Value, RuleContext) throws(OperatorFailure) -> Value)
    /// Sees nulls, and any number of arguments.
    case all(@Sendable (ArraySlice<Value>) -> Value)
    /// Compiled to instructions: not all arguments are looked at.
    case form(Form)
  }

  enum Form: Sendable {
    case coalesce
    case nullIf
  }

  let name: Bytes
  let parameters: [Parameter]
  /// True where the last parameter may be given more than once.
  let repeats: Bool
  /// True where the `.same` arguments must have an order.
  let needsOrder: Bool
  let result: Result
  let clock: Clock
  let body: Body

  init(
    _ name: Bytes, _ parameters: [Parameter], _ result: Result, repeats: Bool = false,
    needsOrder: Bool = false, clock: Clock = .none, _ body: Body
  ) {
    self.name = name
    self.parameters = parameters
    self.repeats = repeats
    self.needsOrder = needsOrder
    self.result = result
    self.clock = clock
    self.body = body
  }

  func takes(_ count: Int) -> Bool {
    repeats ? count >= parameters.count : count == parameters.count
  }

  /// The parameter that the argument at an index stands for.
  func parameter(at index: Int) -> Parameter {
    parameters[min(index, parameters.count - 1)]
  }
}

/// Types as the checker knows them: those of values, and two that never leave a rule.
enum RuleType: Hashable, Sendable {
  case value(ValueType)
  /// What `version(…)` gives: text that compares by precedence, with other versions only.
  case version
  /// The literal `null`, which takes the type of what it stands with.
  case null

  static let number = RuleType.value(.number)
  static let text = RuleType.value(.text)
  static let boolean = RuleType.value(.boolean)
  static let timestamp = RuleType.value(.timestamp)
  static let date = RuleType.value(.date)
  static let choice = RuleType.value(.choice)

  var hasOrder: Bool {
    switch self {
    case .value(.choice), .value(.boolean), .null: false
    default: true
    }
  }

  /// With its article, for messages.
  var words: String {
    switch self {
    case .value(.number): "a number"
    case .value(.text): "text"
    case .value(.boolean): "a boolean"
    case .value(.timestamp): "a timestamp"
    case .value(.date): "a date"
    case .value(.choice): "a choice"
    case .version: "a version"
    case .null: "null"
    }
  }
}
