import Core
import Ingest

/// Bytes in memory, given out in small reads as a pipe does.
final class TrickleSource: ByteSource {
  let name = "memory"
  private let bytes: [UInt8]
  private let readBytes: Int
  private var position = 0
  /// The largest buffer that was offered: a bound of what the reader holds.
  private(set) var largestBuffer = 0

  init(_ bytes: [UInt8], readBytes: Int = .max) {
    self.bytes = bytes
    self.readBytes = readBytes
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    largestBuffer = max(largestBuffer, buffer.count)
    let count = min(readBytes, buffer.count, bytes.count - position)
    buffer.copyBytes(from: bytes[position..<(position + count)])
    position += count
    return count
  }
}
