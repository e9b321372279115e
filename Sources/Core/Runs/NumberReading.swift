/// What became of an answer when it was read as a type.
package enum Reading<Result: Hashable & Sendable>: Hashable, Sendable {
  case value(Result)
  case absent(AbsenceReason)
}

/// A number as a person typed it, first form (SEMANTICS 7.9).
///
/// After trimming: an optional sign, digits, and at most one `.` or `,` followed by digits. The mark of
/// the person's locale is decimal. With the other mark, or without a known locale, exactly three digits
/// behind the mark could be a group or a fraction: such a number is never guessed.
package func readNumber(_ typed: Bytes, locale: Bytes?) -> Reading<Double> {
  let text = trimmed(typed)
  var plain: [UInt8] = []
  plain.reserveCapacity(text.count)
  var mark: UInt8?
  var digitsBehindMark = 0
  var digitsBeforeMark = 0
  for (index, byte) in text.slice.enumerated() {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      plain.append(byte)
      if mark == nil { digitsBeforeMark += 1 } else { digitsBehindMark += 1 }
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      guard index == 0 else { return .absent(.unreadable) }
      if byte == UInt8(ascii: "-") { plain.append(byte) }
    case UInt8(ascii: "."), UInt8(ascii: ","):
      guard mark == nil, digitsBeforeMark > 0 else { return .absent(.unreadable) }
      mark = byte
      plain.append(UInt8(ascii: "."))
    default:
      return .absent(.unreadable)
    }
  }
  guard digitsBeforeMark > 0, mark == nil || digitsBehindMark > 0 else {
    return .absent(.unreadable)
  }
  if let mark, digitsBehindMark == 3 {
    let decimalMark = locale.flatMap { NumberLocale(localeID: $0) }?.decimalMark
    guard decimalMark == Unicode.Scalar(mark) else { return .absent(.ambiguousNumber) }
  }
  return finite(Bytes(plain))
}

/// A JSON number or plain decimal as a finite double; negative zero is zero.
func finite(_ digits: Bytes) -> Reading<Double> {
  guard let number = Double(digits.string), number.isFinite else { return .absent(.unreadable) }
  return .value(number == 0 ? 0 : number)
}
