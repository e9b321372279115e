internal import Core

/// A pipeline file as read: what it says, what is wrong with its form, and its canonical text.
struct PipelineFile {
  /// As given by whoever named it, for words.
  let path: String
  /// nil when the file is no YAML or no mapping.
  let source: PipelineSource?
  let tests: [PipelineTest]
  /// The form of the file only; the core finds the rest in `source`.
  let problems: [PipelineProblem]
  /// True when the core's problems are worth adding to these: no part of `source` is missing.
  let isComplete: Bool
  /// Empty without `source`.
  let canonicalText: Bytes
  private let lines: SourceLines

  init(_ bytes: [UInt8], path: String) {
    self.path = path
    lines = SourceLines(bytes)
    let document = YAMLDocument(bytes, lines: lines)
    var reader = PipelineReader(lines: lines)
    guard let root = document.root else {
      let start = SourcePosition(line: 1, column: 1)
      let isEmpty = document.problems.isEmpty
      (source, tests, canonicalText, isComplete) = (nil, [], .empty, false)
      problems =
        isEmpty ? [PipelineProblem(at: start, "the file holds no pipeline")] : document.problems
      return
    }
    let pipeline = reader.pipeline(root)
    source = pipeline?.source
    tests = pipeline?.tests ?? []
    canonicalText = pipeline == nil ? .empty : CanonicalText.pipeline(root)
    problems = document.problems + reader.problems
    isComplete = pipeline != nil && document.problems.isEmpty && reader.isComplete
  }

  /// Reads a file.
  ///
  /// - Throws: ``Problem`` where there is no such file or it cannot be read; what is wrong *in* the
  ///   file is in ``problems``.
  init(contentsOf path: String) throws(Problem) {
    self.init(try fileBytes(path), path: path)
  }

  /// All problems for a person, in the order of the file: these and the core's.
  func report(_ more: [PipelineProblem] = []) -> String {
    PipelineReport.text(problems + more, in: lines, path: path)
  }
}
