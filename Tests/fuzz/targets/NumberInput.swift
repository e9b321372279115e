@testable import Core

/// Any bytes as what a person typed where a number was asked for.
///
/// The first byte chooses what is measured, the second the person's locale.
enum NumberInput {
  private static let measures: [Measure] = {
    var result = [
      Measure.plainNumber, Measure(Quantity(.number, unit: "%")),
      Measure(Quantity(.money, unit: "USD")), Measure(Quantity(.money, unit: "EUR")),
    ]
    for kind in Quantity.Kind.allCases {
      for unit in kind.units { result.append(Measure(Quantity(kind, unit: Bytes(unit)))) }
    }
    return result
  }()

  private static let locales: [Bytes?] =
    [nil, "xx"] + NumberLocale.knownLocaleIDs.map { Bytes($0) }

  static func read(_ bytes: [UInt8]) {
    guard bytes.count > 2 else { return }
    let measure = measures[Int(bytes[0]) % measures.count]
    let locale = locales[Int(bytes[1]) % locales.count]
    let typed = Bytes(Array(bytes[2...]))
    let reading = check(readMeasure(typed, as: measure, locale: locale))
    let spaced = Bytes.joined(" ", Bytes.joined(typed, " "))
    demand(
      readMeasure(spaced, as: measure, locale: locale) == reading, "space around changes nothing")
    for unit in measure.quantity.kind.units {
      guard let chosen = MeasureUnit.named(Bytes(unit), measure.quantity.kind) else { continue }
      check(readMeasure(typed, as: measure, in: .value(chosen), locale: locale))
      check(readMeasure(json: typed, as: measure, in: .value(chosen)))
    }
    _ = readDay(typed, zone: "Europe/Berlin") { _ in nil }
  }

  @discardableResult
  private static func check(_ reading: Reading<Double>) -> Reading<Double> {
    if case .value(let number) = reading {
      demand(
        number.isFinite && !(number == 0 && number.sign == .minus),
        "a number is finite and no negative zero: \(number)")
    }
    return reading
  }
}
