/// Windows, texts and languages of placements and of what is next.
extension PipelineChecker {
  mutating func window(_ source: WindowSource) -> ActiveWindow {
    let window = source.active(in: zone)
    if let until = source.until, let start = window.from, let end = window.until, end <= start {
      report(until.position, "`until` must be later than `from`: it is the first instant left out")
    }
    return window
  }

  mutating func fractionDigits(_ tag: TagSource, _ type: ValueType) -> Int? {
    if let digits = tag.fractionDigits, type != .number {
      report(
        digits.position, "`fraction_digits` are for a number, this rule gives a text; remove them")
    }
    return tag.fractionDigits?.value
  }

  mutating func languageTexts(_ tag: TagSource, _ type: ValueType) -> LanguageTexts? {
    guard let texts = tag.texts else { return nil }
    guard type == .text else {
      report(texts.position, "`texts` are for the values of a text, this rule gives a number")
      return nil
    }
    return LanguageTexts(texts.value, defaultLanguage: source.defaultLanguage?.value)
  }

  /// Texts with the tags they name.
  ///
  /// - Parameter areTagsKnown: false where there may be more tags than `tags`.
  mutating func previews(
    _ texts: [Located<Bytes>], tags: [Bytes], areTagsKnown: Bool
  ) -> [TextPreview] {
    var result: [TextPreview] = []
    let known = KnownNames(tags)
    for text in texts {
      do {
        result.append(try TextPreview(text.value, tags: tags))
      } catch {
        // A tag that could not be read may be the one that is meant.
        if case .unknownTag = error, !areTagsKnown { continue }
        report(text.position, words(error, known))
      }
    }
    return result
  }

  private func words(_ mistake: TextPreview.Mistake, _ tags: KnownNames) -> String {
    switch mistake {
    case .unclosed: "a `{` without its `}`; write `{{` for a brace"
    case .stray: "a `}` without its `{`; write `}}` for a brace"
    case .unknownTag(let name): tags.unknown("tag", name)
    }
  }
}
