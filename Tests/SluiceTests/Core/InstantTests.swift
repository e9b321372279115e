import Testing

@testable import Core

@Suite("Instants and days")
struct InstantTests {
  @Test("every day from 1970 to 2100 survives the way to calendar fields and back")
  func roundTrip() {
    for number in Int32(0)...47_846 {
      let (year, month, day) = Day(days: number).civil
      #expect(Day(year: year, month: month, day: day)?.days == number)
    }
  }

  @Test("a date that does not exist is no day")
  func impossible() {
    #expect(Day(year: 2026, month: 2, day: 30) == nil)
    #expect(Day(year: 2100, month: 2, day: 29) == nil)
    #expect(Day(year: 2024, month: 2, day: 29) != nil)
  }

  @Test("an instant prints as many fraction digits as it has")
  func printing() {
    #expect(Instant(microseconds: 1_772_359_200_000_000).iso8601 == "2026-03-01T10:00:00Z")
    #expect(Instant(microseconds: 1_772_359_200_500_000).iso8601 == "2026-03-01T10:00:00.500Z")
    #expect(Instant(microseconds: 1_772_359_200_000_001).iso8601 == "2026-03-01T10:00:00.000001Z")
  }
}
