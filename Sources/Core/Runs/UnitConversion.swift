/// Adds up quantities in several units of one kind.
enum UnitConversion {
  struct Term {
    let number: Double
    let unit: Bytes

    init(_ number: Double, unit: Bytes) {
      self.number = number
      self.unit = unit
    }
  }

  /// The sum in a unit; nil where a unit is unknown or the sum is too large.
  ///
  /// Units count whole steps, so that 5 ft and 11 in are 180.34 cm to the last bit: the steps are
  /// added up first and divided once.
  static func sum(_ terms: [Term], in unit: Bytes) -> Double? {
    if terms.allSatisfy({ $0.unit == unit }) {
      return finiteOrNil(terms.reduce(0) { $0 + $1.number })
    }
    guard let divisor = steps[unit] else { return nil }
    var total = 0.0
    for term in terms {
      guard let size = steps[term.unit] else { return nil }
      total += term.number * size
    }
    return finiteOrNil(total / divisor)
  }

  private static func finiteOrNil(_ number: Double) -> Double? {
    // Minus zero is never kept (SEMANTICS 7.2).
    number.isFinite ? (number == 0 ? 0 : number) : nil
  }

  /// Lengths in tenths of a millimetre, masses in units of 10 µg, durations in seconds.
  ///
  /// The international yard and pound (1959) define feet, inches, pounds and stones exactly.
  private static let steps: [Bytes: Double] = [
    "mm": 10, "cm": 100, "m": 10_000, "in": 254, "ft": 3048,
    "g": 100_000, "kg": 100_000_000, "lb": 45_359_237, "st": 635_029_318,
    "s": 1, "min": 60, "h": 3600, "d": 86_400,
  ]
}
