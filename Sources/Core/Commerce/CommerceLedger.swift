/// Everything about money, errors and restores in a timeline, found from the whole of it at once.
///
/// Which attempt and which record are one purchase depends on what came before and after, so it is
/// settled before the replay, as runs are; what a rule sees of it follows the replay's instant.
struct CommerceLedger {
  private(set) var purchases: [Purchase] = []
  private(set) var transactions: [StoreTransaction] = []
  private(set) var restores: [Restore] = []
  private(set) var errors: [FlowError] = []
  private(set) var selections: [ProductSelection] = []
  private var facts = PurchaseFacts()

  static let empty = CommerceLedger()

  private init() {}

  init(_ timeline: Timeline, _ primitives: Primitives) {
    guard timeline.entries.contains(where: { $0.kind.isCommerce }) else { return }
    let ids = ThingIDs(primitives: primitives)
    var attempts = PurchaseAttempts()
    var restoring = RestoreAttempts()
    var feed = TransactionFold()
    var selecting: [SelectionKey: Int] = [:]
    for entry in timeline.entries where entry.kind.isCommerce {
      switch entry.kind {
      case .vendorRecord: feed.add(entry, ids)
      case .purchaseStarted, .purchaseFinished, .purchaseFailed, .purchaseCancelled,
        .webPaymentStarted,
        .webPaymentFinished, .webPaymentFailed:
        attempts.add(entry, CommercePayload(entry.event.params))
      case .restoreStarted, .restoreFinished, .restoreFailed:
        restoring.add(entry, CommercePayload(entry.event.params))
      case .productSelected:
        select(entry, ids, &selecting)
      default: break
      }
      if let error = FlowError(entry, ids) { errors.append(error) }
    }
    restores = restoring.restores(ids)
    (purchases, transactions) = PurchaseMatching.join(attempts.finished(), feed.finished(), ids)
    facts = PurchaseFacts(purchases, transactions)
  }

  private struct SelectionKey: Hashable {
    let run: Int?
    let session: Bytes?
    let placement: Bytes?
    let variation: Bytes?
    let product: Bytes?
  }

  private mutating func select(
    _ entry: Timeline.Entry, _ ids: ThingIDs, _ known: inout [SelectionKey: Int]
  ) {
    let product = CommercePayload(entry.event.params).product.id
    let key = SelectionKey(
      run: entry.inside, session: entry.event.sessionID,
      placement: entry.event.context[.placementID],
      variation: entry.event.context[.variationID], product: product)
    if let index = known[key] {
      selections[index].times += 1
      selections[index].scene.fill(from: entry)
    } else {
      known[key] = selections.count
      selections.append(
        ProductSelection(
          selectionID: ids.id(.selection, entry.key), productID: product,
          firstAt: entry.at, times: 1, scene: Scene(entry)))
    }
  }

  /// Fills in what the runs know, and brings all lists into the order of their table's key.
  mutating func settle(_ run: (Int) -> FlowRun?) {
    func fill(_ scene: inout Scene) {
      if let number = scene.run, let flowRun = run(number) { scene.fill(from: flowRun) }
      scene.run = nil
    }
    let byID = Dictionary(transactions.map { ($0.transactionID, $0) }) { first, _ in first }
    for index in purchases.indices {
      fill(&purchases[index].scene)
      if purchases[index].source != .app,
        let transaction = purchases[index].transactionID.flatMap({ byID[$0] })
      {
        purchases[index].scene.fill(from: transaction)
      }
      purchases[index].errorName = purchases[index].errorCode.flatMap {
        ErrorName.name(of: $0, platform: purchases[index].scene.platform)
      }
    }
    for index in restores.indices {
      fill(&restores[index].scene)
      restores[index].errorName = restores[index].errorCode.flatMap {
        ErrorName.name(of: $0, platform: restores[index].scene.platform)
      }
    }
    for index in errors.indices {
      fill(&errors[index].scene)
      errors[index].name = errors[index].code.flatMap {
        ErrorName.name(of: $0, platform: errors[index].scene.platform)
      }
    }
    for index in selections.indices { fill(&selections[index].scene) }
    purchases.sort { $0.purchaseID < $1.purchaseID }
    transactions.sort { $0.transactionID < $1.transactionID }
    restores.sort { $0.restoreID < $1.restoreID }
    errors.sort { $0.errorID < $1.errorID }
    selections.sort { $0.selectionID < $1.selectionID }
  }

  /// What a rule sees at an instant.
  func value(of fact: PurchaseFact, at now: Instant) -> Value { facts.value(of: fact, at: now) }
}

/// Makes stable ids of things that begin with an event.
struct ThingIDs {
  /// Raw values are part of the ids: never change.
  enum Thing: String {
    case purchase, transaction, restore, error, selection
  }

  let primitives: Primitives

  /// 32 hex digits that follow from the thing's first event and the profile id it came under.
  func id(_ thing: Thing, _ first: EventKey) -> Bytes {
    var bytes: [UInt8] = [first.identity.isFingerprint ? 1 : 0]
    bytes.appendField(Bytes(thing.rawValue))
    bytes.appendField(first.owner)
    bytes.appendField(first.identity.bytes)
    return hex(primitives.sha256(bytes)[..<16])
  }
}

extension EventKind {
  /// True for kinds that tables of purchases, restores and errors follow from.
  var isCommerce: Bool {
    switch self {
    case .vendorRecord, .storeMessageFailed: true
    case .actionPerformed: false
    default: happensInRun
    }
  }

  /// True for kinds that can change what a rule knows of purchases.
  var isOfPurchase: Bool {
    switch self {
    case .purchaseStarted, .purchaseFinished, .purchaseFailed, .purchaseCancelled,
      .webPaymentStarted,
      .webPaymentFinished, .webPaymentFailed, .vendorRecord:
      true
    default: false
    }
  }
}

extension FlowError {
  /// The error that an event tells; nil for one that tells none.
  fileprivate init?(_ entry: Timeline.Entry, _ ids: ThingIDs) {
    switch entry.kind {
    case .purchaseFailed, .restoreFailed, .errorReceived, .renderingFailed, .productLoadingFailed,
      .productsPartiallyLoaded, .webPaymentFailed, .webPaymentFinished:
      break
    case .storeMessageFailed:
      // Read as the queue reads it: an event has one error.
      self.init(
        errorID: ids.id(.error, entry.key), kind: entry.kind.names[0], occurredAt: entry.at,
        code: StoreMessageParams(entry.event.params).code, name: nil, productID: nil,
        failedProductIDs: [], isRetried: nil, scene: Scene(entry))
      return
    default: return nil
    }
    let payload = CommercePayload(entry.event.params)
    if entry.kind == .webPaymentFinished, payload.error == nil { return nil }
    self.init(
      errorID: ids.id(.error, entry.key), kind: entry.kind.names[0],
      occurredAt: entry.at, code: payload.error?.code, name: nil, productID: payload.product.id,
      failedProductIDs: payload.failedProductIDs, isRetried: payload.isRetried,
      scene: Scene(entry))
  }
}
