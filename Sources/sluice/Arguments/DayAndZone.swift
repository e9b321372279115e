internal import Core

extension Day {
  /// A day written `2026-06-01`; nil for any other form and for a day that does not exist.
  init?(iso8601 text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = digits(bytes[0..<4]), let month = digits(bytes[5..<7]),
      let day = digits(bytes[8..<10])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }
}

extension Instant {
  /// An instant written `2026-06-01T12:00:00Z`, or a day, which is its first instant in UTC.
  ///
  /// Seconds may have a fraction of up to six digits or be left out; the zone is `Z` or `±hh:mm` and
  /// must be there: a time without a zone means another instant on each machine.
  init?(iso8601 text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 10,
      let day = Day(iso8601: String(decoding: bytes.prefix(10), as: UTF8.self))
    else { return nil }
    guard bytes.count > 10 else {
      self = day.startInUTC
      return
    }
    guard bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "),
      let zone = bytes.dropFirst(11).firstIndex(where: { "Zz+-".utf8.contains($0) }),
      let time = timeInMicroseconds(bytes[11..<zone]),
      let offset = zoneInMicroseconds(bytes[zone...])
    else { return nil }
    self = day.startInUTC.adding(microseconds: time - offset)
  }
}

/// True for the form of a time zone's name, such as `Europe/Berlin`, `Etc/GMT+1` or `UTC`.
func isTimeZoneName(_ text: String) -> Bool {
  let parts = text.split(separator: "/", omittingEmptySubsequences: false)
  return parts.allSatisfy { part in
    part.utf8.first.map(isLetter) == true
      && part.utf8.allSatisfy { isLetter($0) || isDigit($0) || "_+-".utf8.contains($0) }
  }
}

private func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

/// The number that these digits spell; nil without digits, with anything else, and above 9 digits.
private func digits(_ bytes: ArraySlice<UInt8>) -> Int? {
  guard (1...9).contains(bytes.count), bytes.allSatisfy(isDigit) else { return nil }
  return bytes.reduce(0) { $0 * 10 + Int($1) - 0x30 }
}

/// `hh:mm`, `hh:mm:ss` or `hh:mm:ss.f…`.
private func timeInMicroseconds(_ bytes: ArraySlice<UInt8>) -> Int64? {
  let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
  guard (2...3).contains(parts.count), parts[0].count == 2, parts[1].count == 2,
    let hour = digits(parts[0]), hour < 24, let minute = digits(parts[1]), minute < 60
  else { return nil }
  var total = Int64(hour * 3600 + minute * 60) * 1_000_000
  guard parts.count == 3 else { return total }
  let seconds = parts[2].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
  guard seconds.count <= 2, seconds[0].count == 2, let second = digits(seconds[0]), second < 60
  else { return nil }
  total += Int64(second) * 1_000_000
  guard let fraction = seconds.dropFirst().first else { return total }
  guard fraction.count <= 6, let number = digits(fraction) else { return nil }
  return total + (0..<(6 - fraction.count)).reduce(Int64(number)) { value, _ in value * 10 }
}

/// `Z`, `+hh:mm` or `-hh:mm`.
private func zoneInMicroseconds(_ bytes: ArraySlice<UInt8>) -> Int64? {
  let zone = Array(bytes)
  if zone.count == 1, zone[0] | 0x20 == UInt8(ascii: "z") { return 0 }
  guard zone.count == 6, zone[3] == UInt8(ascii: ":"), let hour = digits(zone[1..<3]),
    let minute = digits(zone[4..<6]), hour <= 15, minute < 60
  else { return nil }
  let offset = Int64(hour * 3600 + minute * 60) * 1_000_000
  return zone[0] == UInt8(ascii: "-") ? -offset : offset
}
