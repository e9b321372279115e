import Testing

@testable import Core

/// One text as typed, what it was asked as, and what must come out.
struct TypedMeasure: CustomTestStringConvertible, Sendable {
  let typed: String
  let unit: Bytes
  let locale: Bytes?
  let expected: Reading<Double>

  init(_ typed: String, _ unit: Bytes = "", _ locale: Bytes? = nil, is value: Double) {
    (self.typed, self.unit, self.locale, expected) = (typed, unit, locale, .value(value))
  }

  init(_ typed: String, _ unit: Bytes = "", _ locale: Bytes? = nil, not reason: AbsenceReason) {
    (self.typed, self.unit, self.locale, expected) = (typed, unit, locale, .absent(reason))
  }

  var measure: Measure {
    let kinds: [Quantity.Kind] = [.mass, .length, .duration]
    let kind = kinds.first { MeasureUnit.named(unit, $0) != nil }
    return Measure(Quantity(kind ?? (unit.count == 3 ? .money : .number), unit: unit))
  }

  var reading: Reading<Double> { readMeasure(Bytes(typed), as: measure, locale: locale) }

  var testDescription: String {
    "\(typed) as \(unit.string.isEmpty ? "a number" : unit.string) in \(locale?.string ?? "no locale")"
  }
}

@Suite("Numbers and units as people type them")
struct MeasureTests {
  @Test(
    "a mark is decimal or groups where nothing else is possible, else the number is ambiguous",
    arguments: [
      TypedMeasure("1.234", "", "en_US", is: 1.234),
      TypedMeasure("1,234", "", "de_DE", is: 1.234),
      TypedMeasure("1.234", "", "de_DE", not: .ambiguousNumber),
      TypedMeasure("1,234", "", "en_US", not: .ambiguousNumber),
      TypedMeasure("1,234", not: .ambiguousNumber),
      TypedMeasure("999,999", "", "en_US", not: .ambiguousNumber),
      TypedMeasure("1234,567", "", "en_US", not: .ambiguousNumber),
      TypedMeasure("1,23", "", "en_US", is: 1.23), TypedMeasure("1,2345", "", "en_US", is: 1.2345),
      TypedMeasure("0,500", "", "en_US", is: 0.5), TypedMeasure("0.125", "", "de_DE", is: 0.125),
      TypedMeasure("00,500", "", "en_US", not: .ambiguousNumber),
      TypedMeasure("1.234,5", "", "de_DE", is: 1234.5), TypedMeasure("1.234,5", is: 1234.5),
      TypedMeasure("1.234,5", "", "en_US", is: 1234.5),
      TypedMeasure("1,234.5", "", "en_US", is: 1234.5),
      TypedMeasure("1,234.5", "", "de_DE", is: 1234.5),
      TypedMeasure("1.234,567", is: 1234.567), TypedMeasure("-1.234,5", is: -1234.5),
      TypedMeasure("1.234.567", is: 1_234_567), TypedMeasure("1,234,567", is: 1_234_567),
      TypedMeasure("1,234,567.89", is: 1_234_567.89),
      TypedMeasure("12,34,567", "", "en_IN", is: 1_234_567),
      TypedMeasure("12,34,567", is: 1_234_567), TypedMeasure("1,23,456.5", is: 123_456.5),
      TypedMeasure("12.34.567", not: .unreadable), TypedMeasure("123,45,678", not: .unreadable),
      TypedMeasure("1,2345,678", not: .unreadable), TypedMeasure("1234,567,890", not: .unreadable),
      TypedMeasure("0,123,456", not: .unreadable), TypedMeasure("1,234,56", not: .unreadable),
      TypedMeasure("12,34.5", not: .unreadable), TypedMeasure("1,234.567.8", not: .unreadable),
      TypedMeasure("1.2.3", not: .unreadable), TypedMeasure("15.06.1990", not: .unreadable),
      TypedMeasure("1,,234", not: .unreadable), TypedMeasure("1.,5", not: .unreadable),
      TypedMeasure("80.", not: .unreadable), TypedMeasure(".5", not: .unreadable),
      TypedMeasure(",5", not: .unreadable), TypedMeasure("007", is: 7),
    ])
  func marks(_ example: TypedMeasure) { #expect(example.reading == example.expected) }

  @Test(
    "spaces and apostrophes group, never part a number from its decimals",
    arguments: [
      TypedMeasure("1 234", "", "fr_FR", is: 1234), TypedMeasure("1 234", "", "sv_SE", is: 1234),
      TypedMeasure("1 234", "", "en_US", not: .ambiguousNumber),
      TypedMeasure("120 180", not: .ambiguousNumber),
      TypedMeasure("1\u{A0}234", is: 1234), TypedMeasure("1\u{202F}234", "", "en_US", is: 1234),
      TypedMeasure("1\u{2009}234", is: 1234), TypedMeasure("1\u{A0}234\u{202F}567", is: 1_234_567),
      TypedMeasure("1 234 567", "", "en_US", is: 1_234_567), TypedMeasure("1 234,5", is: 1234.5),
      TypedMeasure("1 234.5", "", "en_US", is: 1234.5), TypedMeasure("12 34 567", not: .unreadable),
      TypedMeasure("1  234", "", "fr_FR", not: .unreadable),
      TypedMeasure("80 5", "", "fr_FR", not: .unreadable),
      TypedMeasure("5\u{A0}11", not: .unreadable),
      TypedMeasure("012 345", "", "fr_FR", not: .unreadable),
      TypedMeasure("1'234", "", "de_CH", is: 1234), TypedMeasure("1’234", "", "fr_CH", is: 1234),
      TypedMeasure("1'234", "", "es_ES", not: .ambiguousNumber),
      TypedMeasure("70'500", "kg", not: .ambiguousNumber),
      TypedMeasure("1'234'567", is: 1_234_567), TypedMeasure("1’234.5", is: 1234.5),
      TypedMeasure("70'5", "", "es_ES", not: .unreadable),
      TypedMeasure("1'23'456", not: .unreadable),
      TypedMeasure("\u{A0} 82\u{2003}", is: 82), TypedMeasure("8\n2", not: .unreadable),
      TypedMeasure("8\t2", not: .unreadable),
    ])
  func spaces(_ example: TypedMeasure) { #expect(example.reading == example.expected) }

  @Test(
    "digits of every script are read, with their own marks",
    arguments: [
      TypedMeasure("٨٢", "", "ar_EG", is: 82), TypedMeasure("٨٢٫٥", "", "ar_EG", is: 82.5),
      TypedMeasure("٨٢٫٥٠٠", is: 82.5), TypedMeasure("١٬٢٣٤", is: 1234),
      TypedMeasure("١٬٢٣٤٬٥٦٧٫٨", is: 1_234_567.8), TypedMeasure("١٬٢٣", not: .unreadable),
      TypedMeasure("١٫٢٫٣", not: .unreadable), TypedMeasure("١٫٢٣٤٫٥٦٧", not: .unreadable),
      TypedMeasure("٧٠،٥", is: 70.5),
      TypedMeasure("١،٢٣٤", "", "ar_EG", not: .ambiguousNumber),
      TypedMeasure("70.5", "", "ar_EG", is: 70.5),
      TypedMeasure("1,234", "", "ar_EG", not: .ambiguousNumber),
      TypedMeasure("۸۲٫۵", "", "fa_IR", is: 82.5), TypedMeasure("\u{200E}\u{2212}۸۲", is: -82),
      TypedMeasure("८२.५", "", "hi_IN", is: 82.5), TypedMeasure("৮২", is: 82),
      TypedMeasure("８２．５", "", "ja_JP", is: 82.5), TypedMeasure("－８２", is: -82),
      TypedMeasure("๘๒", is: 82), TypedMeasure("𝟖𝟐", is: 82),
      TypedMeasure("８０ｋｇ", "kg", is: 80), TypedMeasure("٨٢ كغ", "kg", is: 82),
      TypedMeasure("৪0", not: .unreadable), TypedMeasure("8２", not: .unreadable),
      TypedMeasure("八十", not: .unreadable), TypedMeasure("²", not: .unreadable),
      TypedMeasure("½", not: .unreadable), TypedMeasure("5½", not: .unreadable),
      TypedMeasure("\u{202E}12", not: .unreadable), TypedMeasure("\u{2068}12\u{2069}", is: 12),
      TypedMeasure("\u{FEFF}12", is: 12),
    ])
  func scripts(_ example: TypedMeasure) { #expect(example.reading == example.expected) }

  @Test(
    "a mass is counted in the declared unit",
    arguments: [
      TypedMeasure("80", "kg", is: 80), TypedMeasure("80,5kg", "kg", is: 80.5),
      TypedMeasure("80kg.", "kg", is: 80), TypedMeasure("80 KG", "kg", is: 80),
      TypedMeasure("80 Kilos", "kg", is: 80), TypedMeasure("80 кг", "kg", is: 80),
      TypedMeasure("80 КГ", "kg", is: 80), TypedMeasure("80㎏", "kg", is: 80),
      TypedMeasure("80500 g", "kg", is: 80.5), TypedMeasure("80500g", "kg", is: 80.5),
      TypedMeasure("1 kg", "lb", is: 1 / 0.45359237), TypedMeasure("1 lb", "kg", is: 0.45359237),
      TypedMeasure("150 lb", "kg", is: 68.0388555), TypedMeasure("150lbs.", "kg", is: 68.0388555),
      TypedMeasure("150 pounds", "kg", is: 68.0388555), TypedMeasure("150", "lb", is: 150),
      TypedMeasure("11 st 4", "lb", is: 158), TypedMeasure("11 st 4 lb", "kg", is: 71.66759446),
      TypedMeasure("11st4", "lb", is: 158), TypedMeasure("11 stone 4.5 lbs", "lb", is: 158.5),
      TypedMeasure("11.5 st", "lb", is: 161), TypedMeasure("11.4", "st", is: 11.4),
      TypedMeasure("11 st 0", "lb", is: 154), TypedMeasure("11 st 13", "lb", is: 167),
      TypedMeasure("11 st 14", "lb", not: .unreadable),
      TypedMeasure("11 st 4 kg", "kg", not: .unreadable),
      TypedMeasure("11.5 st 4 lb", "lb", not: .unreadable),
      TypedMeasure("4 lb 11 st", "lb", not: .unreadable),
      TypedMeasure("8 lb 4 oz", "lb", is: 8.25),
      TypedMeasure("8 lb 4", "lb", not: .ambiguousNumber),
      TypedMeasure("11 4", "st", not: .ambiguousNumber), TypedMeasure("1 kg 500 g", "kg", is: 1.5),
      TypedMeasure("2 kg 500", "kg", not: .ambiguousNumber),
      TypedMeasure("-2.5 kg", "kg", is: -2.5),
      TypedMeasure("-11 st 4", "lb", not: .unreadable), TypedMeasure("-0 lb", "kg", is: 0),
      TypedMeasure("~80", "kg", not: .unreadable), TypedMeasure("80-85", "kg", not: .unreadable),
      TypedMeasure("80 - 85", "kg", not: .unreadable), TypedMeasure("- 80", "kg", not: .unreadable),
      TypedMeasure("80–85", "kg", not: .unreadable), TypedMeasure("80/85", "kg", not: .unreadable),
      TypedMeasure("80 cm", "kg", not: .unreadable), TypedMeasure("80 kgg", "kg", not: .unreadable),
      TypedMeasure("kg", "kg", not: .unreadable), TypedMeasure("kg 80", "kg", not: .unreadable),
      TypedMeasure("80 kg kg", "kg", not: .unreadable),
      TypedMeasure("80kg.5", "kg", not: .unreadable),
      TypedMeasure("about 80", "kg", not: .unreadable), TypedMeasure("80'", "kg", not: .unreadable),
      TypedMeasure("1,234 g", "kg", "en_US", not: .ambiguousNumber),
      TypedMeasure("1,234 g", "kg", "de_DE", is: 0.001234), TypedMeasure("8.0E1", "kg", is: 80),
      TypedMeasure("8.0e1", "kg", not: .unreadable), TypedMeasure("8E1", "kg", not: .unreadable),
      TypedMeasure("", "kg", not: .unreadable), TypedMeasure(" ", "kg", not: .unreadable),
    ])
  func mass(_ example: TypedMeasure) { #expect(example.reading == example.expected) }

  @Test(
    "a length is counted in the declared unit",
    arguments: [
      TypedMeasure("170", "cm", is: 170), TypedMeasure("1.15 m", "cm", is: 115),
      TypedMeasure("4,35m", "cm", is: 435), TypedMeasure("180cm 5mm", "cm", is: 180.5),
      TypedMeasure("1 m 80 cm", "cm", is: 180), TypedMeasure("1m80", "cm", is: 180),
      TypedMeasure("1 m 05", "cm", is: 105), TypedMeasure("1m8", "cm", not: .ambiguousNumber),
      TypedMeasure("1 m 180", "cm", not: .ambiguousNumber),
      TypedMeasure("1 m 180 cm", "cm", not: .unreadable), TypedMeasure("1 m 99 cm", "cm", is: 199),
      TypedMeasure("1 m 100 cm", "cm", not: .unreadable),
      TypedMeasure("5'11\"", "cm", is: 180.34), TypedMeasure("5 ft 11 in", "cm", is: 180.34),
      TypedMeasure("5′ 11″", "cm", is: 180.34), TypedMeasure("5’11”", "cm", is: 180.34),
      TypedMeasure("5'11''", "cm", is: 180.34), TypedMeasure("5'11", "cm", is: 180.34),
      TypedMeasure("5 feet 11", "cm", is: 180.34), TypedMeasure("5ft. 11in.", "cm", is: 180.34),
      TypedMeasure("5ft11in", "in", is: 71), TypedMeasure("5'11.5\"", "in", is: 71.5),
      TypedMeasure("71 in", "cm", is: 180.34), TypedMeasure("71\"", "ft", is: 71.0 / 12),
      TypedMeasure("5.11", "ft", is: 5.11), TypedMeasure("5.11 ft", "cm", is: 155.7528),
      TypedMeasure("5.5'", "in", is: 66), TypedMeasure("5'", "in", is: 60),
      TypedMeasure("5'0", "in", is: 60), TypedMeasure("5'12", "cm", not: .unreadable),
      TypedMeasure("1'75", "cm", not: .unreadable),
      TypedMeasure("1'8", "cm", "es_ES", not: .ambiguousNumber),
      TypedMeasure("5'8\"", "in", "es_ES", is: 68), TypedMeasure("5'8", "in", "es_US", is: 68),
      TypedMeasure("5' 8", "in", "es_ES", is: 68), TypedMeasure("1'750 mm", "m", "de_CH", is: 1.75),
      TypedMeasure("5'110", "cm", "en_US", not: .ambiguousNumber),
      TypedMeasure("5 11", "ft", not: .ambiguousNumber),
      TypedMeasure("5.5 ft 3 in", "in", not: .unreadable),
      TypedMeasure("5 ft 11 cm", "cm", not: .unreadable),
      TypedMeasure("5'11'", "cm", not: .unreadable),
      TypedMeasure("11\" 5'", "cm", not: .unreadable),
      TypedMeasure("5'11\"2", "cm", not: .ambiguousNumber),
      TypedMeasure("5-11", "cm", not: .unreadable), TypedMeasure("1:80", "cm", not: .unreadable),
      TypedMeasure("170 kg", "cm", not: .unreadable),
    ])
  func length(_ example: TypedMeasure) { #expect(example.reading == example.expected) }

  @Test(
    "durations, money and plain numbers",
    arguments: [
      TypedMeasure("90", "min", is: 90), TypedMeasure("1 h 30 min", "min", is: 90),
      TypedMeasure("1h30", "min", is: 90), TypedMeasure("1h 30m", "min", is: 90),
      TypedMeasure("1h5", "min", not: .ambiguousNumber), TypedMeasure("1.5 h", "min", is: 90),
      TypedMeasure("1 h 59 min", "min", is: 119),
      TypedMeasure("1 h 60 min", "min", not: .unreadable),
      TypedMeasure("30m", "min", not: .unreadable), TypedMeasure("1:30", "min", not: .unreadable),
      TypedMeasure("90 s", "min", is: 1.5), TypedMeasure("2 d 3 h", "h", is: 51),
      TypedMeasure("1 d 2 h 3 min 4 s", "s", is: 93_784), TypedMeasure("90 sec", "s", is: 90),
      TypedMeasure("3 weeks", "d", not: .unreadable),
      TypedMeasure("9.99", "USD", is: 9.99), TypedMeasure("$9.99", "USD", is: 9.99),
      TypedMeasure("9,99 $", "USD", is: 9.99), TypedMeasure("USD 9.99", "USD", is: 9.99),
      TypedMeasure("9.99usd", "USD", is: 9.99), TypedMeasure("-$5", "USD", is: -5),
      TypedMeasure("1.234,50 €", "EUR", is: 1234.5),
      TypedMeasure("1.234 €", "EUR", "de_DE", not: .ambiguousNumber),
      TypedMeasure("€ 5", "USD", not: .unreadable), TypedMeasure("5 EUR", "USD", not: .unreadable),
      TypedMeasure("$5 USD", "USD", not: .unreadable), TypedMeasure("$", "USD", not: .unreadable),
      TypedMeasure("Fr. 5", "CHF", is: 5), TypedMeasure("20 zł", "PLN", is: 20),
      TypedMeasure("5%", "", not: .unreadable), TypedMeasure("5%", "%", is: 5),
      TypedMeasure("5 ٪", "%", is: 5), TypedMeasure("5", "%", is: 5),
      TypedMeasure("5 kg", "", not: .unreadable), TypedMeasure("+5", is: 5),
      TypedMeasure("-0", is: 0),
      TypedMeasure("123456789012345", is: 123_456_789_012_345),
      TypedMeasure("1234567890123456", is: 1_234_567_890_123_456),
      TypedMeasure("0.1234567890123456", is: 0.1234567890123456),
    ])
  func others(_ example: TypedMeasure) { #expect(example.reading == example.expected) }

  @Test("the forms of one number that iOS and Android send are one value")
  func forms() {
    let measure = Measure(Quantity(.mass, unit: "kg"))
    let pound = MeasureUnit.named("lb", .mass).map { Reading.value($0) }
    for form: Bytes in ["80", "80.0", "8.0E1", "80e0", "8E+1"] {
      #expect(readMeasure(json: form, as: measure, in: nil) == .value(80))
      #expect(readMeasure(json: form, as: measure, in: pound) == .value(36.2873896))
    }
    #expect(readMeasure("8.0E1", as: measure, locale: nil) == .value(80))
    #expect(readMeasure(" 8.0E1\n", as: measure, locale: nil) == .value(80))
    #expect(readMeasure("80", as: measure, in: pound, locale: nil) == .value(36.2873896))
    #expect(readMeasure("80 kg", as: measure, in: pound, locale: nil) == .value(80))
    #expect(readMeasure(json: "1e400", as: measure, in: nil) == .absent(.unreadable))
    #expect(readMeasure(json: "1e400", as: measure, in: pound) == .absent(.unreadable))
    #expect(readMeasure(json: "0e400", as: measure, in: pound) == .value(0))
    #expect(readMeasure(json: "-0.0", as: measure, in: pound) == .value(0))
    let unknown = Reading<MeasureUnit>.absent(.unreadable)
    #expect(readMeasure("80", as: measure, in: unknown, locale: nil) == .absent(.unreadable))
    #expect(readMeasure("80 kg", as: measure, in: unknown, locale: nil) == .value(80))
  }

  @Test("what a locale's formatter writes is read back, or ambiguous where one group stands alone")
  func roundTrip() throws {
    var random = SeededGenerator(seed: 20_260)
    for id in NumberLocale.knownLocaleIDs {
      let locale = try #require(NumberLocale(localeID: Bytes(id)))
      for _ in 0..<200 {
        let digits = Int.random(in: 0...4, using: &random)
        let whole = Int.random(
          in: 0..<[10, 1000, 10_000, 1_000_000_000][digits % 4], using: &random)
        let power = [1.0, 10, 100, 1000, 10_000][digits]
        let magnitude =
          Double(whole * Int(power) + Int.random(in: 0..<Int(power), using: &random)) / power
        let number = Bool.random(using: &random) ? magnitude : -magnitude
        let typed = numberText(number, fractionDigits: digits, in: locale)
        let groups = typed.unicodeScalars.count { $0 == locale.groupingMark }
        let isAmbiguous =
          digits == 0 && groups == 1 && (locale.groupingMark == "." || locale.groupingMark == ",")
        let expected: Reading<Double> = isAmbiguous ? .absent(.ambiguousNumber) : .value(number)
        let reading = readNumber(Bytes(typed), locale: Bytes(id))
        // Zero has no sign.
        #expect(reading == (number == 0 ? .value(0) : expected), "\(typed) in \(id), seed 20260")
      }
    }
  }

  @Test("no text crashes the reader, and what is read is finite, for 60,000 random texts")
  func totality() {
    var random = SeededGenerator(seed: 411)
    let pieces = [
      "0", "1", "80", "999", "11", "5", "234", ".", ",", "'", "\"", "′", " ", "\u{A0}", "-", "+",
      "kg",
      "lb", "st", "ft", "in", "m", "cm", "h", "min", "$", "EUR", "%", "٨", "٫", "٬", "،", "E", "e",
      "\u{202E}", "\u{0}", "¼", "é", "e\u{301}", "👍🏽", "\u{10FFFF}", "99999999999999999999", "９",
    ]
    let measures = [
      ("kg", Quantity.Kind.mass), ("ft", .length), ("min", .duration), ("EUR", .money),
      ("", .number),
    ]
    .map { Measure(Quantity($1, unit: Bytes($0))) }
    let stone = MeasureUnit.named("st", .mass).map { Reading.value($0) }
    for run in 0..<60_000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        if Int.random(in: 0..<20, using: &random) == 0 {
          bytes.append(UInt8.random(in: 0...255, using: &random))
        } else {
          bytes += pieces[Int.random(in: 0..<pieces.count, using: &random)].utf8
        }
      }
      let measure = measures[run % measures.count]
      let chosen = measure.quantity.kind == .mass && run % 2 == 0 ? stone : nil
      switch readMeasure(
        Bytes(bytes), as: measure, in: chosen, locale: run % 3 == 0 ? "de_DE" : nil)
      {
      case .value(let number):
        #expect(number.isFinite && !(number == 0 && number.sign == .minus), "seed 411, run \(run)")
      case .absent(let reason):
        #expect(
          reason == .unreadable || reason == .ambiguousNumber, "seed 411, run \(run)")
      }
      _ = readMeasure(json: Bytes(bytes), as: measure, in: chosen)
      _ = readDay(Bytes(bytes), zone: Bytes(bytes), zones: { _ in nil })
    }
  }

  @Test("the table of digits is Unicode's")
  func digits() {
    for value in 0..<UInt32(0x11_0000) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let isDigit = scalar.properties.generalCategory == .decimalNumber
      let zero = DigitSystem.zero(of: scalar)
      guard isDigit || zero != nil else { continue }
      #expect(
        zero.map { Double(value - $0) } == scalar.properties.numericValue && isDigit,
        "U+\(String(value, radix: 16))")
    }
  }

  @Test("a text of a million digits is refused at once")
  func long() {
    let typed = String(repeating: "1 ", count: 500_000)
    #expect(TypedMeasure(typed, "kg", not: .unreadable).reading == .absent(.unreadable))
  }
}
