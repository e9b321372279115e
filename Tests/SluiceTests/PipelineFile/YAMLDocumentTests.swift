import Core
import Testing

@testable import sluice

@Suite("YAML")
struct YAMLDocumentTests {
  struct Typed: CustomTestStringConvertible {
    let text: String
    let meaning: YAMLScalar.Meaning
    var testDescription: String { text }
  }

  @Test(
    "only null, true, false and JSON's numbers are not text",
    arguments: [
      Typed(text: "true", meaning: .boolean(true)), Typed(text: "false", meaning: .boolean(false)),
      Typed(text: "True", meaning: .text), Typed(text: "no", meaning: .text),
      Typed(text: "yes", meaning: .text), Typed(text: "on", meaning: .text),
      Typed(text: "null", meaning: .null), Typed(text: "~", meaning: .null),
      Typed(text: "", meaning: .null), Typed(text: "Null", meaning: .text),
      Typed(text: "0", meaning: .number), Typed(text: "-12", meaning: .number),
      Typed(text: "1.50", meaning: .number), Typed(text: "1e-3", meaning: .number),
      Typed(text: "007", meaning: .text), Typed(text: "0x10", meaning: .text),
      Typed(text: "0o7", meaning: .text), Typed(text: "1_000", meaning: .text),
      Typed(text: "+1", meaning: .text), Typed(text: ".5", meaning: .text),
      Typed(text: "5.", meaning: .text), Typed(text: ".inf", meaning: .text),
      Typed(text: "2026-06-01", meaning: .text), Typed(text: "12:30", meaning: .text),
      Typed(text: "'5'", meaning: .text), Typed(text: "\"true\"", meaning: .text),
    ])
  func meaning(_ typed: Typed) throws {
    let document = YAMLDocument("a: \(typed.text)")
    let scalar = try #require(document.root?.value("a")?.scalar)
    #expect(scalar.meaning == typed.meaning)
    #expect(document.problems.isEmpty)
  }

  struct Refused: CustomTestStringConvertible {
    let yaml: String
    let problem: String
    var testDescription: String { problem }
  }

  @Test(
    "refuses what is no YAML or no plain data, with its place",
    arguments: [
      Refused(
        yaml: "a: 1\nb: 2\na: 3",
        problem: "3:1 `a` is here twice; the first is on line 1; remove or rename one of them"),
      Refused(
        yaml: "a: 1\n\"a\": 3",
        problem: "2:1 `a` is here twice; the first is on line 1; remove or rename one of them"),
      Refused(
        yaml: "a: !!str 1", problem: "1:4 the tag `tag:yaml.org,2002:str` is refused; remove it"),
      Refused(yaml: "a: ! 1", problem: "1:4 the tag `!` is refused; remove it"),
      Refused(yaml: "a: *b", problem: "1:4 no anchor `&b` stands before this alias"),
      Refused(yaml: "a: &b [*b]", problem: "1:8 `*b` stands inside of what it repeats"),
      Refused(
        yaml: "a: 1\n---\nb: 1",
        problem: "2:1 a second document begins here; a file holds one pipeline"),
      Refused(yaml: "a:\n\t- 1", problem: "2:1 YAML is not indented with tabs; use spaces"),
      Refused(yaml: "a: @b", problem: "1:4 a value cannot begin with `@`; quote it"),
      Refused(
        yaml: "é: b: c",
        problem:
          "1:5 a key cannot stand here; check the indentation, and quote a value that holds `: `"),
      Refused(
        yaml: "a: 'x' = b",
        problem: "1:8 a value that begins with a quote ends with it; quote the whole rule, or use |"
      ),
      Refused(
        yaml: "{ a: 'x' = b }",
        problem:
          "1:10 a value that begins with a quote ends with it; quote the whole rule, or use |"),
      Refused(yaml: "? [a]\n: 1", problem: "1:3 a key must be a word"),
      Refused(yaml: "~: 1", problem: "1:1 a key must be a word"),
      Refused(
        yaml: "x: &x {a: 1}\ny:\n  <<: *x",
        problem: "3:3 merge keys (`<<`) are not supported; write the keys out"),
      Refused(
        yaml: "a: \u{7}",
        problem: "1:4 a control character; remove it, or write it as an escape in double quotes"),
      Refused(
        yaml: "a: [1",
        problem: "1:6 not YAML: did not find expected ',' or ']' while parsing a flow sequence"),
      Refused(
        yaml: String(repeating: "[", count: 100), problem: "1:65 nested more than 64 levels deep"),
    ])
  func refuses(_ refused: Refused) {
    let document = YAMLDocument(refused.yaml)
    #expect(document.problems.map(\.words) == [refused.problem])
  }

  @Test("refuses bytes that are not UTF-8")
  func encoding() {
    func problems(_ bytes: [UInt8]) -> [String] {
      YAMLDocument(bytes, lines: SourceLines(bytes)).problems.map(\.words)
    }
    let words = "not UTF-8; save the file as UTF-8"
    #expect(problems(Array("é: 1\nb: é".utf8) + [0xFF]) == ["2:5 " + words])
    #expect(problems([0x61, 0x3A, 0x20, 0xC3]) == ["1:4 " + words])
    #expect(problems([0xED, 0xA0, 0x80]).count == 1)
    let utf16 = "1:1 the file is UTF-16; save it as UTF-8"
    #expect(problems([0xFF, 0xFE, 0x61, 0]) == [utf16])
    #expect(problems([0xFE, 0xFF, 0, 0x61]) == [utf16])
    #expect(problems([0x61, 0]) == [utf16])
    #expect(problems([0x61, 0, 0x3A, 0]) == ["1:1 the file is UTF-16LE; save it as UTF-8"])
    #expect(problems([0, 0, 0, 0x61]) == ["1:1 the file is UTF-32BE; save it as UTF-8"])
  }

  @Test("counts places the same with a byte-order mark and with any line ends")
  func places() throws {
    for text in ["é: 1\nb: x", "\u{FEFF}é: 1\r\nb: x", "é: 1\rb: x", "é: 1\u{85}b: x"] {
      let root = try #require(YAMLDocument(text).root)
      #expect(root.value("b")?.position == SourcePosition(line: 2, column: 4))
      #expect(root.value("é")?.position == SourcePosition(line: 1, column: 4))
    }
  }

  @Test("an alias repeats its anchor, up to 100,000 values in all")
  func aliases() throws {
    let root = try #require(YAMLDocument("a: &x [1, 2]\nb: *x").root)
    #expect(root.size == 7)
    // Ten levels of ten: a few hundred bytes for ten thousand million values.
    var bomb = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n"
    for level in 1...9 {
      let items = [String](repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      bomb += "a\(level): &a\(level) [\(items)]\n"
    }
    let document = YAMLDocument(bomb)
    #expect(document.root == nil)
    #expect(
      document.problems.map(\.words) == [
        "5:45 more than 100000 values, aliases written out; use fewer aliases"
      ])
    // Depth by aliases is bounded as well.
    var tower = "a0: &a0 [1]\n"
    for level in 1...70 { tower += "a\(level): &a\(level) [*a\(level - 1)]\n" }
    #expect(YAMLDocument(tower).problems.map(\.message) == ["nested more than 64 levels deep"])
  }

  @Test("an empty file has no root and no problem of form")
  func empty() {
    for text in ["", "\n\n", "# nothing\n", "\u{FEFF}"] {
      let document = YAMLDocument(text)
      #expect(document.root == nil && document.problems.isEmpty)
    }
  }
}

extension YAMLDocument {
  init(_ text: String) {
    let bytes = Array(text.utf8)
    self.init(bytes, lines: SourceLines(bytes))
  }
}

extension YAMLNode {
  var scalar: YAMLScalar? {
    if case .scalar(let scalar) = content { scalar } else { nil }
  }

  func value(_ key: String) -> YAMLNode? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key.value == Bytes(key) }?.value
  }
}

extension PipelineProblem {
  /// `line:column message`.
  var words: String { "\(position.line):\(position.column) \(message)" }
}
