internal import Core
internal import Ingest

/// Events that were read and are not stored yet, by profile.
struct EventBatch {
  private struct Group {
    let shard: Shard
    var events: [Event]
  }

  private let primitives: Primitives
  private var groups: [Bytes: Group] = [:]
  /// What the events take in memory, by estimate: their text, and a fixed part each.
  private(set) var bytes = 0
  private(set) var eventCount = 0

  var isEmpty: Bool { groups.isEmpty }

  init(_ primitives: Primitives) { self.primitives = primitives }

  mutating func add(_ decoded: DecodedChunk, textBytes: Int) {
    for item in decoded.events {
      if groups[item.profileID] == nil {
        groups[item.profileID] = Group(
          shard: Shard(of: item.profileID, primitives), events: [item.event])
      } else {
        groups[item.profileID]?.events.append(item.event)
      }
    }
    eventCount += decoded.events.count
    // Sorting and joining hold an event twice for a while.
    bytes += textBytes + decoded.events.count * (2 * MemoryLayout<Event>.stride + 64)
  }

  /// The events by shard, ascending; the batch is empty afterwards.
  mutating func takeShards() -> [ShardWork] {
    var result = (0..<Shard.count).map { ShardWork(shard: Shard(number: UInt8($0))) }
    for (profileID, group) in groups {
      result[Int(group.shard.number)].incoming[profileID] = group.events
    }
    self = EventBatch(primitives)
    return result.filter { !$0.incoming.isEmpty }
  }
}
