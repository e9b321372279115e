internal import Glibc

/// Where all text of a chunk's events is written, one after the other, into memory given from outside.
struct TextArena {
  /// A text in the arena; empty means absent wherever a text may be absent.
  struct Span {
    var start: UInt32 = 0
    var length: UInt32 = 0

    var isEmpty: Bool { length == 0 }
    var range: Range<Int> { Int(start)..<(Int(start) + Int(length)) }
  }

  private let memory: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  /// - Parameter memory: outlives the arena; less than 4 GiB.
  init(_ memory: UnsafeMutableBufferPointer<UInt8>) { self.memory = memory }

  /// The span of what was written since the arena held `start` bytes.
  func span(from start: Int) -> Span { Span(start: UInt32(start), length: UInt32(count - start)) }

  func bytes(_ span: Span) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: memory[span.range])
  }

  func holdsEqual(_ left: Span, _ right: Span) -> Bool {
    guard left.length == right.length, let base = memory.baseAddress else {
      return left.length == right.length
    }
    return memcmp(base + Int(left.start), base + Int(right.start), Int(left.length)) == 0
  }

  /// Forgets what was written since the arena held `count` bytes.
  mutating func truncate(to count: Int) { self.count = count }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    precondition(count < memory.count)
    memory[count] = byte
    count += 1
  }

  @inline(__always)
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress, let target = memory.baseAddress else { return }
    precondition(memory.count - count >= bytes.count)
    memcpy(target + count, source, bytes.count)
    count += bytes.count
  }

  @inline(__always)
  mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// - Parameter number: not negative.
  mutating func append(decimal number: Int64) {
    var divisor: Int64 = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  /// Lower-cases a text in which every byte but capital letters has the bit 0x20, such as a UUID.
  func setLowerCaseBit(_ span: Span) {
    for index in span.range { memory[index] |= 0x20 }
  }
}
