internal import Core
internal import Report

/// The words for what is wrong with a pipeline file.
enum PipelineReport {
  /// For each problem `file:line:column: message`, the line of the file, and a caret under the place.
  ///
  /// In the order of the file, the same problem once.
  static func text(_ problems: [PipelineProblem], in files: SourceFiles) -> String {
    let placed = problems.map { problem in
      let lines = files.lines(at: problem.position)
      return PipelineProblem(at: lines.unfolded(problem.position), problem.message)
    }
    var seen: Set<PipelineProblem> = []
    return placed.filter { seen.insert($0).inserted }
      .sorted { ($0.position, $0.message) < ($1.position, $1.message) }
      .map { problem in
        text(problem, in: files)
      }
      .joined()
  }

  private static func text(_ problem: PipelineProblem, in files: SourceFiles) -> String {
    let path = files.path(of: problem.position)
    let (line, column) = (problem.position.line, problem.position.column)
    var text = printable("\(path):\(line):\(column): \(problem.message)") + "\n"
    let scalars = files.lines(at: problem.position).scalars(ofLine: line)
    guard !scalars.isEmpty, files.showsLine(at: problem.position) else { return text }
    let place = min(max(column - 1, 0), scalars.count)
    // A file that is one long line, such as canonical text, is shown around the place only.
    let isLong = scalars.count > 120
    let shown = isLong ? max(0, place - 72)..<min(scalars.count, place + 28) : 0..<scalars.count
    let before = (shown.lowerBound > 0 ? "…" : "") + shape(scalars[shown.lowerBound..<place])
    let after = shape(scalars[place..<shown.upperBound])
    text += "  " + before + after + (shown.upperBound < scalars.count ? "…" : "") + "\n"
    text += "  " + String(repeating: " ", count: displayWidth(before)) + "^\n"
    return text
  }

  /// Text with a width that is known: a tab becomes two spaces, a control character its number.
  private static func shape(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    scalars.reduce(into: "") { $0 += $1 == "\t" ? "  " : printable(String($1)) }
  }
}
