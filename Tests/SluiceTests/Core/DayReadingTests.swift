import Testing

@testable import Core

@Suite("Dates of pickers")
struct DayReadingTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let typed: Bytes
    let zone: Bytes?
    let day: String?
    var testDescription: String { "\(typed.string) in \(zone?.string ?? "no zone")" }

    init(_ typed: Bytes, _ zone: Bytes?, _ day: String?) {
      (self.typed, self.zone, self.day) = (typed, zone, day)
    }
  }

  /// One change of offset, as the real zone had it.
  private static func zones(_ name: Bytes) -> Zone? {
    guard name == "Europe/Berlin" else { return nil }
    return Zone(
      name: name, firstOffset: 3600,
      changes: [
        Zone.Change(at: Instant(microseconds: 638_326_800_000_000), offset: 7200),
        Zone.Change(at: Instant(microseconds: 654_656_400_000_000), offset: 3600),
      ])
  }

  @Test(
    "the midnight is that of the event's zone, else the nearest",
    arguments: [
      Case("645408000000", nil, "1990-06-15"), Case("6.45408E11", nil, "1990-06-15"),
      Case("645408000000.0", nil, "1990-06-15"),
      // 11 h 59 min around midnight in UTC.
      Case("645364860000", nil, "1990-06-15"), Case("645451140000", nil, "1990-06-15"),
      Case("645364740000", nil, "1990-06-14"), Case("645451200000", nil, "1990-06-16"),
      // Midnight 13 hours and 14 hours east of UTC: a day too early without the zone.
      Case("645361200000", nil, "1990-06-14"), Case("645361200000", "+13:00", "1990-06-15"),
      Case("645357600000", "UTC+14", "1990-06-15"), Case("645357600000", "GMT+14:00", "1990-06-15"),
      Case("645361200000", "Nowhere/Here", "1990-06-14"),
      Case("645400800000", "Europe/Berlin", "1990-06-15"),
      // Midnight in winter, told by an event of summer, and the other way round.
      Case("632358000000", "+02:00", "1990-01-15"), Case("645400800000", "+01:00", "1990-06-15"),
      // A day in UTC, told by an event elsewhere.
      Case("645408000000", "-05:00", "1990-06-15"), Case("645408000000", "+05:30", "1990-06-15"),
      Case("1990-06-15", "+13:00", "1990-06-15"), Case(" 1990-06-15 ", nil, "1990-06-15"),
      Case("0", nil, "1970-01-01"), Case("-86400000", nil, "1969-12-31"),
      Case("1990-02-30", nil, nil), Case("15.06.1990", nil, nil), Case("", nil, nil),
      Case("0x10", nil, nil), Case("nan", nil, nil), Case("1e300", nil, nil),
      Case("-62135596800000", nil, "0001-01-01"), Case("-62135640000001", nil, nil),
      Case("253402214400000", nil, "9999-12-31"), Case("253402300800000", nil, nil),
    ])
  func days(_ example: Case) {
    #expect(
      readDay(example.typed, zone: example.zone, zones: Self.zones)?.iso8601 == example.day)
  }

  @Test(
    "offsets need no zone file",
    arguments: [
      ("+13:00", 46_800), ("+1300", 46_800), ("+13", 46_800), ("-0330", -12_600), ("UTC+5", 18_000),
      ("UTC", 0), ("GMT", 0), ("Z", 0), ("GMT+5:30", 19_800), ("GMT-05:30", -19_800),
      ("+15:59", 57_540),
      ("+16:00", nil), ("+05:60", nil), ("Etc/GMT+5", nil), ("+", nil), ("+5:3", nil),
      ("+123456", nil),
      ("+:30", nil), ("+005:30", nil), ("Europe/Berlin", nil), ("", nil),
    ] as [(Bytes, Int32?)])
  func offsets(name: Bytes, seconds: Int32?) { #expect(fixedOffset(name) == seconds) }
}
