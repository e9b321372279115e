import Core
import Ingest

@testable import sluice

/// Any bytes as a file of events, in whatever layout they look like.
enum EventsInput {
  /// Small, so that records of more and of less are found.
  private static let limits = ReadLimits(recordBytes: 3000, depth: 20)

  /// All that reading gives, to be compared.
  private struct Found: Equatable {
    var events: [Event] = []
    var profileIDs: [Bytes] = []
    var rejections: [Rejection] = []
    var counts = ReadCounts()
    /// Why the rest was not read.
    var problem: String?
  }

  private static func found(_ bytes: [UInt8], chunkBytes: Int) -> Found {
    var found = Found()
    var reader = ChunkReader(
      MemorySource(bytes, name: "input"), limits: limits, chunkBytes: chunkBytes)
    do {
      while let chunk = try reader.next() {
        let decoded = decode(chunk: chunk, limits: limits, primitives: .system)
        found.events += decoded.events.map(\.event)
        found.profileIDs += decoded.events.map(\.profileID)
        found.rejections += decoded.rejections
        found.counts += decoded.counts
      }
    } catch {
      found.problem = "\(error)"
    }
    return found
  }

  /// Reads the bytes twice, with other chunks.
  static func read(_ bytes: [UInt8]) {
    let whole = found(bytes, chunkBytes: ChunkReader.usualChunkBytes)
    demand(whole.counts.isBalanced, "the sheet of a file adds up")
    demand(whole.counts.events == whole.events.count, "each event is counted once")
    demand(whole.counts.rejectedInAll == whole.rejections.count, "each rejection is counted once")
    for rejection in whole.rejections {
      demand(
        rejection.byteOffset >= 0 && rejection.length >= 0 && rejection.line > 0
          && rejection.byteOffset + rejection.length <= bytes.count,
        "a rejection stands inside of its file: \(rejection)")
    }
    if whole.problem == nil {
      let parts = found(bytes, chunkBytes: max(64, bytes.count / 4))
      demand(parts == whole, "the size of chunks changes nothing:\n\(parts)\n\(whole)")
    }
    for event in whole.events.prefix(4) where !event.params.isEmpty { rewrite(event) }
    roundTrip(whole)
  }

  /// Reads the bytes as CSV: rows for a header of ours where they begin with `+`.
  static func readCSV(_ bytes: [UInt8]) {
    guard bytes.first == UInt8(ascii: "+") else { return read(bytes) }
    let header =
      "event_id,event_name,profile_id,occurred_at,counter,locale,params,params.value,params.n\n"
    read(Array(header.utf8) + bytes.dropFirst())
  }

  /// Canonical JSON is JSON, and writing it again changes nothing.
  private static func rewrite(_ event: Event) {
    let head = #"{"event_name":"x","profile_id":"p","occurred_at":0,"params":"#
    let record = Array(head.utf8) + event.params.array + Array("}\n".utf8)
    guard record.count < limits.recordBytes else { return }
    let again = found(record, chunkBytes: ChunkReader.usualChunkBytes)
    demand(
      again.events.first?.params == event.params,
      "canonical JSON is a fixed point: \(event.params.string)")
  }

  /// What was read can be stored.
  private static func roundTrip(_ found: Found) {
    let set = EventSet(profileID: "p", events: found.events)
    let decoded = try? EventSet.decode(set.encoded(), profileID: "p")
    demand(decoded == set, "the log gives back what was put in")
  }
}
