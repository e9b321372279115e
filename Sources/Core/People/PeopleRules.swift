/// Which events say that two ids are one person's, besides `profile_merged`, which always does, and how
/// many events a person's id can have.
package struct PeopleRules: Hashable, Sendable {
  /// A word in `people: unite_by:`.
  package enum External: String, CaseIterable, Sendable {
    /// The app's own id of a person: whoever carries it is `cu:<id>` too.
    case customerUserID = "customer_user_id"
    /// What the vendor's records say of other tools' ids.
    case integrationIDs = "integration_ids"
  }

  package var unitesBy: Set<External> = []
  /// Events of one id, at most: an id that sends more is no person, and is quarantined as a whole.
  package var maximumEvents = Self.usualMaximumEvents

  package static let usualMaximumEvents = 20_000
  package static let maximumEventsRange = 100...1_000_000

  package init(unitesBy: Set<External> = []) { self.unitesBy = unitesBy }

  /// Everything that an event can say of ids, whether or not a pipeline unites by it.
  package static let everything = PeopleRules(unitesBy: Set(External.allCases))

  /// The vendor's keys of integration ids that name a stream of events, each with the prefix of that
  /// stream's ids.
  ///
  /// The others name devices and campaigns of tools that send no events of people.
  package static let streams: [Bytes: Bytes] = [
    "amplitude_device_id": "amplitude:", "appmetrica_device_id": "appmetrica:",
    "firebase_app_instance_id": "ga4:", "mixpanel_user_id": "mixpanel:",
    "posthog_distinct_user_id": "posthog:",
  ]

  package static let customerPrefix: Bytes = "cu:"
  /// All that stand before ids of other tools.
  package static let prefixes = [customerPrefix] + streams.values

  /// The links that a set's events state up to an instant, each once.
  package func links(of set: EventSet, asOf: Instant) -> Set<ProfileLink> {
    links(of: set.events, under: set.profileID, asOf: asOf)
  }

  /// The links that events of a profile id state up to an instant, each once.
  package func links(of events: [Event], under profileID: Bytes, asOf: Instant) -> Set<ProfileLink>
  {
    var links: Set<ProfileLink> = []
    let clocks = ClockOffsets(events)
    var customer: Bytes?
    // By index: a copy of each event would cost more than the look at it.
    for index in events.indices where clocks.time(of: events[index], at: index) <= asOf {
      if events[index].isMerge, let link = ProfileLink(merge: events[index].params) {
        links.insert(link)
      }
      guard !unitesBy.isEmpty else { continue }
      if unitesBy.contains(.customerUserID), let id = events[index].context[.customerUserID],
        id != customer
      {
        customer = id
        if let link = external(id, Self.customerPrefix, of: profileID, .customerUserID) {
          links.insert(link)
        }
      }
      if unitesBy.contains(.integrationIDs) {
        switch events[index].kind {
        case .vendorRecord, .profileUpdated:
          links.formUnion(integrations(events[index], profileID))
        default: break
        }
      }
    }
    return links
  }

  private func integrations(_ event: Event, _ profileID: Bytes) -> [ProfileLink] {
    var links: [ProfileLink] = []
    JSONText(event.params).forEachMember { key, value in
      guard key == Self.integrationKey else { return }
      // A column of a CSV holds the mapping as text.
      let mapping = value.string.map { JSONText($0) } ?? value
      mapping.forEachMember { key, value in
        guard let prefix = Self.streams[key], let id = ProfileID.read(value),
          let link = external(id, prefix, of: profileID, .integrationIDs)
        else { return }
        links.append(link)
      }
    }
    return links
  }

  private static let integrationKey: Bytes = "integration_ids"

  private func external(
    _ id: Bytes, _ prefix: Bytes, of profileID: Bytes, _ origin: ProfileLink.Origin
  ) -> ProfileLink? {
    guard let id = ProfileID.read(id) else { return nil }
    return ProfileLink(from: profileID, into: Bytes(prefix.array + id.array), origin)
  }
}

extension Event {
  /// True for `profile_merged`, told without asking for the kind of each event.
  package var isMerge: Bool { name == Self.mergeName }

  private static let mergeName: Bytes = "profile_merged"
}
