internal import Core
internal import Glibc

extension ChunkReader {
  mutating func nextOfLines() throws(Problem) -> Chunk? {
    while true {
      try fill(to: target)
      guard filled > 0 else { return nil }
      if let end = endOfLines() {
        return chunk(upTo: end, linesInside: newlines(in: 0..<end))
      }
      if isAtEnd { return chunk(upTo: filled) }
      // One byte more than the limit may be the carriage return that does not count.
      if filled > limits.recordBytes + 1 {
        let rejection = try skipLine()
        return chunk(upTo: 0, rejections: [rejection])
      }
      try fill(to: min(max(filled * 2, 4096), limits.recordBytes + 2))
    }
  }

  /// The offset behind the last newline up to the target, else behind the first one.
  private func endOfLines() -> Int? {
    if isAtEnd && filled <= target { return filled }
    let near = min(filled, target)
    return buffer.withUnsafeBufferPointer { bytes in
      let end =
        bytes[..<near].lastIndex(of: newline) ?? bytes[near..<filled].firstIndex(of: newline)
      return end.map { $0 + 1 }
    }
  }

  /// Passes over the line at the start of the buffer, which is longer than is allowed and has no
  /// newline yet, without keeping it.
  private mutating func skipLine() throws(Problem) -> Rejection {
    let start = byteOffset
    var length = 0
    var endsInReturn = false
    while filled > 0 {
      let found = newlineOffset(from: 0, below: filled)
      let end = found ?? filled
      if end > 0 { endsInReturn = buffer[end - 1] == UInt8(ascii: "\r") }
      length += end
      if found != nil {
        discard(end + 1)
        break
      }
      discard(end)
      try fill(to: 1)
    }
    defer { line += 1 }
    return Rejection(
      .recordTooLarge, line: line, byteOffset: start, length: endsInReturn ? length - 1 : length)
  }

  func newlines(in range: Range<Int>) -> Int {
    buffer.withUnsafeBytes { bytes in
      guard var next = bytes.baseAddress?.advanced(by: range.lowerBound) else { return 0 }
      var rest = range.count
      var count = 0
      while rest > 0, let found = memchr(next, Int32(newline), rest) {
        count += 1
        rest -= UnsafeRawPointer(found) - next + 1
        next = UnsafeRawPointer(found) + 1
      }
      return count
    }
  }
  /// The first newline in a part of the buffer.
  func newlineOffset(from start: Int, below end: Int) -> Int? {
    guard start < end else { return nil }
    return buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      return memchr(base + start, Int32(newline), end - start)
        .map { UnsafeRawPointer($0) - base }
    }
  }
}
