/// The store's messages that wait to be shown, as the SDK queues them in memory.
///
/// A type is queued once. It leaves when it is shown, stays when showing fails, and ends with the app
/// session: when a later app session of the profile begins, nothing of earlier ones is left, and the
/// store hands a message that still matters to the new session.
struct StoreMessageQueue: Sendable {
  private(set) var messages: [StoreMessageOutcome] = []
  /// By type: the index of the message that waits.
  private var pending: [Bytes: Int] = [:]
  private var numbers: [Bytes: Int32] = [:]
  private var sessions: Set<Bytes> = []
  private var lastSession: Bytes?
  private var lastDeviceAt: Instant?

  func isPending(_ type: Bytes) -> Bool { pending[type] != nil }

  /// Takes in an event.
  ///
  /// - Parameters:
  ///   - at: the event's effective time.
  ///   - gap: silence in microseconds that ends an app session where events name none.
  /// - Returns: whether what is pending may have changed.
  mutating func apply(_ event: Event, kind: EventKind, at: Instant, gap: Int64) -> Bool {
    let isChanged = endMessages(before: event, kind, at, gap)
    switch kind {
    case .storeMessageQueued:
      for type in StoreMessageParams(event.params).types where pending[type] == nil {
        messages[wait(type, event)].queuedAt = at
      }
    case .storeMessageShown:
      for type in StoreMessageParams(event.params).types {
        // One that nobody saw being queued was shown all the same.
        let index = pending[type] ?? wait(type, event)
        messages[index].shownAt = at
        pending[type] = nil
      }
    case .storeMessageFailed:
      let params = StoreMessageParams(event.params)
      // Where the call failed as a whole, it failed for all that waited.
      for type in params.types.isEmpty ? Array(pending.keys) : params.types {
        let index = pending[type] ?? wait(type, event)
        messages[index].failedAttempts += 1
        messages[index].lastFailedAt = at
        messages[index].lastErrorCode = params.errorCode
        messages[index].lastError = params.errorName(platform: event.context[.platform])
      }
    default: return isChanged
    }
    return true
  }

  /// Puts a type into the queue; gives its message's index.
  private mutating func wait(_ type: Bytes, _ event: Event) -> Int {
    numbers[type, default: 0] += 1
    pending[type] = messages.count
    messages.append(
      StoreMessageOutcome(type: type, number: numbers[type] ?? 1, sessionID: event.sessionID))
    return messages.count - 1
  }

  /// Ends what an app session that begins with this event has not got.
  ///
  /// - Returns: whether anything ended.
  private mutating func endMessages(
    before event: Event, _ kind: EventKind, _ at: Instant, _ gap: Int64
  ) -> Bool {
    guard kind.happensOnDevice || event.sessionID != nil else { return false }
    switch kind {
    case .vendorRecord, .profileMerged: return false
    default: break
    }
    let isAfterSilence = lastDeviceAt.map { at.microseconds - $0.microseconds >= gap } ?? false
    lastDeviceAt = at
    var beginsNamed = false
    if let session = event.sessionID, session != lastSession {
      lastSession = session
      beginsNamed = sessions.insert(session).inserted
    }
    guard beginsNamed || isAfterSilence else { return false }
    // A message of a named session ends with a new name, one of no name with silence.
    let ended = pending.filter {
      messages[$0.value].sessionID == nil ? isAfterSilence : beginsNamed
    }
    for (type, index) in ended {
      messages[index].endedAt = at
      pending[type] = nil
    }
    return !ended.isEmpty
  }

  /// One row a message and time it was queued, by type and number.
  var outcomes: [StoreMessageOutcome] {
    messages.enumerated().map { index, message in
      var message = message
      message.isPending = pending[message.type] == index
      return message
    }
    .sorted { ($0.type, $0.number) < ($1.type, $1.number) }
  }
}

extension EventKind {
  /// True for what only a phone tells; other events without a session may be a server's.
  fileprivate var happensOnDevice: Bool {
    switch self {
    case .appOpened, .storeMessageQueued, .storeMessageShown, .storeMessageFailed: true
    default: isOfFlow || happensInRun
    }
  }
}

/// One row of `store_messages`: one stay of one message in the queue.
package struct StoreMessageOutcome: Hashable, Sendable {
  package var type: Bytes
  /// Of the profile's messages of this type, from 1.
  package var number: Int32
  package var sessionID: Bytes?
  /// Nil where only what came of it was seen.
  package var queuedAt: Instant?
  package var shownAt: Instant?
  /// When a later app session began without it.
  package var endedAt: Instant?
  package var failedAttempts: Int32 = 0
  package var lastFailedAt: Instant?
  package var lastErrorCode: Int32?
  package var lastError: Bytes?
  package var isPending = false

  package init(type: Bytes, number: Int32, sessionID: Bytes? = nil, queuedAt: Instant? = nil) {
    self.type = type
    self.number = number
    self.sessionID = sessionID
    self.queuedAt = queuedAt
  }
}
