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
  /// Of what was found inside, each.
  var names: [String] = []
  var formats: [[String]] = []
  var notes = InputNotes()
  var passedOver = 0

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

  /// Everything in an input that may be compressed or an archive.
  init(
    inside source: any ByteSource, limits: ReadLimits = ReadLimits(),
    chunkBytes: Int = ChunkReader.usualChunkBytes
  ) throws {
    let members = InputMembers(source)
    while let member = try members.next() {
      let part = try InputReading(member.source, limits: limits, chunkBytes: chunkBytes)
      profileIDs += part.profileIDs
      events += part.events
      rejections += part.rejections
      counts += part.counts
      largestChunk = max(largestChunk, part.largestChunk)
      layout = part.layout
      names.append(member.source.name)
      formats.append(member.formats)
    }
    notes = members.notes
    passedOver = members.passedOver
  }

  init(inside bytes: [UInt8], chunkBytes: Int = ChunkReader.usualChunkBytes) throws {
    try self.init(inside: TrickleSource(bytes), chunkBytes: chunkBytes)
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
