import Core
import Foundation
import Ingest
import Testing

@testable import sluice

/// The fixtures of sources that come as CSV, written as the tools write it.
@Suite("Sources in CSV")
struct SourceCSVTests {
  private let folder = SourcesFolder()

  /// Records of texts as CSV, each cell quoted where it must be, and in between.
  private func csv(
    _ lines: some Sequence<some StringProtocol>, renaming: [String: String] = [:],
    columns extra: [String] = [], using random: inout SeededGenerator
  ) throws -> String {
    let records = try lines.map {
      try #require(
        JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String])
    }
    let names = Set(records.flatMap(\.keys)).sorted().shuffled(using: &random)
    func cell(_ text: String) -> String {
      // Bytes: a carriage return and a newline are one character.
      let isSpecial = text.utf8.contains { "\",\r\n".utf8.contains($0) }
      guard isSpecial || Bool.random(using: &random) else {
        return text
      }
      return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
    let header = (names.map { renaming[$0] ?? $0 } + extra).map { cell($0) }
    let rows = records.map { record in
      (names.map { cell(record[$0] ?? "") } + extra.map { _ in "" }).joined(separator: ",")
    }
    return ([header.joined(separator: ",")] + rows).joined(separator: "\r\n") + "\r\n"
  }

  private func recognised(_ text: String) throws -> String? {
    var reader = ChunkReader(MemorySource(Array(text.utf8), name: "test"), limits: ReadLimits())
    let chunk = try #require(try reader.next())
    #expect(reader.layout == .csv)
    let found = SourceRecognition(
      chunk, among: try folder.mappings(), limits: ReadLimits(), primitives: .system)
    guard case .recognised(let mapping, _) = found else { return nil }
    return mapping.name.string
  }

  @Test(
    "columns in any order, quoted cells with line ends, and both spellings of the country give one reading",
    arguments: ["adapty_events_csv", "adapty_visits_csv"])
  func vendor(_ name: String) throws {
    let fixture = SourceFixture(name)
    let mapping = try folder.mapping(name)
    let lines = try fixture.text(of: fixture.export)
      .replacing("Coach A", with: #"Coach \"A\",\nnew"#).split(separator: "\n")
    let expected = try SourceInput(lines.joined(separator: "\n"), as: mapping)
    #expect(expected.items.count >= 2)
    for seed: UInt64 in 1...4 {
      var random = SeededGenerator(seed: seed)
      for country in ["profile_country", "profile_county"] {
        let text = try csv(
          lines.shuffled(using: &random),
          renaming: ["profile_country": country, "profile_county": country],
          columns: ["column of\nnext year"], using: &random)
        #expect(try recognised(text) == name, "seed \(seed)")
        let read = try SourceInput(text, as: mapping)
        #expect(read.rejections == [] && read.counts.isBalanced)
        #expect(read.counts.leftOut == ["profile_id": 1])
        #expect(read.lines() == expected.lines(), "seed \(seed), \(country)")
      }
    }
  }

  @Test("a word for nothing in the profile's column is as good as an empty cell")
  func nullProfiles() throws {
    let header = "profile_id,paywall_showed_at,paywall_name,developer_id\n"
    let rows = [",a", "NULL,b", "null,c", "\"\",d", "p1,e"].map { row in
      let cells = row.split(separator: ",", omittingEmptySubsequences: false)
      return "\(cells[0]),2026-06-01 10:00:00.000000,Coach,\(cells[1])\n"
    }
    let read = try SourceInput(
      header + rows.joined(), as: folder.mapping("adapty_visits_csv"))
    #expect(read.items.map(\.profileID) == ["p1"])
    #expect(read.counts.leftOut == ["profile_id": 4] && read.counts.filtered == 4)
    #expect(read.counts.read == 5 && read.rejections == [])
  }

  @Test("JSON in a cell is read as the JSON")
  func appMetrica() throws {
    let fixture = SourceFixture("appmetrica-csv")
    let mapping = try folder.mapping("appmetrica")
    let twin = try SourceInput(fixture.text(of: fixture.twin), as: nil)
    for seed: UInt64 in 1...4 {
      var random = SeededGenerator(seed: seed)
      let lines = try fixture.text(of: fixture.export).split(separator: "\n")
      let text = try csv((lines + lines).shuffled(using: &random), using: &random)
      #expect(try recognised(text) == "appmetrica")
      let read = try SourceInput(text, as: mapping)
      #expect(read.rejections == [])
      #expect(read.lines() == twin.lines(), "seed \(seed)")
    }
  }

  @Test("a table of many columns, or without a row, is read")
  func odd() throws {
    let header = "event_id,event_name,profile_id,occurred_at"
    let many = (1...300).map { "column_\($0)" }
    let wide =
      header + "," + many.joined(separator: ",") + "\r\n1,x,p,1772359200"
      + many.map { _ in ",v" }.joined() + "\r\n"
    let read = try SourceInput("\u{FEFF}" + wide, as: nil)
    #expect(read.items.count == 1 && read.unknown.counts.count == 300)
    #expect(read.unknown.counts[UnknownName(.column, "column_300")] == 1)
    for text in ["", header, header + "\r\n", "\u{FEFF}" + header + "\n"] {
      let read = try SourceInput(text, as: nil)
      #expect(read.items.isEmpty && read.rejections == [] && read.counts.isBalanced)
    }
  }
}
