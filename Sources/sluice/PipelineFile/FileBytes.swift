internal import Core
internal import Glibc
internal import Ingest

/// The bytes of a small file: at most one more than a pipeline may have.
///
/// - Parameter what: the file, for words.
func fileBytes(_ path: String, _ what: String = "the pipeline file") throws(Problem) -> [UInt8] {
  // Opened anew it would look empty where it is closed.
  if path == "/dev/stdin" { try FileSource.requireStandardInput() }
  guard let file = fopen(path, "rb") else { throw unreadable(path, what, errno) }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while bytes.count <= YAMLDocument.maximumBytes {
    let count = fread(&buffer, 1, buffer.count, file)
    if count > 0 { bytes += buffer[..<count] }
    guard count < buffer.count else { continue }
    // A directory opens and fails only here.
    guard ferror(file) == 0 else { throw unreadable(path, what, errno) }
    break
  }
  return bytes
}

private func unreadable(_ path: String, _ what: String, _ code: Int32) -> Problem {
  Problem(
    .noInput, at: path, "cannot read \(what)", because: String(cString: strerror(code)),
    next: code == ENOENT ? "check the path" : "")
}
