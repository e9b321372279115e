internal import Glibc

/// What the file system says of a path; nil where there is nothing, or it is out of reach.
struct FileStatus {
  let owner: UInt32
  /// The permission bits alone.
  let mode: UInt32
  let isDirectory: Bool

  /// True for a folder, no link, that its owner alone may enter.
  func isPrivateFolder(of user: UInt32) -> Bool {
    isDirectory && owner == user && mode & 0o077 == 0
  }

  /// Looks at the path itself: a link is not followed.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    owner = status.st_uid
    mode = status.st_mode & 0o7777
    isDirectory = status.st_mode & S_IFMT == S_IFDIR
  }
}

/// Reads a small text file; nil where it cannot be opened.
func readText(_ path: String) -> String? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var text: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    guard count > 0 else { break }
    text.append(contentsOf: buffer[..<count])
  }
  return String(decoding: text, as: UTF8.self)
}

/// Writes a small text file whole: to a name of its own first, then renamed.
func writeText(_ text: String, to path: String, mode: UInt32) -> Bool {
  let temporary = path + ".new"
  let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode)
  guard descriptor >= 0 else { return false }
  let bytes = Array(text.utf8)
  let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  guard close(descriptor) == 0, written == bytes.count else { return false }
  return rename(temporary, path) == 0
}

/// The names in a folder, sorted by bytes, without `.` and `..`; nil where it cannot be read.
func namesInFolder(_ path: String) -> [String]? {
  guard let folder = opendir(path) else { return nil }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}

/// The system's words for the last failed call.
func lastError() -> String { String(cString: strerror(errno)) }

/// True where the path is a program that we may run.
func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }
