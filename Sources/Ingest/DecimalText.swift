/// A JSON number read exactly from its text: `± digits × 10^exponent`, never by way of a double.
struct DecimalText {
  private(set) var isNegative = false
  /// Up to 19 significant digits.
  private(set) var digits: UInt64 = 0
  private(set) var exponent = 0
  /// True where digits behind the 19th were not zero.
  private(set) var isCut = false

  /// Nil where the text is not a number as JSON writes it; leading zeros are let through.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    var index = 0
    if index < text.count, text[index] == UInt8(ascii: "-") {
      isNegative = true
      index += 1
    }
    let whole = readDigits(text, &index, areFraction: false)
    guard whole > 0 else { return nil }
    if index < text.count, text[index] == UInt8(ascii: ".") {
      index += 1
      guard readDigits(text, &index, areFraction: true) > 0 else { return nil }
    }
    if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      guard let shift = DecimalText.signedExponent(text, &index) else { return nil }
      exponent += shift
    }
    guard index == text.count else { return nil }
  }

  private mutating func readDigits(
    _ text: UnsafeBufferPointer<UInt8>, _ index: inout Int, areFraction: Bool
  ) -> Int {
    let start = index
    while index < text.count, let digit = decimalDigit(text[index]) {
      if digits < 1_000_000_000_000_000_000 {
        digits = digits * 10 + UInt64(digit)
        if areFraction { exponent -= 1 }
      } else {
        if digit != 0 { isCut = true }
        if !areFraction { exponent += 1 }
      }
      index += 1
    }
    return index - start
  }

  /// Clamped to ±100,000, far beyond every number that means anything here.
  private static func signedExponent(
    _ text: UnsafeBufferPointer<UInt8>, _ index: inout Int
  ) -> Int? {
    var isNegative = false
    if index < text.count, text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-") {
      isNegative = text[index] == UInt8(ascii: "-")
      index += 1
    }
    let start = index
    var value = 0
    while index < text.count, let digit = decimalDigit(text[index]) {
      value = min(value * 10 + Int(digit), 100_000)
      index += 1
    }
    guard index > start else { return nil }
    return isNegative ? -value : value
  }

  /// The number if it is whole and fits, else nil: `12`, `12.0` and `1.2e1` are all 12.
  var int64: Int64? {
    if digits == 0 { return isCut ? nil : 0 }
    guard !isCut else { return nil }
    var magnitude = digits
    var shift = exponent
    while shift < 0 {
      guard magnitude % 10 == 0 else { return nil }
      magnitude /= 10
      shift += 1
    }
    while shift > 0 {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      guard !overflow else { return nil }
      magnitude = product
      shift -= 1
    }
    guard isNegative else { return Int64(exactly: magnitude) }
    return magnitude == Int64.min.magnitude ? Int64.min : Int64(exactly: magnitude).map { -$0 }
  }

  /// The number times 10^`power`, its fraction cut off; saturates at `Int64.max` in magnitude.
  func scaled(by power: Int) -> Int64 {
    var magnitude = digits
    var shift = exponent + power
    while shift < 0, magnitude > 0 {
      magnitude /= 10
      shift += 1
    }
    while shift > 0, magnitude > 0 {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      guard !overflow else { return isNegative ? -Int64.max : Int64.max }
      magnitude = product
      shift -= 1
    }
    let value = Int64(clamping: magnitude)
    return isNegative ? -value : value
  }
}

/// The value of an ASCII digit, else nil.
@inline(__always)
func decimalDigit(_ byte: UInt8) -> UInt8? {
  let digit = byte &- UInt8(ascii: "0")
  return digit <= 9 ? digit : nil
}
