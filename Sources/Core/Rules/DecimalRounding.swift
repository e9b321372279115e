/// `round(x, n)` as PostgreSQL does it: `round(x::numeric, n)::float8`.
///
/// The cast to `numeric` keeps 15 significant digits (`DBL_DIG`; half to even on the exact binary
/// value, as `printf("%.15g")`); then the decimal is rounded half away from zero; then it becomes
/// the nearest double. Source: PostgreSQL 15, `float8_numeric` and `numeric_round` in numeric.c.
enum DecimalRounding {
  /// Decimals that a rule may ask for.
  static let decimals = 0...15

  /// The number rounded to `decimals` digits after the point; never negative zero.
  ///
  /// The number is finite, `decimals` 0–15. Throws `.overflow` where 15 digits of a number near the
  /// greatest double exceed it. No allocation below 10¹⁵.
  static func round(
    _ number: Double, decimals: Int
  ) throws(OperatorFailure) -> Double {
    let magnitude = number.magnitude
    // Less than half of the last decimal that can be asked for.
    guard magnitude >= 1e-16 else { return 0 }
    let result = magnitude < 1e15 ? small(magnitude, decimals) : large(magnitude)
    guard result.isFinite else { throw .overflow }
    return (number < 0 ? -result : result) + 0
  }

  /// For 10⁻¹⁶ ≤ x < 10¹⁵, in exact integers.
  private static func small(_ number: Double, _ decimals: Int) -> Double {
    // x · 10^scale shall have 15 digits before the point; the estimate is off by one at most.
    var scale = 14 - Int((Double(number.exponent) * 0.301029995663981).rounded(.down))
    var (whole, isUp) = scaled(number, by: scale)
    while whole >= 1_000_000_000_000_000 {
      scale -= 1
      (whole, isUp) = scaled(number, by: scale)
    }
    while whole < 100_000_000_000_000 {
      scale += 1
      (whole, isUp) = scaled(number, by: scale)
    }
    var digits = UInt64(whole) + (isUp ? 1 : 0)
    if scale > decimals {
      let cut = scale - decimals
      // More than 16 digits to cut leave less than half.
      guard cut <= 16 else { return 0 }
      let unit = powersOfTen[cut]
      digits = (digits + unit / 2) / unit
      scale = decimals
    }
    // Both are exact doubles (< 2⁵³, ≤ 10²²), so one division rounds correctly.
    return Double(digits) / Double(powersOfTen[scale])
  }

  /// ⌊x · 10^scale⌋, and whether the rest rounds up, half to even.
  ///
  /// x is m · 2^k with m < 2⁵³ and the scale at most 31, so m · 5^scale has at most 125 bits.
  private static func scaled(_ number: Double, by scale: Int) -> (whole: UInt128, isUp: Bool) {
    var product = UInt128(number.significandBitPattern | 1 << 52)
    for _ in 0..<scale { product *= 5 }
    let shift = 52 - Int(number.exponent) - scale
    let whole = product >> UInt128(shift)
    let rest = product - whole << UInt128(shift)
    let half = UInt128(1) << UInt128(shift - 1)
    return (whole, rest > half || (rest == half && whole & 1 == 1))
  }

  private static let powersOfTen: [UInt64] = {
    var powers: [UInt64] = [1]
    for _ in 0..<16 { powers.append(powers[powers.count - 1] * 10) }
    return powers
  }()

  /// For x ≥ 10¹⁵: there are no decimals, but 15 digits are kept all the same.
  private static func large(_ number: Double) -> Double {
    // The exact integer in base 10⁹, lowest first: m, doubled as often as its exponent says. Below
    // 2⁵³ there may be a fraction, which only matters as "more than half".
    let exponent = Int(number.exponent) - 52
    let significand = number.significandBitPattern | 1 << 52
    var rest = false
    var limbs: [UInt64]
    if exponent < 0 {
      limbs = base(significand >> UInt64(-exponent))
      rest = significand & (1 << UInt64(-exponent) - 1) != 0
    } else {
      limbs = base(significand)
      for _ in 0..<exponent { double(&limbs) }
    }
    var digits: [UInt8] = []
    for (place, limb) in limbs.reversed().enumerated() {
      let text = String(limb).utf8
      if place > 0 { digits += [UInt8](repeating: 48, count: 9 - text.count) }
      digits += text
    }
    var kept: UInt64 = 0
    for digit in digits[..<15] { kept = kept * 10 + UInt64(digit - 48) }
    let dropped = digits[15...]
    rest = rest || dropped.dropFirst().contains { $0 != 48 }
    if let next = dropped.first, next > 53 || (next == 53 && (rest || kept & 1 == 1)) { kept += 1 }
    return Double("\(kept)e\(dropped.count)") ?? .infinity
  }

  private static func base(_ number: UInt64) -> [UInt64] {
    [number % 1_000_000_000, number / 1_000_000_000]
  }

  private static func double(_ limbs: inout [UInt64]) {
    var carry: UInt64 = 0
    for index in limbs.indices {
      let sum = limbs[index] * 2 + carry
      limbs[index] = sum % 1_000_000_000
      carry = sum / 1_000_000_000
    }
    if carry > 0 { limbs.append(carry) }
  }
}
