/// What could not be read of a pipeline: what names it is not wrong for that.
package struct UnreadNames: Sendable {
  /// A section of the file that declares names.
  package enum Section: String, CaseIterable, Sendable {
    case flows, answers, custom, attributes, segments, placements, next
  }

  /// Names of things that could not be read.
  package var names: Set<Bytes> = []
  /// Sections that may declare any name: they could not be read at all, or in part.
  package var sections: Set<Section> = []

  package init() {}

  var isEmpty: Bool { names.isEmpty && sections.isEmpty }

  /// Whether a section may declare a name that is not known from it.
  package func mayDeclare(_ name: Bytes, in section: Section) -> Bool {
    sections.contains(section) || names.contains(name)
  }

  /// Whether a rule may use a name that nothing readable declares.
  ///
  /// - Parameters:
  ///   - name: full and dotted.
  ///   - withAnswers: true where the rule may use answers.
  func mayMean(_ name: Bytes, withAnswers: Bool) -> Bool {
    let prefix = name.beforeFirstDot
    if names.contains(name) || names.contains(prefix) { return true }
    guard !sections.isEmpty else { return false }
    if PipelineChecker.ownPrefixes.contains(prefix.string), prefix.count < name.count {
      return prefix == "custom" && sections.contains(.custom)
    }
    if sections.contains(.attributes) || sections.contains(.segments) { return true }
    if withAnswers, sections.contains(.answers) { return true }
    return sections.contains(.flows)
      && FlowFact.allCases.contains { name.string.hasSuffix("." + $0.rawValue) }
  }
}

extension Bytes {
  /// All of it where it holds no dot.
  package var beforeFirstDot: Bytes {
    for offset in 0..<count where self[offset] == UInt8(ascii: ".") { return self[0..<offset] }
    return self
  }
}
