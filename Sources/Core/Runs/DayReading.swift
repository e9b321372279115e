/// The day of a picker's local midnight in Unix ms, or of a text such as `1990-06-15`.
///
/// The midnight nearest to the instant, on the clock of the event's zone: a picker hands over midnight
/// in the device's rules for that day, and these may differ by some hours from what is known here – an
/// event in winter says `+01:00` of a birthday in summer. Without a known zone the clock is UTC's,
/// which is right up to 12 hours from it.
///
/// - Parameters:
///   - zone: as the event names it.
///   - zones: the zone of a name; an offset needs none.
/// - Returns: nil for anything else, and for what lies outside the years 1 to 9999.
func readDay(_ typed: Bytes, zone: Bytes?, zones: (Bytes) -> Zone?) -> Day? {
  let text = trimmed(typed)
  if let day = TimeLiteral.day(text) { return day }
  // A number in JSON and nothing else that Swift takes for one, such as `0x10`.
  guard text.slice.allSatisfy({ $0.isDigit || "+-.eE".utf8.contains($0) }),
    let milliseconds = Double(text.string), years.contains(milliseconds)
  else { return nil }
  let instant = Instant(microseconds: Int64(milliseconds) * 1000)
  let offset = zone.flatMap { secondsEast(of: $0, at: instant, zones) } ?? 0
  let noon = Int64(offset) * 1_000_000 + Instant.microsecondsPerDay / 2
  let day = instant.adding(microseconds: noon).day
  return (1...9999).contains(day.civil.year) ? day : nil
}

/// Unix ms of the years 1 to 9999, with a day to spare for zones.
private let years: ClosedRange<Double> = -62_135_683_200_000...253_402_387_200_000

private func secondsEast(
  of zone: Bytes, at instant: Instant, _ zones: (Bytes) -> Zone?
) -> Int32? {
  fixedOffset(zone) ?? zones(zone)?.offset(at: instant)
}

/// Seconds east of UTC of `+13:00`, `-0330`, `UTC+13`, `GMT+5:30`, `UTC` or `Z`; nil for all else.
///
/// `Etc/GMT+5`, which lies west, is a name and no offset.
func fixedOffset(_ name: Bytes) -> Int32? {
  var text = name
  if text == "Z" || text == "UTC" || text == "GMT" { return 0 }
  if text.hasPrefix("UTC") || text.hasPrefix("GMT") { text = text[3..<text.count] }
  guard text.count >= 2, text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-") else {
    return nil
  }
  let sign: Int32 = text[0] == UInt8(ascii: "-") ? -1 : 1
  let parts = text[1..<text.count].slice.split(
    separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
  guard parts.count <= 2, parts.allSatisfy({ $0.allSatisfy(\.isDigit) }) else { return nil }
  var digits = parts[0].map { Int32($0 - UInt8(ascii: "0")) }
  if parts.count == 2 {
    guard (1...2).contains(digits.count), parts[1].count == 2 else { return nil }
    digits += parts[1].map { Int32($0 - UInt8(ascii: "0")) }
  } else if (1...2).contains(digits.count) {
    digits += [0, 0]
  }
  guard (3...4).contains(digits.count) else { return nil }
  let hours = digits.dropLast(2).reduce(0) { $0 * 10 + $1 }
  let minutes = digits.suffix(2).reduce(0) { $0 * 10 + $1 }
  guard hours <= 15, minutes < 60 else { return nil }
  return sign * (hours * 3600 + minutes * 60)
}
