internal import Core

/// What people read: texts by language, and texts with tags in them.
extension PipelineReader {
  /// A language such as `en`, `pt-BR` or `zh_Hant`.
  mutating func language(_ node: YAMLNode) -> Located<Bytes>? {
    guard let word = word(node, "the language"), checkLanguage(word) else { return nil }
    return word
  }

  private mutating func checkLanguage(_ word: Located<Bytes>) -> Bool {
    let parts = word.value.string.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
    let isCode = parts.allSatisfy { part in
      (1...8).contains(part.utf8.count)
        && part.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) }
    }
    guard isCode, let first = parts.first, (2...3).contains(first.utf8.count) else {
      report(
        at: word.position, "a language is a code like en, pt-BR or zh-Hant", leavingGap: false)
      return false
    }
    return true
  }

  /// Texts by language and value: `{ en: { lose: lose weight }, de: { lose: abnehmen } }`.
  mutating func languageTexts(_ node: YAMLNode) -> Located<[Bytes: [Bytes: Bytes]]>? {
    var lines: [String: SourcePosition] = [:]
    let languages = named(node, "texts") { reader, language, node -> (Bytes, [Bytes: Bytes])? in
      guard reader.checkLanguage(language) else { return nil }
      let normal = language.value.string.lowercased().split { $0 == "_" }.joined(separator: "-")
      if lines.updateValue(language.position, forKey: normal) != nil {
        reader.report(
          at: language.position, "this language is here twice, in two spellings", leavingGap: false)
      }
      let texts = reader.named(node, "texts") { reader, value, node in
        reader.freeText(node, "the text of a value").map { (value.value, $0) }
      }
      return (language.value, Dictionary(texts, uniquingKeysWith: { first, _ in first }))
    }
    guard !languages.isEmpty else {
      report(
        at: node.position, "write the texts by language: `{ en: { lose: lose weight } }`",
        leavingGap: false)
      return nil
    }
    return Located(
      Dictionary(languages, uniquingKeysWith: { first, _ in first }), at: node.position)
  }

  /// One text or a list of them.
  mutating func previews(_ node: YAMLNode) -> [Located<Bytes>] {
    if case .sequence(let items) = node.content {
      return items.compactMap { item in
        freeText(item, "a text").map { Located($0, at: item.position) }
      }
    }
    return freeText(node, "a text").map { [Located($0, at: node.position)] } ?? []
  }
}
