/// The state of one profile: a set of events, each identity once, in identity order.
///
/// Union is associative, commutative and idempotent; everything else in the product rests on it.
package struct EventSet: Hashable, Sendable {
  package let profileID: Bytes
  /// In identity order, each identity once.
  package private(set) var events: [Event]

  /// What became of the events that a union brought in (SEMANTICS 1.2, 3.8).
  package struct Counts: Hashable, Sendable {
    package var accepted = 0
    package var duplicate = 0
    package var conflict = 0

    package init() {}
  }

  /// Creates a set from events in any order, joining copies.
  package init(profileID: Bytes, events: [Event] = []) {
    self.profileID = profileID
    self.events = []
    var counts = Counts()
    formUnion(events, counting: &counts)
  }

  /// Creates a set from events that are known to stand in identity order, each identity once.
  init(profileID: Bytes, sorted events: [Event]) {
    self.profileID = profileID
    self.events = events
  }

  /// Adds events in any order.
  ///
  /// An event of a new identity is accepted; a copy that leaves the stored event as it is counts as
  /// a duplicate, one that changes it as a conflict.
  package mutating func formUnion(_ others: [Event], counting counts: inout Counts) {
    guard !others.isEmpty else { return }
    let incoming = others.sorted { $0.identity < $1.identity }
    var merged: [Event] = []
    merged.reserveCapacity(events.count + incoming.count)
    var next = 0
    for event in incoming {
      while next < events.count, events[next].identity <= event.identity {
        merged.append(events[next])
        next += 1
      }
      guard let last = merged.last, last.identity == event.identity else {
        merged.append(event)
        counts.accepted += 1
        continue
      }
      let joined = last.joined(with: event)
      if joined == last {
        counts.duplicate += 1
      } else {
        merged[merged.count - 1] = joined
        counts.conflict += 1
      }
    }
    merged.append(contentsOf: events[next...])
    events = merged
  }

  /// Takes events out.
  ///
  /// - Returns: how many they were.
  package mutating func remove(where isRemoved: (Event) -> Bool) -> Int {
    let before = events.count
    events.removeAll(where: isRemoved)
    return before - events.count
  }

  /// SHA-256 of the encoded set, cut to 16 bytes: two sets are equal iff their digests are.
  package func digest(_ primitives: Primitives) -> [UInt8] {
    Array(primitives.sha256(encoded())[..<16])
  }
}
