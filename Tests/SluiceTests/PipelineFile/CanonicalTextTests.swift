import Core
import Testing

@testable import sluice

@Suite("Canonical text")
struct CanonicalTextTests {
  @Test("does not depend on order, style, comments, tests and descriptions")
  func layout() {
    let one = PipelineFile(
      """
      # A comment
      pipeline: p
      description: For people.
      segments:
        description: "x > 1"
        big: >
          a > 1
          and b
      answers: { a: { element: [x], type: number, description: d } }
      tests: [{ name: t, expect: { next: ~ } }]
      """)
    let other = PipelineFile(
      """
      {"answers": {"a": {type: number, element: &x ["x"]}},
       "segments": {big: '  a > 1 and b', description: "\\x78 > 1"}, pipeline: 'p'}
      """)
    #expect(one.report() == "" && other.report() == "")
    #expect(one.canonicalText == other.canonicalText)
    #expect(
      one.canonicalText.string
        == #"{"answers": {"a": {"element": ["x"], "type": "number"}}, "pipeline": "p", "#
        + #""segments": {"big": "a > 1 and b", "description": "x > 1"}}"#)
  }

  @Test("a name that needs more than 1,024 bytes to be written is read back too")
  func longKey() {
    let name = String(repeating: "\u{A0}", count: 220)
    let file = PipelineFile("pipeline: p\nsegments: { \"x\(name)x\": 'true' }\n")
    #expect(file.report() == "")
    let again = PipelineFile(file.canonicalText.string)
    #expect(again.report() == "")
    #expect(again.canonicalText == file.canonicalText)
    #expect(again.source?.segments.map(\.name.value) == file.source?.segments.map(\.name.value))
  }

  @Test("differs where the meaning does")
  func meaning() {
    let texts = [
      "5", "'5'", "5.0", "true", "'true'", "''", "null", "\"\\n\"", "\" \"", "é", "e\u{301}",
    ]
    let canonical = texts.map { text in
      PipelineFile("pipeline: p\nnext: [{ nothing: true, because: \(text) }]").canonicalText
    }
    #expect(Set(canonical).count == texts.count)
  }

  @Test("is read back as itself, for 500 random trees in random styles")
  func fixedPoint() throws {
    var writer = RandomYAML(seed: 1)
    for run in 1...500 {
      let yaml = writer.document()
      let first = try #require(YAMLDocument(yaml).root, "seed 1, run \(run): \(yaml)")
      let text = CanonicalText.json(first).string
      let document = YAMLDocument(text)
      let second = try #require(document.root, "seed 1, run \(run): \(text)")
      #expect(document.problems.isEmpty)
      #expect(CanonicalText.json(second).string == text, "seed 1, run \(run)")
    }
  }

  @Test("no damaged file crashes the reader or escapes its report, for 500 damages")
  func fuzz() throws {
    var random = SeededGenerator(seed: 2)
    let files = try ["bmi", "reference"].map { try fileBytes("pipelines/\($0).yaml") }
    let pieces = [
      "\t", "\n", ": ", "- ", "[", "}", "'", "\"", "&a ", "*a", "|", ">", "é", "\u{0}", "~",
    ]
    for _ in 1...500 {
      var bytes = files[random.below(files.count)]
      for _ in 0...random.below(3) {
        let place = random.below(bytes.count)
        switch random.below(3) {
        case 0: bytes[place] = UInt8(random.below(256))
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(40)))
        default: bytes.insert(contentsOf: pieces[random.below(pieces.count)].utf8, at: place)
        }
      }
      let file = PipelineFile(bytes, path: "p")
      #expect(file.report().unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
      guard file.problems.isEmpty else { continue }
      let again = PipelineFile(file.canonicalText.array, path: "p")
      #expect(again.canonicalText == file.canonicalText)
      #expect(again.source.map(SluiceTests.meaning) == file.source.map(SluiceTests.meaning))
    }
  }
}

extension SeededGenerator {
  fileprivate mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}

/// Writes random trees as YAML in flow style, each scalar in a random style.
private struct RandomYAML {
  private var random: SeededGenerator
  private let words = [
    "a", "no", "true", "null", "1.50", "-0", "1e3", "007", ".5", "x > 1", "é", "e\u{301}", "体", "",
    " ", "line\nline", "tab\t", "\u{85}", "\u{2028}", "\u{FEFF}", "quote'\"\\", "\u{1F600}", "#",
    "a: b", "- a", "\u{7F}", "\u{0}", "~", "{}",
  ]

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func document() -> String { node(depth: 0) }

  private mutating func node(depth: Int) -> String {
    switch random.below(depth < 4 ? 3 : 1) {
    case 0: return scalar()
    case 1:
      let items = (0..<random.below(4)).map { _ in node(depth: depth + 1) }
      return "[" + items.joined(separator: ", ") + "]"
    default:
      let entries = (0..<random.below(4)).map { index in
        "\"\(index)\(escaped(words[random.below(words.count)]))\" : " + node(depth: depth + 1)
      }
      return "{" + entries.joined(separator: ",\n ") + "}"
    }
  }

  private mutating func scalar() -> String {
    let word = words[random.below(words.count)]
    let isPlain = word.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || ".-~".utf8.contains($0)
    }
    if isPlain && !word.isEmpty && random.below(2) == 0 { return word }
    if word.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) && random.below(2) == 0 {
      return "'"
        + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
    return "\"\(escaped(word))\""
  }

  private func escaped(_ word: String) -> String {
    word.unicodeScalars.map { scalar in
      let hexadecimal = String(scalar.value, radix: 16)
      return "\\U" + String(repeating: "0", count: 8 - hexadecimal.count) + hexadecimal
    }.joined()
  }
}
