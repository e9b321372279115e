/// A decimal number as written: `mantissa × 10^-scale`.
///
/// Kept exact until the unit is applied: 1.15 m is 115 cm, and 1.15 × 100 is not.
struct ExactDecimal {
  let isNegative: Bool
  let mantissa: UInt64
  /// Digits behind the decimal mark; 0–18.
  let scale: Int

  /// A number from its digits and the place of its decimal mark; nil beyond 18 digits.
  ///
  /// - Parameter digits: `-82.5` or a JSON number such as `8.0E1`.
  init?(_ text: Bytes) {
    var mantissa: UInt64 = 0
    var scale = 0
    var count = 0
    var isNegative = false
    var hasMark = false
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte.isDigit {
        if count > 0 || byte != UInt8(ascii: "0") { count += 1 }
        guard count <= 18 else { return nil }
        mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
        if hasMark { scale += 1 }
      } else if byte == UInt8(ascii: "-"), index == 0 {
        isNegative = true
      } else if byte == UInt8(ascii: "."), !hasMark {
        hasMark = true
      } else if byte | 0x20 == UInt8(ascii: "e") {
        guard let exponent = Int(text[(index + 1)..<text.count].string),
          (-400...400).contains(exponent)
        else { return nil }
        scale -= exponent
        break
      } else {
        return nil
      }
      index += 1
    }
    while scale > 0, mantissa % 10 == 0 {
      mantissa /= 10
      scale -= 1
    }
    while scale < 0 {
      let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
      guard !overflow else { return nil }
      mantissa = product
      scale += 1
    }
    guard scale <= 18 || mantissa == 0 else { return nil }
    self.init(isNegative: isNegative, mantissa: mantissa, scale: mantissa == 0 ? 0 : scale)
  }

  init(isNegative: Bool, mantissa: UInt64, scale: Int) {
    self.isNegative = isNegative
    self.mantissa = mantissa
    self.scale = scale
  }

  /// The number as a double: the nearest one below 2⁵³, where both sides of the division are exact.
  var value: Double {
    guard mantissa > 0 else { return 0 }
    var power = 1.0
    for _ in 0..<scale { power *= 10 }
    let number = Double(mantissa) / power
    return isNegative ? -number : number
  }

  /// The number counted in another unit; never negative zero.
  func converted(from unit: MeasureUnit, to other: MeasureUnit) -> Double {
    // Below 10¹⁸ · 10¹³, which 128 bits hold.
    let number = quotient(
      UInt128(mantissa) * UInt128(unit.size), UInt128(other.size) * powerOfTen(scale))
    return isNegative && number != 0 ? -number : number
  }
}

/// The quotient of two whole numbers: the nearest double wherever both fit one once they are reduced.
func quotient(_ dividend: UInt128, _ divisor: UInt128) -> Double {
  var (left, right) = (dividend, divisor)
  while right != 0 { (left, right) = (right, left % right) }
  guard left > 0 else { return 0 }
  return Double(dividend / left) / Double(divisor / left)
}

func powerOfTen(_ exponent: Int) -> UInt128 {
  var power: UInt128 = 1
  for _ in 0..<exponent { power *= 10 }
  return power
}
