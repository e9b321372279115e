package import Core
internal import Glibc

/// An open file, pipe or terminal, read by read(2); closed when it is no longer used.
package final class FileSource: ByteSource {
  package let name: String
  let descriptor: Int32
  private let ownsDescriptor: Bool
  /// True for what a read can wait for: a pipe, a terminal.
  private let canWait: Bool

  /// Opens a file.
  ///
  /// - Throws: ``Problem`` with exit `.noInput` where it cannot be opened.
  package init(path: Bytes) throws(Problem) {
    name = path.string
    // A named pipe that nobody writes yet is waited for where a signal can end the waiting.
    descriptor = path.withCString { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    ownsDescriptor = true
    guard descriptor >= 0 else {
      canWait = false
      throw Problem(reading: name)
    }
    canWait = !Self.isRegularFile(descriptor)
    try refuseDevices()
    // Only a hint: a pipe refuses it.
    _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
  }

  /// A device may have no end, as `/dev/zero`, or be a disk; a terminal ends when its person says so.
  private func refuseDevices() throws(Problem) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Problem(reading: name) }
    let kind = status.st_mode & S_IFMT
    let nullDevice: dev_t = 0x103
    let isHarmless = isatty(descriptor) == 1 || status.st_rdev == nullDevice
    guard kind == S_IFBLK || (kind == S_IFCHR && !isHarmless) else { return }
    throw Problem(
      .noInput, at: name, "is not read", because: "it is a device",
      next: "name a file, a folder or a pipe, or - for stdin")
  }

  private init(standardInput descriptor: Int32) {
    name = "stdin"
    self.descriptor = descriptor
    ownsDescriptor = false
    canWait = !Self.isRegularFile(descriptor)
  }

  private static func isRegularFile(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// - Throws: ``Problem`` with exit `.noInput` where it was closed before the program began.
  package static func standardInput() throws(Problem) -> FileSource {
    try requireStandardInput()
    return FileSource(standardInput: STDIN_FILENO)
  }

  /// - Throws: as ``standardInput()``.
  package static func requireStandardInput() throws(Problem) {
    // In the place of what was closed stands something that cannot be read.
    let mode = fcntl(STDIN_FILENO, F_GETFL)
    guard mode >= 0, mode & O_ACCMODE != O_WRONLY else {
      throw Problem(
        .noInput, at: "stdin", "cannot read", because: "it is closed",
        next: "pipe something into it, or name a file")
    }
  }

  deinit {
    if ownsDescriptor { close(descriptor) }
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
    while true {
      if canWait { try waitForBytes() }
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      guard errno == EINTR || (errno == EAGAIN && canWait) else { throw Problem(reading: name) }
      try Interruption.check()
    }
  }
}

extension FileSource {
  /// Waits in steps: the thread that waits is not the one that a signal comes to.
  private func waitForBytes() throws(Problem) {
    var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&end, 1, 500) == 0 { try Interruption.check() }
  }
}

extension Problem {
  /// A file that cannot be read, because of `errno`.
  init(reading name: String) {
    self.init(
      .noInput, at: name, "cannot read", because: String(cString: strerror(errno)),
      next: "check the path and who may read it")
  }
}

extension Bytes {
  /// Lends the bytes with a NUL behind them, as a path for the system.
  func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (array + [0]).withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        guard let base = characters.baseAddress else { preconditionFailure("there is a NUL in it") }
        return body(base)
      }
    }
  }
}
