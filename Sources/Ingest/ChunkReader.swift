package import Core
internal import Glibc

/// Cuts one input, decompressed, into chunks of whole records, in bounded memory.
///
/// What is read, and where it is said to stand, does not depend on where the cuts fall. Memory is
/// about the chunk's target plus the longest record that is let through; a longer one is passed over
/// without being kept.
package struct ChunkReader: ~Copyable {
  /// Large enough to make a chunk's fixed costs vanish; small enough to stay in cache and to be reused
  /// by malloc, where larger blocks cost a page fault for every 4 kB each time.
  package static let usualChunkBytes = 1 << 18

  let source: any ByteSource
  let limits: ReadLimits
  let target: Int
  /// Tells JSON from what only looks closed.
  let parser: JSONParser
  /// Nil until the first bytes are read.
  package private(set) var layout: Layout?
  /// Of an input that is not read for it.
  package private(set) var encoding: ForeignEncoding?

  /// Bytes read and not yet given away are `buffer[0..<filled]`, padding behind them.
  var buffer: [UInt8] = []
  var filled = 0
  private(set) var isAtEnd = false
  /// How many bytes of the input lie before the next chunk; at the end, all of them.
  package internal(set) var byteOffset = 0
  /// 1-based line that the next chunk starts in.
  package internal(set) var line = 1
  /// Arrays and envelopes around the records that come next, the outermost first.
  var nesting: [Nesting] = []
  /// A value beside the records that is being passed over.
  var skipped: SkippedValue?
  /// True once an error made it unknown how many brackets are open.
  var hasLostCount = false
  /// Nil until the header of a CSV file is read.
  var columns: CSVColumns?

  /// Starts reading; a chunk has about `chunkBytes` bytes, more only for a record that is longer.
  package init(
    _ source: any ByteSource, limits: ReadLimits,
    chunkBytes: Int = ChunkReader.usualChunkBytes
  ) {
    precondition(chunkBytes > 0)
    self.source = source
    self.limits = limits
    target = chunkBytes
    parser = JSONParser(maxDepth: limits.depth)
  }

  /// The next chunk, which holds at least a byte or a rejection; nil at the end.
  ///
  /// - Throws: ``Problem`` with exit `.noInput` where reading fails, or a CSV file names two columns alike.
  package mutating func next() throws(Problem) -> Chunk? {
    let layout: Layout
    if let known = self.layout {
      layout = known
    } else {
      if let rejection = try start() {
        return chunk(upTo: 0, rejections: [rejection])
      }
      layout = buffer.withUnsafeBufferPointer {
        Layout(
          sample: UnsafeBufferPointer(rebasing: $0[..<min(Layout.sampleBytes, filled)]),
          isWhole: isAtEnd && filled <= Layout.sampleBytes)
      }
      self.layout = layout
    }
    switch layout {
    case .lines: return try nextOfLines()
    case .values, .array, .data: return try nextOfValues()
    case .csv: return try nextOfRows()
    }
  }

  /// Looks at the first bytes: removes a BOM, refuses what is not plain UTF-8 text.
  private mutating func start() throws(Problem) -> Rejection? {
    try fill(to: Layout.sampleBytes + 3)
    let head = Array(buffer[..<min(4, filled)])
    encoding = ForeignEncoding(head)
    if encoding != nil {
      layout = .lines
      var length = 0
      repeat {
        length += filled
        byteOffset += filled
        filled = 0
        try fill(to: 1)
      } while filled > 0
      return Rejection(.wrongEncoding, line: 1, byteOffset: 0, length: length)
    }
    if head.starts(with: [0xEF, 0xBB, 0xBF]) { discard(3) }
    return nil
  }

  /// Reads until the buffer holds `count` bytes or the input ends.
  mutating func fill(to count: Int) throws(Problem) {
    guard filled < count, !isAtEnd else { return }
    reserve(count)
    while filled < count {
      let start = filled
      let end = buffer.count - JSONParser.padding
      var failure: Problem?
      let read = buffer.withUnsafeMutableBytes { bytes -> Int in
        do throws(Problem) {
          return try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end]))
        } catch {
          failure = error
          return 0
        }
      }
      if let failure { throw failure }
      guard read > 0 else {
        isAtEnd = true
        return
      }
      filled += read
    }
  }

  /// Makes room for `count` bytes and the padding.
  private mutating func reserve(_ count: Int) {
    let needed = max(count, min(target, Self.usualChunkBytes)) + JSONParser.padding
    guard buffer.count < needed else { return }
    var larger = [UInt8](repeating: 0, count: max(needed, filled * 2 + JSONParser.padding))
    larger.replaceSubrange(..<filled, with: buffer[..<filled])
    buffer = larger
  }

  /// Drops the first bytes of the buffer; the caller counts the lines in them.
  mutating func discard(_ count: Int) {
    buffer.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      memmove(base, base + count, filled - count)
    }
    filled -= count
    byteOffset += count
  }

  /// Gives away the first bytes of the buffer as a chunk and keeps the rest.
  mutating func chunk(
    upTo end: Int, extents: [Chunk.Extent] = [], rejections: [Rejection] = [],
    linesInside: Int = 0
  ) -> Chunk {
    let rest = filled - end
    var given: [UInt8] = []
    if end > 0 {
      swap(&given, &buffer)
      if rest > 0 {
        let kept = given[end..<filled]
        filled = 0
        reserve(rest)
        buffer.replaceSubrange(..<rest, with: kept)
      }
      for index in end..<(end + JSONParser.padding) { given[index] = 0 }
    }
    let chunk = Chunk(
      bytes: given, length: end, layout: layout ?? .lines, firstLine: line, byteOffset: byteOffset,
      endsOpen: isAtEnd && rest == 0, extents: extents, rejections: rejections, columns: columns)
    byteOffset += end
    line += linesInside
    filled = rest
    return chunk
  }
}
