/// The state of one profile: a set of events, each identity once, in identity order.
///
/// Union is associative, commutative and idempotent; everything else in the product rests on it.
package struct EventSet: Hashable, Sendable {
  package let profileID: Bytes
  /// In identity order, each identity once.
  package private(set) var events: [Event]
  /// Of identities with copies that could be barred apart from each other, what each kind of copies is
  /// joined to, two or more, in the order of ``Event/barring(under:)``; `events` holds the join of them.
  ///
  /// They are kept so that a copy that is barred later leaves what was there without it.
  private var variants: [Identity: [Event]]

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
    variants = [:]
    var counts = Counts()
    formUnion(events, counting: &counts)
  }

  /// Creates a set from copies that are known to stand in identity order, those of one identity in the
  /// order of what bars them; nil where two of them are of one kind.
  init?(profileID: Bytes, sorted copies: [Event]) {
    self.profileID = profileID
    events = []
    events.reserveCapacity(copies.count)
    variants = [:]
    var start = 0
    while start < copies.count {
      var end = start + 1
      while end < copies.count, copies[end].identity == copies[start].identity { end += 1 }
      if end - start > 1 {
        let kinds = copies[start..<end].map { $0.barring(under: profileID) }
        guard zip(kinds, kinds.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
        variants[copies[start].identity] = Array(copies[start..<end])
      }
      events.append(Self.join(copies[start..<end]))
      start = end
    }
  }

  /// All that is stored: `events`, but of an identity whose copies could be barred apart each of them.
  package var copies: [Event] {
    variants.isEmpty ? events : events.flatMap { variants[$0.identity] ?? [$0] }
  }

  var hasVariants: Bool { !variants.isEmpty }

  /// How many ``copies`` there are.
  package var copyCount: Int { variants.values.reduce(events.count) { $0 + $1.count - 1 } }

  private static func join(_ copies: ArraySlice<Event>) -> Event {
    copies.dropFirst().reduce(copies[copies.startIndex]) { $0.joined(with: $1) }
  }

  /// Adds events in any order.
  ///
  /// An event of a new identity is accepted; a copy that leaves the set as it is counts as a duplicate,
  /// one that changes it as a conflict.
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
      if let joined = join(event, to: last) {
        merged[merged.count - 1] = joined
        counts.conflict += 1
      } else {
        counts.duplicate += 1
      }
    }
    merged.append(contentsOf: events[next...])
    events = merged
  }

  /// Joins a copy to the event of its identity; nil where that changes nothing.
  private mutating func join(_ copy: Event, to event: Event) -> Event? {
    let known = variants[copy.identity] ?? [event]
    guard !known.contains(copy) else { return nil }
    let kind = copy.barring(under: profileID)
    let kinds = known.map { $0.barring(under: profileID) }
    var copies = known
    if let index = kinds.firstIndex(of: kind) {
      copies[index] = copies[index].joined(with: copy)
      if copies[index] == known[index] { return nil }
    } else {
      copies.insert(copy, at: kinds.firstIndex { kind < $0 } ?? kinds.count)
    }
    if copies.count > 1 { variants[copy.identity] = copies }
    return Self.join(copies[...])
  }

  /// Takes copies of events out; an event of which another copy stays is what it would be without them.
  ///
  /// - Returns: how many events went or are others now.
  package mutating func remove(where isRemoved: (Event) -> Bool) -> Int {
    var left: [Event] = []
    var removed = 0
    for event in events {
      let copies = variants[event.identity] ?? [event]
      let kept = copies.filter { !isRemoved($0) }
      guard kept.count < copies.count else {
        left.append(event)
        continue
      }
      removed += 1
      variants[event.identity] = kept.count > 1 ? kept : nil
      if !kept.isEmpty { left.append(Self.join(kept[...])) }
    }
    events = left
    return removed
  }

  /// SHA-256 of the encoded set, cut to 16 bytes: two sets are equal iff their digests are.
  package func digest(_ primitives: Primitives) -> [UInt8] {
    Array(primitives.sha256(encoded())[..<16])
  }
}
