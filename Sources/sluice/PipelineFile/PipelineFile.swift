internal import Core

/// A pipeline file as read: what it says, what is wrong with its form, and its canonical text.
struct PipelineFile {
  /// As given by whoever named it, for words.
  let path: String
  /// nil when the file is no YAML or no mapping.
  let source: PipelineSource?
  let tests: [PipelineTest]
  /// The form of the file only; the core finds the rest in `source`, which says itself what of it could
  /// not be read, and ``TestNames`` in `tests`.
  let problems: [PipelineProblem]
  /// Of the file with all that it includes, and with the values of variables; empty without `source`.
  let canonicalText: Bytes
  private let files: SourceFiles
  /// Places of which nothing more is told.
  private let told: Set<SourcePosition>

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - bytes: of the file.
  ///   - path: for words, and where included files are found from.
  ///   - environment: for `${NAME}`.
  ///   - read: reads an included file; nil for a text that may include none.
  init(
    _ bytes: [UInt8], path: String, environment: [String: String] = [:],
    read: PipelineTree.Read? = nil
  ) {
    self.path = path
    let tree = PipelineTree(bytes, path: path, read: read)
    files = tree.files
    guard let written = tree.root else {
      (source, tests, canonicalText, told) = (nil, [], .empty, [])
      problems = tree.problems
      return
    }
    var values = EnvironmentValues(environment)
    let root = values.applied(to: written)
    var reader = PipelineReader(files: tree.files)
    let pipeline = reader.pipeline(
      root, repeats: tree.repeats, leftOut: tree.leftOut, isWhole: tree.isWhole)
    source = pipeline?.source
    tests = pipeline?.tests ?? []
    canonicalText = pipeline == nil ? .empty : CanonicalText.pipeline(root)
    // A place without a value is told once, not again for the form of what stands there instead.
    let told = Set((tree.problems + values.problems).map(\.position))
    self.told = told
    problems =
      tree.problems + values.problems
      + reader.problems.filter { !told.contains($0.position) }
  }

  /// Reads a file and those it includes.
  ///
  /// - Throws: ``Problem`` where there is no such file or it cannot be read; what is wrong *in* the
  ///   file is in ``problems``.
  init(contentsOf path: String, environment: [String: String] = [:]) throws(Problem) {
    self.init(
      try fileBytes(path), path: path, environment: environment,
      read: { (path) throws(Problem) in try fileBytes(path) })
  }

  /// The core's problems, without those at a place of which the reader has told a problem already.
  func news(_ problems: [PipelineProblem]) -> [PipelineProblem] {
    problems.filter { !told.contains($0.position) }
  }

  /// All problems for a person, in the order of the file: these and the core's, and its warnings.
  func report(_ more: [PipelineProblem] = [], warnings: [PipelineProblem] = []) -> String {
    let warnings = warnings.map { PipelineProblem(at: $0.position, "warning: " + $0.message) }
    return PipelineReport.text(problems + more + warnings, in: files)
  }
}
