internal import Core

/// Reading records that do not end with their line: one reader, depth counted.
///
/// After an error reading goes on at the next newline that `{` or `[` follows in column 1. A record
/// whose braces match but that is no JSON ends there too, or where it seems to, whichever is first:
/// its braces may match only by those of the records behind it.
extension ChunkReader {
  /// What stands around records.
  enum Nesting {
    /// An array of records.
    case elements
    /// An object that leads to one.
    case members(Envelope.Level)
  }

  /// A value that is no record, such as another member of an envelope.
  struct SkippedValue {
    /// Where it starts in the input.
    let byteOffset: Int
    let line: Int
    let isWord: Bool
    var scanner = ValueScanner()
  }

  /// The chunk to be, and where reading stands in it.
  struct Cursor {
    var position = 0
    /// 1-based line of the byte at `position`.
    var line: Int
    var extents: [Chunk.Extent] = []
    var rejections: [Rejection] = []
  }

  /// Why there is no record where one should be.
  private struct Fault {
    var reason: Rejection.Reason
    /// Where it begins in the input.
    let byteOffset: Int
    let line: Int
    /// The offset in the buffer below which reading cannot go on.
    let scanned: Int
    /// Set if the record may still close further on.
    var tooLong: ValueScanner?

    func rejection(length: Int) -> Rejection {
      Rejection(reason, line: line, byteOffset: byteOffset, length: length)
    }
  }

  /// Cuts behind the first record that ends at or after the target.
  mutating func nextOfValues() throws(Problem) -> Chunk? {
    var cursor = Cursor(line: line)
    while true {
      if skipped == nil { try passSeparators(&cursor) }
      if cursor.position >= target { break }
      guard cursor.position < filled else {
        if isAtEnd {
          noteOpenEnd(&cursor)
          break
        }
        try fill(to: filled + readBytes)
        continue
      }
      if let fault = try step(&cursor), let chunk = try recover(from: fault, &cursor) {
        return chunk
      }
    }
    guard cursor.position > 0 || !cursor.rejections.isEmpty else { return nil }
    return chunk(cursor)
  }

  private mutating func chunk(_ cursor: Cursor) -> Chunk {
    chunk(
      upTo: cursor.position, extents: cursor.extents, rejections: cursor.rejections,
      linesInside: cursor.line - line)
  }

  var readBytes: Int { min(max(target, 4096), Self.usualChunkBytes) }

  /// Moves on over what may stand between records; files that were joined may hold several BOMs.
  private mutating func passSeparators(_ cursor: inout Cursor) throws(Problem) {
    while cursor.position < filled {
      let byte = buffer[cursor.position]
      if byte == byteOrderMark[0], nesting.isEmpty {
        try fill(to: cursor.position + byteOrderMark.count)
        guard buffer[cursor.position..<filled].starts(with: byteOrderMark) else { return }
        cursor.position += byteOrderMark.count
        continue
      }
      guard isBetweenRecords(byte) else { return }
      if byte == newline { cursor.line += 1 }
      cursor.position += 1
    }
  }

  private func advance(_ cursor: inout Cursor, to end: Int) {
    cursor.line += newlines(in: cursor.position..<end)
    cursor.position = end
  }

  /// Takes what begins at the cursor: a record, a bracket around records, or what stands beside them.
  private mutating func step(_ cursor: inout Cursor) throws(Problem) -> Fault? {
    if skipped != nil { return skipOn(&cursor) }
    let byte = buffer[cursor.position]
    switch nesting.last {
    case .members(let level): return try takeMember(in: level, &cursor)
    case .elements:
      guard byte == UInt8(ascii: "]") else { return try takeRecord(&cursor) }
      nesting.removeLast()
      cursor.position += 1
      return nil
    case nil:
      if byte == UInt8(ascii: "[") {
        nesting.append(.elements)
      } else if try opensEnvelope(at: cursor.position) {
        nesting.append(.members(.root))
      } else {
        return try takeRecord(&cursor)
      }
      cursor.position += 1
      return nil
    }
  }

  /// Says what is still open at the end of the input.
  private mutating func noteOpenEnd(_ cursor: inout Cursor) {
    let end = byteOffset + cursor.position
    if let value = skipped, !value.isWord {
      cursor.rejections.append(
        Rejection(
          .unreadableTail, line: value.line, byteOffset: value.byteOffset,
          length: end - value.byteOffset))
    } else if !nesting.isEmpty, !hasLostCount {
      cursor.rejections.append(
        Rejection(.truncatedRecord, line: cursor.line, byteOffset: end, length: 0))
    }
    forgetNesting()
  }

  private mutating func forgetNesting() {
    nesting = []
    skipped = nil
    hasLostCount = false
  }

  // MARK: Envelopes

  private mutating func opensEnvelope(at start: Int) throws(Problem) -> Bool {
    guard layout == .data, buffer[start] == UInt8(ascii: "{") else { return false }
    try fill(to: start + Layout.sampleBytes)
    let end = min(filled, start + Layout.sampleBytes)
    return buffer.withUnsafeBufferPointer {
      Envelope.opens(in: UnsafeBufferPointer(rebasing: $0[start..<end]))
    }
  }

  /// Takes the end of an object, or a member up to where its value begins.
  private mutating func takeMember(
    in level: Envelope.Level, _ cursor: inout Cursor
  ) throws(Problem) -> Fault? {
    let start = cursor.position
    if buffer[start] == UInt8(ascii: "}") {
      nesting.removeLast()
      cursor.position += 1
      return nil
    }
    guard buffer[start] == quote else { return noMember(start, cursor, scanned: start) }
    var index = start + 1
    // The key, in which an escaped quote does not count.
    while let byte = try byte(at: index, from: start), byte != quote, byte != newline {
      index += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    guard try byte(at: index, from: start) == quote else { return endOfMember(start, cursor) }
    let key = (start + 1)..<index
    index = try nonSpace(from: index + 1, start)
    guard try byte(at: index, from: start) == UInt8(ascii: ":") else {
      return index < filled
        ? noMember(start, cursor, scanned: index) : endOfMember(start, cursor)
    }
    index = try nonSpace(from: index + 1, start)
    guard let first = try byte(at: index, from: start) else { return endOfMember(start, cursor) }
    switch Envelope.content(of: buffer[key], in: level, first: first) {
    case .array:
      let element = try nonSpace(from: index + 1, start)
      if let byte = try byte(at: element, from: start), Envelope.opensRecords(byte) {
        nesting.append(.elements)
        advance(&cursor, to: index + 1)
        return nil
      }
    case .level(let inner):
      nesting.append(.members(inner))
      advance(&cursor, to: index + 1)
      return nil
    case .other: break
    }
    advance(&cursor, to: index)
    skipped = SkippedValue(
      byteOffset: byteOffset + index, line: cursor.line,
      isWord: !opensContainer(first) && first != quote)
    return nil
  }

  /// What is wrong with a member that does not come to its value: the input ended, or it is endless.
  private func endOfMember(_ start: Int, _ cursor: Cursor) -> Fault {
    var fault = noMember(start, cursor, scanned: isAtEnd ? filled : start)
    if isAtEnd { fault.reason = .truncatedRecord }
    return fault
  }

  private func noMember(_ start: Int, _ cursor: Cursor, scanned: Int) -> Fault {
    Fault(
      reason: .invalidJSON, byteOffset: byteOffset + start, line: cursor.line, scanned: scanned)
  }

  /// The byte at an offset of the buffer, reading more as needed; nil at the end of the input, and
  /// where what began at `start` is longer than a record may be.
  private mutating func byte(at index: Int, from start: Int) throws(Problem) -> UInt8? {
    while index >= filled {
      guard !isAtEnd, index - start <= limits.recordBytes else { return nil }
      try fill(to: filled + readBytes)
    }
    return index - start <= limits.recordBytes ? buffer[index] : nil
  }

  private mutating func nonSpace(from first: Int, _ start: Int) throws(Problem) -> Int {
    var index = first
    while let byte = try byte(at: index, from: start), isSpace(byte) { index += 1 }
    return index
  }

  /// Passes over as much of a value beside the records as is buffered.
  private mutating func skipOn(_ cursor: inout Cursor) -> Fault? {
    guard var value = skipped else { return nil }
    var index = cursor.position
    var isClosed = false
    var isBroken = false
    while index < filled, !isClosed, !isBroken {
      if value.isWord {
        isClosed = ValueScanner.endsWord(buffer[index])
        if !isClosed { index += 1 }
        continue
      }
      switch value.scanner.step(buffer[index]) {
      case .goesOn: index += 1
      case .closed:
        isClosed = true
        index += 1
      case .broken: isBroken = true
      }
    }
    advance(&cursor, to: index)
    skipped = isClosed ? nil : value
    guard isBroken else { return nil }
    return Fault(
      reason: .invalidJSON, byteOffset: value.byteOffset, line: value.line, scanned: index)
  }

  // MARK: Records

  private mutating func takeRecord(_ cursor: inout Cursor) throws(Problem) -> Fault? {
    switch try scan(from: cursor.position, cursor.line) {
    case .value(let end):
      cursor.extents.append(
        Chunk.Extent(
          start: cursor.position, length: end - cursor.position, line: cursor.line,
          byteOffset: byteOffset + cursor.position))
      advance(&cursor, to: end)
      return nil
    case .fault(let fault): return fault
    }
  }

  private enum Scan {
    /// A value, and the offset behind it.
    case value(end: Int)
    case fault(Fault)
  }

  /// Looks at the record that starts at an offset, reading more as needed, up to the limit.
  private mutating func scan(from start: Int, _ line: Int) throws(Problem) -> Scan {
    let offset = byteOffset + start
    func fault(
      _ reason: Rejection.Reason, _ scanned: Int, _ tooLong: ValueScanner? = nil
    ) -> Scan {
      .fault(
        Fault(reason: reason, byteOffset: offset, line: line, scanned: scanned, tooLong: tooLong))
    }
    let isElement = !nesting.isEmpty
    guard opensContainer(buffer[start]) || (isElement && buffer[start] == quote) else {
      let end = isElement ? try endOfWord(from: start) : nil
      return end.map { .value(end: $0) } ?? fault(.invalidJSON, start)
    }
    var scanner = ValueScanner()
    var index = start
    let limit = start + limits.recordBytes
    while true {
      while index < filled {
        if index == limit {
          if let next = try resumption(between: start + 1, and: index) {
            return fault(.invalidJSON, next)
          }
          return fault(.recordTooLarge, index, scanner)
        }
        switch scanner.step(buffer[index]) {
        case .goesOn: index += 1
        case .closed:
          let end = index + 1
          if let next = try resumption(between: start + 1, and: end), !isJSON(start..<end) {
            return fault(.invalidJSON, next)
          }
          return .value(end: end)
        case .broken:
          // What is broken here may be another record, behind one that was never closed.
          let next = try resumption(between: start + 1, and: index)
          return fault(.invalidJSON, next ?? index)
        }
        if scanner.openContainers > limits.depth {
          if let next = try resumption(between: start + 1, and: index) {
            return fault(.invalidJSON, next)
          }
          return fault(.tooDeep, index)
        }
      }
      if isAtEnd {
        if let next = try resumption(between: start + 1, and: filled) {
          return fault(.invalidJSON, next)
        }
        return fault(.truncatedRecord, filled)
      }
      try fill(to: filled + readBytes)
    }
  }

  /// The offset behind a number, `true`, `false` or `null`; nil for what is none.
  private mutating func endOfWord(from start: Int) throws(Problem) -> Int? {
    var index = start
    while let byte = try byte(at: index, from: start), !ValueScanner.endsWord(byte) { index += 1 }
    return index > start && isJSON(start..<index) ? index : nil
  }

  private func isJSON(_ range: Range<Int>) -> Bool {
    buffer.withUnsafeBufferPointer {
      parser.parse(UnsafeBufferPointer(rebasing: $0[range])) == .value
    }
  }

  // MARK: Errors

  /// Goes on behind a fault.
  ///
  /// - Returns: nil if it is among the cursor's rejections then; else a chunk to give away: what
  ///   precedes the fault, which is met again from the start of an empty buffer, or the fault alone.
  private mutating func recover(
    from fault: Fault, _ cursor: inout Cursor
  ) throws(Problem) -> Chunk? {
    if fault.tooLong == nil, let end = resumption(from: fault.scanned) {
      cursor.rejections.append(fault.rejection(length: byteOffset + end - fault.byteOffset))
      advance(&cursor, to: end)
      try resume(at: end + 1)
      return nil
    }
    if cursor.position > 0, !(cursor.extents.isEmpty && cursor.rejections.isEmpty) {
      return chunk(cursor)
    }
    line = cursor.line + newlines(in: cursor.position..<fault.scanned)
    discard(fault.scanned)
    let rejection = try passOver(fault)
    return chunk(upTo: 0, rejections: [rejection])
  }

  /// Decides what stands around the value at an offset, which reading goes on with after an error.
  ///
  /// An array or envelope in column 1 is a new one; an object in an array goes on with the array.
  private mutating func resume(at start: Int) throws(Problem) {
    skipped = nil
    if case .elements = nesting.last, buffer[start] == UInt8(ascii: "{"),
      try !opensEnvelope(at: start)
    {
      hasLostCount = true
    } else {
      forgetNesting()
    }
  }

  /// The first newline from an offset on, within what is buffered, that a value follows in column 1.
  private func resumption(from start: Int) -> Int? {
    var next = start
    while let index = newlineOffset(from: next, below: filled - 1) {
      if opensContainer(buffer[index + 1]) { return index }
      next = index + 1
    }
    return nil
  }

  /// The same below `end`; reads the byte behind a newline that is the last one below it.
  private mutating func resumption(between start: Int, and end: Int) throws(Problem) -> Int? {
    var next = start
    while let index = newlineOffset(from: next, below: end) {
      try fill(to: index + 2)
      if index + 1 < filled, opensContainer(buffer[index + 1]) { return index }
      next = index + 1
    }
    return nil
  }

  /// Passes over the rest of a faulty region, which the buffer starts with, without keeping it: up to
  /// where a value starts in column 1, to the end of a value that is only too long, or to the end of
  /// the input.
  private mutating func passOver(_ fault: Fault) throws(Problem) -> Rejection {
    var scanner = fault.tooLong
    while true {
      try fill(to: 2)
      guard filled > 0 else { break }
      if filled > 1, buffer[0] == newline, opensContainer(buffer[1]) {
        let length = byteOffset - fault.byteOffset
        try resume(at: 1)
        return fault.rejection(length: length)
      }
      // All bytes but the last are judged with the one behind them.
      let end = isAtEnd && filled == 1 ? 1 : filled - 1
      var index = 0
      while index < end {
        if index > 0, buffer[index] == newline, opensContainer(buffer[index + 1]) { break }
        let step = scanner?.step(buffer[index])
        if buffer[index] == newline { line += 1 }
        index += 1
        if step == .closed {
          discard(index)
          return fault.rejection(length: byteOffset - fault.byteOffset)
        }
        if step == .broken { scanner = nil }
      }
      discard(index)
    }
    forgetNesting()
    var tail = fault
    if fault.reason == .invalidJSON { tail.reason = .unreadableTail }
    return tail.rejection(length: byteOffset - fault.byteOffset)
  }
}
