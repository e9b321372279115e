/// Dates and timestamps as a rule writes them.
enum TimeLiteral {
  /// `2026-01-31`, from year 1 to 9999; nil for anything else and for days that do not exist.
  static func day(_ text: Bytes) -> Day? {
    guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      let year = number(text[0..<4]), year > 0, let month = number(text[5..<7]),
      let day = number(text[8..<10])
    else { return nil }
    return Day(year: year, month: month, day: day)
  }

  /// `2026-01-31T10:00:00Z`: seconds, a fraction of up to 6 digits and the zone (`Z`, `±hh`,
  /// `±hh:mm`) may be left out, the whole time too; without a zone it is UTC.
  static func instant(_ text: Bytes) -> Instant? {
    guard text.count >= 10, let day = day(text[0..<10]) else { return nil }
    var rest = text[10..<text.count]
    if rest.isEmpty { return day.startInUTC }
    guard rest[0] == UInt8(ascii: "T") || rest[0] == UInt8(ascii: " ") else { return nil }
    rest = rest[1..<rest.count]
    guard let (hours, minutes) = clock(&rest, greatestHour: 23) else { return nil }
    var micros = Int64(hours * 60 + minutes) * 60_000_000
    if !rest.isEmpty, rest[0] == UInt8(ascii: ":") {
      guard rest.count >= 3, let seconds = number(rest[1..<3]), seconds < 60 else { return nil }
      rest = rest[3..<rest.count]
      guard let fraction = fraction(&rest) else { return nil }
      micros += Int64(seconds) * 1_000_000 + fraction
    }
    guard let offset = zone(rest) else { return nil }
    return day.startInUTC.adding(microseconds: micros - offset)
  }

  /// Takes `hh:mm` from the start.
  private static func clock(
    _ text: inout Bytes, greatestHour: Int
  ) -> (hours: Int, minutes: Int)? {
    guard text.count >= 5, text[2] == UInt8(ascii: ":"), let hours = number(text[0..<2]),
      let minutes = number(text[3..<5]), hours <= greatestHour, minutes < 60
    else { return nil }
    text = text[5..<text.count]
    return (hours, minutes)
  }

  /// Takes `.digits` from the start, as microseconds; 0 where there is none.
  private static func fraction(_ text: inout Bytes) -> Int64? {
    guard !text.isEmpty, text[0] == UInt8(ascii: ".") else { return 0 }
    var micros: Int64 = 0
    var digits = 0
    while digits + 1 < text.count, text[digits + 1].isDigit, digits < 7 {
      micros = micros * 10 + Int64(text[digits + 1] - UInt8(ascii: "0"))
      digits += 1
    }
    guard (1...6).contains(digits) else { return nil }
    text = text[digits + 1..<text.count]
    for _ in digits..<6 { micros *= 10 }
    return micros
  }

  /// Microseconds east of UTC.
  private static func zone(_ text: Bytes) -> Int64? {
    if text.isEmpty || text == "Z" || text == "z" { return 0 }
    guard text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-") else { return nil }
    var rest = text[1..<text.count]
    if rest.count == 2 { rest = Bytes.joined(rest, ":00") }
    guard let (hours, minutes) = clock(&rest, greatestHour: 15), rest.isEmpty else { return nil }
    let micros = Int64(hours * 60 + minutes) * 60_000_000
    return text[0] == UInt8(ascii: "-") ? -micros : micros
  }

  private static func number(_ digits: Bytes) -> Int? {
    var number = 0
    for byte in digits.slice {
      guard byte.isDigit else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return number
  }
}
