/// What the texts of a name have in common, where anything is known of them.
///
/// As with PostgreSQL's enumerations, a text that none of them can be is a mistake wherever it is
/// compared, also where the comparison is always true: `profile.platform <> 'ios'` means something else.
package enum TextForm: Hashable, Sendable {
  case oneOf(Set<Bytes>)
  /// Former ids of screens.
  case noneOf(Set<Bytes>)
  /// The vendor's spelling; others are kept as they came.
  case platform
  /// Lower case, without a region.
  case language
  /// UUIDs in lower case; others are kept as they came.
  case id
  /// The vendor's limits of a custom attribute's text, counted as leniently as one of its SDKs does.
  case attribute
  case notEmpty
  /// Versions, which mean something else where they compare as text.
  case version

  func admits(_ text: Bytes) -> Bool {
    switch self {
    case .oneOf(let texts): texts.contains(text)
    case .noneOf(let texts): !texts.contains(text)
    case .platform: PlatformName.canonical(text) == text
    case .language: Bytes(NumberLocale.languageAndRegion(text).language) == text
    case .id: text.withLowercaseUUID == text
    case .attribute: (1...50).contains(Core.trimmed(text).string.count)
    case .notEmpty: !text.isEmpty
    case .version: true
    }
  }

  /// What would be right in the place of a text that is not admitted.
  func advice(against text: Bytes) -> String {
    switch self {
    case .oneOf(let texts):
      let near = Nearest.names(to: text, among: texts.sorted())
      let known = texts.sorted().map { "'" + $0.string + "'" }.joined(separator: ", ")
      return near.isEmpty
        ? "it is one of \(known)"
        : "did you mean " + near.map { "'" + $0.string + "'" }.joined(separator: ", ") + "?"
    case .noneOf: return "`same_as` says that this screen has another id now: name that"
    case .platform: return "the platform is spelt '\(PlatformName.canonical(text).string)'"
    case .language:
      let language = NumberLocale.languageAndRegion(text).language
      return "a language is written in lower case and without its region"
        + (language.isEmpty ? "" : ", '\(language)'")
    case .id: return "ids that are UUIDs are kept in lower case: '\(text.withLowercaseUUID.string)'"
    case .attribute where !Core.trimmed(text).isEmpty:
      return "the vendor keeps texts of 1 to 50 characters"
    case .attribute, .notEmpty: return "what is empty counts as not given: ask is null"
    case .version: return "it may be any text"
    }
  }
}
