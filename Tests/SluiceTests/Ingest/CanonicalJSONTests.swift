import Core
import Ingest
import Testing

@Suite("Canonical JSON of params")
struct CanonicalJSONTests {
  /// What becomes of an object given as params; nil where the record is refused.
  private func canonical(_ object: String) throws -> Bytes? {
    try InputReading(record(#""params":"# + object)).events.first?.params
  }

  @Test("sorts keys by bytes at every level and drops white space")
  func keys() throws {
    let written = try canonical(
      #"{ "b" : [ { "z":1 , "A":2 } , [ ] ] ,"é":{ }, "a":null , "aa" : true,"":0}"#)
    #expect(written == #"{"":0,"a":null,"aa":true,"b":[{"A":2,"z":1},[]],"é":{}}"#)
  }

  @Test("keeps the text of numbers")
  func numbers() throws {
    let written = try canonical(
      #"{"a":[1.0,-0,6.45408E11,1e+5,123456789012345678901234567890,0.10]}"#)
    #expect(written == #"{"a":[1.0,-0,6.45408E11,1e+5,123456789012345678901234567890,0.10]}"#)
  }

  @Test("escapes only what must be, in one way")
  func escapes() throws {
    let written = try canonical(
      #"{"a":"\/\u0041\u00e9\"\\\b\f\n\r\t\u0001\u001F\u007f\u2028\ud83d\ude00"}"#)
    let text = "/Aé\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\u{7f}\u{2028}😀"
    #expect(written == Bytes(#"{"a":""# + text + #""}"#))
  }

  @Test("sorts an object of a thousand keys, last duplicate winning")
  func manyKeys() throws {
    var random = SeededGenerator(seed: 3)
    let numbers = (0..<1000).map { ($0, Int.random(in: 100...700, using: &random)) }
    let written = try canonical(
      "{" + numbers.map { #""k\#($0.1)":\#($0.0)"# }.joined(separator: ",") + "}")
    let last = Dictionary(numbers.map { ($0.1, $0.0) }, uniquingKeysWith: { $1 })
    let expected = last.sorted { $0.key < $1.key }.map { #""k\#($0.key)":\#($0.value)"# }
    #expect(written == Bytes("{" + expected.joined(separator: ",") + "}"))
  }

  @Test("changes nothing when written again, for 1,000 random objects")
  func idempotent() throws {
    var random = RandomJSON(seed: 11)
    for run in 1...1000 {
      let object = random.object(depth: 4)
      let once = try #require(try canonical(object), "seed 11, run \(run)")
      #expect(try canonical(once.string) == once, "seed 11, run \(run)")
    }
  }
}

/// Random JSON with the spellings that matter here: escapes, duplicates, spaces.
struct RandomJSON {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  mutating func object(depth: Int) -> String {
    let members = (0..<Int.random(in: 0...6, using: &random)).map { _ in
      string() + space() + ":" + space() + value(depth: depth - 1)
    }
    return "{" + space() + members.joined(separator: space() + ",") + space() + "}"
  }

  private mutating func value(depth: Int) -> String {
    switch Int.random(in: 0...(depth > 0 ? 7 : 5), using: &random) {
    case 0: "true"
    case 1: "null"
    case 2: pick(["0", "-0", "1.50", "1E5", "-12e-7", "12345678901234567890"])
    case 3...5: string()
    case 6: "[" + (0..<3).map { _ in value(depth: depth - 1) }.joined(separator: ",") + "]"
    default: object(depth: depth)
    }
  }

  private mutating func space() -> String { pick(["", "", " ", "\t "]) }

  private mutating func string() -> String {
    let pieces = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      pick([
        "a", "b", "é", "e\u{301}", "😀", "\\\"", "\\\\", "\\/", "\\n", "\\u0000", "\\u0061",
        "\\ud83d\\ude00", "\\ud800", "\\udc00", "\\u001f", "\\\\u0000", "0123456789abcdef0123",
      ])
    }
    return "\"" + pieces.joined() + "\""
  }
}
