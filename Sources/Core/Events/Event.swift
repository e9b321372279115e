/// What makes two copies of an event the same event of a profile (SEMANTICS 1.1).
///
/// Ordered by the source's ids first, then fingerprints, each by bytes.
package struct Identity: Hashable, Comparable, Sendable {
  package let isFingerprint: Bool
  /// The source's own id, or the 16 bytes of ``Fingerprint``.
  package let bytes: Bytes

  package init(id: Bytes) {
    isFingerprint = false
    bytes = id
  }

  package init(fingerprint: Bytes) {
    isFingerprint = true
    bytes = fingerprint
  }

  package static func < (left: Identity, right: Identity) -> Bool {
    guard left.isFingerprint == right.isFingerprint else { return right.isFingerprint }
    return left.bytes < right.bytes
  }

  /// A number that is in the order of identities, wherever it tells two of them apart.
  var sortKey: UInt64 {
    bytes.withSpan { bytes in
      var key: UInt64 = 0
      for index in 0..<8 { key = key << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0) }
      return key >> 1 | (isFingerprint ? 1 << 63 : 0)
    }
  }
}

/// One event of one profile, as it was received.
package struct Event: Hashable, Sendable {
  package var identity: Identity
  /// The name as received, before aliases; see ``EventKind``.
  package var name: Bytes
  /// Absent where the source has none; never empty.
  package var sessionID: Bytes?
  /// The device's own, uncorrected time.
  package var occurredAt: Instant
  package var counter: Int64?
  /// The event's own parameters as canonical JSON (SEMANTICS 1.10), or empty where there are none.
  package var params: Bytes
  package var context: Context
  package var sentAt: Instant?
  package var receivedAt: Instant?
  /// The source's revision of its mapping; only copies of the highest count (SEMANTICS 1.2).
  package var revision: Int64

  package init(
    identity: Identity, name: Bytes, sessionID: Bytes? = nil, occurredAt: Instant,
    counter: Int64? = nil, params: Bytes = .empty, context: Context = .empty,
    sentAt: Instant? = nil, receivedAt: Instant? = nil, revision: Int64 = 0
  ) {
    self.identity = identity
    self.name = name
    self.sessionID = sessionID
    self.occurredAt = occurredAt
    self.counter = counter
    self.params = params
    self.context = context
    self.sentAt = sentAt
    self.receivedAt = receivedAt
    self.revision = revision
  }

  /// By its name, or by the name among its params where it is the callback of an analytic event.
  package var kind: EventKind {
    let kind = EventKind(name: name)
    guard kind == .analyticEvent else { return kind }
    var inner: EventKind?
    JSONText(params).forEachMember { key, value in
      if key == Self.nameKey, let name = value.string { inner = EventKind(name: name) }
    }
    return inner ?? .other
  }

  private static let nameKey: Bytes = "name"
}

/// An event together with the profile it came under.
package struct ProfileEvent: Hashable, Sendable {
  package let profileID: Bytes
  package let event: Event

  package init(profileID: Bytes, event: Event) {
    self.profileID = profileID
    self.event = event
  }
}
