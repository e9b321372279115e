import Core

@testable import sluice

/// Any bytes as a pipeline file, through all of its check.
enum PipelineInput {
  static func read(_ bytes: [UInt8]) {
    let file = PipelineFile(bytes, path: "p.yaml", environment: ["X": "x"])
    var problems = file.problems
    if let source = file.source {
      do {
        let pipeline = try PipelineChecker.check(source)
        if file.problems.isEmpty {
          demand(!pipeline.name.isEmpty, "a pipeline has a name")
          let again = PipelineFile(file.canonicalText.array, path: "canonical")
          demand(
            again.canonicalText == file.canonicalText,
            "canonical text is a fixed point: \(file.canonicalText.string)")
        }
      } catch { problems += error.list }
    }
    let words = file.report(problems)
    demand(words.isEmpty == problems.isEmpty, "every problem has words")
    demand(
      words.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A },
      "no control character reaches a terminal: \(words.debugDescription)")
  }
}
