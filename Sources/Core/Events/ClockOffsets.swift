/// By how much the times of events are moved because the clock of their device ran ahead (SEMANTICS 1.8).
///
/// A clock is one of a group: a profile's session, or an event without one. Its lead is the least that
/// its transport times allow: an event cannot have happened after it was sent or received. The whole
/// group moves by one offset, so the order within it stays. A lead of up to five minutes is noise, and a
/// slow clock cannot be told from a slow transport: both are left alone. Raw times stay what identity,
/// fingerprint, order in a session and retention go by.
///
/// Follows from the set of events alone: no clock of ours, no order of arrival.
package struct ClockOffsets: Hashable, Sendable {
  /// A lead beyond this many microseconds is corrected.
  package static let tolerance: Int64 = 5 * 60_000_000

  /// In the order of the events, negative or 0; empty where every clock is left alone.
  private let offsets: [Int64]

  /// The clocks of events that came under one profile id, or under the ids that `owner` gives.
  package init(_ events: [Event], owner: ((Int) -> Bytes)? = nil) {
    // By index: a copy of each event would cost more than the look at it.
    let isAnyAhead = events.indices.contains { events[$0].clockDifference < -Self.tolerance }
    guard isAnyAhead else {
      offsets = []
      return
    }
    var groups: [Group: Int64] = [:]
    func group(_ index: Int) -> Group? {
      events[index].sessionID.map { Group(owner: owner?(index) ?? .empty, session: $0) }
    }
    for index in events.indices {
      guard let group = group(index) else { continue }
      groups[group] = min(groups[group] ?? 0, events[index].clockDifference)
    }
    offsets = events.indices.map { index in
      let difference =
        group(index).flatMap { groups[$0] } ?? events[index].clockDifference
      return difference < -Self.tolerance ? difference : 0
    }
  }

  package init(_ person: PersonEvents) {
    self.init(person.events) { person.owner(ofEventAt: $0) }
  }

  /// Microseconds to add to the times of an event; 0 where its clock is left alone, else negative.
  package func offset(at index: Int) -> Int64 { offsets.isEmpty ? 0 : offsets[index] }

  /// The corrected time of the event that stands at an index.
  package func time(of event: Event, at index: Int) -> Instant {
    offsets.isEmpty ? event.occurredAt : event.occurredAt.adding(microseconds: offsets[index])
  }

  private struct Group: Hashable {
    let owner: Bytes
    let session: Bytes
  }
}

extension EventSet {
  /// How many events lie beyond an instant by their corrected times.
  package func count(after instant: Instant) -> Int {
    // No clock is put forward: what lies before it as it was told stays there.
    guard events.contains(where: { $0.occurredAt > instant }) else { return 0 }
    let clocks = ClockOffsets(events)
    return events.indices.count { clocks.time(of: events[$0], at: $0) > instant }
  }
}

extension Event {
  /// The least of the differences between its times that would be positive by true clocks, in
  /// microseconds; 0 where there are none to compare.
  package var clockDifference: Int64 {
    var least: Int64 = 0
    if let sentAt { least = min(least, sentAt.microseconds - occurredAt.microseconds) }
    if let receivedAt {
      least = min(least, receivedAt.microseconds - occurredAt.microseconds)
      if let sentAt { least = min(least, receivedAt.microseconds - sentAt.microseconds) }
    }
    return least
  }
}
