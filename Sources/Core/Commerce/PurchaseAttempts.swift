/// One attempt to buy, as the app's events tell of it.
struct PurchaseAttempt {
  let first: EventKey
  let channel: Purchase.Channel
  var startedAt: Instant?
  var finishedAt: Instant?
  var outcome: Purchase.Outcome
  var product: Product
  var ids = TransactionIDs()
  var errorCode: Bytes?
  /// The environment that the app's events name.
  var environment: Bytes?
  var scene: Scene

  /// The time by which it is matched.
  var at: Instant { finishedAt ?? startedAt ?? Instant(microseconds: .min) }
}

/// Puts the beginnings and ends of attempts together, fed with events in the profile's order.
///
/// An end belongs to the latest open attempt of its session for the same product, where that began
/// less than a day ago; then to one of another session, see ``finished()``; else it is an attempt whose
/// beginning nobody told.
struct PurchaseAttempts {
  private var all: [PurchaseAttempt] = []
  /// By session: indices of attempts without an end.
  private var open: [Bytes?: [Int]] = [:]

  mutating func add(_ entry: Timeline.Entry, _ payload: CommercePayload) {
    let channel: Purchase.Channel
    switch entry.kind {
    case .webPaymentStarted, .webPaymentFinished, .webPaymentFailed: channel = .web
    default: channel = .store
    }
    let session = entry.event.sessionID
    if entry.kind == .purchaseStarted || entry.kind == .webPaymentStarted {
      open[session, default: []].append(all.count)
      all.append(
        PurchaseAttempt(
          first: entry.key, channel: channel, startedAt: entry.at, outcome: .started,
          product: payload.product, environment: entry.event.context[.environment],
          scene: Scene(entry)))
      return
    }
    let known = open[session]?.lastIndex { index in
      let attempt = all[index]
      return attempt.channel == channel && attempt.isOf(payload.product.id)
        && entry.at.microseconds - attempt.at.microseconds <= Instant.microsecondsPerDay
    }
    let index: Int
    if let known, let opened = open[session]?.remove(at: known) {
      index = opened
      all[index].scene.fill(from: entry)
      var product = payload.product
      product.fill(from: all[index].product)
      all[index].product = product
    } else {
      index = all.count
      all.append(
        PurchaseAttempt(
          first: entry.key, channel: channel, outcome: .started,
          product: payload.product, scene: Scene(entry)))
    }
    all[index].finishedAt = entry.at
    // The app may be a build for production, and the store its sandbox: the store knows.
    all[index].environment =
      payload.environment ?? all[index].environment ?? entry.event.context[.environment]
    all[index].outcome = Self.outcome(entry.kind, payload)
    all[index].errorCode = payload.error?.code
    if all[index].outcome == .success { all[index].ids = payload.transaction }
  }

  /// All attempts in the order of their first events.
  ///
  /// The store's sheet can outlive the app: it is killed meanwhile, and the next launch is told the end.
  /// So an end that its session has no beginning for belongs to the latest attempt of another session
  /// that was left open, where both name the same product and less than a day lies between. Sessions
  /// come first, whatever the order: two devices may buy at once.
  func finished() -> [PurchaseAttempt] {
    struct Key: Hashable {
      let channel: Purchase.Channel
      let product: Bytes
    }
    var result = all
    var left: [Key: [Int]] = [:]
    var joined: Set<Int> = []
    for index in result.indices {
      guard let product = result[index].product.id else { continue }
      let key = Key(channel: result[index].channel, product: product)
      guard result[index].startedAt == nil else {
        if result[index].finishedAt == nil { left[key, default: []].append(index) }
        continue
      }
      guard let begun = left[key]?.last,
        result[index].at.microseconds - result[begun].at.microseconds
          <= Instant.microsecondsPerDay
      else { continue }
      left[key]?.removeLast()
      result[begun].end(as: result[index])
      joined.insert(index)
    }
    return result.indices.filter { !joined.contains($0) }.map { result[$0] }
  }

  private static func outcome(_ kind: EventKind, _ payload: CommercePayload) -> Purchase.Outcome {
    switch kind {
    case .purchaseFinished:
      switch payload.result {
      case .success: .success
      case .pending: .pending
      case .cancelled: .cancelled
      case nil: payload.error == nil ? .started : .failed
      }
    // The browser was opened: whether somebody pays there is told by the vendor's feed alone.
    case .webPaymentFinished: payload.error == nil ? .pending : .failed
    case .purchaseCancelled: .cancelled
    default: .failed
    }
  }
}

extension PurchaseAttempt {
  /// Whether an end that names this product can be its end.
  fileprivate func isOf(_ id: Bytes?) -> Bool {
    product.id == nil || id == nil || product.id == id
  }

  /// Takes its end from what was taken for an attempt without a beginning.
  fileprivate mutating func end(as other: PurchaseAttempt) {
    finishedAt = other.finishedAt
    outcome = other.outcome
    ids = other.ids
    errorCode = other.errorCode
    environment = other.environment ?? environment
    var ended = other.product
    ended.fill(from: product)
    product = ended
    scene.fill(from: other.scene)
  }
}

/// Puts the beginnings and ends of restores together, as ``PurchaseAttempts`` does.
struct RestoreAttempts {
  private struct Attempt {
    let first: EventKey
    var restore: Restore
  }

  private var all: [Attempt] = []
  private var open: [Bytes?: [Int]] = [:]

  mutating func add(_ entry: Timeline.Entry, _ payload: CommercePayload) {
    let session = entry.event.sessionID
    func begin(_ startedAt: Instant?) -> Attempt {
      Attempt(
        first: entry.key,
        restore: Restore(
          restoreID: .empty, outcome: .started, startedAt: startedAt, finishedAt: nil,
          hasAccess: nil, errorCode: nil, errorName: nil, scene: Scene(entry)))
    }
    if entry.kind == .restoreStarted {
      open[session, default: []].append(all.count)
      all.append(begin(entry.at))
      return
    }
    let index: Int
    if let last = open[session]?.last, let startedAt = all[last].restore.startedAt,
      entry.at.microseconds - startedAt.microseconds <= Instant.microsecondsPerDay
    {
      open[session]?.removeLast()
      index = last
      all[index].restore.scene.fill(from: entry)
    } else {
      index = all.count
      all.append(begin(nil))
    }
    all[index].restore.finishedAt = entry.at
    all[index].restore.outcome = entry.kind == .restoreFinished ? .success : .failed
    all[index].restore.hasAccess = payload.hasAccess
    all[index].restore.errorCode = payload.error?.code
  }

  func restores(_ ids: ThingIDs) -> [Restore] {
    all.map { attempt in
      var restore = attempt.restore
      restore.restoreID = ids.id(.restore, attempt.first)
      return restore
    }
  }
}
