internal import Core

/// Puts values of the environment in the place of `${NAME}`.
///
/// Only ids that differ between two installations of one app may come from there; a pipeline whose
/// rules depended on the environment could not be read. What is derived names its generation by the
/// values, not by the variables.
struct EnvironmentValues {
  /// Where a value stands: its keys from the top, `nil` for any name or place in a list.
  private typealias Pattern = [String?]

  private static let allowed: [Pattern] = [
    ["history_starts"],
    ["placements", nil, "audiences", nil, "audience_version"],
    ["placements", nil, "audiences", nil, "show", "flow"],
    ["placements", nil, "audiences", nil, "show", "variation"],
    ["placements", nil, "audiences", nil, "show", nil, "flow"],
    ["placements", nil, "audiences", nil, "show", nil, "variation"],
  ]

  private let environment: [String: String]
  private(set) var problems: [PipelineProblem] = []

  init(_ environment: [String: String]) { self.environment = environment }

  /// The tree with values for variables; what is wrong with them is in ``problems``.
  mutating func applied(to root: YAMLNode) -> YAMLNode { applied(to: root, path: []) }

  private mutating func applied(to node: YAMLNode, path: [String]) -> YAMLNode {
    switch node.content {
    case .scalar(let scalar):
      return YAMLNode(.scalar(applied(to: scalar, at: node.position, path)), at: node.position)
    case .sequence(let items):
      return YAMLNode(
        .sequence(items.map { applied(to: $0, path: path + [""]) }), at: node.position)
    case .mapping(let entries):
      let values = entries.map { entry in
        let key = entry.key.value.string
        if variable(key) != nil {
          report(
            entry.key.position, "`\(key)` is not replaced in the name of a thing; write it out")
        }
        // Words for people, and what people typed, may look like anything.
        let isFree = key == "description" || (path.isEmpty && key == "tests")
        return isFree
          ? entry
          : YAMLEntry(key: entry.key, value: applied(to: entry.value, path: path + [key]))
      }
      return YAMLNode(.mapping(values), at: node.position)
    }
  }

  private mutating func applied(
    to scalar: YAMLScalar, at position: SourcePosition, _ path: [String]
  ) -> YAMLScalar {
    let text = scalar.text.string
    let isAllowed = matches(path, Self.allowed)
    guard let name = variable(text) else {
      if isAllowed, text.contains("${") {
        report(position, "a variable stands alone: write ${NAME} and nothing around it")
      } else if matches(path, Self.rules), holdsVariable(text) {
        report(
          position,
          "`${…}` is not replaced in rules: a pipeline whose rules depend on the environment could "
            + "not be read; write the value out")
        return scalar.unread
      }
      return scalar
    }
    guard isAllowed else {
      report(
        position,
        "`${\(name)}` is not replaced here: only history_starts, audience_version, and flow and "
          + "variation under show are read from the environment")
      return matches(path, Self.rules) ? scalar.unread : scalar
    }
    guard let value = environment[name], !value.isEmpty else {
      report(position, "the environment has no `\(name)`; set it")
      return scalar
    }
    guard !value.contains("${") else {
      report(position, "the value of `\(name)` holds another variable; write it out")
      return scalar
    }
    return YAMLScalar(text: Bytes(value), style: .plain, lastLine: scalar.lastLine)
  }

  /// Where a rule stands, and whether it is one: a variable inside its text would be taken literally.
  private static let rules: [Pattern] = [
    ["attributes", nil, "value"], ["segments", nil], ["next", nil, "when"],
    ["placements", nil, "tags", nil], ["placements", nil, "tags", nil, "value"],
  ]

  private mutating func report(_ position: SourcePosition, _ message: String) {
    problems.append(PipelineProblem(at: position, message))
  }

  private func matches(_ path: [String], _ patterns: [Pattern]) -> Bool {
    patterns.contains { pattern in
      pattern.count == path.count && zip(pattern, path).allSatisfy { $0 == nil || $0 == $1 }
    }
  }

  private func holdsVariable(_ text: String) -> Bool {
    var rest = text[...]
    while let start = rest.firstRange(of: "${") {
      rest = rest[start.lowerBound...]
      if let end = rest.firstIndex(of: "}"), variable(String(rest[...end])) != nil { return true }
      rest = rest.dropFirst(2)
    }
    return false
  }

  /// The name in `${NAME}`; nil for any other text.
  private func variable(_ text: String) -> String? {
    guard text.hasPrefix("${"), text.hasSuffix("}"), text.utf8.count > 3 else { return nil }
    let name = text.dropFirst(2).dropLast()
    guard let first = name.utf8.first, !(0x30...0x39).contains(first),
      name.utf8.allSatisfy({ byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == UInt8(ascii: "_")
      })
    else { return nil }
    return String(name)
  }
}

extension YAMLScalar {
  /// Nothing, where a rule stands that cannot be judged.
  fileprivate var unread: YAMLScalar {
    YAMLScalar(text: .empty, style: .plain, lastLine: lastLine)
  }
}
