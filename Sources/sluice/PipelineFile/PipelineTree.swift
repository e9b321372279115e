internal import Core
internal import Glibc

/// The tree of a pipeline file, with the files that it includes merged in and `include` gone.
///
/// The sections of names are put together, and tests follow each other; everything else stands in one
/// file. A name that stands in two files is refused: which of them counts would be a guess.
struct PipelineTree {
  /// How files are read; nil where only the text itself is there, as for a stored pipeline.
  typealias Read = (String) throws(Problem) -> [UInt8]

  static let mostFiles = 32
  static let deepest = 8

  /// nil for a file that is empty or cannot be read as YAML.
  private(set) var root: YAMLNode?
  private(set) var problems: [PipelineProblem] = []
  private(set) var files = SourceFiles()
  /// Named things that are refused because their name is there already, with their section.
  private(set) var repeats: [(section: Bytes, entry: YAMLEntry)] = []
  /// False where a part of the pipeline could not be found or read: it may declare any name.
  private(set) var isWhole = true
  /// Sections that stand twice, of which one is left out.
  private(set) var leftOut: Set<String> = []
  private let read: Read?
  /// Real paths of the files that are merged already.
  private var merged: Set<String> = []

  init(_ bytes: [UInt8], path: String, read: Read?) {
    self.read = read
    root = load(bytes, path: path, including: [])
  }

  private mutating func report(at position: SourcePosition, _ message: String) {
    problems.append(PipelineProblem(at: position, message))
  }

  /// - Parameter chain: real paths of the files that led here, from the first.
  private mutating func load(_ bytes: [UInt8], path: String, including chain: [String])
    -> YAMLNode?
  {
    let lines = SourceLines(bytes)
    let number = files.add(lines, path: path)
    let document = YAMLDocument(bytes, lines: lines)
    problems += document.problems.map { $0.inFile(number) }
    let start = SourcePosition(line: 1, column: 1, file: number)
    if document.root == nil, document.part != nil { isWhole = false }
    guard let tree = (document.root ?? document.part)?.inFile(number) else {
      if document.problems.isEmpty {
        report(
          at: start, number == 0 ? "the file holds no pipeline" : "the included file is empty")
      }
      return nil
    }
    guard case .mapping(var entries) = tree.content else {
      if number > 0 {
        // Whatever it is, it is no part of a pipeline: its lines are nobody's to see.
        files.hideLines(of: number)
        report(
          at: tree.position,
          "an included file is written as `key: value` lines; this is \(tree.form)")
      }
      return tree
    }
    let real = read == nil ? path : realPath(path)
    merged.insert(real)
    for entry in entries where Self.sections.contains(entry.key.value) {
      repeats += entry.value.repeats.map { (entry.key.value, $0) }
    }
    for entry in tree.repeats {
      if Self.sections.contains(entry.key.value) {
        repeats += entry.value.repeats.map { (entry.key.value, $0) }
      }
      // Refused as a whole already, so that nothing is told of what stands in it.
      merge([entry], into: &entries, isTold: true)
    }
    let includes = (entries + tree.repeats).filter { $0.key.value == "include" }
    var result = entries.filter { $0.key.value != "include" }
    for (name, position) in includes.flatMap({ names($0) }) {
      let other = name.hasPrefix("/") ? name : folder(of: path) + name
      guard let included = load(other, at: position, including: chain + [real]) else { continue }
      merge(included, into: &result)
    }
    return YAMLNode(.mapping(result), at: tree.position)
  }

  private mutating func load(
    _ path: String, at position: SourcePosition, including chain: [String]
  ) -> [YAMLEntry]? {
    guard let read else {
      isWhole = false
      report(at: position, "a pipeline without a file cannot include one")
      return nil
    }
    let real = realPath(path)
    if let first = chain.firstIndex(of: real) {
      let circle = (chain[first...] + [real]).map { fileName($0) }.joined(separator: " → ")
      report(at: position, "these files include each other: \(circle)")
      return nil
    }
    // Two ways to one file are no mistake: it counts once.
    guard !merged.contains(real) else { return nil }
    guard chain.count < Self.deepest, files.count < Self.mostFiles else {
      isWhole = false
      report(
        at: position,
        "at most \(Self.mostFiles) files are included, at most \(Self.deepest) levels deep")
      return nil
    }
    let bytes: [UInt8]
    do throws(Problem) {
      bytes = try read(path)
    } catch {
      isWhole = false
      report(
        at: position,
        "cannot read the included file `\(path)`: \(error.why); check the path, which begins at "
          + "the folder of the file that includes it")
      return nil
    }
    let tree = load(bytes, path: path, including: chain)
    if case .mapping(let entries)? = tree?.content { return entries }
    isWhole = false
    return nil
  }

  private mutating func names(_ include: YAMLEntry) -> [(name: String, position: SourcePosition)] {
    let items: [YAMLNode] =
      if case .sequence(let items) = include.value.content { items } else { [include.value] }
    return items.compactMap { item in
      guard case .scalar(let scalar) = item.content, scalar.meaning == .text,
        !scalar.text.isEmpty, !scalar.text.slice.contains(0)
      else {
        isWhole = false
        report(at: item.position, "`include` is the path of a file, or a list of them")
        return nil
      }
      return (scalar.text.string, item.position)
    }
  }

  // MARK: Merging

  private static let sections: [Bytes] = [
    "flows", "answers", "custom", "attributes", "segments", "placements",
  ]

  /// - Parameter isTold: true where it has been told that these keys are there twice.
  private mutating func merge(
    _ entries: [YAMLEntry], into result: inout [YAMLEntry], isTold: Bool = false
  ) {
    for entry in entries {
      guard let index = result.firstIndex(where: { $0.key.value == entry.key.value }) else {
        result.append(entry)
        continue
      }
      let first = result[index]
      switch (first.value.content, entry.value.content) {
      case (_, _) where entry.value.isNull: continue
      case (_, _) where first.value.isNull: result[index] = entry
      case (.mapping(var names), .mapping(let more)) where Self.sections.contains(entry.key.value):
        add(more, to: &names, of: entry.key.value)
        result[index] = YAMLEntry(
          key: first.key, value: YAMLNode(.mapping(names), at: first.value.position))
      case (.sequence(let tests), .sequence(let more)) where entry.key.value == "tests":
        result[index] = YAMLEntry(
          key: first.key, value: YAMLNode(.sequence(tests + more), at: first.value.position))
      default:
        if !isTold { reportTwice(entry, first) }
        leftOut.insert(entry.key.value.string)
      }
    }
  }

  private mutating func add(
    _ more: [YAMLEntry], to names: inout [YAMLEntry], of section: Bytes
  ) {
    var known: [Bytes: YAMLEntry] = [:]
    for name in names { known[name.key.value] = name }
    for entry in more {
      if let first = known[entry.key.value] {
        reportTwice(entry, first)
        repeats.append((section, entry))
      } else {
        names.append(entry)
      }
    }
  }

  private mutating func reportTwice(_ entry: YAMLEntry, _ first: YAMLEntry) {
    report(
      at: entry.key.position,
      "`\(entry.key.value.string)` is here twice; the first is at "
        + files.words(for: first.key.position) + "; remove or rename one of them")
  }
}

/// The path without links and dots; the path itself where there is no such file.
private func realPath(_ path: String) -> String {
  guard let real = realpath(path, nil) else { return path }
  defer { free(real) }
  return String(cString: real)
}

/// Everything up to the last slash.
private func folder(of path: String) -> String {
  path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
}

private func fileName(_ path: String) -> String {
  path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
}
