internal import Core

/// A pipeline file and the files that it includes, for words about places in them.
struct SourceFiles {
  /// By ``SourcePosition/file``.
  private var files: [(path: String, lines: SourceLines)] = []
  private var hidden: Set<Int> = []

  init() {}

  /// A file that includes no other.
  init(_ lines: SourceLines, path: String) { files = [(path, lines)] }

  var count: Int { files.count }

  /// Adds a file.
  ///
  /// - Parameters:
  ///   - lines: of the file.
  ///   - path: for words.
  /// - Returns: its number.
  mutating func add(_ lines: SourceLines, path: String) -> Int {
    files.append((path, lines))
    return files.count - 1
  }

  /// Keeps the lines of a file out of words about places in it.
  mutating func hideLines(of file: Int) { hidden.insert(file) }

  /// Whether words about a place may quote its line.
  func showsLine(at position: SourcePosition) -> Bool {
    !hidden.contains(position.file) && !lines(at: position).mayHoldAnswers
  }

  func lines(at position: SourcePosition) -> SourceLines { files[position.file].lines }

  func path(of position: SourcePosition) -> String { files[position.file].path }

  /// `shared.yaml:3:5`.
  func words(for position: SourcePosition) -> String {
    "\(path(of: position)):\(position.line):\(position.column)"
  }
}

extension SourcePosition {
  func inFile(_ file: Int) -> SourcePosition {
    SourcePosition(line: line, column: column, file: file)
  }
}

extension PipelineProblem {
  func inFile(_ file: Int) -> PipelineProblem {
    PipelineProblem(at: position.inFile(file), message)
  }
}

extension YAMLNode {
  /// The same tree, every place of it in a file.
  func inFile(_ file: Int) -> YAMLNode {
    guard file != 0 else { return self }
    let content: YAMLNode.Content =
      switch self.content {
      case .scalar: self.content
      case .sequence(let items): .sequence(items.map { $0.inFile(file) })
      case .mapping(let entries): .mapping(entries.map { $0.inFile(file) })
      }
    return YAMLNode(
      content, at: position.inFile(file), repeats: repeats.map { $0.inFile(file) })
  }
}

extension YAMLEntry {
  fileprivate func inFile(_ file: Int) -> YAMLEntry {
    YAMLEntry(
      key: Located(key.value, at: key.position.inFile(file)), value: value.inFile(file))
  }
}
