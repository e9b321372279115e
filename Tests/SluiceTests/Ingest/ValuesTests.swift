import Core
import Ingest
import Testing

@Suite("Reading values that span lines")
struct ValuesTests {
  /// A record over five lines.
  private func pretty(_ id: String, _ value: String = #""x""#) -> String {
    """
    {
      "event_id": "\(id)", "params": { "v": \(value),
        "list": [ 1,
          2 ] },
      "name": "x", "profile_id": "p", "occurred_at": 1
    }
    """
  }

  @Test("reads pretty-printed objects, parted by newlines or nothing")
  func pretty() throws {
    let reading = try InputReading(
      pretty("1") + "\n" + pretty("2") + pretty("3") + "\r\n\n" + pretty("4"))
    #expect(reading.layout == .values)
    #expect(reading.ids == ["1", "2", "3", "4"])
    #expect(reading.events.first?.params == #"{"list":[1,2],"v":"x"}"#)
    #expect(reading.counts.isBalanced)
  }

  @Test("costs a record whose braces match no other record")
  func brokenInside() throws {
    let reading = try InputReading(
      pretty("1") + "\n" + pretty("2", "oops") + "\n" + pretty("3") + "\n")
    #expect(reading.ids == ["1", "3"])
    #expect(
      reading.rejections == [
        Rejection(
          .invalidJSON, line: 7, byteOffset: pretty("1").utf8.count + 1,
          length: pretty("2", "oops").utf8.count)
      ])
  }

  @Test("goes on at the next object in column 1 after a lost quote, brace or stray text")
  func resumes() throws {
    let lostBrace = String(pretty("2").dropLast(2))
    for ruin in [pretty("2", #""x"#), lostBrace, "stray } text", #""text" 12"#] {
      let reading = try InputReading(pretty("1") + "\n" + ruin + "\n" + pretty("3") + "\n")
      #expect(reading.ids == ["1", "3"], "\(ruin)")
      #expect(
        reading.rejections == [
          Rejection(
            .invalidJSON, line: 7, byteOffset: pretty("1").utf8.count + 1, length: ruin.utf8.count)
        ])
    }
  }

  @Test("counts a rest that cannot be read with its length")
  func tail() throws {
    let reading = try InputReading(pretty("1") + "\ngarbage\nand more\n")
    #expect(
      reading.rejections == [
        Rejection(.unreadableTail, line: 7, byteOffset: pretty("1").utf8.count + 1, length: 17)
      ])
    let cut = try InputReading(pretty("1") + "\n" + pretty("2").dropLast(3))
    #expect(cut.ids == ["1"])
    #expect(cut.reasons == [.truncatedRecord])
    #expect(cut.rejections.first?.length == pretty("2").utf8.count - 3)
  }

  @Test("passes over a huge record in little memory, neighbours unharmed")
  func huge() throws {
    let huge = pretty("2", "\"" + String(repeating: "y", count: 4 << 20) + "\"")
    let bytes = Array((pretty("1") + "\n" + huge + pretty("3") + "\n" + pretty("4")).utf8)
    let source = TrickleSource(bytes, readBytes: 50_000)
    let reading = try InputReading(
      source, limits: ReadLimits(recordBytes: 50_000), chunkBytes: 10_000)
    #expect(reading.ids == ["1", "3", "4"])
    #expect(
      reading.rejections == [
        Rejection(
          .recordTooLarge, line: 7, byteOffset: pretty("1").utf8.count + 1, length: huge.utf8.count)
      ])
    #expect(source.largestBuffer < 500_000)
  }

  @Test("two broken records lose none of those between them, whatever breaks the second")
  func twoBroken() throws {
    let open = String(pretty("x").dropLast(2))
    for second in [
      #"{ "event_id": "q", "event_name": "abc }"#, #"{"a":[1,2"# + "\n}", #"junk ""#,
      String(repeating: "[", count: 600),
    ] {
      let parts =
        [pretty("1"), open] + (2...6).map { pretty("\($0)") } + [second]
        + (7...8).map { pretty("\($0)") }
      for chunkBytes in [1, 300, 1 << 18] {
        let reading = try InputReading(
          parts.joined(separator: "\n") + "\n", chunkBytes: chunkBytes)
        #expect(reading.layout == .values)
        #expect(reading.ids == (1...8).map { "\($0)" }, "\(second.prefix(20)), \(chunkBytes)")
      }
    }
  }

  @Test("one line of another kind at the top changes nothing", arguments: ["garbage", "{}", ""])
  func oddFirstLine(_ first: String) throws {
    let head = first.isEmpty ? record(id: "x") : first
    let reading = try InputReading(
      ([head] + (1...5).map { pretty("\($0)") }).joined(separator: "\n") + "\n")
    #expect(reading.layout == .values)
    #expect(reading.ids == (first.isEmpty ? ["x"] : []) + ["1", "2", "3", "4", "5"])
    #expect(reading.reasons.count == (first.isEmpty ? 0 : 1))
  }

  @Test("a broken record whose braces match by accident swallows none behind it")
  func matchedByAccident() throws {
    let broken = #"{ "event_id": "2", "occurred_at": 1"#
    let text =
      pretty("1") + "\n" + broken + "\n" + record(id: "3") + "\n" + record(id: "4") + "}}} t\n"
      + pretty("5") + "\n"
    for chunkBytes in [1, 100, 1 << 18] {
      let reading = try InputReading(text, chunkBytes: chunkBytes)
      #expect(reading.layout == .values)
      #expect(reading.ids == ["1", "3", "4", "5"])
      #expect(reading.reasons == [.invalidJSON, .invalidJSON])
      #expect(reading.rejections.map(\.line) == [7, 9])
      #expect(reading.rejections.first?.length == broken.utf8.count)
    }
  }
}
