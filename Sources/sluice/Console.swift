internal import Core
internal import Glibc

/// Where a command's data and words go: data to stdout, words to stderr.
///
/// Data is buffered and written whole; words are written line by line, at once.
final class Console {
  private var buffer: [UInt8] = []
  private let output: Int32
  private let words: Int32
  /// A terminal obeys control characters; what goes there is to be read by a person.
  private let showsControls: Bool

  /// - Parameter isTerminal: whether a person reads the output; nil: as the system says.
  init(
    output: Int32 = STDOUT_FILENO, words: Int32 = STDERR_FILENO, isTerminal: Bool? = nil
  ) {
    self.output = output
    self.words = words
    showsControls = isTerminal ?? (isatty(output) == 1)
  }

  /// Adds data to stdout.
  ///
  /// - Throws: a ``Problem`` with `.cannotWrite`; its `what` is empty where the reader went away,
  ///   which ends a command without a word.
  func write(_ bytes: some Sequence<UInt8>) throws(Problem) {
    if showsControls {
      buffer += Self.shown(Array(bytes))
    } else {
      buffer.append(contentsOf: bytes)
    }
    if buffer.count >= 1 << 16 { try flush() }
  }

  func write(_ text: String) throws(Problem) { try write(text.utf8) }

  /// Data as a person is to see it, its lines and columns as they are.
  private static func shown(_ data: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    // The line ends of CSV are one.
    for (index, byte) in data.enumerated()
    where byte != 0x0D || index + 1 == data.count || data[index + 1] != 0x0A {
      bytes.append(byte)
    }
    let columns = bytes.split(separator: 0x09, omittingEmptySubsequences: false)
      .map { printable(String(decoding: $0, as: UTF8.self), keepingNewlines: true) }
    return Array(columns.joined(separator: "\t").utf8)
  }

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
