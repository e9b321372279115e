import Core
import Foundation
import Ingest
import Testing

@testable import sluice

@Suite("Fixtures of sources")
struct SourceFixtureTests {
  private let folder = SourcesFolder()

  @Test("there is one for every source that comes with the program")
  func complete() {
    let covered = Set(SourceFixture.all.map(\.source))
    #expect(Set(folder.names).subtracting(["canonical"]) == covered)
    #expect(covered.count == 15)
  }

  @Test("each gives the events of its canonical twin", arguments: SourceFixture.all)
  func twin(_ fixture: SourceFixture) throws {
    let export = try SourceInput(
      fixture.text(of: fixture.export), as: folder.mapping(fixture.source))
    let twin = try SourceInput(fixture.text(of: fixture.twin), as: nil)
    #expect(twin.rejections == [] && twin.items.count >= 2)
    #expect(export.lines() == twin.lines())
    #expect(export.counts.isBalanced)
    #expect(export.rejections == [])
    // Rows of the vendor's exports without a profile are no fault.
    let isExport = fixture.source.hasSuffix("_csv")
    #expect(export.counts.filtered == (isExport ? 1 : 0))
    #expect(export.counts.leftOut == (isExport ? ["profile_id": 1] : [:]))
  }

  @Test("each gives the same events in any order, read twice", arguments: SourceFixture.all)
  func order(_ fixture: SourceFixture) throws {
    let text = try fixture.text(of: fixture.export)
    let mapping = try folder.mapping(fixture.source)
    let expected = try SourceInput(text, as: mapping).lines()
    guard !fixture.export.hasSuffix(".json") else {
      #expect(try SourceInput(text + text, as: mapping).lines() == expected)
      return
    }
    var random = SeededGenerator(seed: 7)
    let lines = text.split(separator: "\n")
    for run in 1...5 {
      let shuffled = (lines + lines).shuffled(using: &random).joined(separator: "\n")
      #expect(try SourceInput(shuffled, as: mapping).lines() == expected, "seed 7, run \(run)")
    }
  }

  @Test("each is recognised as its source by its first records", arguments: SourceFixture.all)
  func recognition(_ fixture: SourceFixture) throws {
    let export = try fixture.text(of: fixture.export)
    #expect(try recognised(export) == fixture.source)
    let twin = try fixture.text(of: fixture.twin)
    #expect(try recognised(twin) == "canonical")
  }

  @Test("the samples that are shipped are recognised as canonical")
  func samples() throws {
    for path in [Checkout.athletes, Checkout.davis] {
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(try recognised(text) == "canonical")
    }
  }

  private func recognised(_ text: String) throws -> String {
    var reader = ChunkReader(MemorySource(Array(text.utf8), name: "test"), limits: ReadLimits())
    let chunk = try #require(try reader.next())
    let found = SourceRecognition(
      chunk, among: try folder.mappings(), limits: ReadLimits(), primitives: .system)
    switch found {
    case .recognised(let mapping, _): return mapping.name.string
    case .ambiguous(let indices): return "ambiguous \(indices)"
    case .unknown: return "unknown"
    }
  }

  @Test("nothing is told of members and names that the source's maker documents")
  func documented() throws {
    for fixture in SourceFixture.all where fixture.source != "adapty_events_csv" {
      let export = try SourceInput(
        fixture.text(of: fixture.export), as: folder.mapping(fixture.source))
      #expect(export.unknown.isEmpty, "\(fixture.folder): \(export.unknown.counts.keys)")
    }
    for (source, names) in [
      ("segment", ["identify", "screen"]), ("rudderstack", ["identify"]),
      ("amplitude", ["session_start"]), ("ga4", ["screen_view"]), ("posthog", ["$identify"]),
    ] as [(String, [Bytes])] {
      #expect(try folder.mapping(source).knownNames.isSuperset(of: names), "\(source)")
    }
  }

  @Test("a member that cannot be read costs itself, and one that nobody knows costs nothing")
  func unreadable() throws {
    let sources = ["segment", "amplitude", "posthog", "mixpanel", "adapty_webhook", "bridge"]
    for fixture in SourceFixture.all where sources.contains(fixture.folder) {
      let mapping = try folder.mapping(fixture.source)
      let lines = try fixture.text(of: fixture.export).split(separator: "\n")
      let usual = try SourceInput(lines.joined(separator: "\n"), as: mapping)
      let strange = lines.map { #"{"member_of_next_year":[{"a":1}],"# + $0.dropFirst() }
      let read = try SourceInput(strange.joined(separator: "\n"), as: mapping)
      #expect(read.rejections == [], "\(fixture.folder)")
      #expect(read.items.map(\.profileID) == usual.items.map(\.profileID))
      #expect(read.items.map(\.event.identity) == usual.items.map(\.event.identity))
      #expect(read.items.map(\.event.context) == usual.items.map(\.event.context))
    }
  }
}
