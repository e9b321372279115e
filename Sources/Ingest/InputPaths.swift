package import Core
internal import Glibc

/// One thing to read.
package enum Input: Hashable, Sendable {
  /// A path as it is opened; its bytes need not be UTF-8.
  case file(Bytes)
  case standardInput

  /// Opens it for reading.
  package func open() throws(Problem) -> FileSource {
    switch self {
    case .file(let path): try FileSource(path: path)
    case .standardInput: try FileSource.standardInput()
    }
  }
}

/// What a command's arguments stand for.
package struct InputPaths: Sendable {
  /// In the order of the arguments, a folder's files by the bytes of their paths.
  package private(set) var inputs: [Input] = []
  /// Files in folders that are no data by their names: see ``isNoData(name:)``.
  package private(set) var skipped = 0
  /// Links in folders that lead nowhere.
  package private(set) var dangling: [Bytes] = []
  /// Paths that lead to a file that is read already, through a link or a second argument.
  package private(set) var repeated = 0

  /// What leads nowhere, and folders that cannot be read.
  package private(set) var failures: [Problem] = []

  private var seen: Set<FileID> = []

  /// A file whatever its path.
  private struct FileID: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
    }
  }

  /// Expands files, folders (with all below them), globs that the shell left alone, and `-` for stdin.
  ///
  /// - Throws: the first of the ``failures`` where nothing else is left to read.
  package init(arguments: [String]) throws(Problem) {
    for argument in arguments {
      guard argument != "-" else {
        if inputs.contains(.standardInput) { repeated += 1 } else { inputs.append(.standardInput) }
        continue
      }
      let path = Bytes(argument)
      if Self.status(path) != nil {
        add(path, isNamed: true)
      } else {
        let matches = Self.matches(path)
        // It costs itself, as a file does that cannot be read.
        if matches.isEmpty {
          failures.append(
            Problem(
              .noInput, at: argument, "there is no such file or folder",
              next: "check the path; `-` reads from stdin"))
        }
        // Nobody named what a pattern finds: it is as if its folder had been listed.
        for match in matches {
          let name = match.slice.split(separator: UInt8(ascii: "/")).last ?? []
          if Self.isNoData(name: name) { skipped += 1 } else { add(match, isNamed: true) }
        }
      }
    }
    if inputs.isEmpty, let failure = failures.first { throw failure }
  }

  private static func status(_ path: Bytes) -> stat? {
    var status = stat()
    return path.withCString({ stat($0, &status) }) == 0 ? status : nil
  }

  private static func isLink(_ path: Bytes) -> Bool {
    var status = stat()
    return path.withCString({ lstat($0, &status) }) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Adds a path; one that the user named can be anything that can be read, such as a pipe.
  private mutating func add(_ path: Bytes, isNamed: Bool) {
    guard let status = Self.status(path) else {
      if isNamed { failures.append(Problem(reading: path.string)) }
      // Else it went away since its folder was listed.
      if Self.isLink(path) { dangling.append(path) }
      return
    }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFDIR || kind == S_IFREG || isNamed else {
      skipped += 1
      return
    }
    guard seen.insert(FileID(status)).inserted else {
      repeated += 1
      return
    }
    guard kind == S_IFDIR else {
      inputs.append(.file(path))
      return
    }
    let names: [Bytes]
    do {
      names = try Self.names(inFolder: path)
    } catch {
      failures.append(error)
      return
    }
    for name in names {
      if Self.isNoData(name: name.slice) {
        skipped += 1
        continue
      }
      let hasSlash = path[path.count - 1] == UInt8(ascii: "/")
      add(
        Bytes(path.array + (hasSlash ? [] : [UInt8(ascii: "/")]) + name.array), isNamed: false)
    }
  }

  /// True for what tools write beside the data.
  ///
  /// That is names that begin with `.` or `_`, manifests, checksums and half-written files; letter case
  /// does not matter. A file that the user names is read whatever its name.
  static func isNoData(name: ArraySlice<UInt8>) -> Bool {
    guard let first = name.first, first != UInt8(ascii: "."), first != UInt8(ascii: "_") else {
      return true
    }
    let small = name.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    return small == Array("manifest".utf8) || endingsOfNoData.contains { small.ends(with: $0) }
  }

  /// The same for a path inside an archive, all of whose parts count.
  static func isNoData(path: Bytes) -> Bool {
    // `.` and `..` are ways, no names.
    path.slice.split(separator: UInt8(ascii: "/")).contains {
      !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) && isNoData(name: $0)
    }
  }

  private static let endingsOfNoData = [
    ".manifest", "_manifest", "manifest.json", ".crc", ".md5", ".sha1", ".sha256", ".checksum",
    ".tmp", ".part", "md5sums", "sha1sums", "sha256sums", "sha512sums", "checksums.txt",
  ].map { Array($0.utf8) }

  /// By bytes, without `.` and `..`.
  private static func names(inFolder path: Bytes) throws(Problem) -> [Bytes] {
    guard let folder = path.withCString({ opendir($0) }) else {
      throw Problem(reading: path.string)
    }
    defer { closedir(folder) }
    var names: [Bytes] = []
    errno = 0
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { Bytes(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw Problem(reading: path.string) }
    return names.sorted()
  }

  /// What a glob matches, by bytes; none where it is no glob.
  private static func matches(_ pattern: Bytes) -> [Bytes] {
    var found = glob_t()
    defer { globfree(&found) }
    guard pattern.withCString({ glob($0, 0, nil, &found) }) == 0 else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { Bytes(cString: $0) } }
      .sorted()
  }
}

extension [UInt8] {
  fileprivate func ends(with ending: [UInt8]) -> Bool { suffix(ending.count).elementsEqual(ending) }
}
