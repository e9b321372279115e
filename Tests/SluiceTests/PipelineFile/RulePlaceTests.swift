import Core
import Testing

@testable import sluice

@Suite("Places in rules")
struct RulePlaceTests {
  struct Case: CustomTestStringConvertible {
    let name: String
    let yaml: String
    var text = "first > 1 and bad"
    /// True where YAML folds lines or resolves escapes.
    var isFolded = false
    var testDescription: String { name }
  }

  @Test(
    "the word `bad` of a rule is found where it stands in the file",
    arguments: [
      Case(name: "plain", yaml: "rule: first > 1 and bad"),
      Case(name: "plain with a comment", yaml: "rule:   first > 1 and bad  # why"),
      Case(name: "single quotes", yaml: "é: 1\nrule: 'first > 1 and bad'"),
      Case(name: "double quotes", yaml: "rule: \"first > 1 and bad\""),
      Case(name: "spaces in quotes", yaml: "rule: '  first > 1 and bad '"),
      Case(
        name: "a quote in single quotes", yaml: "rule: 'first = ''a'' and bad'",
        text: "first = 'a' and bad"),
      Case(
        name: "escapes", yaml: #"rule: &x "  f\x69rst \u003e 1 and\U00000020bad\n""#),
      Case(
        name: "an escape for a line break", yaml: #"rule: "first\n \"é\" and bad""#,
        text: "first\n \"é\" and bad"),
      Case(
        name: "escapes on two lines", yaml: "rule: \"first \\x3e \\\n    1\n\n  and bad\"",
        text: "first > 1\nand bad"),
      Case(name: "anchor", yaml: "rule: &x first > 1 and bad"),
      Case(name: "in a list", yaml: "- [first > 1 and bad]"),
      Case(name: "literal", yaml: "rule: |\n    first > 1 and bad\n"),
      Case(name: "literal with CRLF", yaml: "rule: |\r\n    first > 1 and bad\r\n"),
      Case(name: "literal, stripped", yaml: "rule: |-\n\n\n  first > 1 and bad\nx: 1"),
      Case(name: "literal, indented by hand", yaml: "rule: |2\n     first > 1 and bad"),
      Case(name: "literal with an anchor", yaml: "rule: &x |\n  first > 1 and bad"),
      Case(
        name: "literal of two lines", yaml: "rule: |\n   first > 1\n     and bad\n",
        text: "first > 1\n  and bad"),
      Case(
        name: "literal with a blank line", yaml: "rule: |\n   é > 1\n\n   and bad\n",
        text: "é > 1\n\nand bad"),
      Case(name: "plain on two lines", yaml: "rule: first > 1\n  and bad", isFolded: true),
      Case(name: "quotes on two lines", yaml: "rule: 'first > 1\n    and bad'", isFolded: true),
      Case(name: "folded", yaml: "rule: >\n  first > 1\n  and bad\n", isFolded: true),
      Case(
        name: "folded with a paragraph", yaml: "rule: >-\n  first > 1\n\n  and\n  bad\n",
        text: "first > 1\nand bad", isFolded: true),
    ])
  func place(_ example: Case) throws {
    let bytes = Array(example.yaml.utf8)
    let lines = SourceLines(bytes)
    let root = try #require(YAMLDocument(example.yaml).root)
    let node = try #require(root.firstRule)
    let rule = RuleText(try #require(node.scalar), at: node.position, in: lines)
    #expect(rule.text == Bytes(example.text))
    #expect(
      rule.lineStarts.count
        == example.text.split(separator: "\n", omittingEmptySubsequences: false).count)
    let offset = example.text.utf8.count - 3
    #expect(
      lines.unfolded(rule.position(ofByte: offset)) == lines.position(ofByte: example.byteOfBad))
    #expect(
      example.isFolded || rule.position(ofByte: offset) == lines.position(ofByte: example.byteOfBad)
    )
    #expect(rule.isPlainScalar == (node.scalar?.style == .plain))
  }
}

extension RulePlaceTests.Case {
  fileprivate var byteOfBad: Int {
    let utf8 = Array(yaml.utf8)
    return utf8.indices.last { utf8[$0...].starts(with: "bad".utf8) } ?? 0
  }
}

extension YAMLNode {
  fileprivate var firstRule: YAMLNode? {
    switch content {
    case .scalar: self
    case .sequence(let items): items.first?.firstRule
    case .mapping: value("rule")
    }
  }
}
