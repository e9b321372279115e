package import Core

/// What became of a chunk's records.
package struct DecodedChunk: Sendable {
  /// In the order of the input, their texts slices of one array.
  package let events: [ProfileEvent]
  /// By byte offset.
  package let rejections: [Rejection]
  package let counts: ReadCounts
  /// Memory that the texts of the events take.
  package let textBytes: Int
  /// Where each event's record stands; empty for canonical records.
  package var places: [RecordPlace] = []
  /// Columns that nothing reads, of the records that became events.
  package var unknown = UnknownNames()
}

/// Decodes a chunk of records in the canonical envelope (DESIGN 4).
///
/// Pure in its arguments, and safe to call on any thread. Every record ends in `events`,
/// `rejections` or among the blank lines of `counts`, which balance.
package func decode(chunk: Chunk, limits: ReadLimits, primitives: Primitives) -> DecodedChunk {
  let chunk = chunk.columns.map { chunk.rowsAsObjects($0, limits: limits) } ?? chunk
  var built: EventBuilder?
  // No text grows on its way from the record to the event, so the chunk's length is room enough.
  let text = [UInt8](unsafeUninitializedCapacity: chunk.length) { memory, count in
    var decoder = EventDecoder(arena: TextArena(memory), limits: limits)
    chunk.bytes.withUnsafeBufferPointer { decoder.decode(chunk, $0) }
    count = decoder.arena.count
    built = decoder.finished()
  }
  guard let built else { preconditionFailure("the closure above always runs") }
  return built.build(text: text, primitives: primitives)
}
