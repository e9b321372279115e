import Core
import Ingest

@testable import sluice

/// Everything that a whole input gives.
struct InputReading {
  var profileIDs: [Bytes] = []
  var events: [Event] = []
  var rejections: [Rejection] = []
  var counts = ReadCounts()
  var largestChunk = 0
  var layout: Layout?

  init(
    _ source: any ByteSource, limits: ReadLimits = ReadLimits(),
    chunkBytes: Int = ChunkReader.usualChunkBytes
  ) throws {
    var reader = ChunkReader(source, limits: limits, chunkBytes: chunkBytes)
    while let chunk = try reader.next() {
      largestChunk = max(largestChunk, chunk.length)
      let decoded = decode(chunk: chunk, limits: limits, primitives: .system)
      profileIDs += decoded.events.map(\.profileID)
      events += decoded.events.map(\.event)
      rejections += decoded.rejections
      counts += decoded.counts
    }
    layout = reader.layout
  }

  init(
    _ text: String, limits: ReadLimits = ReadLimits(),
    chunkBytes: Int = ChunkReader.usualChunkBytes
  ) throws {
    try self.init(TrickleSource(Array(text.utf8)), limits: limits, chunkBytes: chunkBytes)
  }

  init(
    bytes: [UInt8], limits: ReadLimits = ReadLimits(),
    chunkBytes: Int = ChunkReader.usualChunkBytes
  ) throws {
    try self.init(TrickleSource(bytes), limits: limits, chunkBytes: chunkBytes)
  }

  var ids: [String] { events.map { $0.identity.bytes.string } }
  var reasons: [Rejection.Reason] { rejections.map(\.reason) }
}

/// A record with the members that are required and those given, as JSON text.
func record(_ members: String = "", id: String = "e1") -> String {
  let more = members.isEmpty ? "" : "," + members
  return #"{"event_id":"\#(id)","event_name":"x","profile_id":"p1","occurred_at":0\#(more)}"#
}
