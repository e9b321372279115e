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

  /// The sum in a quantity's unit; nil where a unit is unknown or the sum is too large.
  ///
  /// Units have whole sizes, so that 5 ft and 11 in are 180.34 cm to the last bit: the sizes are added
  /// up first and divided once.
  static func sum(_ terms: [Term], in quantity: Quantity) -> Double? {
    if terms.allSatisfy({ $0.unit == quantity.unit }) {
      return finiteOrNil(terms.reduce(0) { $0 + $1.number })
    }
    guard let unit = MeasureUnit.named(quantity.unit, quantity.kind) else { return nil }
    var total = 0.0
    for term in terms {
      guard let its = MeasureUnit.named(term.unit, quantity.kind) else { return nil }
      total += term.number * Double(its.size)
    }
    return finiteOrNil(total / Double(unit.size))
  }

  private static func finiteOrNil(_ number: Double) -> Double? {
    // Minus zero is never kept (SEMANTICS 7.2).
    number.isFinite ? (number == 0 ? 0 : number) : nil
  }
}
