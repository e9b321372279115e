import Core
import Foundation
import Ingest
import Testing

@Suite("Compressed input")
struct CompressionTests {
  private static let ids = (1...40).map { "e\($0)" }
  private static let first = Array(ids[..<20].map { record(id: $0) + "\n" }.joined().utf8)
  private static let second = Array(ids[20...].map { record(id: $0) + "\n" }.joined().utf8)

  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let formats: [[String]]
    var passedOver = 0
  }

  static let cases = [
    Case(testDescription: "gzip", bytes: Packed.gzip(first + second), formats: [["gzip"]]),
    Case(
      testDescription: "gzip, many members",
      bytes: [first, [], second, []].flatMap(Packed.gzip), formats: [["gzip"]]),
    Case(
      testDescription: "gzip, padded with zeros",
      bytes: Packed.gzip(first + second) + [UInt8](repeating: 0, count: 600),
      formats: [["gzip"]]),
    Case(testDescription: "zstd", bytes: Packed.zstd(first + second), formats: [["zstd"]]),
    Case(
      testDescription: "zstd, many frames, some to be skipped",
      bytes: Packed.skippableFrame + Packed.zstd(first) + Packed.skippableFrame + Packed.zstd([])
        + Packed.zstd(second) + Packed.skippableFrame, formats: [["zstd"]]),
    Case(
      testDescription: "zip", bytes: Packed.zip([("a/1.json", first), ("a/2.json", second)]),
      formats: [["zip"], ["zip"]]),
    Case(
      testDescription: "a zip of gzip files, as Amplitude delivers it, with what is no data",
      bytes: Packed.zip([
        ("1/x_1.json.gz", Packed.gzip(first)), ("__MACOSX/1/._x", [1, 2, 3]),
        ("1/empty.json", []), ("1/y.json.gz", Packed.gzip(second)), ("manifest.json", first),
      ]), formats: [["zip", "gzip"], ["zip"], ["zip", "gzip"]], passedOver: 2),
    Case(
      testDescription: "a zip in a zip in gzip",
      bytes: Packed.gzip(
        Packed.zip([("in.zip", Packed.zip([("1", first)])), ("2", Packed.zstd(second))])),
      formats: [["gzip", "zip", "zip"], ["gzip", "zip", "zstd"]]),
  ]

  @Test("holds the same events as its plain twin, however it is read", arguments: cases)
  func same(_ packed: Case) throws {
    let plain = try InputReading(bytes: Self.first + Self.second)
    #expect(plain.ids == Self.ids)
    for (chunkBytes, readBytes) in [(1 << 18, Int.max), (1, 1), (100, 7)] {
      let source = TrickleSource(packed.bytes, readBytes: readBytes)
      let reading = try InputReading(inside: source, chunkBytes: chunkBytes)
      #expect(reading.events == plain.events)
      #expect(reading.counts == plain.counts)
      #expect(reading.formats == packed.formats)
      #expect(reading.passedOver == packed.passedOver)
      #expect(reading.notes.problems.isEmpty && reading.notes.strayBytes == 0)
    }
  }

  @Test("cut at any byte keeps what came before, and says that it is cut", arguments: cases)
  func cut(_ packed: Case) throws {
    // A cut between two members or frames, or in padding, leaves a whole file.
    let wholes = try (4...packed.bytes.count).filter { count in
      try InputReading(inside: Array(packed.bytes[..<count])).notes.problems.isEmpty
    }
    let isOneStream = packed.formats[0] == ["zip"] || packed.formats[0].count > 1
    #expect(isOneStream ? wholes == [packed.bytes.count] : wholes.contains(packed.bytes.count))
    if packed.testDescription == "gzip" || packed.testDescription == "zstd" {
      #expect(wholes == [packed.bytes.count])
    }
    for count in 4..<packed.bytes.count {
      let reading = try InputReading(inside: Array(packed.bytes[..<count]))
      #expect(reading.ids.elementsEqual(Self.ids.prefix(reading.ids.count)), "\(count) bytes")
      #expect(reading.counts.isBalanced)
      #expect(reading.notes.isTruncated != wholes.contains(count), "\(count) bytes")
      #expect(reading.notes.problems.count <= 1, "\(count) bytes")
      #expect(reading.rejections.allSatisfy { $0.reason == .truncatedRecord }, "\(count) bytes")
    }
  }

  @Test("with garbage behind it keeps what is good, and counts the rest", arguments: cases)
  func garbage(_ packed: Case) throws {
    // The padded one has its zeros counted too, which are data to a machine that finds text behind.
    for garbage in ["garbage", "g", "\u{1}\u{2}", record()] {
      let reading = try InputReading(inside: packed.bytes + Array(garbage.utf8))
      #expect(reading.ids == Self.ids)
      #expect(reading.notes.strayBytes == garbage.utf8.count)
      #expect(reading.notes.problems.isEmpty)
    }
  }

  @Test("with a byte changed never loses anything without a word", arguments: cases)
  func damaged(_ packed: Case) throws {
    for index in packed.bytes.indices where index < 4000 {
      var bytes = packed.bytes
      bytes[index] ^= 0x55
      // A name that ends with a slash is a folder's, which holds no data.
      guard bytes[index] != UInt8(ascii: "/") else { continue }
      guard let reading = try? InputReading(inside: bytes) else { continue }
      let isTold =
        !reading.notes.problems.isEmpty || reading.notes.strayBytes > 0
        || !reading.rejections.isEmpty || reading.passedOver != packed.passedOver
      #expect(isTold || reading.ids == Self.ids, "byte \(index)")
      #expect(reading.counts.isBalanced)
    }
  }

  @Test("that holds nothing gives nothing")
  func empty() throws {
    for bytes in [
      Packed.gzip([]), Packed.zstd([]), Packed.zip([("a.json", [])]), Packed.zip([]),
      Packed.skippableFrame, Packed.gzip(Packed.zstd([])),
    ] {
      let reading = try InputReading(inside: bytes)
      #expect(reading.counts == ReadCounts())
      #expect(reading.notes.problems.isEmpty)
    }
  }

  @Test("tells places as they are in the uncompressed stream, and the entry they are in")
  func places() throws {
    let text = Array((record(id: "1") + "\nbad\n").utf8)
    let expected = try InputReading(bytes: text + text).rejections
    #expect(try InputReading(inside: Packed.gzip(text) + Packed.gzip(text)).rejections == expected)
    let zip = Packed.zip([("a/größe.json", text), ("b.json", Packed.gzip(text))])
    let reading = try InputReading(inside: zip)
    #expect(reading.rejections == [expected[0], expected[0]])
    #expect(reading.names == ["memory!/a/größe.json", "memory!/b.json"])
  }

  @Test("in a damaged entry costs that entry alone")
  func damagedEntry() throws {
    var random = SeededGenerator(seed: 3)
    let noise = (0..<2000).map { _ in UInt8.random(in: 0x21...0x7A, using: &random) }
    var bytes = Packed.zip([("1.json", Self.first), ("noise", noise), ("2.json", Self.second)])
    let place = try #require(bytes.indices.last { bytes[$0...].starts(with: Array("noise".utf8)) })
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("noise".utf8)) })
    #expect(start < place)
    bytes[start + 700] ^= 0xFF
    let reading = try InputReading(inside: bytes)
    #expect(reading.ids == Self.ids)
    #expect(reading.notes.problems.map(\.place) == ["memory!/noise"])
    #expect(!reading.notes.isTruncated)
  }

  @Test("of a kind that is not read is refused by its name")
  func foreign() throws {
    for (head, name) in [
      (Array("PAR1".utf8), "Parquet"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz"),
      (Array("BZh91AY&SY".utf8), "bzip2"),
    ] {
      let bytes = head + [UInt8](repeating: 7, count: 100)
      let problem = #expect(throws: Problem.self) { try InputReading(inside: bytes) }
      #expect(problem?.exit == .noInput)
      #expect(problem?.why.contains(name) == true)
    }
  }

  @Test("with a password is told once")
  func encrypted() throws {
    let zip = Packed.zip([("1", Self.first), ("2", Self.second)], password: "x")
    let reading = try InputReading(inside: zip)
    #expect(reading.counts == ReadCounts())
    #expect(reading.notes.problems.map(\.why) == ["entries of it are encrypted"])
  }

  @Test("over and over again is refused")
  func nested() throws {
    var bytes = Self.first
    for _ in 1...4 { bytes = Packed.gzip(bytes) }
    #expect(try InputReading(inside: bytes).ids.count == 20)
    #expect(throws: Problem.self) { try InputReading(inside: Packed.gzip(bytes)) }
  }
}
