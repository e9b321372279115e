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
    let (incoming, isDistinct) = Self.sorted(others)
    if isDistinct, events.isEmpty {
      events = incoming
      counts.accepted += incoming.count
      return
    }
    var merged: [Event] = []
    merged.reserveCapacity(events.count + incoming.count)
    var next = 0
    var first = 0
    while first < incoming.count {
      let identity = incoming[first].identity
      var end = first + 1
      while end < incoming.count, incoming[end].identity == identity { end += 1 }
      while next < events.count, events[next].identity < identity {
        merged.append(events[next])
        next += 1
      }
      var known: Event?
      if next < events.count, events[next].identity == identity {
        known = events[next]
        next += 1
      }
      merged.append(join(incoming[first..<end], to: known, counting: &counts))
      first = end
    }
    merged.append(contentsOf: events[next...])
    events = merged
  }

  /// Events in the order of their identities, those of one identity in any; and whether the first bytes
  /// of all identities differ.
  ///
  /// Sorted by these bytes, which nearly always tell: an event is several hundred bytes to move.
  private static func sorted(_ events: [Event]) -> (events: [Event], isDistinct: Bool) {
    var isSorted = true
    var order: [(key: UInt64, index: Int)] = []
    order.reserveCapacity(events.count)
    for index in events.indices {
      let key = events[index].identity.sortKey
      if let last = order.last, last.key >= key { isSorted = false }
      order.append((key, index))
    }
    guard !isSorted else { return (events, true) }
    order.sort {
      $0.key != $1.key
        ? $0.key < $1.key : events[$0.index].identity < events[$1.index].identity
    }
    let isDistinct = zip(order, order.dropFirst()).allSatisfy { $0.key != $1.key }
    return (order.map { events[$0.index] }, isDistinct)
  }

  /// The event that copies of one identity and what is known of it make.
  ///
  /// All at once: asking what bars a copy for each pair of them would take time with their square.
  private mutating func join(
    _ copies: ArraySlice<Event>, to event: Event?, counting counts: inout Counts
  ) -> Event {
    let sole = event ?? copies[copies.startIndex]
    let stored = variants[sole.identity]
    let others = event == nil ? copies.dropFirst() : copies
    if event == nil { counts.accepted += 1 }
    // The usual case is a single copy, or another delivery of the same.
    if stored == nil, others.allSatisfy({ $0 == sole }) {
      counts.duplicate += others.count
      return sole
    }
    var byKind: [Bytes: Event] = [:]
    for copy in stored ?? [sole] { byKind[copy.barring(under: profileID)] = copy }
    for copy in others {
      let kind = copy.barring(under: profileID)
      let joined = byKind[kind].map { $0.joined(with: copy) } ?? copy
      if joined == byKind[kind] {
        counts.duplicate += 1
      } else {
        byKind[kind] = joined
        counts.conflict += 1
      }
    }
    let kinds = byKind.sorted { $0.key < $1.key }.map(\.value)
    variants[sole.identity] = kinds.count > 1 ? kinds : nil
    return Self.join(kinds[...])
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
