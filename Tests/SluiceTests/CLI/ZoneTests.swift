import Foundation
import Testing

@testable import Core
@testable import sluice

@Suite("Time zones")
struct ZoneTests {
  @Test(
    "days begin where Foundation begins them, for every day of 2025 to 2027",
    arguments: [
      "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "America/Sao_Paulo",
      "Asia/Beirut", "America/Havana", "UTC",
    ])
  func days(name: String) throws {
    let zone = try #require(ZoneFile.zone(named: Bytes(name)))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: name))
    let first = try #require(Day(year: 2025, month: 1, day: 1)?.days)
    for number in first..<(first + 3 * 365) {
      let day = Day(days: number)
      let (year, month, dayOfMonth) = day.civil
      let noon = try #require(
        calendar.date(from: DateComponents(year: year, month: month, day: dayOfMonth, hour: 12)))
      let start = calendar.startOfDay(for: noon)
      #expect(
        zone.start(of: day).microseconds == Int64(start.timeIntervalSince1970) * 1_000_000,
        "\(day.iso8601) in \(name)")
      #expect(zone.day(of: zone.start(of: day)) == day)
    }
  }

  @Test("a name that is no zone is no zone", arguments: ["", "Nowhere/Here", "../../etc/passwd"])
  func unknown(name: String) {
    #expect(ZoneFile.zone(named: Bytes(name)) == nil)
  }
}
