package import Core

/// Decodes a chunk of records of a source.
///
/// The records are written anew in the canonical envelope and decoded as such. Pure in its arguments,
/// and safe to call on any thread. A record that holds several counts once for each of them.
///
/// - Parameter mapping: nil for canonical records.
package func decode(
  chunk: Chunk, limits: ReadLimits, primitives: Primitives, as mapping: SourceMapping?
) -> DecodedChunk {
  guard let mapping else { return decode(chunk: chunk, limits: limits, primitives: primitives) }
  let mapper = SourceMapper(mapping, limits: limits, primitives: primitives)
  let outside = chunk.visit(mapper, limits: limits)
  let records = mapper.records
  let inner = limits.ofMappedRecords
  let bytes = mapper.finish()
  var built: EventBuilder?
  var places: [RecordPlace] = []
  let text = [UInt8](unsafeUninitializedCapacity: bytes.count) { memory, count in
    var decoder = EventDecoder(arena: TextArena(memory), limits: inner)
    bytes.withUnsafeBufferPointer { bytes in
      for record in records {
        let events = decoder.counts.events
        decoder.decode(record, in: bytes)
        guard decoder.counts.events > events else { continue }
        places.append(record.place)
        mapper.columns.count(record.columns)
      }
    }
    for rejection in mapper.rejections { decoder.reject(rejection) }
    count = decoder.arena.count
    built = decoder.finished()
  }
  guard let built else { preconditionFailure("the closure above always runs") }
  let decoded = built.build(text: text, primitives: primitives)
  var counts = decoded.counts + outside.counts
  counts.read += mapper.blank
  counts.blank += mapper.blank
  for (name, count) in mapper.leftOut {
    counts.read += count
    counts.filtered += count
    counts.leftOut[name, default: 0] += count
  }
  counts.mended.repaired += mapper.output.repaired
  counts.mended.unreadableMembers += mapper.unreadable
  return DecodedChunk(
    events: decoded.events,
    rejections: (outside.rejections + decoded.rejections).sorted { $0.byteOffset < $1.byteOffset },
    counts: counts, textBytes: decoded.textBytes, places: places, unknown: mapper.columns.unknown)
}

extension Chunk {
  /// Shows all records to a visitor.
  ///
  /// - Returns: what became of everything that is no record, and whether some stood in base64.
  @discardableResult
  func visit(
    _ visitor: any RecordVisitor, limits: ReadLimits
  ) -> (rejections: [Rejection], counts: ReadCounts, hasUnwrapped: Bool) {
    var decoder = EventDecoder(
      arena: TextArena(UnsafeMutableBufferPointer(start: nil, count: 0)), limits: limits,
      visitor: visitor)
    let records = columns.map { rowsAsObjects($0, limits: limits) } ?? self
    records.bytes.withUnsafeBufferPointer { decoder.decode(records, $0) }
    return (decoder.rejections, decoder.counts, decoder.hasUnwrapped)
  }
}

extension EventDecoder {
  /// Decodes a record that a mapper wrote.
  fileprivate mutating func decode(
    _ record: SourceMapper.Mapped, in bytes: UnsafeBufferPointer<UInt8>
  ) {
    let text = UnsafeBufferPointer(rebasing: bytes[record.range])
    let place = record.place
    guard parser.parse(text) == .value else {
      reject(
        Rejection(
          .invalidJSON, line: place.line, byteOffset: place.byteOffset, length: place.length))
      return
    }
    decodeParsedValue(
      line: place.line, byteOffset: place.byteOffset, length: place.length,
      revision: record.revision)
  }
}
