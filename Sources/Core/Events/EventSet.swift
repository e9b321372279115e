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

  /// Adds events in any order. An event of a new identity is accepted; a copy that leaves the stored
  /// event as it is counts as a duplicate, one that changes it as a conflict.
  package mutating func formUnion(_ others: [Event], counting counts: inout Counts) {
    // Implemented in the next commit.
  }
}
