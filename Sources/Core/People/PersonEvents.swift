/// What tells one event of a person from all others: two ids can carry the same event id.
package struct EventKey: Hashable, Sendable {
  package let owner: Bytes
  package let identity: Identity

  package init(owner: Bytes, identity: Identity) {
    self.owner = owner
    self.identity = identity
  }
}

/// All events of one person: the sets of its ids, side by side.
///
/// An event is known by the id it came under and its own identity: one identity under two ids is two
/// events.
package struct PersonEvents: Hashable, Sendable {
  /// The id that stands for the person; all that is derived is stored under it.
  package let profileID: Bytes
  /// The person's other ids, ascending.
  package let aliases: [Bytes]
  /// In identity order, events of one identity in the order of their ids.
  package let events: [Event]
  /// The id each event came under; empty where all came under `profileID`.
  private let owners: [Bytes]

  package init(_ set: EventSet) {
    profileID = set.profileID
    aliases = []
    events = set.events
    owners = []
  }

  /// Puts sets side by side.
  ///
  /// - Parameters:
  ///   - profileID: the id that stands for the person.
  ///   - aliases: the others, in any order.
  ///   - sets: of any of these ids, each id once; an id without events needs none.
  package init(profileID: Bytes, aliases: [Bytes], sets: [EventSet]) {
    self.profileID = profileID
    self.aliases = aliases.sorted()
    if sets.count == 1, sets[0].profileID == profileID {
      events = sets[0].events
      owners = []
      return
    }
    var all: [(owner: Bytes, event: Event)] = []
    for set in sets { for event in set.events { all.append((set.profileID, event)) } }
    all.sort { ($0.event.identity, $0.owner) < ($1.event.identity, $1.owner) }
    events = all.map(\.event)
    owners = all.map(\.owner)
  }

  /// The person without the events that are not to be kept.
  package func without(_ privacy: PrivacyRules) -> PersonEvents {
    guard !privacy.isEmpty else { return self }
    let kept = events.indices.filter { !privacy.refuses(events[$0]) }
    guard kept.count < events.count else { return self }
    return PersonEvents(
      profileID: profileID, aliases: aliases, events: kept.map { events[$0] },
      owners: owners.isEmpty ? [] : kept.map { owners[$0] })
  }

  private init(profileID: Bytes, aliases: [Bytes], events: [Event], owners: [Bytes]) {
    self.profileID = profileID
    self.aliases = aliases
    self.events = events
    self.owners = owners
  }

  /// The id that an event came under.
  package func owner(ofEventAt index: Int) -> Bytes { owners.isEmpty ? profileID : owners[index] }

  /// All events in the person's order, each under the id it came with, for people who read them.
  package var inOrder: [ProfileEvent] {
    Timeline(
      self, matcher: FlowMatcher(byPlacement: [:], byFlowID: [:], byScreen: [:]),
      settings: RunSettings(), asOf: Instant(microseconds: .max)
    ).entries.map { ProfileEvent(profileID: $0.owner, event: $0.event) }
  }
}
