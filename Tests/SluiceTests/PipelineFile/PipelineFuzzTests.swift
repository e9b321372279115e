import Core
import Testing

@testable import sluice

@Suite("Any input to pipeline files")
struct PipelineFuzzTests {
  /// What YAML and rules are made of, to be put anywhere.
  private static let pieces: [[UInt8]] =
    [
      ": ", "- ", "{", "}", "[", "]", "&a ", "*a", "!!", "|", ">", "|2-", "'", "\"", "#", " #",
      "\n",
      "\n  ", "\t", "\r\n", "---\n", "...", "<<: *a", "${X}", "include: x", "null", "~", "é",
      "\u{FEFF}",
      "\u{2028}", "\0", "%YAML 1.1\n", "? ", "case when ", "((((", "))))", " and ", " or not ",
      "1e999",
      "bmi", "now()", "% ", "@", "`", "\\", "0x10", ",", "a: &b [*b]",
    ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]]

  private static func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let place = Int.random(in: 0...bytes.count, using: &random)
      let end = min(bytes.count, place + Int.random(in: 0...40, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes.removeSubrange(place..<end)
      case 1: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
      case 2: bytes.replaceSubrange(place..<end, with: pieces.randomElement(using: &random) ?? [])
      case 3:
        bytes.insert(
          contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
      case 4 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
      default: bytes.removeSubrange(end...)
      }
    }
    return bytes
  }

  @Test(
    "shipped files changed at random are read or refused at a place, and what is read has a hash",
    arguments: ["bmi", "reference"])
  func mutations(_ name: String) throws {
    let shipped = try fileBytes("pipelines/\(name).yaml")
    var random = SeededGenerator(seed: 11)
    var accepted = 0
    for run in 0..<400 {
      let bytes = Self.mutated(shipped, &random)
      let file = PipelineFile(bytes, path: "p.yaml", environment: ["X": "x"])
      var problems = file.problems
      if let source = file.source {
        do {
          let pipeline = try PipelineChecker.check(source)
          if file.problems.isEmpty {
            accepted += 1
            #expect(!file.canonicalText.isEmpty && !pipeline.name.isEmpty, "seed 11, run \(run)")
            let again = PipelineFile(file.canonicalText.array, path: "canonical")
            #expect(again.canonicalText == file.canonicalText, "seed 11, run \(run)")
          }
        } catch { problems += error.list }
      }
      // Every report has words, and a place that can be shown.
      #expect(file.report(problems).isEmpty == problems.isEmpty, "seed 11, run \(run)")
    }
    #expect(accepted > 0)
  }

  @Test("broken files changed at random are refused without a crash")
  func brokenMutations() throws {
    var random = SeededGenerator(seed: 12)
    for name in BrokenPipelineTests.names {
      let bytes = try fileBytes("Tests/SluiceTests/Golden/broken/\(name).yaml")
      for _ in 0..<5 {
        let file = PipelineFile(Self.mutated(bytes, &random), path: "p.yaml")
        if let source = file.source {
          _ = try? PipelineChecker.check(source)
        }
        _ = file.report()
      }
    }
  }

  @Test("nesting is refused and not recursed into, in YAML and in a rule")
  func nesting() {
    for (open, close) in [("[", "]"), ("{a: ", "}"), ("- ", "")] {
      let text =
        "pipeline: p\nflows: " + String(repeating: open, count: 100_000)
        + String(repeating: close, count: 100_000)
      let file = PipelineFile(Array(text.utf8), path: "p.yaml")
      #expect(!file.problems.isEmpty)
    }
    for (open, close) in [
      ("(", ")"), ("not ", ""), ("- ", ""), ("case when ", " end"), ("abs(", ")"),
    ] {
      let rule =
        String(repeating: open, count: 50_000) + "1 > 0" + String(repeating: close, count: 50_000)
      let file = PipelineFile(
        Array("pipeline: p\nsegments:\n  a: |\n    \(rule)\n".utf8), path: "p.yaml")
      guard let source = file.source else { continue }
      #expect(throws: PipelineProblems.self) { try PipelineChecker.check(source) }
    }
  }
}
