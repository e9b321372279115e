internal import Core
internal import Glibc

/// Where a command's data and words go: data to stdout, words to stderr.
///
/// Data is buffered and written whole; words are written line by line, at once.
final class Console {
  private var buffer: [UInt8] = []
  private let output: Int32
  private let words: Int32

  init(output: Int32 = STDOUT_FILENO, words: Int32 = STDERR_FILENO) {
    self.output = output
    self.words = words
  }

  /// Adds data to stdout.
  ///
  /// - Throws: a ``Problem`` with `.cannotWrite`; its `what` is empty where the reader went away,
  ///   which ends a command without a word.
  func write(_ bytes: some Sequence<UInt8>) throws(Problem) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 1 << 16 { try flush() }
  }

  func write(_ text: String) throws(Problem) { try write(text.utf8) }

  func flush() throws(Problem) {
    defer { buffer.removeAll(keepingCapacity: true) }
    guard !Self.writeAll(buffer, to: output) else { return }
    let reason = errno
    if reason == EPIPE { throw Problem(.cannotWrite, at: "", "") }
    throw Problem(
      .cannotWrite, at: "stdout", "cannot write", because: String(cString: strerror(reason)))
  }

  /// Says a line to the person at the terminal or to the log; what cannot be said is lost.
  func say(_ line: String) {
    _ = Self.writeAll(Array((printable(line, keepingNewlines: true) + "\n").utf8), to: words)
  }

  /// False where it fails, with `errno` set.
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress?.advanced(by: start), buffer.count - start)
      }
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      start += count
    }
    return true
  }
}

/// The process's environment, read once.
func processEnvironment() -> [String: String] {
  var result: [String: String] = [:]
  var entry = environ
  while let pointer = entry.pointee {
    let text = String(cString: pointer)
    if let equals = text.firstIndex(of: "=") {
      result[String(text[..<equals])] = String(text[text.index(after: equals)...])
    }
    entry = entry.advanced(by: 1)
  }
  return result
}
