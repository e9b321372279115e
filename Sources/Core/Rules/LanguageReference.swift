/// What rules may use, for people: taken from the tables that the checker itself uses.
package enum LanguageReference {
  /// `name(parameters) → result`, by name.
  package static var functions: [String] {
    Functions.table.map(\.signature).sorted()
  }

  /// A fact's name and its type, for a flow called `<flow>` and ids in angle brackets.
  package static var facts: [(name: String, type: String)] {
    FlowFact.allCases.map { ("<flow>.\($0.rawValue)", $0.type.rawValue) }
      + ProfileFact.all.map { ("profile.\($0.name.string)", $0.type.rawValue) }
  }
}

extension Function {
  fileprivate var signature: String {
    var words = parameters.map(\.words)
    if repeats { words.append("…") }
    let result =
      switch result {
      case .type(.value(let type)): type.rawValue
      case .type(.version): "version"
      case .type(.null), .same: "the same type"
      }
    return "\(name.string)(\(words.joined(separator: ", "))) → \(result)"
  }
}

extension Function.Parameter {
  fileprivate var words: String {
    switch self {
    case .type(.value(let type)): type.rawValue
    case .type(.version): "version"
    case .type(.null), .same: "value"
    case .choiceOrText: "choice"
    case .textLiteral: "'text'"
    case .decimalsLiteral: "0–15"
    }
  }
}
