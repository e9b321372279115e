internal import Core

/// A value of a YAML file with the place where it begins; aliases are already expanded.
struct YAMLNode: Sendable {
  indirect enum Content: Sendable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode])
    /// In the file's order, each key once.
    case mapping([YAMLEntry])
  }

  let position: SourcePosition
  let content: Content
  /// Of a mapping: what stands under keys that are refused because they are there already.
  let repeats: [YAMLEntry]
  /// Nodes in it, itself included, each alias counted in full.
  let size: Int
  /// Levels below it; 0 for a scalar.
  let depth: Int

  init(_ content: Content, at position: SourcePosition, repeats: [YAMLEntry] = []) {
    self.position = position
    self.repeats = repeats
    self.content = content
    let children: [YAMLNode] =
      switch content {
      case .scalar: []
      case .sequence(let items): items
      case .mapping(let entries): entries.map(\.value)
      }
    size = children.reduce(1) { $0 + $1.size }
    depth = children.reduce(0) { max($0, $1.depth + 1) }
  }

  /// What is written there, for words.
  var form: String {
    switch content {
    case .scalar: isNull ? "nothing" : "one value"
    case .sequence: "a list"
    case .mapping: "a mapping"
    }
  }

  /// How many keys a mapping has; nil for anything else.
  var entryCount: Int? {
    if case .mapping(let entries) = content { entries.count } else { nil }
  }

  var isMapping: Bool {
    if case .mapping = content { true } else { false }
  }

  /// True for `null`, `~` and for nothing at all.
  var isNull: Bool {
    guard case .scalar(let scalar) = content else { return false }
    return scalar.meaning == .null
  }
}

struct YAMLEntry: Sendable {
  let key: Located<Bytes>
  let value: YAMLNode
}

/// A scalar as written, its escapes and folds resolved.
struct YAMLScalar: Sendable {
  enum Style: Sendable { case plain, singleQuoted, doubleQuoted, literal, folded }

  /// What a scalar stands for.
  enum Meaning: Hashable, Sendable { case null, boolean(Bool), number, text }

  let text: Bytes
  let style: Style
  /// The last line that holds any of it.
  let lastLine: Int

  /// Only `null`, `~`, nothing, `true`, `false` and numbers as JSON writes them are not text.
  ///
  /// So `no`, `on` and `yes` are text, and so are `.5`, `0x10` and `007`, which readers of YAML
  /// take for different numbers.
  var meaning: Meaning {
    guard style == .plain else { return .text }
    switch text.string {
    case "", "~", "null": return .null
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    default: return isJSONNumber(text.array) ? .number : .text
    }
  }
}

/// True for a number in JSON's grammar (RFC 8259, section 6).
private func isJSONNumber(_ bytes: [UInt8]) -> Bool {
  var rest = bytes[...]
  func takeDigits() -> Int {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(digits.count)
    return digits.count
  }
  if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
  let startsWithZero = rest.first == UInt8(ascii: "0")
  let whole = takeDigits()
  guard whole == 1 || (whole > 1 && !startsWithZero) else { return false }
  if rest.first == UInt8(ascii: ".") {
    rest = rest.dropFirst()
    guard takeDigits() > 0 else { return false }
  }
  if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
    rest = rest.dropFirst()
    if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
      rest = rest.dropFirst()
    }
    guard takeDigits() > 0 else { return false }
  }
  return rest.isEmpty
}
