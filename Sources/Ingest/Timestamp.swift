package import Core

/// What a time in an envelope says (SEMANTICS 1.7).
///
/// Read are ISO-8601 date and time of day, extended (`2026-03-01T10:00:00.5+05:30`) or basic
/// (`20260301T100000Z`), with `T`, `t` or a space between, seconds optional, a fraction of any length
/// cut to microseconds, and `Z`, `z`, `±hh`, `±hhmm`, `±hh:mm` or nothing behind it, also after a
/// space; and seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by size.
/// Text of up to 8 or of 12 digits alone is invalid: it may be a day or a minute.
/// Second 60 is read as second 59 of its minute, fraction kept. A date alone, hour 24 and dates that
/// do not exist are invalid: nothing is rolled over or guessed.
package enum Timestamp: Hashable, Sendable {
  /// `isAssumedUTC`: there was no zone, so it was read as UTC.
  case instant(Instant, isAssumedUTC: Bool)
  case invalid
  /// Before 1970 or after 2100.
  case outOfRange

  /// Reads text: ISO-8601, or a number since 1970.
  package init(text: Bytes) {
    self = text.array.withUnsafeBufferPointer { Timestamp(text: $0) }
  }

  init(text: UnsafeBufferPointer<UInt8>) {
    // `2026`, `20260301`, `202603011000`: a day or a minute as likely as a number since 1970.
    let isDigits = text.allSatisfy { decimalDigit($0) != nil }
    if isDigits, (1...8).contains(text.count) || text.count == 12 {
      self = .invalid
    } else if let number = DecimalText(text) {
      self.init(sinceEpoch: number)
    } else {
      self.init(iso8601: text)
    }
  }

  init(number: UnsafeBufferPointer<UInt8>) {
    guard let number = DecimalText(number) else {
      self = .invalid
      return
    }
    self.init(sinceEpoch: number)
  }

  /// Below 1e11 seconds, below 1e14 milliseconds, below 1e17 microseconds, else nanoseconds.
  private init(sinceEpoch number: DecimalText) {
    guard !number.isNegative || number.digits == 0 else {
      self = .outOfRange
      return
    }
    let whole = number.scaled(by: 0)
    let powerToMicroseconds =
      switch whole {
      case ..<100_000_000_000: 6
      case ..<100_000_000_000_000: 3
      case ..<100_000_000_000_000_000: 0
      default: -3
      }
    self.init(number.scaled(by: powerToMicroseconds), isAssumedUTC: false)
  }

  private init(iso8601 text: UnsafeBufferPointer<UInt8>) {
    var reader = DigitReader(text: text)
    guard let year = reader.number(digits: 4) else {
      self = .invalid
      return
    }
    let isExtended = reader.skip("-")
    guard let month = reader.number(digits: 2), !isExtended || reader.skip("-"),
      let dayOfMonth = reader.number(digits: 2),
      let day = Day(year: year, month: month, day: dayOfMonth),
      reader.skip("T") || reader.skip("t") || (isExtended && reader.skip(" ")),
      let time = reader.timeOfDay(isExtended: isExtended),
      let zone = reader.zone(), reader.isAtEnd
    else {
      self = .invalid
      return
    }
    let microseconds = day.startInUTC.microseconds + time - (zone.offset ?? 0)
    self.init(microseconds, isAssumedUTC: zone.offset == nil)
  }

  private init(_ microseconds: Int64, isAssumedUTC: Bool) {
    let instant = Instant(microseconds: microseconds)
    let isInRange = microseconds >= 0 && instant < Instant.end
    self = isInRange ? .instant(instant, isAssumedUTC: isAssumedUTC) : .outOfRange
  }
}

/// A cursor over the digits and marks of an ISO-8601 text.
private struct DigitReader {
  let text: UnsafeBufferPointer<UInt8>
  private var index = 0

  init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

  var isAtEnd: Bool { index == text.count }

  mutating func skip(_ mark: Unicode.Scalar) -> Bool {
    guard index < text.count, text[index] == UInt8(ascii: mark) else { return false }
    index += 1
    return true
  }

  /// Exactly so many digits, at most 4; nil, and nothing is consumed, where there are fewer.
  mutating func number(digits count: Int) -> Int? {
    guard text.count - index >= count else { return nil }
    var value = 0
    for offset in index..<(index + count) {
      guard let digit = decimalDigit(text[offset]) else { return nil }
      value = value * 10 + Int(digit)
    }
    index += count
    return value
  }

  /// Microseconds since midnight, below a day's; nil for hour 24, minute 60, second 61.
  mutating func timeOfDay(isExtended: Bool) -> Int64? {
    guard let hour = number(digits: 2), hour <= 23, !isExtended || skip(":"),
      let minute = number(digits: 2), minute <= 59
    else { return nil }
    var second = 0
    var fraction: Int64 = 0
    if isExtended ? skip(":") : isAtDigit {
      guard let value = number(digits: 2), value <= 60 else { return nil }
      second = min(value, 59)
      if skip(".") || skip(",") {
        guard let value = fractionInMicroseconds() else { return nil }
        fraction = value
      }
    }
    return Int64(hour * 3600 + minute * 60 + second) * 1_000_000 + fraction
  }

  private var isAtDigit: Bool { index < text.count && decimalDigit(text[index]) != nil }

  private mutating func fractionInMicroseconds() -> Int64? {
    var value: Int64 = 0
    var unit: Int64 = 100_000
    let start = index
    while index < text.count, let digit = decimalDigit(text[index]) {
      value += Int64(digit) * unit
      unit /= 10
      index += 1
    }
    return index > start ? value : nil
  }

  /// What stands behind the time of day.
  struct Zone {
    /// East of UTC in microseconds; nil where the text ends without a zone.
    let offset: Int64?
  }

  /// Nil where something stands there that is no zone.
  mutating func zone() -> Zone? {
    if isAtEnd { return Zone(offset: nil) }
    _ = skip(" ")
    if skip("Z") || skip("z") { return Zone(offset: 0) }
    let isWest = skip("-")
    guard isWest || skip("+"), let hours = number(digits: 2), hours <= 23 else { return nil }
    var minutes = 0
    if !isAtEnd {
      _ = skip(":")
      guard let value = number(digits: 2), value <= 59 else { return nil }
      minutes = value
    }
    let offset = Int64(hours * 60 + minutes) * 60_000_000
    return Zone(offset: isWest ? -offset : offset)
  }
}
