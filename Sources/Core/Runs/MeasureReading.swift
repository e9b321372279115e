/// A quantity ready for reading answers: its unit is looked up once.
struct Measure: Sendable {
  let quantity: Quantity
  /// nil for plain numbers and money, which have one unit at most.
  let unit: MeasureUnit?

  static let plainNumber = Measure(Quantity(.number, unit: .empty))

  init(_ quantity: Quantity) {
    self.quantity = quantity
    unit = MeasureUnit.named(quantity.unit, quantity.kind)
  }
}

/// A number with or without a unit as a person typed it, in the measure's unit (SEMANTICS 7.9).
///
/// A unit that was typed wins over the one that was chosen elsewhere. Several units go down in size
/// and each part is less than one of the unit before it: `11 st 4`, `5'11"`, `180 cm 5 mm`. What has
/// several readings is `ambiguousNumber`, what has none `unreadable`.
///
/// - Parameters:
///   - chosen: the unit of a number without one, or why it is not known; nil for the measure's own.
///   - locale: of the person.
func readMeasure(
  _ typed: Bytes, as measure: Measure, in chosen: Reading<MeasureUnit>? = nil, locale: Bytes?
) -> Reading<Double> {
  let typed = trimmed(typed)
  if let number = plainNumber(typed) { return converted(number, from: chosen, to: measure) }
  if isMachineNumber(typed) { return readMeasure(json: typed, as: measure, in: chosen) }
  guard let text = folded(typed), !text.isEmpty else { return .absent(.unreadable) }
  var reader = MeasureReader(text: text, measure: measure, locale: locale)
  switch measure.quantity.kind {
  case .number, .money: return reader.readAlone()
  case .mass, .length, .duration: return reader.readParts(chosen)
  }
}

/// A JSON number in the measure's unit.
func readMeasure(
  json number: Bytes, as measure: Measure, in chosen: Reading<MeasureUnit>?
) -> Reading<Double> {
  // As it is: the nearest double of what was sent, whatever its length.
  guard let chosen, chosen != measure.unit.map({ .value($0) }) else { return finite(number) }
  guard let exact = ExactDecimal(number) else {
    switch (chosen, measure.unit, finite(number)) {
    case (.absent(let reason), _, _): return .absent(reason)
    case (.value(let unit), let own?, .value(let value)):
      let result = value / Double(own.size) * Double(unit.size)
      return result.isFinite ? .value(result) : .absent(.unreadable)
    case (_, _, let reading): return reading
    }
  }
  return converted(exact, from: chosen, to: measure)
}

private func converted(
  _ number: ExactDecimal, from chosen: Reading<MeasureUnit>?, to measure: Measure
) -> Reading<Double> {
  switch (chosen, measure.unit) {
  case (.absent(let reason), _): return .absent(reason)
  case (.value(let unit), let own?) where unit.size != own.size:
    return .value(number.converted(from: unit, to: own))
  default: return .value(number.value)
  }
}

/// True for a large double as a program prints it, `6.45408E11`, which nobody types.
private func isMachineNumber(_ text: Bytes) -> Bool {
  guard let mark = text.slice.firstIndex(of: UInt8(ascii: "E")) else { return false }
  let mantissa = text.slice[..<mark].drop { $0 == UInt8(ascii: "-") }
  let exponent = text.slice[(mark + 1)...].drop { $0 == UInt8(ascii: "-") }
  let parts = mantissa.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
  return text.count <= 30 && parts.count == 2 && parts[0].count == 1
    && (parts + [exponent]).allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isDigit) }
    && text.slice.count { $0 == UInt8(ascii: "-") } <= 2
}

/// Walks through folded text.
private struct MeasureReader {
  let text: [UInt8]
  let measure: Measure
  let locale: Bytes?
  private var index = 0

  init(text: [UInt8], measure: Measure, locale: Bytes?) {
    self.text = text
    self.measure = measure
    self.locale = locale
  }

  private var next: UInt8? { index < text.count ? text[index] : nil }

  // MARK: Numbers and money

  /// A number with its only unit before or behind it, or without.
  mutating func readAlone() -> Reading<Double> {
    let isNegative = takeSign()
    let isMoney = measure.quantity.kind == .money
    let before = isMoney ? takeWord() : nil
    if before != nil { skipSpaces() }
    guard let digits = takeDigits() else { return .absent(.unreadable) }
    skipSpaces()
    let behind = takeWord()
    guard index == text.count, before == nil || behind == nil else { return .absent(.unreadable) }
    if let unit = before ?? behind, !isOwn(unit) { return .absent(.unreadable) }
    switch digits.plain(locale: locale, blank: .unreadable) {
    case .absent(let reason): return .absent(reason)
    case .value(let plain): return finite(isNegative ? Bytes.joined("-", plain) : plain)
    }
  }

  private func isOwn(_ unit: Bytes) -> Bool {
    let own = measure.quantity.unit
    return !own.isEmpty && (unit == own.lowercasedASCII || CurrencySign.isSign(unit, of: own))
  }

  // MARK: Measures

  private struct Part {
    let plain: Bytes
    let unit: MeasureUnit?
    /// True where the digits follow `'` at once.
    let followsQuote: Bool
  }

  /// One number or several, each but the last with its unit.
  mutating func readParts(_ chosen: Reading<MeasureUnit>?) -> Reading<Double> {
    let isNegative = takeSign()
    var parts: [Part] = []
    while index < text.count {
      let followsQuote = index > 0 && text[index - 1] == UInt8(ascii: "'")
      guard parts.isEmpty || parts.last?.unit != nil, let digits = takeDigits() else {
        return .absent(.unreadable)
      }
      skipSpaces()
      var unit: MeasureUnit?
      if let word = takeWord() {
        guard let known = self.unit(word, after: parts.last?.unit) else {
          return .absent(.unreadable)
        }
        unit = known
      }
      skipSpaces()
      switch digits.plain(locale: locale, blank: .ambiguousNumber) {
      case .absent(let reason): return .absent(reason)
      case .value(let plain):
        parts.append(Part(plain: plain, unit: unit, followsQuote: followsQuote))
      }
    }
    guard let first = parts.first, let own = measure.unit else { return .absent(.unreadable) }
    if parts.count == 1 {
      let plain = isNegative ? Bytes.joined("-", first.plain) : first.plain
      let unit = first.unit.map { .value($0) } ?? chosen
      if unit == .value(own) { return finite(plain) }
      return readMeasure(json: plain, as: measure, in: unit)
    }
    guard !isNegative else { return .absent(.unreadable) }
    return sum(parts, in: own)
  }

  /// The unit of a word; `m` is minutes only behind hours, since alone it may be months.
  private func unit(_ word: Bytes, after previous: MeasureUnit?) -> MeasureUnit? {
    if word == "m", previous == .hour { return .minute }
    return MeasureUnit.spelled(word, measure.quantity.kind)
  }

  private func sum(_ parts: [Part], in own: MeasureUnit) -> Reading<Double> {
    var whole: UInt128 = 0
    var above: MeasureUnit?
    for (number, part) in parts.enumerated() {
      let isLast = number == parts.count - 1
      var unit = part.unit
      if unit == nil, let above {
        guard let implied = impliedUnit(below: above, part) else {
          return .absent(.ambiguousNumber)
        }
        unit = implied
      }
      // Twelve digits keep all products within 128 bits.
      guard let unit, let exact = ExactDecimal(part.plain), exact.mantissa < 1_000_000_000_000,
        isLast || exact.scale == 0
      else { return .absent(.unreadable) }
      let power = powerOfTen(exact.scale)
      let size = UInt128(exact.mantissa) * UInt128(unit.size)
      if let above {
        guard unit.system == above.system, unit.size < above.size,
          size < UInt128(above.size) * power
        else { return .absent(.unreadable) }
      }
      above = unit
      guard isLast else {
        whole += size
        continue
      }
      return .value(quotient(whole * power + size, UInt128(own.size) * power))
    }
    return .absent(.unreadable)
  }

  /// The unit that is left out at the end: `11 st 4`, `5'11`, `1 m 80`, `1 h 30`.
  private func impliedUnit(below unit: MeasureUnit, _ part: Part) -> MeasureUnit? {
    switch unit {
    case .stone: return .pound
    case .foot:
      return part.followsQuote && NumberStyle(locale).mayRaiseComma ? nil : .inch
    // `1 m 8` may be 1.8 m.
    case .metre: return part.plain.count == 2 ? .centimetre : nil
    case .hour: return part.plain.count == 2 ? .minute : nil
    default: return nil
    }
  }

  // MARK: Pieces

  private mutating func skipSpaces() {
    while next == UInt8(ascii: " ") || next == FoldedMark.formattersSpace { index += 1 }
  }

  /// True for a minus; a sign stands right before its number.
  private mutating func takeSign() -> Bool {
    guard next == UInt8(ascii: "-") || next == UInt8(ascii: "+") else { return false }
    index += 1
    return text[index - 1] == UInt8(ascii: "-")
  }

  private mutating func takeDigits() -> TypedDigits? {
    guard let next, next.isDigit else { return nil }
    return TypedDigits(text, at: &index, quoteIsUnit: measure.quantity.kind == .length)
  }

  /// A unit: letters, with the full stop of an abbreviation, or a sign; nil where there is none.
  private mutating func takeWord() -> Bytes? {
    let start = index
    while let next, next.isLowercaseASCII || next == UInt8(ascii: "$") || next >= 0x80 {
      index += 1
    }
    if index > start {
      let word = Bytes(text, start..<index)
      if next == UInt8(ascii: "."), index + 1 == text.count || !text[index + 1].isDigit {
        index += 1
      }
      return word
    }
    switch next {
    case UInt8(ascii: "'"):
      index += 1
      guard next == UInt8(ascii: "'") else { return "'" }
      index += 1
      return "\""
    case UInt8(ascii: "\""), UInt8(ascii: "%"):
      index += 1
      return Bytes(text, start..<index)
    default: return nil
    }
  }
}
