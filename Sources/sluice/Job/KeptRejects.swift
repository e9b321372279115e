internal import Core
internal import Glibc
internal import Store

/// The files of `--keep-rejects` that jobs wrote, rid of the records that hold an erased id (SEMANTICS 6.4).
///
/// Written anew beside the old file and put in its place, so that a reader sees one of the two.
struct KeptRejects {
  private(set) var files = 0
  private(set) var records = 0
  /// Files that this machine has not, or that could not be written.
  private(set) var elsewhere = 0

  init() {}

  /// - Throws: a ``Problem`` where one of them is there and cannot be cleaned.
  init(in paths: [KeptRejectsFile], without ids: IDTraces) throws(Problem) {
    for file in paths {
      let path = file.path.string
      guard let age = Self.age(ofFileAt: path) else {
        if file.isRecent { elsewhere += 1 }
        continue
      }
      files += 1
      records += try Self.clean(path, since: age, without: ids)
    }
  }

  /// Removes them, as far as this machine has them; gives how many.
  static func removeAll(_ files: [KeptRejectsFile]) -> Int {
    files.count { file in
      let path = file.path.string
      return age(ofFileAt: path) != nil && unlink(path) == 0
    }
  }

  /// When it was written; nil where there is no such file here.
  private static func age(ofFileAt path: String) -> timespec? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return status.st_mtim
  }

  private static func clean(_ path: String, since age: timespec, without ids: IDTraces)
    throws(Problem) -> Int
  {
    guard let source = fopen(path, "r") else {
      throw Problem(
        .noInput, at: path, "cannot read the kept rejects",
        because: String(cString: strerror(errno)))
    }
    defer { fclose(source) }
    let fresh = path + ".new"
    var removed = 0
    do {
      let file = try OutputFile(fresh)
      var buffer: UnsafeMutablePointer<CChar>?
      var capacity = 0
      defer { free(buffer) }
      while case let length = getline(&buffer, &capacity, source), length > 0, let buffer {
        let line = buffer.withMemoryRebound(to: UInt8.self, capacity: length) {
          Array(UnsafeBufferPointer(start: $0, count: length))
        }
        if ids.stand(in: text(of: Bytes(line))) { removed += 1 } else { try file.write(line) }
      }
      try file.flush()
    }
    guard removed > 0 else {
      unlink(fresh)
      return 0
    }
    // What stays in it goes away when it would have.
    let times = [age, age]
    utimensat(AT_FDCWD, fresh, times, 0)
    guard rename(fresh, path) == 0 else {
      throw Problem(
        .cannotWrite, at: path, "cannot be replaced", because: String(cString: strerror(errno)))
    }
    return removed
  }

  /// What a record said, its own escapes kept and resolved: an id can stand in it either way.
  private static func text(of line: Bytes) -> [UInt8] {
    var text: [UInt8] = []
    JSONText(line).forEachMember { key, value in
      guard let member = value.string else { return }
      if key == "text" { text += member.array + [0] + RecordWords.unescaped(member) }
      if key == "text_hex" { text += bytes(ofHex: member) }
    }
    return text
  }

  private static func bytes(ofHex digits: Bytes) -> [UInt8] {
    let values = digits.slice.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    return stride(from: 0, to: values.count - 1, by: 2).map {
      UInt8(values[$0] << 4 | values[$0 + 1])
    }
  }

  var words: [String] {
    var words: [String] = []
    if records > 0 {
      words.append("\(counted(records, "record")) in files of --keep-rejects held an id, and went")
    }
    if elsewhere > 0 {
      words.append(
        "\(counted(elsewhere, "file")) of --keep-rejects of the last 30 days not on this machine: "
          + "column kept_rejects of job_runs says where")
    }
    return words
  }
}
