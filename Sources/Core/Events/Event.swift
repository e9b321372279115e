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
///
/// A value that is held by one reference: events are sorted, grouped and handed on many times, and
/// each time five texts would be counted instead of one record.
package struct Event: Hashable, Sendable {
  private var record: Record

  package init(
    identity: Identity, name: Bytes, sessionID: Bytes? = nil, occurredAt: Instant,
    counter: Int64? = nil, params: Bytes = .empty, context: Context = .empty,
    sentAt: Instant? = nil, receivedAt: Instant? = nil, revision: Int64 = 0
  ) {
    record = Record(
      Content(
        identity: identity, name: name, sessionID: sessionID, occurredAt: occurredAt,
        counter: counter, params: params, context: context, sentAt: sentAt, receivedAt: receivedAt,
        revision: revision))
  }

  package var identity: Identity {
    get { record.content.identity }
    set { change { $0.identity = newValue } }
  }

  /// The name as received, before aliases; see ``EventKind``.
  package var name: Bytes {
    get { record.content.name }
    set { change { $0.name = newValue } }
  }

  /// Absent where the source has none; never empty.
  package var sessionID: Bytes? {
    get { record.content.sessionID }
    set { change { $0.sessionID = newValue } }
  }

  /// The device's own, uncorrected time.
  package var occurredAt: Instant {
    get { record.content.occurredAt }
    set { change { $0.occurredAt = newValue } }
  }

  package var counter: Int64? {
    get { record.content.counter }
    set { change { $0.counter = newValue } }
  }

  /// The event's own parameters as canonical JSON (SEMANTICS 1.10), or empty where there are none.
  package var params: Bytes {
    get { record.content.params }
    set { change { $0.params = newValue } }
  }

  package var context: Context {
    get { record.content.context }
    set { change { $0.context = newValue } }
  }

  package var sentAt: Instant? {
    get { record.content.sentAt }
    set { change { $0.sentAt = newValue } }
  }

  package var receivedAt: Instant? {
    get { record.content.receivedAt }
    set { change { $0.receivedAt = newValue } }
  }

  /// The source's revision of its mapping; only copies of the highest count (SEMANTICS 1.2).
  package var revision: Int64 {
    get { record.content.revision }
    set { change { $0.revision = newValue } }
  }

  /// What it takes in memory besides its texts: the reference, and what that leads to.
  package static let stride =
    MemoryLayout<Event>.stride + MemoryLayout<Content>.stride + 2 * MemoryLayout<Int>.stride

  private mutating func change(_ body: (inout Content) -> Void) {
    var content = record.content
    body(&content)
    record = Record(content)
  }

  private struct Content: Hashable, Sendable {
    var identity: Identity
    var name: Bytes
    var sessionID: Bytes?
    var occurredAt: Instant
    var counter: Int64?
    var params: Bytes
    var context: Context
    var sentAt: Instant?
    var receivedAt: Instant?
    var revision: Int64
  }

  private final class Record: Sendable {
    let content: Content

    init(_ content: Content) { self.content = content }
  }

  package static func == (left: Event, right: Event) -> Bool {
    left.record === right.record || left.record.content == right.record.content
  }

  package func hash(into hasher: inout Hasher) { record.content.hash(into: &hasher) }

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
