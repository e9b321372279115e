import Core
import Ingest
import Testing

@Suite("Reading lines")
struct LinesTests {
  @Test("reads a last line without newline, and an empty input")
  func lastLine() throws {
    #expect(try InputReading(record()).ids == ["e1"])
    #expect(try InputReading(record() + "\n" + record(id: "e2")).ids == ["e1", "e2"])
    #expect(try InputReading("").counts == ReadCounts())
  }

  @Test("calls a last line without newline that is no JSON truncated")
  func truncated() throws {
    let cut = #"{"event_id":"e2","na"#
    let reading = try InputReading(record() + "\n" + cut)
    #expect(reading.ids == ["e1"])
    let offset = record().utf8.count + 1
    #expect(
      reading.rejections == [
        Rejection(.truncatedRecord, line: 2, byteOffset: offset, length: cut.utf8.count)
      ])
    #expect(try InputReading(record() + "\n" + cut + "\n").reasons == [.invalidJSON])
    let half = Array((record() + "\n" + #"{"a":""#).utf8) + [0xC3]
    #expect(try InputReading(bytes: half).reasons == [.truncatedRecord])
  }

  @Test("removes a BOM and counts its bytes")
  func byteOrderMark() throws {
    let reading = try InputReading("\u{FEFF}" + record() + "\nx\n")
    #expect(reading.ids == ["e1"])
    #expect(reading.rejections.first?.byteOffset == 3 + record().utf8.count + 1)
  }

  @Test("refuses UTF-16 once, with the length of all of it")
  func wrongEncoding() throws {
    for mark: [UInt8] in [[0xFF, 0xFE], [0xFE, 0xFF]] {
      let bytes = mark + [UInt8](repeating: 0x41, count: 200_001)
      let reading = try InputReading(bytes: bytes)
      #expect(
        reading.rejections == [Rejection(.wrongEncoding, line: 1, byteOffset: 0, length: 200_003)])
      #expect(reading.counts.isBalanced)
    }
  }

  @Test("counts blank lines, and lines with CRLF, truly")
  func blankLines() throws {
    let reading = try InputReading(
      record() + "\r\n\r\n   \r\n\t\nx\r\n" + record(id: "e2") + "\r\n\n")
    #expect(reading.ids == ["e1", "e2"])
    #expect(reading.counts.blank == 4)
    #expect(reading.counts.read == 7)
    #expect(reading.rejections.first?.line == 5)
    #expect(reading.rejections.first?.length == 1)
  }

  @Test("rejects a line of invalid UTF-8 alone")
  func invalidUTF8() throws {
    let bytes =
      Array((record() + "\n{\"a\":\"").utf8) + [0x61, 0xA1, 0x62]
      + Array(("\"}\n" + record(id: "e2")).utf8)
    let reading = try InputReading(bytes: bytes)
    #expect(reading.ids == ["e1", "e2"])
    #expect(reading.reasons == [.invalidUTF8])
    #expect(reading.rejections.first?.line == 2)
  }

  @Test("reads several values on a line, and rejects the rest of it after an error")
  func severalValues() throws {
    let three = record(id: "1") + record(id: "2") + " " + record(id: "3")
    #expect(try InputReading(three + "\n").ids == ["1", "2", "3"])

    let mixed = try InputReading(
      record(id: "1") + " 5 " + record(id: "2") + "[]x" + record(id: "3") + "\n" + record(id: "4"))
    #expect(mixed.ids == ["1", "2", "4"])
    #expect(mixed.reasons == [.notAnObject, .invalidJSON])
    #expect(mixed.rejections.last?.length == record().utf8.count)
    #expect(mixed.counts.isBalanced)

    let array = record(id: "1") + "[" + record(id: "2") + ", " + record(id: "3") + ",7, [8]]"
    let inArray = try InputReading(array + record(id: "4") + "\n" + record(id: "5"))
    #expect(inArray.layout == .lines)
    #expect(inArray.ids == ["1", "2", "3", "4", "5"])
    #expect(inArray.reasons == [.notAnObject, .notAnObject])
    #expect(inArray.rejections.map(\.length) == [1, 3])

    let broken = try InputReading(record(id: "1") + #"{"a":}"# + record(id: "2") + "\n")
    #expect(broken.ids == ["1"])
    let offset = record().utf8.count - 1
    #expect(
      broken.rejections == [
        Rejection(.invalidJSON, line: 1, byteOffset: offset, length: offset + 6)
      ])
  }

  @Test(
    "rejects what is no JSON",
    arguments: [
      "{", "}", "{]", #"{"a"}"#, #"{"a":1,}"#, #"{"a":1 "b":2}"#, #"{a:1}"#, #"{'a':1}"#,
      #"{"a":01}"#,
      #"{"a":1.}"#, #"{"a":.5}"#, #"{"a":+1}"#, #"{"a":1e}"#, #"{"a":-}"#, #"{"a":NaN}"#,
      #"{"a":tru}"#,
      #"{"a":truex}"#, #"{"a":1"b":2}"#, #"{"a":"\x"}"#, #"{"a":"\u12"}"#, #"{"a":"\ud800\u12"}"#,
      #"{"a":"b}"#, "{\"a\":\"\t\"}", #"{"a":[1,2}"#, #"{"a":[1,]}"#, #"{"a":[1 2]}"#,
      #"{"a":{"b":1}"#,
      #"{"a":{"b":1]}"#, "{,}", #"{"a":1,,"b":2}"#, #"{"a"::1}"#, #"{1:2}"#, #"{"a":1}}"#, "nul",
      "[1",
      "text", #"{"a":[}"#, #"{"a":}"#, "{\"a\":1\u{0}}",
    ])
  func invalid(_ text: String) throws {
    let reading = try InputReading(record(id: "1") + "\n" + text + "\n" + record(id: "2") + "\n")
    #expect(reading.ids == ["1", "2"])
    #expect(reading.reasons.allSatisfy { $0 == .invalidJSON || $0 == .missingMember })
    #expect(reading.reasons.contains(.invalidJSON))
    #expect(reading.counts.isBalanced)
  }

  @Test("rejects nesting beyond the limit, and lets the limit pass")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      record(
        #""params":{"a":"# + String(repeating: "[", count: depth - 2)
          + String(repeating: "]", count: depth - 2) + "}")
    }
    var limits = ReadLimits()
    limits.paramsDepth = 64
    #expect(try InputReading(nested(64), limits: limits).ids == ["e1"])
    #expect(try InputReading(nested(65), limits: limits).reasons == [.tooDeep])
    let deep = String(repeating: "[", count: 400_000)
    let reading = try InputReading(record() + "\n" + #"{"a":"# + deep + "\n" + record(id: "e2"))
    #expect(reading.ids == ["e1", "e2"])
    #expect(reading.rejections.count == 1)
  }

  @Test("passes over a huge line in little memory, neighbours unharmed")
  func hugeLine() throws {
    let huge = #"{"a":""# + String(repeating: "x", count: 8 << 20) + #""}"#
    let text = Array((record() + "\n" + huge + "\r\n" + record(id: "e2") + "\n").utf8)
    let source = TrickleSource(text, readBytes: 60_000)
    let reading = try InputReading(
      source, limits: ReadLimits(recordBytes: 100_000), chunkBytes: 10_000)
    #expect(reading.ids == ["e1", "e2"])
    #expect(
      reading.rejections == [
        Rejection(
          .recordTooLarge, line: 2, byteOffset: record().utf8.count + 1, length: huge.utf8.count)
      ])
    #expect(reading.largestChunk <= 100_000)
    #expect(source.largestBuffer < 500_000)
    #expect(reading.counts.isBalanced)
  }

  @Test("draws the line at the limit, the newline and its carriage return not counted")
  func limit() throws {
    let padding = String(repeating: " ", count: 1000 - record().utf8.count)
    for (end, isTooLarge) in [("", false), ("\r", false), (" ", true), (" \r", true)] {
      for chunkBytes in [1, 999, 1000, 1001, 1002, 5000] {
        for newline in ["\n", ""] {
          let reading = try InputReading(
            record() + padding + end + newline, limits: ReadLimits(recordBytes: 1000),
            chunkBytes: chunkBytes)
          #expect(reading.reasons == (isTooLarge ? [.recordTooLarge] : []))
          #expect(reading.rejections.allSatisfy { $0.length == 1001 })
        }
      }
    }
  }

  @Test("takes commas and record separators between values, empty arrays and BOMs for nothing")
  func separators() throws {
    let reading = try InputReading(
      "\u{1E}" + record(id: "1") + "\n" + record(id: "2") + ",\n,\n[]\n\u{FEFF}" + record(id: "3")
        + "\n[ , ]\n")
    #expect(reading.ids == ["1", "2", "3"])
    #expect(reading.rejections.isEmpty)
    #expect(reading.counts.blank == 3)
    #expect(reading.counts.isBalanced)
  }

  @Test("keeps to lines when only the first of them is broken")
  func firstLineBroken() throws {
    let reading = try InputReading(#"{"a":"# + "\n" + record() + "\n" + record(id: "e2") + "\n")
    #expect(reading.layout == .lines)
    #expect(reading.ids == ["e1", "e2"])
    #expect(reading.reasons == [.invalidJSON])
  }
}
