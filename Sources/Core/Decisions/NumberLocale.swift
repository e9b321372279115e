/// How a locale writes numbers: its marks, sign and digits.
///
/// Source: CLDR as Foundation's number format style has it; the tests compare every row with it.
package struct NumberLocale: Hashable, Sendable {
  package let decimalMark: Unicode.Scalar
  package let groupingMark: Unicode.Scalar
  package let minus: String
  package let zero: Unicode.Scalar
  /// Digits before the first grouping mark that a number needs to be grouped: 1, or 2 where `1234`
  /// stays whole and `12.345` does not.
  package let leastGrouped: Int
  /// Digits of each group before the last one, which always has three: 2 in India.
  package let groupSize: Int

  /// What is used for a person whose locale is unknown.
  package static let english = NumberLocale(".", ",", "-", "0", 1)

  private init(
    _ decimalMark: Unicode.Scalar, _ groupingMark: Unicode.Scalar, _ minus: String,
    _ zero: Unicode.Scalar, _ leastGrouped: Int, groupSize: Int = 3
  ) {
    self.decimalMark = decimalMark
    self.groupingMark = groupingMark
    self.minus = minus
    self.zero = zero
    self.leastGrouped = leastGrouped
    self.groupSize = groupSize
  }

  /// The conventions of a locale id such as `de`, `de_DE`, `de-DE` or `zh-Hant-TW`.
  ///
  /// - Returns: nil for a language that the table does not know.
  package init?(localeID: Bytes) {
    guard let (language, region) = Self.packed(localeID) else { return nil }
    if let region, let style = Self.styles[region] {
      self = style
    } else if let style = Self.styles[language] {
      self = style
    } else {
      return nil
    }
  }

  /// The language of a locale id, and both it and the region, each as the bytes of one number.
  ///
  /// They are looked up for every profile. Nil for what no language of the table looks like.
  private static func packed(_ localeID: Bytes) -> (language: UInt64, withRegion: UInt64?)? {
    guard let (written, region) = parts(localeID), written.count <= 3 else { return nil }
    let language = written.slice.reduce(0) { $0 << 8 | lower($1) }
    return (language, region.map { $0.slice.reduce(language << 8 | 0x5F) { $0 << 8 | upper($1) } })
  }

  /// The language and the region as they are written: `de` and `AT` of `de-Latn-AT@currency=eur`.
  private static func parts(_ localeID: Bytes) -> (language: Bytes, region: Bytes?)? {
    var language: Bytes?
    var start = 0
    for index in 0...localeID.count {
      let byte = index < localeID.count ? localeID[index] : UInt8(ascii: ".")
      let isEnd = byte == UInt8(ascii: ".") || byte == UInt8(ascii: "@")
      guard isEnd || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") else { continue }
      let part = localeID[start..<index]
      start = index + 1
      if let language {
        if part.count == 2 || part.count == 3 && part[0] < 0x3A { return (language, part) }
      } else if !part.isEmpty {
        language = part
      }
      if isEnd { break }
    }
    return language.map { ($0, nil) }
  }

  private static func lower(_ byte: UInt8) -> UInt64 {
    UInt64((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
  }

  private static func upper(_ byte: UInt8) -> UInt64 {
    UInt64((0x61...0x7A).contains(byte) ? byte & ~0x20 : byte)
  }

  /// The lower-case language and upper-case region of a locale id.
  package static func languageAndRegion(_ localeID: Bytes) -> (language: String, region: String?) {
    guard let (language, region) = parts(localeID) else { return ("", nil) }
    return (language.string.lowercased(), region.map { $0.string.uppercased() })
  }

  /// Locales the table knows, for the test that compares them.
  package static var knownLocaleIDs: [String] {
    table.flatMap { $0.1.split(separator: " ").map(String.init) }.sorted()
  }

  private static let styles: [UInt64: NumberLocale] = {
    var result: [UInt64: NumberLocale] = [:]
    for (style, ids) in table {
      for id in ids.split(separator: " ") {
        guard let (language, withRegion) = packed(Bytes(String(id))) else { continue }
        result[withRegion ?? language] = style
      }
    }
    return result
  }()

  private static let table: [(NumberLocale, String)] = [
    (
      english,
      """
      en ga cy sw zu am ta_MY ta_SG si th km ms fil ja ko zh yue mn es_419 es_AG \
      es_BB es_BM es_BR es_BS es_BZ es_CA es_CU es_DM es_DO es_GD es_GT es_GY es_HN es_KN es_KY \
      es_LC es_MX es_NI es_PA es_PE es_PR es_SV es_TC es_TT es_US es_VC es_VG es_VI
      """
    ),
    (
      NumberLocale(",", ".", "-", "0", 1),
      """
      de pt nl da is ro sr bs mk el tr az ca gl lo vi id en_AR en_AT en_BE en_BR en_CL en_CO \
      en_DE en_DK en_GR en_ID en_NL en_SI en_TR es_AR es_BO es_BQ es_CL es_CO es_CR es_CW es_EC \
      es_PY es_UY es_VE fr_LU fr_MA ms_BN ms_ID sw_CD
      """
    ),
    (
      NumberLocale(",", "\u{A0}", "-", "0", 1),
      """
      cs sk ru uk kk ky uz hy af en_AL en_BG en_CV en_CZ en_EE en_FI en_HU en_LT en_LV en_NO \
      en_PL en_PT en_RU en_SE en_SK en_UA en_ZA fr_CA pt_AO
      """
    ),
    (
      NumberLocale(",", "\u{A0}", "-", "0", 2),
      """
      pl hu bg sq be ka lv pt_CH pt_CV pt_FR pt_GQ pt_GW pt_LU pt_MO pt_MZ pt_PT pt_ST pt_TL ru_UA
      """
    ),
    (NumberLocale(",", "\u{202F}", "-", "0", 1), "fr en_FR es_HT"),
    (NumberLocale(",", "\u{A0}", "\u{2212}", "0", 1), "sv nb nn no fi lt"),
    (NumberLocale(",", "\u{A0}", "\u{2212}", "0", 2), "et"),
    (NumberLocale(",", ".", "-", "0", 2), "es it"),
    (NumberLocale(",", ".", "\u{2212}", "0", 1), "hr eu"),
    (NumberLocale(",", ".", "\u{2212}", "0", 2), "sl"),
    (NumberLocale(".", "\u{2019}", "-", "0", 1), "de_CH de_LI"),
    (NumberLocale(".", "\u{2019}", "-", "0", 2), "it_CH"),
    (NumberLocale(".", "'", "-", "0", 1), "en_CH"),
    (
      NumberLocale(".", ",", "-", "0", 1, groupSize: 2),
      "hi bn mr gu pa ta te kn ml en_BD en_IN"
    ),
    (NumberLocale(".", ",", "\u{200E}-", "0", 1, groupSize: 2), "ur"),
    (NumberLocale(".", ",", "-", "\u{966}", 1, groupSize: 2), "ne"),
    (NumberLocale(".", ",", "\u{200E}-", "0", 1), "he ar"),
    (NumberLocale(",", ".", "\u{200E}-", "0", 1), "ar_DZ ar_LY ar_MA ar_TN"),
    (
      NumberLocale("\u{66B}", "\u{66C}", "\u{61C}-", "\u{660}", 1),
      """
      ar_BH ar_DJ ar_EG ar_ER ar_IL ar_IQ ar_JO ar_KM ar_KW ar_LB ar_MR ar_OM ar_PS ar_QA ar_SA \
      ar_SD ar_SO ar_SS ar_SY ar_TD ar_YE
      """
    ),
    (NumberLocale("\u{66B}", "\u{66C}", "\u{200F}-", "\u{660}", 1), "ckb"),
    (NumberLocale("\u{66B}", "\u{66C}", "\u{200E}\u{2212}", "\u{6F0}", 1), "fa"),
    (NumberLocale("\u{66B}", "\u{66C}", "\u{200E}-\u{200E}", "\u{6F0}", 1), "ps"),
    (NumberLocale(".", ",", "-", "\u{1040}", 1), "my"),
  ]
}
