import Foundation
import Testing

@testable import Core
@testable import sluice

@Suite("Numbers as people write and read them")
struct NumberTests {
  struct Case: CustomTestStringConvertible {
    let typed: Bytes
    let locale: Bytes?
    let reading: Reading<Double>
    var testDescription: String { "\(typed.string) in \(locale?.string ?? "no locale")" }
  }

  @Test(
    "a typed number is read with its locale, or is absent with a reason",
    arguments: [
      Case(typed: "82", locale: nil, reading: .value(82)),
      Case(typed: " 82 ", locale: "en_US", reading: .value(82)),
      Case(typed: "70.5", locale: "en_US", reading: .value(70.5)),
      Case(typed: "70,5", locale: "en_US", reading: .value(70.5)),
      Case(typed: "70.5", locale: "de_DE", reading: .value(70.5)),
      Case(typed: "70,5", locale: "de-DE", reading: .value(70.5)),
      Case(typed: "1.234", locale: "en_US", reading: .value(1.234)),
      Case(typed: "1.234", locale: "de_DE", reading: .absent(.ambiguousNumber)),
      Case(typed: "1,234", locale: "en_US", reading: .absent(.ambiguousNumber)),
      Case(typed: "1,234", locale: "de_DE", reading: .value(1.234)),
      Case(typed: "1.234", locale: nil, reading: .absent(.ambiguousNumber)),
      Case(typed: "1.234", locale: "xx_XX", reading: .absent(.ambiguousNumber)),
      Case(typed: "-0", locale: nil, reading: .value(0)),
      Case(typed: "+5", locale: nil, reading: .value(5)),
      Case(typed: "-5.25", locale: nil, reading: .value(-5.25)),
      Case(typed: "", locale: nil, reading: .absent(.unreadable)),
      Case(typed: ".5", locale: nil, reading: .absent(.unreadable)),
      Case(typed: "5.", locale: nil, reading: .absent(.unreadable)),
      Case(typed: "1.2.3", locale: nil, reading: .absent(.unreadable)),
      Case(typed: "80 kg", locale: nil, reading: .absent(.unreadable)),
      Case(typed: "0x10", locale: nil, reading: .absent(.unreadable)),
      Case(typed: "nan", locale: nil, reading: .absent(.unreadable)),
      Case(typed: "1e5", locale: nil, reading: .absent(.unreadable)),
    ])
  func reading(of example: Case) {
    #expect(readNumber(example.typed, locale: example.locale) == example.reading)
  }

  @Test("a number of 400 digits is unreadable, never infinite")
  func huge() {
    let typed = Bytes(String(repeating: "9", count: 400))
    #expect(readNumber(typed, locale: nil) == .absent(.unreadable))
  }

  @Test("texts equal Foundation's, for every locale of the table and 25 numbers")
  func foundation() throws {
    let numbers: [Double] = [
      0, 1, -1, 25, 25.03, 22.65, 22.75, 0.5, 1.5, 2.5, -0.04, 999.95, 1000, 1234.5, 9999.96,
      12345.678, -12345.6, 1_234_567.25, 123_456_789.5, 0.05, 0.15, 0.25, 0.35, 99.99, -99.95,
    ]
    for id in NumberLocale.knownLocaleIDs {
      let locale = try #require(NumberLocale(localeID: Bytes(id)))
      for digits in [0, 1, 2] {
        // What the vendor's own sample uses.
        let style = FloatingPointFormatStyle<Double>.number.precision(.fractionLength(digits))
          .locale(Locale(identifier: id))
        for number in numbers {
          var expected = number.formatted(style)
          // Foundation keeps the sign of what rounds to zero; nobody reads "-0" as a result.
          if Double(numberText(number, fractionDigits: digits, in: .english)) == 0 {
            expected = 0.0.formatted(style)
          }
          #expect(
            numberText(number, fractionDigits: digits, in: locale) == expected,
            "\(number) with \(digits) digits in \(id)")
        }
      }
    }
  }

  @Test("without fraction digits a number has as many as its shortest decimal")
  func shortest() {
    #expect(numberText(25, fractionDigits: nil, in: .english) == "25")
    #expect(numberText(0.1, fractionDigits: nil, in: .english) == "0.1")
    #expect(numberText(1e21, fractionDigits: nil, in: .english) == "1,000,000,000,000,000,000,000")
    #expect(numberText(1.5e-7, fractionDigits: nil, in: .english) == "0.00000015")
  }
}

@Suite("The vendor's draw")
struct VariationDrawTests {
  private let version: Bytes = "11111111-1111-4111-8111-111111111111"

  @Test(
    "a profile draws the number of the vendor's rule", arguments: zip(1...4, [53, 43, 54, 74]))
  func numbers(profile: Int, expected: Int) {
    let id = Bytes("00000000-0000-4000-8000-00000000000\(profile)")
    #expect(
      VariationDraw.number(audienceVersionID: version, profileID: id, .system) == expected)
  }

  @Test("weights are walked ascending, then by id")
  func walking() {
    let even: [(weight: Int, variationID: Bytes)] = [(50, "bbbb"), (50, "aaaa")]
    #expect(
      [53, 43, 54, 74].map { even[VariationDraw.index(number: $0, among: even)].variationID }
        == ["bbbb", "aaaa", "bbbb", "bbbb"])
    let uneven: [(weight: Int, variationID: Bytes)] = [(70, "aaaa"), (30, "bbbb")]
    #expect((0...29).allSatisfy { VariationDraw.index(number: $0, among: uneven) == 1 })
    #expect((30...99).allSatisfy { VariationDraw.index(number: $0, among: uneven) == 0 })
  }

  @Test("a weight of 0 gets nobody and a weight of 100 everybody")
  func extremes() {
    let variations: [(weight: Int, variationID: Bytes)] = [(0, "a"), (100, "b")]
    #expect((0...99).allSatisfy { VariationDraw.index(number: $0, among: variations) == 1 })
  }
}
