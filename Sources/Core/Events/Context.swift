/// A member of the envelope that describes where an event happened, kept apart from the event's core.
///
/// Raw values are part of the codec: never renumber, only append.
package enum ContextKey: UInt8, CaseIterable, Sendable {
  case placementID = 1
  case flowID = 2
  case flowVersionID = 3
  case variationID = 4
  case audienceName = 5
  case abTestName = 6
  case placementRevision = 7
  case placementAudienceVersionID = 8
  case platform = 9
  case appVersion = 10
  case osVersion = 11
  case device = 12
  case locale = 13
  case timeZone = 14
  case country = 15
  case storeCountry = 16
  case customerUserID = 17
  case environment = 18
  /// `true` or `false`.
  case isTestUser = 19
  /// Microseconds since 1970 in decimal digits.
  case installedAt = 20

  /// The member's name in the canonical envelope.
  package var name: Bytes {
    switch self {
    case .placementID: "placement_id"
    case .flowID: "flow_id"
    case .flowVersionID: "flow_version_id"
    case .variationID: "variation_id"
    case .audienceName: "audience_name"
    case .abTestName: "ab_test_name"
    case .placementRevision: "placement_revision"
    case .placementAudienceVersionID: "placement_audience_version_id"
    case .platform: "platform"
    case .appVersion: "app_version"
    case .osVersion: "os_version"
    case .device: "device"
    case .locale: "locale"
    case .timeZone: "time_zone"
    case .country: "country"
    case .storeCountry: "store_country"
    case .customerUserID: "customer_user_id"
    case .environment: "environment"
    case .isTestUser: "is_test_user"
    case .installedAt: "installed_at"
    }
  }
}

/// The context members an event has, by key ascending, each key once, no empty value.
///
/// Events of one session mostly repeat one context: they share its array.
package struct Context: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package let key: ContextKey
    package let value: Bytes

    package init(_ key: ContextKey, _ value: Bytes) {
      self.key = key
      self.value = value
    }
  }

  package let members: [Member]

  package static let empty = Context(sorted: [])

  /// Creates a context from members that are sorted by key, each key once.
  package init(sorted members: [Member]) { self.members = members }

  package init(_ values: [ContextKey: Bytes]) {
    members = values.filter { !$0.value.isEmpty }
      .sorted { $0.key.rawValue < $1.key.rawValue }
      .map { Member($0.key, $0.value) }
  }

  package subscript(key: ContextKey) -> Bytes? {
    for member in members where member.key == key { return member.value }
    return nil
  }
}

/// A value a context member, of whichever are known.
struct KnownContext: Sendable {
  private var values = [Bytes?](repeating: nil, count: ContextKey.allCases.count + 1)

  subscript(key: ContextKey) -> Bytes? {
    get { values[Int(key.rawValue)] }
    set { values[Int(key.rawValue)] = newValue }
  }
}
