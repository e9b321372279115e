import Core
import Ingest
import Testing

@Suite("Chunks of any size")
struct ChunkSizeTests {
  /// Pieces of input whose every neighbourhood should be met.
  private static let pieces = [
    record(id: "a"), record(#""params":{"v":"é\n{"}"#, id: "b"), record(id: "c") + record(id: "d"),
    "{\n \"name\":\"x\",\n\"profile_id\":\"p\",\"occurred_at\":1}", "\n", "\r\n", "  ", "{", "}",
    "[1,\n2]",
    "x", "\"", #"{"a":"b"#, #"{"a":[}"#, "5", "\n{", "\\", "\t", "{\"a\":\"" + "zzzzzzzzzz",
    #"{"a":[[[[[[[1]]]]]]]}"#, String(repeating: "q", count: 300),
    "{" + String(repeating: " ", count: 300), ",", "]", "\u{FEFF}", "\u{1E}", "[\n",
    #"{"data":["#, #"{"records":[{"data":"e30"},"#, #","m":{"x":[1,"}"]},"n":17}"#,
    "a,b,\"c\nd\"\n", "\"x\"\"y\",2,3\r\n", "1,2,\"3\"4\n", "name,profile_id,occurred_at",
    "x,p,1\r\n", "\"x\n\",p,1",
  ]
  /// What decides the layout.
  private static let starts = [
    "", "", "{\n", "[", "[\n", #"{"data":[{"#, #"{"m":["x",{}],"data":{"attributes":{"events":["#,
    "name,profile_id,occurred_at\n", "name\tprofile_id\toccurred_at\r\n",
  ]

  private func compare(_ bytes: [UInt8], _ limits: ReadLimits, _ note: String) throws {
    let whole = try InputReading(bytes: bytes, limits: limits)
    #expect(whole.counts.isBalanced, "\(note)")
    for (chunkBytes, readBytes) in [(1, 1), (2, 7), (17, 3), (64, 64), (150, 1000), (1000, 11)] {
      let source = TrickleSource(bytes, readBytes: readBytes)
      let reading = try InputReading(source, limits: limits, chunkBytes: chunkBytes)
      #expect(reading.events == whole.events, "\(note), chunks of \(chunkBytes)")
      #expect(reading.profileIDs == whole.profileIDs, "\(note), chunks of \(chunkBytes)")
      #expect(reading.rejections == whole.rejections, "\(note), chunks of \(chunkBytes)")
      #expect(reading.counts == whole.counts, "\(note), chunks of \(chunkBytes)")
    }
  }

  @Test("give the same events, rejections and counts, for 600 random inputs")
  func anySize() throws {
    var random = SeededGenerator(seed: 5)
    for run in 1...600 {
      var text = Self.starts[run % Self.starts.count]
      for _ in 0..<Int.random(in: 1...25, using: &random) {
        text += Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)]
        if Bool.random(using: &random) { text += "\n" }
      }
      let limits = ReadLimits(recordBytes: run % 2 == 0 ? 200 : 1 << 20, depth: 6)
      try compare(Array(text.utf8), limits, "seed 5, run \(run)")
    }
  }

  @Test("never crash on random bytes, and the sheet balances, for 1,000 runs")
  func fuzz() throws {
    let alphabet =
      Array(#"{}[]",:\u0dtruefalsn1.e- "#.utf8) + [0, 10, 10, 13, 0x80, 0xC3, 0xA9, 0xFF]
    var random = SeededGenerator(seed: 6)
    for run in 1...1000 {
      let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
        run % 4 == 0
          ? UInt8.random(in: 0...255, using: &random)
          : alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      // A header that names two columns alike is the one thing that is thrown.
      guard
        let reading = try? InputReading(
          bytes: bytes, limits: ReadLimits(recordBytes: 120, depth: 5))
      else { continue }
      #expect(reading.counts.isBalanced, "seed 6, run \(run)")
      #expect(reading.rejections.count == reading.counts.rejectedInAll, "seed 6, run \(run)")
      #expect(
        reading.rejections.allSatisfy { $0.byteOffset + $0.length <= bytes.count },
        "seed 6, run \(run)")
    }
  }

  @Test("never crash on damaged records, and the sheet balances, for 1,000 runs")
  func damaged() throws {
    var random = SeededGenerator(seed: 8)
    var json = RandomJSON(seed: 9)
    for run in 1...1000 {
      var bytes = Array((record(#""params":"# + json.object(depth: 3)) + "\n" + record()).utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        default:
          bytes.insert(
            contentsOf: Array(#"{}[]",:\"#.utf8).shuffled(using: &random)[..<1], at: place)
        }
      }
      let reading = try InputReading(bytes: bytes)
      #expect(reading.counts.isBalanced, "seed 8, run \(run)")
    }
  }
}
