/// What people read for the values of a tag, by language.
package struct LanguageTexts: Hashable, Sendable {
  /// By normal form of the language: lower case, `-` between its parts.
  private let texts: [Bytes: [Bytes: Bytes]]
  private let defaultLanguage: Bytes

  /// Creates a table of texts.
  ///
  /// - Parameters:
  ///   - texts: language → value → text; at least one language.
  ///   - defaultLanguage: used where a person's language, or its text for a value, is not there. Nil:
  ///     English if it is there, else the first language in byte order. The order in a file says
  ///     nothing.
  package init(_ texts: [Bytes: [Bytes: Bytes]], defaultLanguage: Bytes?) {
    var normal: [Bytes: [Bytes: Bytes]] = [:]
    for (language, values) in texts { normal[Self.normalForm(language)] = values }
    self.texts = normal
    let wanted = defaultLanguage.map(Self.normalForm) ?? "en"
    self.defaultLanguage =
      normal[wanted] != nil ? wanted : normal.keys.min() ?? wanted
  }

  /// The text of a value in the language of a locale such as `de_AT` or `zh-Hant-TW`.
  ///
  /// The locale is cut from its end until it is a language of the table (RFC 4647, 3.4).
  ///
  /// - Returns: nil where neither that language nor the default has a text for the value.
  package func text(of value: Bytes, locale: Bytes?) -> Bytes? {
    var parts = locale.map { Self.normalForm($0).string.split(separator: "-") } ?? []
    while !parts.isEmpty {
      if let text = texts[Bytes(parts.joined(separator: "-"))]?[value] { return text }
      parts.removeLast()
    }
    return texts[defaultLanguage]?[value]
  }

  static func normalForm(_ locale: Bytes) -> Bytes {
    let name = locale.string.prefix { $0 != "@" && $0 != "." }
    return Bytes(name.split { $0 == "_" || $0 == "-" }.joined(separator: "-").lowercased())
  }
}
