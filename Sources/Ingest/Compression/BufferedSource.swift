internal import Core
internal import Glibc

/// A source whose next bytes can be looked at before they are taken.
///
/// Holds up to 64 kB; large reads of what nobody looked at go past the buffer.
final class BufferedSource: ByteSource {
  let name: String
  private let source: any ByteSource
  private let memory: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private var isAtEnd = false
  /// Bytes given away so far.
  private(set) var bytesTaken = 0

  init(_ source: any ByteSource) {
    name = source.name
    self.source = source
    memory = .allocate(byteCount: 1 << 16, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// What is read and not yet taken; lives until the next call.
  var available: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[start..<end]) }

  /// Reads until `count` bytes are available, at most 64 kB; false where the source ends before.
  func fill(_ count: Int) throws(Problem) -> Bool {
    if end - start >= count { return true }
    if start > 0, let base = memory.baseAddress {
      memmove(base, base + start, end - start)
      end -= start
      start = 0
    }
    while end < count, !isAtEnd {
      let read = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[end...]))
      isAtEnd = read == 0
      end += read
    }
    return end >= count
  }

  /// Takes the first available bytes.
  func take(_ count: Int) {
    start += count
    bytesTaken += count
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
    guard start == end else {
      let count = min(buffer.count, end - start)
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[start..<(start + count)]))
      take(count)
      return count
    }
    guard !isAtEnd else { return 0 }
    let read = try source.read(into: buffer)
    isAtEnd = read == 0
    bytesTaken += read
    return read
  }
}
