/// What became of an answer when it was read as a type.
package enum Reading<Result: Hashable & Sendable>: Hashable, Sendable {
  case value(Result)
  case absent(AbsenceReason)
}

/// A plain number as a person typed it.
///
/// See ``readMeasure(_:as:in:locale:)``.
package func readNumber(_ typed: Bytes, locale: Bytes?) -> Reading<Double> {
  readMeasure(typed, as: .plainNumber, locale: locale)
}

/// A JSON number or plain decimal as a finite double; negative zero is zero.
func finite(_ digits: Bytes) -> Reading<Double> {
  guard let number = Double(digits.string), number.isFinite else { return .absent(.unreadable) }
  return .value(number == 0 ? 0 : number)
}

/// The common plain number, for which nothing is allocated: up to 15 ASCII digits and at most one `.`
/// or `,` that has other than three digits behind it, so that it cannot group.
///
/// - Returns: nil for everything else, readable or not.
func plainNumber(_ typed: Bytes) -> ExactDecimal? {
  var mantissa: UInt64 = 0
  var digits = 0
  var behindMark: Int?
  let isNegative = !typed.isEmpty && typed[0] == UInt8(ascii: "-")
  for index in (isNegative ? 1 : 0)..<typed.count {
    let byte = typed[index]
    if byte.isDigit {
      mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
      digits += 1
      behindMark = behindMark.map { $0 + 1 }
      guard digits <= 15 else { return nil }
    } else {
      guard byte == UInt8(ascii: ".") || byte == UInt8(ascii: ","), digits > 0, behindMark == nil
      else { return nil }
      behindMark = 0
    }
  }
  guard digits > 0, behindMark != 0, behindMark != 3 else { return nil }
  return ExactDecimal(isNegative: isNegative, mantissa: mantissa, scale: behindMark ?? 0)
}

/// Digits with marks between them, as they stand in folded text.
struct TypedDigits {
  private(set) var runs: [ArraySlice<UInt8>] = []
  private(set) var marks: [UInt8] = []

  /// Takes the digits at an index of folded text and all marks that stand between two digits.
  ///
  /// - Parameters:
  ///   - index: where a digit stands; moved behind the last one.
  ///   - quoteIsUnit: true where `'` is feet unless three digits follow, as in `5'11`.
  init(_ text: [UInt8], at index: inout Int, quoteIsUnit: Bool) {
    while true {
      let start = index
      while index < text.count, text[index].isDigit { index += 1 }
      runs.append(text[start..<index])
      guard index + 1 < text.count, text[index + 1].isDigit, Self.isMark(text[index]) else {
        return
      }
      if text[index] == UInt8(ascii: "'"), quoteIsUnit {
        let behind = text[(index + 1)...].prefix { $0.isDigit }
        guard behind.count == 3 else { return }
      }
      marks.append(text[index])
      index += 1
    }
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: "'"), UInt8(ascii: " "),
      FoldedMark.arabicDecimal, FoldedMark.arabicGroup, FoldedMark.arabicComma,
      FoldedMark.formattersSpace:
      true
    default: false
    }
  }

  /// The number as `1234.5`.
  ///
  /// A mark is decimal or groups because the person's locale says so or because nothing else is left;
  /// a number that could be both is never guessed.
  ///
  /// - Parameter blank: what digits are that only a space parts and that are no groups, as in `5 11`.
  func plain(locale: Bytes?, blank: AbsenceReason) -> Reading<Bytes> {
    guard let last = marks.last else { return .value(Bytes(Array(runs[0]))) }
    let isBlank = marks.allSatisfy { Self.isSpace($0) }
    if marks.count == 1 { return single(last, locale, blank) }
    if marks.allSatisfy({ Self.isSame($0, marks[0]) }) {
      // A mark that repeats groups.
      guard isGrouped(runs[...], by: marks[0]) else {
        return .absent(isBlank ? blank : .unreadable)
      }
      return .value(joined(runs[...]))
    }
    // Groups and behind them a decimal mark: one mark cannot be both.
    guard marks.dropLast().allSatisfy({ Self.isSame($0, marks[0]) }), Self.canBeDecimal(last),
      !Self.isSame(last, marks[0]), isGrouped(runs.dropLast(), by: marks[0])
    else { return .absent(.unreadable) }
    return .value(decimal)
  }

  private func single(
    _ mark: UInt8, _ locale: Bytes?, _ blank: AbsenceReason
  ) -> Reading<Bytes> {
    let isGroup = isGrouped(runs[...], by: mark)
    switch mark {
    case FoldedMark.arabicDecimal: return .value(decimal)
    case FoldedMark.arabicGroup, FoldedMark.formattersSpace:
      if isGroup { return .value(joined(runs[...])) }
      return .absent(mark == FoldedMark.arabicGroup ? .unreadable : blank)
    case UInt8(ascii: " "):
      guard isGroup else { return .absent(blank) }
      // `120 180` may be two numbers where thousands are not written that way.
      return NumberStyle(locale).groupsWithSpace
        ? .value(joined(runs[...])) : .absent(.ambiguousNumber)
    case UInt8(ascii: "'"):
      guard isGroup else { return .absent(.unreadable) }
      // `70'500` is a decimal in Spanish handwriting.
      return NumberStyle(locale).groupsWithQuote
        ? .value(joined(runs[...])) : .absent(.ambiguousNumber)
    default:
      // Groups have three digits, and a grouped number does not begin with a zero.
      if runs[1].count != 3 || runs[0].elementsEqual([UInt8(ascii: "0")]) { return .value(decimal) }
      return NumberStyle(locale).isDecimal(mark) ? .value(decimal) : .absent(.ambiguousNumber)
    }
  }

  /// True for 1,234,567 and, with a comma, for 12,34,567 as in India.
  private func isGrouped(_ runs: ArraySlice<ArraySlice<UInt8>>, by mark: UInt8) -> Bool {
    guard let first = runs.first, first.first != UInt8(ascii: "0"), runs.last?.count == 3,
      mark != FoldedMark.arabicDecimal
    else { return false }
    let middle = runs.dropFirst().dropLast()
    if first.count <= 3, middle.allSatisfy({ $0.count == 3 }) { return true }
    return first.count <= 2 && middle.allSatisfy { $0.count == 2 }
      && (mark == UInt8(ascii: ",") || mark == FoldedMark.arabicGroup)
  }

  private var decimal: Bytes {
    Bytes(joined(runs.dropLast()).array + [UInt8(ascii: ".")] + Array(runs[runs.count - 1]))
  }

  private func joined(_ runs: ArraySlice<ArraySlice<UInt8>>) -> Bytes {
    Bytes(runs.flatMap { Array($0) })
  }

  private static func isSpace(_ mark: UInt8) -> Bool {
    mark == UInt8(ascii: " ") || mark == FoldedMark.formattersSpace
  }

  private static func isSame(_ mark: UInt8, _ other: UInt8) -> Bool {
    mark == other || (isSpace(mark) && isSpace(other))
  }

  private static func canBeDecimal(_ mark: UInt8) -> Bool {
    switch mark {
    case UInt8(ascii: "."), UInt8(ascii: ","), FoldedMark.arabicDecimal, FoldedMark.arabicComma:
      true
    default: false
    }
  }
}

/// What a locale says about marks in numbers that people type; nothing where it is unknown.
struct NumberStyle {
  private let known: NumberLocale?
  private let language: String
  private let region: String?

  init(_ localeID: Bytes?) {
    known = localeID.flatMap { NumberLocale(localeID: $0) }
    (language, region) = localeID.map { NumberLocale.languageAndRegion($0) } ?? ("", nil)
  }

  func isDecimal(_ mark: UInt8) -> Bool { known?.decimalMark == Unicode.Scalar(mark) }

  var groupsWithSpace: Bool {
    known?.groupingMark == "\u{A0}" || known?.groupingMark == "\u{202F}"
  }

  /// Switzerland, in all of its languages.
  var groupsWithQuote: Bool { region == "CH" || region == "LI" }

  /// Spain writes a decimal comma as high as a quote: there `1'8` is a number too.
  var mayRaiseComma: Bool {
    ["es", "ca", "gl", "eu"].contains(language) && known?.decimalMark == ","
  }
}
