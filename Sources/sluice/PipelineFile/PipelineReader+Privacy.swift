internal import Core

/// What is never kept.
extension PipelineReader {
  mutating func privacy(_ node: YAMLNode) -> PrivacyRules? {
    guard let section = section(node, .privacy) else { return nil }
    var rules = PrivacyRules()
    guard let drop = section["drop"] else { return rules }
    let items: [YAMLNode] =
      if case .sequence(let items) = drop.content { items } else { [drop] }
    if items.isEmpty { report(at: drop.position, "the list is empty; remove the key") }
    for item in items {
      guard case .mapping = item.content else {
        if let type = dropped(item), !rules.elementTypes.insert(type).inserted {
          repeated(type, at: item.position)
        }
        continue
      }
      guard let entry = self.section(item, .dropped),
        let element = entry.required("element", by: &self, { $0.name($1) })
      else { continue }
      if !rules.elements.insert(element.value).inserted {
        repeated(element.value, at: element.position)
      }
    }
    return rules
  }

  private mutating func dropped(_ node: YAMLNode) -> Bytes? {
    guard let word = word(node, "what is dropped") else { return nil }
    guard PrivacyRules.knownTypes.contains(word.value.string) else {
      let hint = didYouMean(word.value.string, PrivacyRules.knownTypes)
      let list = PrivacyRules.knownTypes.joined(separator: ", ")
      report(
        at: word.position,
        "there is no type of input `\(word.value.string)`"
          + (hint.isEmpty ? "; it is one of \(list), or write `element: ID`" : hint))
      return nil
    }
    return word.value
  }

  private mutating func repeated(_ name: Bytes, at position: SourcePosition) {
    report(at: position, "`\(name.string)` is in this list twice", leavingGap: false)
  }
}
