import Core
import Ingest
import Testing

@Suite("Timestamps")
struct TimestampTests {
  /// 2026-03-01T10:00:00Z.
  static let ten: Int64 = 1_772_359_200_000_000

  struct Case: CustomTestStringConvertible {
    let text: String
    let microseconds: Int64
    var isAssumedUTC = false
    var testDescription: String { text }
  }

  @Test(
    "reads every spelling of an instant",
    arguments: [
      Case(text: "2026-03-01T10:00:00Z", microseconds: ten),
      Case(text: "2026-03-01T10:00:00.5Z", microseconds: ten + 500_000),
      Case(text: "2026-03-01T10:00:00,5Z", microseconds: ten + 500_000),
      Case(text: "2026-03-01T10:00:00.123Z", microseconds: ten + 123_000),
      Case(text: "2026-03-01T10:00:00.123456789Z", microseconds: ten + 123_456),
      Case(text: "2026-03-01T10:00:00.999999999999999999999Z", microseconds: ten + 999_999),
      Case(text: "2026-03-01T10:00:00+0000", microseconds: ten),
      Case(text: "2026-03-01T15:30:00+05:30", microseconds: ten),
      Case(text: "2026-03-01T02:00:00-0800", microseconds: ten),
      Case(text: "2026-03-01 10:00:00+00", microseconds: ten),
      Case(text: "2026-03-01 10:00:00 +00:00", microseconds: ten),
      Case(text: "2026-03-01 10:00:00 Z", microseconds: ten),
      Case(text: "2026-03-01t10:00:00z", microseconds: ten),
      Case(text: "2026-03-01T10:00Z", microseconds: ten),
      Case(text: "20260301T100000Z", microseconds: ten),
      Case(text: "20260301T100000.25+0000", microseconds: ten + 250_000),
      Case(text: "2026-03-01T10:00:00", microseconds: ten, isAssumedUTC: true),
      Case(text: "2026-03-01 10:00:00.25", microseconds: ten + 250_000, isAssumedUTC: true),
      Case(text: "2026-03-01T10:00:60Z", microseconds: ten + 59_000_000),
      Case(text: "2026-03-01T10:00:60.75Z", microseconds: ten + 59_750_000),
      Case(text: "1970-01-01T00:00:00Z", microseconds: 0),
      Case(text: "2100-12-31T23:59:59.999999Z", microseconds: Instant.end.microseconds - 1),
      Case(text: "2024-02-29T00:00:00Z", microseconds: 1_709_164_800_000_000),
      Case(text: "1772359200", microseconds: ten),
      Case(text: "1772359200.123456789", microseconds: ten + 123_456),
      Case(text: "1772359200000", microseconds: ten),
      Case(text: "1772359200000.5", microseconds: ten + 500),
      Case(text: "1772359200000000", microseconds: ten),
      Case(text: "1772359200000000999", microseconds: ten),
      Case(text: "1.7723592e9", microseconds: ten),
      Case(text: "6.45408E11", microseconds: 645_408_000_000_000),
      Case(text: "0.0", microseconds: 0),
      Case(text: "99999999999e-3", microseconds: 99_999_999_999_000),
      Case(text: "1000000000000", microseconds: 1_000_000_000_000_000),
      Case(text: "99999999999999", microseconds: 99_999_999_999_999_000),
    ].filter { $0.microseconds < Instant.end.microseconds })
  func spellings(_ example: Case) {
    let expected = Timestamp.instant(
      Instant(microseconds: example.microseconds), isAssumedUTC: example.isAssumedUTC)
    #expect(Timestamp(text: Bytes(example.text)) == expected)
  }

  @Test("prints and reads back, for 2,000 random instants")
  func roundTrip() {
    var random = SeededGenerator(seed: 7)
    for run in 1...2000 {
      let instant = Instant(
        microseconds: Int64.random(in: 0..<Instant.end.microseconds, using: &random))
      let expected = Timestamp.instant(instant, isAssumedUTC: false)
      #expect(Timestamp(text: Bytes(instant.iso8601)) == expected, "seed 7, run \(run)")
    }
  }

  @Test(
    "refuses what is no instant instead of guessing",
    arguments: [
      "", " ", "2026-02-30T10:00:00Z", "2100-02-29T10:00:00Z", "2026-13-01T10:00:00Z",
      "2026-00-01T10:00:00Z", "2026-03-00T10:00:00Z", "2026-03-01T24:00:00Z",
      "2026-03-01T10:60:00Z", "2026-03-01T10:00:61Z", "2026-03-01", "2026-03-01T", "2026-03",
      "2026-03-01T10:00:00.Z", "2026-03-01T10:00:00+5", "2026-03-01T10:00:00+24:00",
      "2026-03-01T10:00:00+05:60", "2026-03-01T10:00:00ZZ", "2026-03-01T10:00:00 ",
      "2026-03-01T10:00:00 UTC", "10:00:00", "yesterday", "2026-03-01T10", "20260301 100000Z",
      "2026-3-1T10:00:00Z", "1e", "--5", "1.", "0x10", "٢٠٢٦-03-01T10:00:00Z",
    ])
  func refuses(_ text: String) {
    #expect(Timestamp(text: Bytes(text)) == .invalid)
  }

  @Test(
    "keeps to the years from 1970 to 2100",
    arguments: [
      "1969-12-31T23:59:59.999999Z", "1970-01-01T00:30:00+01:00", "2101-01-01T00:00:00Z",
      "2100-12-31T23:59:59-00:01", "-1", "-0.001", "9e18", "1e400", "99999999999999999999999999",
    ])
  func range(_ text: String) {
    #expect(Timestamp(text: Bytes(text)) == .outOfRange)
  }
}
