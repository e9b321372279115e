internal import Core
internal import Ingest

/// A source file as read: the mapping it gives, and what is wrong with its form.
struct SourceFile {
  let mapping: SourceMapping?
  let problems: [PipelineProblem]
  private let files: SourceFiles

  /// How many files may be `like` each other in a row.
  private static let deepest = 4

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - path: for words.
  ///   - find: the text of another source, by the name that `like` gives in the file of a path, and
  ///     where it stands.
  init(
    _ bytes: [UInt8], path: String,
    find: (_ name: String, _ file: String) throws(Problem) -> (bytes: [UInt8], path: String)
  ) {
    var loader = Loader()
    let root = loader.load(bytes, path: path, depth: 0, find: find)
    var reader = PipelineReader(files: loader.files)
    var mapping = root.flatMap { reader.source($0) }
    mapping?.text = root.map { CanonicalText.json($0) } ?? .empty
    self.mapping = mapping
    problems = loader.problems + reader.problems
    files = loader.files
  }

  /// The mapping.
  ///
  /// - Throws: ``PipelineFileProblem`` with everything that is wrong.
  func checked() throws -> SourceMapping {
    if let mapping, problems.isEmpty { return mapping }
    throw PipelineFileProblem(
      report: PipelineReport.text(problems, in: files), count: problems.count)
  }

  /// Puts a file together with those it is `like`.
  private struct Loader {
    var files = SourceFiles()
    var problems: [PipelineProblem] = []

    mutating func load(
      _ bytes: [UInt8], path: String, depth: Int,
      find: (_ name: String, _ file: String) throws(Problem) -> (bytes: [UInt8], path: String)
    ) -> YAMLNode? {
      let lines = SourceLines(bytes)
      let number = files.add(lines, path: path)
      let document = YAMLDocument(bytes, lines: lines)
      problems += document.problems.map { $0.inFile(number) }
      guard let root = document.root?.inFile(number) else {
        if document.problems.isEmpty {
          problems.append(
            PipelineProblem(
              at: SourcePosition(line: 1, column: 1, file: number), "the file holds no source"))
        }
        return nil
      }
      guard case .mapping(let entries) = root.content,
        let like = entries.first(where: { $0.key.value == "like" })
      else { return root }
      guard case .scalar(let name) = like.value.content, name.meaning == .text else {
        problems.append(PipelineProblem(at: like.value.position, "`like` names one source"))
        return root
      }
      guard depth < SourceFile.deepest else {
        problems.append(
          PipelineProblem(at: like.value.position, "these sources are like each other without end"))
        return root
      }
      do throws(Problem) {
        let other = try find(name.text.string, path)
        guard let base = load(other.bytes, path: other.path, depth: depth + 1, find: find) else {
          return root
        }
        return merged(root, over: base, levels: 2)
      } catch {
        let words = [error.what, error.why, error.next].filter { !$0.isEmpty }
        problems.append(
          PipelineProblem(at: like.value.position, words.joined(separator: "; ")))
        return root
      }
    }

    /// What is said by the first, and where it says nothing by the second; sections key by key.
    private func merged(_ first: YAMLNode, over second: YAMLNode, levels: Int) -> YAMLNode {
      guard levels > 0, case .mapping(let own) = first.content,
        case .mapping(let others) = second.content
      else { return first }
      var entries = own.filter { $0.key.value != "like" }
      for other in others {
        guard let index = entries.firstIndex(where: { $0.key.value == other.key.value }) else {
          entries.append(other)
          continue
        }
        // Records and shapes are one thing each, not many that can be exchanged one by one.
        guard ["envelope", "names", "params"].contains(other.key.value.string) || levels < 2 else {
          continue
        }
        entries[index] = YAMLEntry(
          key: entries[index].key,
          value: merged(entries[index].value, over: other.value, levels: levels - 1))
      }
      return YAMLNode(.mapping(entries), at: first.position)
    }
  }
}
