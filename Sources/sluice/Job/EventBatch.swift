internal import Core
internal import Ingest

/// Events that were read and are not stored yet, by profile.
struct EventBatch {
  private struct Group {
    let profileID: Bytes
    let shard: Shard
    var events: [Event]
  }

  private let primitives: Primitives
  private var groups: [Group] = []
  /// Index of a profile's group.
  private var index: [Bytes: Int] = [:]
  /// What the events take in memory, by estimate: their text, and a fixed part each.
  private(set) var bytes = 0

  init(_ primitives: Primitives) { self.primitives = primitives }

  mutating func add(_ decoded: DecodedChunk, textBytes: Int) {
    // Events of one profile mostly follow each other.
    var last = -1
    for item in decoded.events {
      if last < 0 || groups[last].profileID != item.profileID { last = group(of: item.profileID) }
      groups[last].events.append(item.event)
    }
    // Sorting and joining hold an event twice for a while.
    bytes += textBytes + decoded.events.count * (Event.stride + 2 * MemoryLayout<Event>.stride + 64)
  }

  private mutating func group(of profileID: Bytes) -> Int {
    if let known = index[profileID] { return known }
    index[profileID] = groups.count
    groups.append(
      Group(profileID: profileID, shard: Shard(of: profileID, primitives), events: []))
    return groups.count - 1
  }

  /// The events by shard, ascending; the batch is empty afterwards.
  mutating func takeShards() -> [ShardWork] {
    var result = Shard.all.map { ShardWork(shard: $0) }
    for group in groups {
      result[Int(group.shard.number)].incoming[group.profileID] = group.events
    }
    self = EventBatch(primitives)
    return result.filter { !$0.incoming.isEmpty }
  }
}
