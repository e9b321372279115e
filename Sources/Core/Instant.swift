/// A point in time in microseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
///
/// Readers accept 1970-01-01 up to and including 2100-12-31 (SEMANTICS 1.7).
package struct Instant: Hashable, Comparable, Sendable {
  package var microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  package static let microsecondsPerDay: Int64 = 86_400_000_000

  /// The first instant that is too late to be read, 2101-01-01T00:00:00Z.
  package static let end = Instant(microseconds: 4_133_980_800_000_000)

  package static func < (left: Instant, right: Instant) -> Bool {
    left.microseconds < right.microseconds
  }

  /// Moves an instant by a signed number of microseconds; saturates instead of overflowing.
  package func adding(microseconds delta: Int64) -> Instant {
    let (sum, overflow) = microseconds.addingReportingOverflow(delta)
    guard overflow else { return Instant(microseconds: sum) }
    return Instant(microseconds: delta > 0 ? .max : .min)
  }

  package func adding(days: Int64) -> Instant {
    let (delta, overflow) = days.multipliedReportingOverflow(by: Self.microsecondsPerDay)
    return adding(microseconds: overflow ? (days > 0 ? .max : .min) : delta)
  }

  /// The UTC day this instant lies in.
  package var day: Day {
    let (quotient, remainder) = microseconds.quotientAndRemainder(
      dividingBy: Self.microsecondsPerDay)
    return Day(days: Int32(clamping: remainder < 0 ? quotient - 1 : quotient))
  }

  /// ISO-8601 in UTC with as many fraction digits as are needed (0, 3 or 6): `2026-03-01T10:00:00Z`.
  package var iso8601: String {
    var text: [UInt8] = []
    text.append(iso8601: self)
    return String(decoding: text, as: UTF8.self)
  }
}

/// A calendar day in the proleptic Gregorian calendar, as days since 1970-01-01.
package struct Day: Hashable, Comparable, Sendable {
  package var days: Int32

  package init(days: Int32) { self.days = days }

  /// Creates a day from calendar fields; nil for a date that does not exist (30 February).
  ///
  /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...12).contains(month), day >= 1, (0...9999).contains(year) else { return nil }
    guard day <= Day.length(ofMonth: month, year: year) else { return nil }
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    days = Int32(era * 146_097 + dayOfEra - 719_468)
  }

  package static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Year, month (1–12) and day of month (1–31).
  ///
  /// Source: civil_from_days of the same paper.
  package var civil: (year: Int, month: Int, day: Int) {
    let z = Int(days) + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  package static func < (left: Day, right: Day) -> Bool { left.days < right.days }

  /// The day's first instant in UTC.
  package var startInUTC: Instant {
    Instant(microseconds: Int64(days) * Instant.microsecondsPerDay)
  }

  package var iso8601: String {
    var text: [UInt8] = []
    text.append(iso8601: self)
    return String(decoding: text, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Appends what ``Instant/iso8601`` is: there is one in every answer that is stored.
  package mutating func append(iso8601 instant: Instant) {
    let inDay = instant.microseconds - Int64(instant.day.days) * Instant.microsecondsPerDay
    let seconds = inDay / 1_000_000
    let fraction = inDay % 1_000_000
    append(iso8601: instant.day)
    append(UInt8(ascii: "T"))
    append(seconds / 3600, width: 2)
    append(UInt8(ascii: ":"))
    append(seconds / 60 % 60, width: 2)
    append(UInt8(ascii: ":"))
    append(seconds % 60, width: 2)
    if fraction != 0 {
      append(UInt8(ascii: "."))
      let isWhole = fraction % 1000 == 0
      append(isWhole ? fraction / 1000 : fraction, width: isWhole ? 3 : 6)
    }
    append(UInt8(ascii: "Z"))
  }

  fileprivate mutating func append(iso8601 day: Day) {
    let (year, month, day) = day.civil
    append(Int64(year), width: 4)
    append(UInt8(ascii: "-"))
    append(Int64(month), width: 2)
    append(UInt8(ascii: "-"))
    append(Int64(day), width: 2)
  }

  /// Appends a number with zeros in front of it; one that is longer stands as it is.
  private mutating func append(_ number: Int64, width: Int) {
    var power: Int64 = 1
    for _ in 0..<width { power *= 10 }
    guard (0..<power).contains(number) else {
      let digits = String(number)
      let zeros = Swift.max(0, width - digits.count)
      append(contentsOf: repeatElement(UInt8(ascii: "0"), count: zeros))
      append(contentsOf: digits.utf8)
      return
    }
    while power > 1 {
      power /= 10
      append(UInt8(ascii: "0") + UInt8(number / power % 10))
    }
  }
}
