import Core
import Foundation
import Ingest
import Testing

@testable import sluice

@Suite("Source files")
struct SourceFileTests {
  private static let broken = "Tests/SluiceTests/Golden/sources/"

  private static var names: [String] {
    let files =
      (try? FileManager.default.contentsOfDirectory(atPath: Golden.folder + "sources")) ?? []
    return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
  }

  @Test("each broken one is told by its exact report, everything at once")
  func reports() throws {
    #expect(Self.names.count >= 10)
    let folder = SourcesFolder()
    for name in Self.names {
      do {
        _ = try folder.mapping(Self.broken + name + ".yaml")
        Issue.record("\(name) is not broken")
      } catch let wrong as PipelineFileProblem {
        let report = wrong.report.replacingOccurrences(of: Self.broken, with: "")
        #expect(report.split(separator: "\n").allSatisfy { $0.utf8.count < 400 }, "\(name)")
        try Golden.expect(report, "sources/\(name).txt")
      }
    }
  }

  @Test("the reference names every key that is read")
  func reference() throws {
    let path = Checkout.folder + "/pipelines/sources/reference.yaml"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let mapping = try SourcesFolder().mapping(path)
    #expect(mapping.members.count == SourceMapping.memberNames.count)
    let tables: [PipelineKeys] = [.source, .shape, .records, .envelope, .reading, .params]
    for key in tables.flatMap(\.known) { #expect(text.contains("\(key):"), "\(key)") }
  }

  @Test("what is like another says only what differs")
  func like() throws {
    let mapping = try SourceInput.mapping(
      """
      source: ours
      like: mixpanel
      time_zone: America/Los_Angeles
      envelope: { session_id: properties.run }
      names: { Screen: flow_screen_showed }
      """)
    let found = try SourceInput(
      #"{"event":"Screen","properties":{"distinct_id":"d","time":1780282800,"run":"r1","$os":"iOS"}}"#,
      as: mapping)
    let event = try #require(found.items.first?.event)
    // Ten in the morning of California's clock… in June seven hours behind UTC.
    #expect(event.occurredAt.iso8601 == "2026-06-01T10:00:00Z")
    #expect(event.kind == .flowScreenShowed && event.sessionID == "r1")
    #expect(event.context[.platform] == "iOS")
    #expect(found.items.first?.profileID == "mixpanel:d")
  }

  @Test("a comment changes nothing, and everything else is another reader")
  func revision() throws {
    func revision(_ yaml: String) throws -> Bytes {
      try SourceChoice.chosen(SourceInput.mapping(yaml)).revision(.system)
    }
    let yaml = "source: a\ncanonical_members: true\nenvelope: { profile_id: p }\n"
    #expect(try revision(yaml) == revision("# words\n" + yaml))
    #expect(try revision(yaml) != revision(yaml.replacing("p }", with: "q }")))
    #expect(
      try revision("source: a\nlike: segment\n") != revision("source: a\nlike: rudderstack\n"))
  }

  @Test("no file makes it fail, however broken, and each is right or told what is wrong")
  func fuzz() throws {
    let path = Checkout.folder + "/pipelines/sources/reference.yaml"
    let text = Array(try String(contentsOfFile: path, encoding: .utf8).utf8)
    let pieces = [
      "{", "}", "[", "]", ": ", "- ", "\n", "null", "''", "^", ".", "path", "7", "*", "&a ",
    ]
    var random = SeededGenerator(seed: 11)
    for run in 1...150 {
      var bytes = text
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let piece = Array(try #require(pieces.randomElement(using: &random)).utf8)
        let start = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...4, using: &random))
        bytes.replaceSubrange(start..<end, with: piece)
      }
      let file = SourceFile(
        bytes, path: "fuzz.yaml",
        find: { (name, _) throws(Problem) in throw Problem(.usage, at: name, "there is none") })
      #expect(file.mapping != nil || !file.problems.isEmpty, "seed 11, run \(run)")
    }
  }

  @Test("a source that there is not is told with the nearest")
  func unknown() {
    let folder = SourcesFolder()
    #expect {
      try folder.mapping("amplitud")
    } throws: { error in
      (error as? Problem)?.message
        == "--source amplitud: there is no such source; did you mean `amplitude`?"
    }
    #expect {
      try folder.mapping("mine.yaml")
    } throws: { error in
      (error as? Problem)?.message
        == "mine.yaml: cannot read the source file: No such file or directory; check the path"
    }
  }
}
