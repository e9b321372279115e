internal import Core

extension ChunkReader {
  /// Cuts behind the first row that ends at or after the target.
  ///
  /// A row with a text behind a quoted cell ends with its line. What a stray quote swallowed, up to the
  /// next quote or to the end, costs its first line where the next one looks like a row: that and the
  /// others are read as rows of their own.
  mutating func nextOfRows() throws(Problem) -> Chunk? {
    let columns = try header()
    var cursor = Cursor(line: line)
    while cursor.position < target {
      if cursor.position < filled, buffer[cursor.position] == byteOrderMark[0] {
        try fill(to: cursor.position + byteOrderMark.count)
        if buffer[cursor.position..<filled].starts(with: byteOrderMark) {
          cursor.position += byteOrderMark.count
        }
      }
      guard cursor.position < filled else {
        if isAtEnd { break }
        try fill(to: filled + readBytes)
        continue
      }
      var scanner = CSVScanner(delimiter: columns.delimiter)
      guard let end = try endOfRow(from: cursor.position, &scanner) else {
        if scanner.state == .quoted,
          rejectFirstLine(
            of: cursor.position..<(cursor.position + limits.recordBytes), .truncatedRecord, columns,
            &cursor)
        {
          continue
        }
        if cursor.extents.isEmpty && cursor.rejections.isEmpty {
          let rejection = try passOverRow(cursor, scanner)
          return chunk(upTo: 0, rejections: [rejection])
        }
        break
      }
      take(cursor.position..<end, scanner.state, columns, &cursor)
    }
    guard cursor.position > 0 else { return nil }
    return chunk(
      upTo: cursor.position, extents: cursor.extents, rejections: cursor.rejections,
      linesInside: cursor.line - line)
  }

  /// Reads the header once.
  private mutating func header() throws(Problem) -> CSVColumns {
    if let columns { return columns }
    let isWhole = isAtEnd
    let found = buffer.withUnsafeBufferPointer { bytes -> (columns: CSVColumns, end: Int)? in
      let bytes = UnsafeBufferPointer(rebasing: bytes[..<filled])
      guard let row = CSVColumns.firstRow(in: bytes, isWhole: isWhole) else { return nil }
      return CSVColumns(row: UnsafeBufferPointer(rebasing: bytes[row])).map { ($0, row.upperBound) }
    }
    // The layout was decided by the very same bytes.
    guard let (columns, end) = found else { preconditionFailure("the first row is a header") }
    if let name = columns.duplicate {
      throw Problem(
        .noInput, at: source.name, "has two columns of one name", because: "`\(name.string)`",
        next: "rename one of them")
    }
    self.columns = columns
    line += newlines(in: 0..<end)
    discard(end)
    // The line end is left: it is no row.
    while filled > 0, let byte = buffer.first, byte == newline || byte == UInt8(ascii: "\r") {
      discard(1)
      if byte == newline {
        line += 1
        break
      }
    }
    return columns
  }

  /// The offset of the newline that ends a row, or the end of the input; nil where the row is longer
  /// than is allowed.
  private mutating func endOfRow(
    from start: Int, _ scanner: inout CSVScanner
  ) throws(Problem) -> Int? {
    var index = start
    // One byte more than the limit may be the carriage return that does not count.
    let limit = start + limits.recordBytes + 1
    while true {
      let end = min(filled, limit + 1)
      var isEnd = false
      buffer.withUnsafeBufferPointer { bytes in
        while index < end, !isEnd {
          isEnd = scanner.step(bytes[index])
          if !isEnd { index += 1 }
        }
      }
      if isEnd { return index }
      if index > limit { return nil }
      if isAtEnd { return index }
      try fill(to: filled + readBytes)
    }
  }

  /// Takes a row that ends at the end of a range.
  private mutating func take(
    _ range: Range<Int>, _ state: CSVScanner.State, _ columns: CSVColumns, _ cursor: inout Cursor
  ) {
    let isCut = range.upperBound == filled
    let hasReturn = !range.isEmpty && buffer[range.upperBound - 1] == UInt8(ascii: "\r")
    let row = hasReturn ? range.dropLast() : range
    let reason: Rejection.Reason? =
      if row.count > limits.recordBytes {
        .recordTooLarge
      } else if state == .quoted || (state == .malformed && isCut) {
        .truncatedRecord
      } else if state == .malformed {
        .invalidCSV
      } else {
        nil
      }
    if let reason, reason != .recordTooLarge, rejectFirstLine(of: row, reason, columns, &cursor) {
      return
    }
    let offset = byteOffset + row.lowerBound
    if let reason {
      cursor.rejections.append(
        Rejection(reason, line: cursor.line, byteOffset: offset, length: row.count))
    } else if !buffer[row].elementsEqual(columns.row) {
      cursor.extents.append(
        Chunk.Extent(
          start: row.lowerBound, length: row.count, line: cursor.line, byteOffset: offset))
    }
    let next = isCut ? range.upperBound : range.upperBound + 1
    cursor.line += newlines(in: range.lowerBound..<next)
    cursor.position = next
  }

  /// Refuses the first of several lines, and goes on behind it; false where the next is no row.
  private func rejectFirstLine(
    of row: Range<Int>, _ reason: Rejection.Reason, _ columns: CSVColumns, _ cursor: inout Cursor
  ) -> Bool {
    guard let end = buffer[row].firstIndex(of: newline) else { return false }
    let next = buffer[(end + 1)..<row.upperBound].prefix { $0 != newline }
    var cells = CSVCells()
    next.withUnsafeBufferPointer { cells.read($0, delimiter: columns.delimiter) }
    guard cells.count == columns.count else { return false }
    let hasReturn = end > row.lowerBound && buffer[end - 1] == UInt8(ascii: "\r")
    cursor.rejections.append(
      Rejection(
        reason, line: cursor.line, byteOffset: byteOffset + row.lowerBound,
        length: end - row.lowerBound - (hasReturn ? 1 : 0)))
    cursor.line += 1
    cursor.position = end + 1
    return true
  }

  /// Passes over a row that is longer than is allowed, without keeping it.
  private mutating func passOverRow(
    _ cursor: Cursor, _ scanned: CSVScanner
  ) throws(Problem) -> Rejection {
    let start = byteOffset + cursor.position
    var scanner = scanned
    var index = cursor.position + limits.recordBytes + 2
    var isEnd = false
    var endsInReturn = false
    line = cursor.line
    var length = index - cursor.position
    line += newlines(in: cursor.position..<index)
    endsInReturn = buffer[index - 1] == UInt8(ascii: "\r")
    while !isEnd {
      let from = index
      buffer.withUnsafeBufferPointer { bytes in
        while index < filled, !isEnd {
          isEnd = scanner.step(bytes[index])
          if !isEnd {
            endsInReturn = bytes[index] == UInt8(ascii: "\r")
            length += 1
          }
          index += 1
        }
      }
      line += newlines(in: from..<index)
      discard(index)
      index = 0
      if isEnd { break }
      try fill(to: 1)
      if filled == 0 { break }
    }
    return Rejection(
      .recordTooLarge, line: cursor.line, byteOffset: start,
      length: endsInReturn ? length - 1 : length)
  }
}
