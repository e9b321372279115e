import Core
import Foundation
import Ingest
import Testing

@Suite("Fixtures of lines")
struct FixtureTests {
  private func reading(_ name: String) throws -> InputReading {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = tests.appendingPathComponent("Fixtures/ndjson/\(name)/events.ndjson").path
    return try InputReading(FileSource(path: Bytes(file)))
  }

  @Test(
    "hold the same three events however the bytes are laid out",
    arguments: [
      "bom", "crlf", "no-last-newline", "several-on-a-line", "spelled-otherwise", "pretty",
      "bad-lines-between",
    ])
  func sameEvents(_ name: String) throws {
    let expected = try reading("ok")
    let found = try reading(name)
    #expect(expected.events.count == 3)
    #expect(found.events == expected.events)
    #expect(found.profileIDs == expected.profileIDs)
    #expect(found.counts.isBalanced)
  }

  @Test("say why and where each bad line is refused")
  func badLines() throws {
    let found = try reading("bad-lines-between")
    #expect(
      found.rejections.map { "\($0.line) \($0.reason.rawValue) \($0.field)" } == [
        "1 invalid_json ", "3 missing_member profile_id", "4 invalid_utf8 ", "6 not_an_object ",
        "8 truncated_record ",
      ])
  }
}
