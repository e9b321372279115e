internal import Core
internal import Glibc
internal import Ingest
internal import Store

/// The folder of source files that come with the program: beside its SQL, or in the checkout.
struct SourcesFolder {
  /// Nil where there is none: then only canonical records are known, and files that are named.
  let path: String?

  /// - Parameter sql: what `--sql` says.
  init(besideSQL sql: String? = nil) {
    // The folder of SQL files is found with care; what stands beside it is as good.
    let folder = try? SQLFolder(named: sql).path
    path = folder.flatMap { folder in
      [folder + "/../sources", folder + "/../pipelines/sources"]
        .first { access($0 + "/canonical.yaml", R_OK) == 0 }
    }
  }

  /// Names of the sources, `canonical` first, which is what ties are decided for.
  var names: [String] {
    guard let path, let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      // The reference explains every key; it is no source.
      guard name.hasSuffix(".yaml"), name != "reference.yaml" else { continue }
      names.append(String(name.dropLast(5)))
    }
    return names.sorted { ($0 == canonical ? "" : $0) < ($1 == canonical ? "" : $1) }
  }

  private var canonical: String { "canonical" }

  /// The text of a source by its name, or of a file by its path.
  ///
  /// - Parameter file: the file that names it; a path counts from where that stands.
  func text(
    of source: String, namedIn file: String? = nil
  ) throws(Problem) -> (bytes: [UInt8], path: String) {
    let isPath = source.contains("/") || source.hasSuffix(".yaml") || source.hasSuffix(".yml")
    if isPath, !source.hasPrefix("/"), let file, let slash = file.lastIndex(of: "/") {
      let path = file[...slash] + source
      return (try fileBytes(String(path), "the source file"), String(path))
    }
    if !isPath, let path, names.contains(source) {
      let file = "\(path)/\(source).yaml"
      return (try fileBytes(file, "the source file"), file)
    }
    guard isPath || access(source, F_OK) == 0 else {
      let known = names
      let near = nearest(to: source, among: known)
      throw Problem(
        .usage, at: "--source \(source)", "there is no such source",
        next: near.map { "did you mean `\($0)`?" }
          ?? (known.isEmpty
            ? "name a file" : "name a file, or one of " + known.joined(separator: ", ")))
    }
    return (try fileBytes(source, "the source file"), source)
  }

  /// A source by name or path.
  ///
  /// - Throws: ``PipelineFileProblem`` for what is wrong in its file; ``Problem`` where there is none.
  func mapping(_ source: String) throws -> SourceMapping {
    let (bytes, path) = try text(of: source)
    return try SourceFile(
      bytes, path: path,
      find: { (name, file) throws(Problem) in try text(of: name, namedIn: file) }
    ).checked()
  }

  /// All sources that come with the program.
  func mappings() throws -> [SourceMapping] { try names.map { try mapping($0) } }
}
