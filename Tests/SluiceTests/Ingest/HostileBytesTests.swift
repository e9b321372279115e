import Core
import Testing

@testable import Ingest
@testable import sluice

/// One rule for each kind of hostile bytes; the table in README.md says the same.
@Suite("Hostile bytes")
struct HostileBytesTests {
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    var ids: [String] = []
    /// `line reason`.
    var rejected: [String] = []
    var blank = 0
    var repaired = 0
    var duplicateKeys = 0

    init(
      _ what: String, _ bytes: [UInt8], ids: [String] = [], rejected: [String] = [],
      blank: Int = 0, repaired: Int = 0, duplicateKeys: Int = 0
    ) {
      testDescription = what
      self.bytes = bytes
      self.ids = ids
      self.rejected = rejected
      self.blank = blank
      self.repaired = repaired
      self.duplicateKeys = duplicateKeys
    }
  }

  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }
  private static let one = record(id: "a")
  private static let two = record(id: "b")
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private static func value(_ json: String, id: String = "v") -> String {
    record(#""params":{"value":\#(json)}"#, id: id)
  }

  private static let utf16: [UInt8] =
    [0xFF, 0xFE] + one.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }

  static let cases: [Case] = [
    Case(
      "1: NUL in a value is U+FFFD", text(value("\"An\\u0000na\"") + "\n" + one), ids: ["v", "a"],
      repaired: 1),
    Case(
      "2: a backslash before u0000 is text",
      text(value("\"C:\\\\u0000dir\"") + "\n" + one), ids: ["v", "a"]),
    Case(
      "2: NUL in keys; two that become equal are counted",
      text(record(#""params":{"k\u0000":1,"k\ufffd":2}"#, id: "k") + "\n" + one), ids: ["k", "a"],
      duplicateKeys: 1),
    Case(
      "1: a lone surrogate is U+FFFD", text(value("\"\\ud800x\"") + "\n" + one), ids: ["v", "a"],
      repaired: 1),
    Case(
      "1: a raw NUL byte costs its line", text(one + "\n{\u{0}}\n" + two), ids: ["a", "b"],
      rejected: ["2 invalid_json"]),
    Case(
      "3: invalid UTF-8 costs its record",
      text(one + "\n{\"v\":\"") + [0x61, 0xA1, 0x62] + text("\"}\n" + two), ids: ["a", "b"],
      rejected: ["2 invalid_utf8"]),
    Case("4: a BOM is removed", mark + text(one + "\n" + two), ids: ["a", "b"]),
    Case(
      "4: also of a part that was appended", mark + text(one + "\n") + mark + text(two + "\n"),
      ids: ["a", "b"]),
    Case("4: UTF-16 is refused as a whole", utf16, rejected: ["1 wrong_encoding"]),
    Case("5: a last line without newline is read", text(one + "\n" + two), ids: ["a", "b"]),
    Case(
      "5: one that is cut is truncated_record", text(one + "\n" + two.dropLast(3)), ids: ["a"],
      rejected: ["2 truncated_record"]),
    Case(
      "6: blank lines are blank", text(one + "\n   \n\n" + two + "\n\n"), ids: ["a", "b"], blank: 3),
    Case(
      "6: CRLF ends a line once", text(one + "\r\nx\r\n" + two + "\r\n"), ids: ["a", "b"],
      rejected: ["2 invalid_json"]),
    Case(
      "13: of duplicate keys the last wins",
      text(
        record(#""params":{"value":"70","value":"700"}"#, id: "d") + "\n"), ids: ["d"],
      duplicateKeys: 1),
    Case(
      "15: a number of 300 digits is kept as text",
      text(value(String(repeating: "9", count: 300)) + "\n" + one), ids: ["v", "a"]),
    Case(
      "15: 1e308 and a counter past int32 are kept",
      text(
        record(#""counter":2147483648,"params":{"price":1e308}"#, id: "n") + "\n"), ids: ["n"]),
    Case(
      "14: NaN is no JSON", text(value("NaN") + "\n" + one), ids: ["a"],
      rejected: ["1 invalid_json"]),
    Case("several records on a line", text(one + two + "\n"), ids: ["a", "b"]),
    Case(
      "text behind a record costs the rest of the line", text(one + " x " + two + "\n" + two),
      ids: ["a", "b"], rejected: ["1 invalid_json"]),
    Case(
      "nesting deeper than 64 costs its record",
      text(
        one + "\n" + String(repeating: "{\"a\":", count: 65) + "1"
          + String(repeating: "}", count: 65) + "\n" + two),
      ids: ["a", "b"], rejected: ["2 too_deep"]),
    Case(
      "nesting of a million costs its record",
      text(one + "\n" + String(repeating: "[", count: 1_000_000) + "\n" + two), ids: ["a", "b"],
      rejected: ["2 invalid_json"]),
  ]

  @Test("one rule for each, whatever the size of chunks", arguments: cases)
  func rules(_ example: Case) throws {
    for chunkBytes in [100, ChunkReader.usualChunkBytes] {
      let reading = try InputReading(bytes: example.bytes, chunkBytes: chunkBytes)
      #expect(reading.ids == example.ids)
      #expect(
        reading.rejections.map { "\($0.line) \($0.reason.rawValue)" } == example.rejected)
      #expect(reading.counts.isBalanced && reading.counts.blank == example.blank)
      #expect(reading.counts.mended.repaired == example.repaired)
      #expect(reading.counts.mended.duplicateKeys == example.duplicateKeys)
    }
  }

  @Test("7: 64 MiB on one line between two events cost one reject, in little memory")
  func hugeLine() throws {
    let huge = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 20)
    let source = MemorySource(
      Array((Self.one + "\n").utf8) + huge + Array(("\n" + Self.two + "\n").utf8), name: "huge")
    var reader = ChunkReader(source, limits: ReadLimits())
    var ids: [String] = []
    var rejections: [Rejection] = []
    while let chunk = try reader.next() {
      #expect(chunk.length <= 2 << 20 && reader.buffer.count <= 4 << 20)
      let decoded = decode(chunk: chunk, limits: ReadLimits(), primitives: .system)
      ids += decoded.events.map(\.event.identity.bytes.string)
      rejections += decoded.rejections
    }
    #expect(ids == ["a", "b"])
    #expect(
      rejections == [
        Rejection(
          .recordTooLarge, line: 2, byteOffset: Self.one.utf8.count + 1, length: 64 << 20)
      ])
  }

  @Test(
    "64 MiB of zeros out of a few kilobytes are one reject, in chunks of the usual size",
    arguments: ["gzip", "zip", "zstd", "zstd in gzip in zip"])
  func bombs(_ kind: String) throws {
    let zeros = [UInt8](repeating: 0, count: 64 << 20)
    let bytes =
      switch kind {
      case "gzip": Packed.gzip(zeros)
      case "zip": Packed.zip([("zeros.ndjson", zeros)])
      case "zstd": Packed.zstd(zeros)
      default: Packed.zip([("zeros.ndjson.zst.gz", Packed.gzip(Packed.zstd(zeros)))])
      }
    #expect(bytes.count < 100_000)
    let reading = try InputReading(inside: bytes)
    #expect(reading.reasons == [.recordTooLarge] && reading.counts.isBalanced)
    #expect(reading.rejections.first?.length == zeros.count)
    #expect(reading.largestChunk <= 2 << 20)
  }

  @Test("8: frames of zstd follow each other, skippable ones between; a cut one is told")
  func frames() throws {
    let bytes =
      Packed.zstd(Array((Self.one + "\n").utf8)) + Packed.skippableFrame
      + Packed.zstd(Array((Self.two + "\n").utf8))
    let whole = try InputReading(inside: bytes)
    #expect(whole.ids == ["a", "b"] && whole.notes.problems.isEmpty)
    let cut = try InputReading(inside: Array(bytes.dropLast(4)))
    #expect(cut.ids.first == "a" && cut.notes.isTruncated)
  }

  @Test("9: gzip keeps what came before a cut, and passes over garbage behind its end")
  func members() throws {
    let bytes =
      Packed.gzip(Array((Self.one + "\n").utf8)) + Packed.gzip(Array((Self.two + "\n").utf8))
    let garbage = try InputReading(inside: bytes + Array("garbage".utf8))
    #expect(garbage.ids == ["a", "b"] && garbage.notes.problems.isEmpty)
    #expect(garbage.notes.strayBytes == 7)
    let cut = try InputReading(inside: Array(bytes.dropLast(20)))
    #expect(cut.ids.first == "a" && cut.notes.isTruncated)
  }

  @Test("12: CSV follows RFC 4180; a row that is ragged costs itself, at its true line")
  func csv() throws {
    let head = "profile_id,event_id,event_name,occurred_at,params.value\r\n"
    let time = "2026-03-01T10:00:00Z"
    let rows =
      "p,a,x,\(time),\"a\"\"b, c\"\r\np,b,x,\(time),\"two\r\nlines\"\r\np,c\r\n"
      + "p,d,x,\(time),nul\u{0}\r\n"
    let reading = try InputReading(head + rows)
    #expect(reading.ids == ["a", "b", "d"])
    #expect(reading.rejections.map { "\($0.line) \($0.reason.rawValue)" } == ["5 ragged_row"])
    #expect(reading.counts.mended.repaired == 1)
    #expect(reading.events.first?.params.string == #"{"value":"a\"b, c"}"#)
  }

  @Test("22: spellings of one second, impossible dates and a time without zone")
  func times() throws {
    let ten = Instant(microseconds: TimestampTests.ten)
    func read(_ time: String) throws -> (at: Instant?, reason: Rejection.Reason?, utc: Int) {
      let text =
        #"{"event_name":"x","profile_id":"p","occurred_at":"\#(time)"}"# + "\n"
      let reading = try InputReading(text)
      return (
        reading.events.first?.occurredAt, reading.reasons.first, reading.counts.mended.assumedUTC
      )
    }
    let spellings = [
      "2026-03-01T10:00:00Z", "2026-03-01T10:00:00.5Z", "2026-03-01T10:00:00.123456789Z",
      "2026-03-01T10:00:00+0000", "2026-03-01T15:30:00+05:30", "2026-03-01 10:00:00+00",
      "2026-03-01t10:00:00z", "1772359200", "1772359200000", "1772359200000000",
      "1772359200000000000",
    ]
    for time in spellings {
      let found = try read(time)
      #expect(found.reason == nil && found.utc == 0, "\(time)")
      let at = try #require(found.at, "\(time)")
      #expect(at.microseconds / 1_000_000 == ten.microseconds / 1_000_000, "\(time)")
    }
    for time in ["2026-02-30T10:00:00Z", "2026-03-01T24:00:00Z", "2026-04-31T00:00:00Z"] {
      #expect(try read(time).reason == .invalidTime, "\(time)")
    }
    let zoneless = try read("2026-03-01T10:00:00")
    #expect(zoneless.at == ten && zoneless.utc == 1)
    #expect(try read("2026-03-01T10:00:60Z").at == ten.adding(microseconds: 59_000_000))
    #expect(try read("1969-12-31T23:59:59Z").reason == .timeOutOfRange)
    #expect(try read("2101-01-01T00:00:00Z").reason == .timeOutOfRange)
  }
}
