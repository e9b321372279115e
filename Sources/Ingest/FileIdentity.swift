package import Core
internal import Glibc

/// What tells that a file is the one that was read before, unchanged (SEMANTICS 3.9).
///
/// A wrong skip loses data, so all of it must be equal, and content is sampled at both ends: inodes
/// are reused and times can be set.
package struct FileIdentity: Hashable, Sendable {
  /// With symbolic links resolved.
  package let path: Bytes
  package let inode: UInt64
  package let device: UInt64
  package let size: Int64
  package let modifiedAtNanoseconds: Int64
  package let changedAtNanoseconds: Int64
  /// First 16 bytes of SHA-256 of the first and of the last 4 kB, in hex.
  package let headHash: String
  package let tailHash: String

  package init(
    path: Bytes, inode: UInt64, device: UInt64, size: Int64, modifiedAtNanoseconds: Int64,
    changedAtNanoseconds: Int64, headHash: String, tailHash: String
  ) {
    self.path = path
    self.inode = inode
    self.device = device
    self.size = size
    self.modifiedAtNanoseconds = modifiedAtNanoseconds
    self.changedAtNanoseconds = changedAtNanoseconds
    self.headHash = headHash
    self.tailHash = tailHash
  }

  /// Takes the identity of what is open, without moving its read position.
  ///
  /// Taken before and after reading, the two are equal if nobody wrote meanwhile.
  ///
  /// - Returns: nil for a pipe or device, which has none.
  /// - Throws: ``Problem`` with exit `.noInput` where the system refuses.
  package init?(of source: FileSource, path: Bytes, primitives: Primitives) throws(Problem) {
    var status = stat()
    guard fstat(source.descriptor, &status) == 0 else { throw Problem(reading: source.name) }
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    let real = path.withCString { path -> Bytes? in
      guard let resolved = realpath(path, nil) else { return nil }
      defer { free(resolved) }
      return Bytes(cString: resolved)
    }
    guard let real else { throw Problem(reading: source.name) }
    self.path = real
    inode = UInt64(status.st_ino)
    device = UInt64(status.st_dev)
    size = Int64(status.st_size)
    modifiedAtNanoseconds = Self.nanoseconds(status.st_mtim)
    changedAtNanoseconds = Self.nanoseconds(status.st_ctim)
    let tailStart = max(0, size - Int64(Self.sampleBytes))
    headHash = try Self.hash(source, at: 0, primitives)
    tailHash = try Self.hash(source, at: tailStart, primitives)
  }

  private static let sampleBytes = 4096

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private static func hash(
    _ source: FileSource, at offset: Int64, _ primitives: Primitives
  ) throws(Problem) -> String {
    var sample = [UInt8](repeating: 0, count: sampleBytes)
    var filled = 0
    while filled < sample.count {
      let count = sample.withUnsafeMutableBytes {
        pread(
          source.descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled,
          off_t(offset) + filled)
      }
      if count == 0 { break }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw Problem(reading: source.name) }
      filled += count
    }
    return hexadecimal(primitives.sha256(Array(sample[..<filled]))[..<16])
  }
}

private func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(
    decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

extension Bytes {
  /// Copies a text of the system, without its NUL.
  init(cString: UnsafePointer<CChar>) {
    let count = strlen(cString)
    self.init([UInt8](UnsafeRawBufferPointer(start: cString, count: count)))
  }
}
