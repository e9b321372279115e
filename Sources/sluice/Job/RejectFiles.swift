internal import Core
internal import Glibc

/// The files that a job writes what it rejects to, besides the table, where it is asked to.
///
/// Each is NDJSON, a line a reject. One holds places and reasons alone; the other also what people may
/// have typed, so it is private and goes away by itself.
final class RejectFiles {
  /// How long a file with texts is kept, in seconds: 30 days.
  static let keptFor = 30 * 86_400

  private let places: OutputFile?
  private let texts: OutputFile?
  /// Real path of the file with texts.
  let textsPath: Bytes?

  /// Creates the files, and removes those with texts that are too old.
  ///
  /// - Parameter job: a part of the name of the file with texts.
  /// - Throws: a ``Problem`` with `.cannotCreate`.
  init(_ options: RunOptions, job: String, now: Instant) throws(Problem) {
    places = try options.rejectsFile.map { path throws(Problem) in try OutputFile(path) }
    guard let folder = options.rejectsFolder else {
      texts = nil
      textsPath = nil
      return
    }
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw Problem(
        .cannotCreate, at: folder, "cannot create the folder",
        because: String(cString: strerror(errno)))
    }
    Self.removeOld(in: folder, before: Int(now.microseconds / 1_000_000) - Self.keptFor)
    let path = "\(folder)/\(Self.prefix)\(job)\(Self.ending)"
    texts = try OutputFile(path)
    textsPath = realpath(path, nil).map { real in
      defer { free(real) }
      return Bytes(String(cString: real))
    }
  }

  private static let prefix = "rejects-"
  private static let ending = ".ndjson"

  private static func removeOld(in folder: String, before second: Int) {
    guard let entries = opendir(folder) else { return }
    defer { closedir(entries) }
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix(prefix), name.hasSuffix(ending) else { continue }
      var status = stat()
      let path = "\(folder)/\(name)"
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_mtim.tv_sec < second
      else { continue }
      unlink(path)
    }
  }

  /// Writes rejects of one file down.
  ///
  /// - Parameter erased: gives those of some words that are erased ids. A text that holds one is not
  ///   kept: files that are read again would bring back what an erasure took away.
  func add(
    _ rejected: [RejectedRecord], file: Bytes, erased: (Set<Bytes>) throws -> Set<Bytes>
  ) throws {
    guard places != nil || texts != nil else { return }
    let holdErased =
      texts == nil ? [] : try RecordWords.holdErased(rejected.map { $0.text ?? [] }, erased)
    for (index, record) in rejected.enumerated() {
      let line = Self.members(of: record.rejection, file)
      try places?.write(line + Array("}\n".utf8))
      guard let texts else { continue }
      let text = holdErased[index] ? nil : record.text
      try texts.write(line + Self.textMember(text) + Array("}\n".utf8))
    }
    try places?.flush()
    try texts?.flush()
  }

  /// An object without its closing brace.
  private static func members(of rejection: Rejection, _ file: Bytes) -> [UInt8] {
    var line = Array("{\"file\":".utf8) + jsonString(file)
    line += Array(
      (",\"line\":\(rejection.line),\"byte_offset\":\(rejection.byteOffset)"
        + ",\"length\":\(rejection.length),\"stage\":\"\(rejection.reason.stage.rawValue)\""
        + ",\"reason\":\"\(rejection.reason.rawValue)\",\"field\":").utf8)
    return line + jsonString(Bytes(rejection.field))
  }

  /// As JSON text, or in hexadecimal where it is no UTF-8; null where it was too long to be kept, or
  /// holds an erased id.
  private static func textMember(_ text: [UInt8]?) -> [UInt8] {
    guard let text else { return Array(",\"text\":null".utf8) }
    guard String(validating: text, as: UTF8.self) != nil else {
      return Array(",\"text_hex\":".utf8) + jsonString(hex(text))
    }
    return Array(",\"text\":".utf8) + jsonString(Bytes(text))
  }
}

/// A private file that is written from its beginning.
final class OutputFile {
  private let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  init(_ path: String) throws(Problem) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Problem(
        .cannotCreate, at: path, "cannot create", because: String(cString: strerror(errno)))
    }
    // One that was there before may be open to others.
    _ = fchmod(descriptor, 0o600)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func write(_ bytes: [UInt8]) throws(Problem) {
    buffer += bytes
    if buffer.count >= 1 << 16 { try flush() }
  }

  func flush() throws(Problem) {
    guard Console.writeAll(buffer, to: descriptor) else {
      throw Problem(
        .cannotWrite, at: path, "cannot write", because: String(cString: strerror(errno)))
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
