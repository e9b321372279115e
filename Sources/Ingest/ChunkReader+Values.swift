internal import Core

extension ChunkReader {
  /// Cuts behind the first record that ends at or after the target.
  ///
  /// After an error reading goes on at the next newline that `{` or `[` follows in column 1. A record
  /// whose braces match but that is no JSON ends there too, or where it seems to, whichever is first:
  /// its braces may match only by those of the records behind it.
  mutating func nextOfValues() throws(Problem) -> Chunk? {
    var extents: [Chunk.Extent] = []
    var rejections: [Rejection] = []
    var position = 0
    var lineAtPosition = line
    while true {
      while position < filled, isSpace(buffer[position]) {
        if buffer[position] == newline { lineAtPosition += 1 }
        position += 1
      }
      if position >= target { break }
      guard position < filled else {
        if isAtEnd { break }
        try fill(to: filled + readBytes)
        continue
      }
      let start = position
      switch try scan(from: start) {
      case .value(let end):
        extents.append(Chunk.Extent(start: start, length: end - start, line: lineAtPosition))
        lineAtPosition += newlines(in: start..<end)
        position = end
        continue
      case .fault(let reason, let scanned, let tooLong):
        // Within what is buffered the fault ends here, else what precedes it is given away first, and
        // the record is looked at again from the start of an empty buffer.
        if tooLong == nil, let end = resumption(from: scanned) {
          rejections.append(
            Rejection(
              reason, line: lineAtPosition, byteOffset: byteOffset + start, length: end - start))
          lineAtPosition += newlines(in: start..<end)
          position = end
          continue
        }
        if position > 0 && !(extents.isEmpty && rejections.isEmpty) {
          return chunk(
            upTo: start, extents: extents, rejections: rejections,
            linesInside: lineAtPosition - line)
        }
        discard(start)
        line = lineAtPosition
        let rejection = try passOver(reason, scanned: scanned - start, tooLong)
        return chunk(upTo: 0, rejections: [rejection])
      }
    }
    guard position > 0 else { return nil }
    return chunk(
      upTo: position, extents: extents, rejections: rejections,
      linesInside: lineAtPosition - line)
  }

  private var readBytes: Int { min(max(target, 4096), Self.usualChunkBytes) }

  private enum Scan {
    /// A value, and the offset behind it.
    case value(end: Int)
    /// No value: why, how far was looked, and the scanner if the value may still close further on.
    case fault(Rejection.Reason, scanned: Int, tooLong: ValueScanner?)
  }

  /// Looks at the record that starts at an offset, reading more as needed, up to the limit.
  private mutating func scan(from start: Int) throws(Problem) -> Scan {
    guard opensContainer(buffer[start]) else {
      return .fault(.invalidJSON, scanned: start, tooLong: nil)
    }
    var scanner = ValueScanner()
    var index = start
    let limit = start + limits.recordBytes
    while true {
      while index < filled {
        if index == limit {
          if let next = try resumption(between: start + 1, and: index) {
            return .fault(.invalidJSON, scanned: next, tooLong: nil)
          }
          return .fault(.recordTooLarge, scanned: index, tooLong: scanner)
        }
        switch scanner.step(buffer[index]) {
        case .goesOn: index += 1
        case .closed:
          let end = index + 1
          if !isJSON(start..<end), let next = try resumption(between: start + 1, and: end) {
            return .fault(.invalidJSON, scanned: next, tooLong: nil)
          }
          return .value(end: end)
        case .broken: return .fault(.invalidJSON, scanned: index, tooLong: nil)
        }
        if scanner.openContainers > limits.depth {
          return .fault(.tooDeep, scanned: index, tooLong: nil)
        }
      }
      if isAtEnd {
        if let next = try resumption(between: start + 1, and: filled) {
          return .fault(.invalidJSON, scanned: next, tooLong: nil)
        }
        return .fault(.truncatedRecord, scanned: filled, tooLong: nil)
      }
      try fill(to: filled + readBytes)
    }
  }

  private func isJSON(_ range: Range<Int>) -> Bool {
    buffer.withUnsafeBufferPointer {
      parser.parse(UnsafeBufferPointer(rebasing: $0[range])) == .value
    }
  }

  /// The first newline from an offset on, within what is buffered, that a value follows in column 1.
  private func resumption(from start: Int) -> Int? {
    var index = start
    while index + 1 < filled {
      if buffer[index] == newline && opensContainer(buffer[index + 1]) { return index }
      index += 1
    }
    return nil
  }

  /// The same below `end`; reads the byte behind a newline that is the last one below it.
  private mutating func resumption(between start: Int, and end: Int) throws(Problem) -> Int? {
    for index in start..<max(start, end) where buffer[index] == newline {
      try fill(to: index + 2)
      if index + 1 < filled, opensContainer(buffer[index + 1]) { return index }
    }
    return nil
  }

  /// Passes over a faulty region at the start of the buffer without keeping it: up to where a value
  /// starts in column 1, to the end of a value that is only too long, or to the end of the input.
  ///
  /// The first `scanned` bytes are known to hold no such place.
  private mutating func passOver(
    _ reason: Rejection.Reason, scanned: Int, _ tooLong: ValueScanner?
  ) throws(Problem) -> Rejection {
    let start = byteOffset
    let firstLine = line
    var scanner = tooLong
    var length = scanned
    line += newlines(in: 0..<scanned)
    discard(scanned)
    while true {
      try fill(to: 2)
      guard filled > 0 else { break }
      let byte = buffer[0]
      if filled > 1, byte == newline, opensContainer(buffer[1]) {
        return Rejection(reason, line: firstLine, byteOffset: start, length: length)
      }
      // All bytes but the last are judged with the one behind them.
      let end = isAtEnd && filled == 1 ? 1 : filled - 1
      var index = 0
      while index < end {
        if index > 0, buffer[index] == newline, opensContainer(buffer[index + 1]) { break }
        length += 1
        let step = scanner?.step(buffer[index])
        if buffer[index] == newline { line += 1 }
        index += 1
        if step == .closed {
          discard(index)
          return Rejection(reason, line: firstLine, byteOffset: start, length: length)
        }
        if step == .broken { scanner = nil }
      }
      discard(index)
    }
    let atEnd = reason == .invalidJSON ? .unreadableTail : reason
    return Rejection(atEnd, line: firstLine, byteOffset: start, length: length)
  }
}
