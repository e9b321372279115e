internal import CSimdjson
internal import Core
internal import Glibc

extension EventDecoder {
  /// Decodes all records of a chunk.
  ///
  /// `bytes` are the chunk's, padding included.
  mutating func decode(_ chunk: Chunk, _ bytes: UnsafeBufferPointer<UInt8>) {
    for rejection in chunk.rejections { reject(rejection) }
    reserve(forBytes: chunk.length)
    switch chunk.layout {
    case .lines: decodeLines(chunk, bytes)
    case .values, .array, .data, .csv: decodeExtents(chunk, bytes)
    }
  }

  private mutating func decodeExtents(_ chunk: Chunk, _ bytes: UnsafeBufferPointer<UInt8>) {
    for extent in chunk.extents {
      guard extent.length > 0 else {
        countBlankLine()
        continue
      }
      let record = bytes[extent.start..<(extent.start + extent.length)]
      let verdict = parser.parse(UnsafeBufferPointer(rebasing: record))
      if let reason = verdict.reason {
        // The braces matched, so the next record stands where it seems to.
        reject(
          Rejection(
            reason, line: extent.line, byteOffset: extent.byteOffset, length: extent.sourceLength))
      } else if chunk.layout == .data, let wrapped = wrappedRecords {
        hasUnwrapped = true
        decodeWrapped(wrapped, extent)
      } else {
        decodeParsedValue(
          line: extent.line, byteOffset: extent.byteOffset, length: extent.sourceLength)
      }
    }
  }

  // MARK: Firehose

  /// What an element `{"data": BASE64}` of an envelope holds; nil for any other one.
  private var wrappedRecords: [UInt8]? {
    let tokens = parser.tokens
    guard tokens[0].shape == .object, tokens[0].length == 1, tokens[2].shape == .string,
      tokens[1].bytes.elementsEqual("data".utf8)
    else { return nil }
    return decodeBase64(tokens[2].bytes)
  }

  /// Decodes the records that an element wraps; each is told a place of its own inside the element.
  private mutating func decodeWrapped(_ records: [UInt8], _ element: Chunk.Extent) {
    let padded = records + [UInt8](repeating: 0, count: JSONParser.padding)
    padded.withUnsafeBufferPointer { bytes in
      decodeLine(
        UnsafeBufferPointer(rebasing: bytes[..<records.count]),
        Place(line: element.line, byteOffset: element.byteOffset, isCut: false))
    }
  }

  // MARK: Lines

  private mutating func decodeLines(_ chunk: Chunk, _ bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress else { return }
    var start = 0
    var number = chunk.firstLine
    while start < chunk.length {
      let found = memchr(base + start, Int32(newline), chunk.length - start)
      let end = found.map { UnsafeRawPointer($0) - UnsafeRawPointer(base) } ?? chunk.length
      let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
      decodeLine(
        line,
        Place(
          line: number, byteOffset: chunk.byteOffset + start,
          isCut: found == nil && chunk.endsOpen))
      start = end + 1
      number += 1
    }
  }

  /// Where a line stands, and whether the input ended before its newline.
  private struct Place {
    let line: Int
    let byteOffset: Int
    let isCut: Bool
  }

  private mutating func decodeLine(_ line: UnsafeBufferPointer<UInt8>, _ place: Place) {
    var end = line.count
    if end > 0, line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    guard end <= limits.recordBytes else {
      reject(
        Rejection(.recordTooLarge, line: place.line, byteOffset: place.byteOffset, length: end))
      return
    }
    while end > 0, isSpace(line[end - 1]) { end -= 1 }
    var start = 0
    while start < end, isSpace(line[start]) { start += 1 }
    guard start < end else {
      countBlankLine()
      return
    }
    // Nearly every line is one object.
    if line[start] == UInt8(ascii: "{"), parse(line, start, end) == .value {
      decodeParsedValue(
        line: place.line, byteOffset: place.byteOffset + start, length: end - start)
      return
    }
    decodeValues(line, start, end, place)
  }

  private func parse(
    _ line: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int
  ) -> JSONParser.Verdict {
    parser.parse(UnsafeBufferPointer(rebasing: line[start..<end]))
  }

  /// Reads the values of a line one after the other, an array's elements like values of their own;
  /// from the first that is no JSON on, the rest of the line is one reject.
  private mutating func decodeValues(
    _ line: UnsafeBufferPointer<UInt8>, _ first: Int, _ end: Int, _ place: Place
  ) {
    let readBefore = counts.read
    let text = UnsafeBufferPointer(rebasing: line[..<end])
    var start = first
    // Files that were joined may have a BOM in the middle.
    if text[start...].starts(with: byteOrderMark) { start += byteOrderMark.count }
    var arrayEnd: Int?
    while true {
      while start < end, isBetweenRecords(text[start]) { start += 1 }
      if start == arrayEnd {
        start += 1
        arrayEnd = nil
        continue
      }
      guard start < end else { break }
      if arrayEnd == nil, text[start] == UInt8(ascii: "["),
        let behind = ValueScanner.endOfValue(in: text, from: start),
        text[behind - 1] == UInt8(ascii: "]")
      {
        arrayEnd = behind - 1
        start += 1
        continue
      }
      let valueEnd = ValueScanner.endOfValue(in: text, from: start)
      let verdict = valueEnd.map { parse(text, start, $0) } ?? verdictOnOpenValue(text, start)
      guard let valueEnd, verdict == .value else {
        var reason = verdict.reason ?? .invalidJSON
        if place.isCut, reason == .invalidJSON || reason == .invalidUTF8 {
          reason = .truncatedRecord
        }
        reject(
          Rejection(
            reason, line: place.line, byteOffset: place.byteOffset + start, length: end - start))
        return
      }
      decodeParsedValue(
        line: place.line, byteOffset: place.byteOffset + start, length: valueEnd - start)
      start = valueEnd
    }
    // An empty array, or a comma between lines.
    if counts.read == readBefore { countBlankLine() }
  }

  /// What is wrong with a value that never closes: bad bytes explain it better than the lack of braces.
  private func verdictOnOpenValue(
    _ text: UnsafeBufferPointer<UInt8>, _ start: Int
  ) -> JSONParser.Verdict {
    parse(text, start, text.count) == .invalidUTF8 ? .invalidUTF8 : .invalid
  }
}

extension JSONParser.Verdict {
  /// Why the record is refused, nil if it is not.
  fileprivate var reason: Rejection.Reason? {
    switch self {
    case .value: nil
    case .invalid: .invalidJSON
    case .invalidUTF8: .invalidUTF8
    case .tooDeep: .tooDeep
    }
  }
}
