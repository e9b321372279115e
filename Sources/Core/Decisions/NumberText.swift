/// A number as people read it in a locale (SEMANTICS 7.7).
///
/// The shortest decimal of the double is rounded half to even at `fractionDigits`, which is what an
/// app's own formatter shows; then the locale's digits, sign and grouping are applied.
///
/// - Parameters:
///   - number: finite.
///   - fractionDigits: 0–15, always that many; nil for as many as the shortest decimal has.
/// - Returns: e.g. `25.0`, `25,0`, `1.234.567,5`; never a negative zero.
package func numberText(_ number: Double, fractionDigits: Int?, in locale: NumberLocale) -> String {
  let decimal = Decimal(shortest: number)
  let (whole, fraction) = decimal.digits(roundedTo: fractionDigits)
  let isNegative = number < 0 && (whole + fraction).contains { $0 != 0 }
  var text = isNegative ? locale.minus : ""
  func append(_ digit: Int) {
    let value = locale.zero.value + UInt32(digit)
    if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
  }
  let isGrouped = whole.count >= 3 + locale.leastGrouped
  for (index, digit) in whole.enumerated() {
    // Digits from here to the end: the last group has three, those before it the locale's size.
    let rest = whole.count - index
    if isGrouped, index > 0, rest >= 3, (rest - 3) % locale.groupSize == 0 {
      text.unicodeScalars.append(locale.groupingMark)
    }
    append(digit)
  }
  if !fraction.isEmpty {
    text.unicodeScalars.append(locale.decimalMark)
    fraction.forEach(append)
  }
  return text
}

/// The shortest decimal of a double: `0.digits × 10^exponent`, sign left out.
private struct Decimal {
  private let digits: [Int]
  private let exponent: Int

  init(shortest number: Double) {
    let text = number.magnitude.description
    let parts = text.split(separator: "e")
    let mantissa = parts.first ?? ""
    let scale = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    let whole = mantissa.prefix { $0 != "." }
    var digits: [Int] = []
    for character in mantissa.unicodeScalars where character != "." {
      digits.append(Int(character.value) - 48)
    }
    var exponent = whole.count + scale
    while let first = digits.first, first == 0 {
      digits.removeFirst()
      exponent -= 1
    }
    while let last = digits.last, last == 0 { digits.removeLast() }
    self.digits = digits
    self.exponent = digits.isEmpty ? 0 : exponent
  }

  /// The digits before and after the decimal mark; at least one before it.
  func digits(roundedTo places: Int?) -> (whole: [Int], fraction: [Int]) {
    let places = places ?? max(0, digits.count - exponent)
    // Index of the first digit that is cut off.
    let cut = exponent + places
    var kept = (0..<max(cut, 0)).map { $0 < digits.count ? digits[$0] : 0 }
    if cut >= 0, cut < digits.count, roundsUp(cut, after: kept.last ?? 0) {
      var index = kept.count - 1
      while index >= 0, kept[index] == 9 {
        kept[index] = 0
        index -= 1
      }
      if index >= 0 { kept[index] += 1 } else { kept.insert(1, at: 0) }
    }
    while kept.count < places { kept.insert(0, at: 0) }
    let whole = Array(kept[..<(kept.count - places)])
    return (whole.isEmpty ? [0] : whole, Array(kept[(kept.count - places)...]))
  }

  private func roundsUp(_ cut: Int, after last: Int) -> Bool {
    if digits[cut] != 5 { return digits[cut] > 5 }
    return cut + 1 < digits.count || last % 2 == 1
  }
}
