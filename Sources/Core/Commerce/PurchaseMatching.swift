/// Finds which attempts of the app and which transactions of the vendor's feed are one purchase
/// (SEMANTICS 6.2).
///
/// By transaction id; then within a subscription, which the original transaction id names, also where
/// the app and the feed tell of two of its transactions; the rest by product, in time order, each success
/// with the earliest transaction within 24 hours that no other took; last, what the app did not see the
/// end of with a transaction that came soon after. All of it from the whole set, so that nothing depends
/// on the order of arrival.
///
/// A success whose transaction the feed calls a renewal or a conversion bought nothing: the app was
/// handed what the person has.
struct PurchaseMatching {
  private let attempts: [PurchaseAttempt]
  private var transactions: [StoreTransaction]
  /// By attempt: its transaction, and how it was found.
  private var match: [Int: (transaction: Int, by: Purchase.Match)] = [:]
  private var taken: Set<Int> = []
  /// Attempts that succeeded with a transaction that an earlier one had, or that began nothing; with the
  /// feed's transaction where it is known.
  private var repeated: [Int: Int?] = [:]

  /// How far the clocks of a device and of the feed may be apart.
  private static let window = Instant.microsecondsPerDay
  /// How long before its record an attempt without an end may seem to begin after it.
  private static let skew: Int64 = 10 * 60 * 1_000_000

  /// The purchases, and the transactions with the purchase that each belongs to.
  ///
  /// - Parameters:
  ///   - attempts: in the profile's order.
  ///   - transactions: by time.
  static func join(
    _ attempts: [PurchaseAttempt], _ transactions: [StoreTransaction], _ ids: ThingIDs
  ) -> ([Purchase], [StoreTransaction]) {
    var matching = PurchaseMatching(attempts: attempts, transactions: transactions)
    let successes = attempts.indices.filter { attempts[$0].outcome == .success }
      .sorted { (attempts[$0].at, $0) < (attempts[$1].at, $1) }
    matching.matchTransactions(successes)
    matching.matchSubscriptions(successes)
    matching.matchProducts(successes)
    matching.matchOpenAttempts()
    return matching.purchases(ids)
  }

  private init(attempts: [PurchaseAttempt], transactions: [StoreTransaction]) {
    self.attempts = attempts
    self.transactions = transactions
  }

  private mutating func pair(_ attempt: Int, _ transaction: Int, _ how: Purchase.Match) {
    match[attempt] = (transaction, how)
    taken.insert(transaction)
  }

  private func isOpen(_ attempt: Int) -> Bool {
    match[attempt] == nil && repeated[attempt] == nil
  }

  private mutating func matchTransactions(_ successes: [Int]) {
    let known = Dictionary(
      transactions.enumerated().filter { $1.hasID }.map { ($1.transactionID, $0) },
      uniquingKeysWith: { first, _ in first })
    var seen: Set<Bytes> = []
    for attempt in successes {
      guard let id = attempts[attempt].ids.id else { continue }
      let transaction = known[id]
      guard seen.insert(id).inserted, transaction.map({ !transactions[$0].isContinuation }) ?? true
      else {
        repeated.updateValue(transaction, forKey: attempt)
        continue
      }
      if let transaction { pair(attempt, transaction, .transaction) }
    }
  }

  private mutating func matchSubscriptions(_ successes: [Int]) {
    var chains: [Bytes: [Int]] = [:]
    for index in transactions.indices where transactions[index].kind.isBeginning {
      chains[transactions[index].chain, default: []].append(index)
    }
    for isOfTwo in [false, true] {
      for isNear in [true, false] {
        for attempt in successes where isOpen(attempt) {
          guard let chain = attempts[attempt].ids.chain else { continue }
          let found = chains[chain]?.first { index in
            isFree(index, for: attempt, evenOfTwo: isOfTwo)
              && (!isNear || distance(attempt, index) <= Self.window)
          }
          if let found { pair(attempt, found, .originalTransaction) }
        }
      }
    }
  }

  private mutating func matchProducts(_ successes: [Int]) {
    for attempt in successes where isOpen(attempt) {
      guard let product = attempts[attempt].product.id else { continue }
      let found = transactions.indices.first { index in
        isFree(index, for: attempt) && transactions[index].productID == product
          && distance(attempt, index) <= Self.window
      }
      if let found { pair(attempt, found, .productAndTime) }
    }
  }

  /// A purchase that waited for an approval, was paid in the browser, or whose end the app never told.
  private mutating func matchOpenAttempts() {
    for attempt in attempts.indices {
      let known = attempts[attempt]
      guard known.outcome == .pending || known.outcome == .started, let product = known.product.id
      else { continue }
      let begun = (known.startedAt ?? known.at).microseconds
      let found = transactions.indices.first { index in
        let at = transactions[index].purchasedAt.microseconds
        return isFree(index, for: attempt) && transactions[index].productID == product
          && at >= begun - Self.skew && at <= begun + Self.window
      }
      if let found { pair(attempt, found, .productAndTime) }
    }
  }

  /// Whether a transaction that began a purchase has no attempt yet, and no id that says otherwise.
  ///
  /// - Parameter evenOfTwo: also where both have a transaction of their own, for one product.
  private func isFree(
    _ transaction: Int, for attempt: Int, evenOfTwo: Bool = false
  ) -> Bool {
    let known = transactions[transaction]
    guard known.kind.isBeginning, !taken.contains(transaction) else { return false }
    let ids = attempts[attempt].ids
    if ids.id != nil, known.hasID {
      guard evenOfTwo else { return false }
      // Another product is a change of plan, which keeps the original id.
      let product = attempts[attempt].product.id
      return product == nil || known.productID == nil || product == known.productID
    }
    guard let original = ids.original, let other = known.originalTransactionID else { return true }
    return original == other
  }

  private func distance(_ attempt: Int, _ transaction: Int) -> Int64 {
    abs(
      attempts[attempt].at.microseconds - transactions[transaction].purchasedAt.microseconds)
  }

  // MARK: Rows

  private mutating func purchases(_ ids: ThingIDs) -> ([Purchase], [StoreTransaction]) {
    var result: [Purchase] = []
    /// By subscription: indices of its purchases.
    var chains: [Bytes: [Int]] = [:]
    for (index, attempt) in attempts.enumerated() {
      var purchase = Purchase(attempt, ids.id(.purchase, attempt.first))
      if let transaction = repeated[index] {
        purchase.outcome = .repeated
        purchase.purchasedAt = nil
        if let transaction { purchase.note(transactions[transaction]) }
      }
      if let (transaction, how) = match[index] {
        transactions[transaction].purchaseID = purchase.purchaseID
        purchase.adopt(transactions[transaction], how)
        transactions[transaction].environment = purchase.environment
      }
      if purchase.outcome == .success,
        let chain = match[index].map({ transactions[$0.transaction].chain }) ?? attempt.ids.chain
      {
        chains[chain, default: []].append(result.count)
      }
      result.append(purchase)
    }
    for index in transactions.indices
    where transactions[index].kind.isBeginning && !taken.contains(index) {
      let purchase = Purchase(
        transactions[index], ids.id(.purchase, transactions[index].first))
      transactions[index].purchaseID = purchase.purchaseID
      chains[transactions[index].chain, default: []].append(result.count)
      result.append(purchase)
    }
    follow(&result, chains)
    return (result, transactions)
  }

  /// Gives each later transaction of a subscription to the purchase that it goes on with, and sums.
  private mutating func follow(_ purchases: inout [Purchase], _ chains: [Bytes: [Int]]) {
    let index = Dictionary(
      purchases.enumerated().map { ($1.purchaseID, $0) }, uniquingKeysWith: { first, _ in first })
    var sums: [Int: Money] = [:]
    for number in transactions.indices {
      if transactions[number].purchaseID == nil {
        let at = transactions[number].purchasedAt
        // A store's sandbox keeps books of its own: what is charged there goes on with no real purchase.
        let environment = transactions[number].environment
        let candidates = (chains[transactions[number].chain] ?? []).filter {
          environment == nil || StoreEnvironment.isTest(environment) == purchases[$0].isSandbox
        }.sorted {
          (purchases[$0].purchasedAt ?? at, $0) < (purchases[$1].purchasedAt ?? at, $1)
        }
        let owner =
          candidates.last { purchases[$0].purchasedAt.map { $0 <= at } ?? false }
          ?? candidates.first
        guard let owner else { continue }
        transactions[number].purchaseID = purchases[owner].purchaseID
        transactions[number].environment = environment ?? purchases[owner].environment
        if transactions[number].kind != .unknown { purchases[owner].renewals += 1 }
      }
      guard let owner = transactions[number].purchaseID.flatMap({ index[$0] }),
        let net = transactions[number].netUSD
      else { continue }
      sums[owner, default: Money()] += net
    }
    for (owner, sum) in sums { purchases[owner].totalUSD = sum.amount }
  }
}

extension Purchase {
  /// What the app alone tells.
  fileprivate init(_ attempt: PurchaseAttempt, _ purchaseID: Bytes) {
    self.init(
      purchaseID: purchaseID, outcome: attempt.outcome, appOutcome: attempt.outcome,
      channel: attempt.channel, source: .app, startedAt: attempt.startedAt,
      finishedAt: attempt.finishedAt,
      purchasedAt: attempt.outcome == .success ? attempt.finishedAt : nil,
      productID: attempt.product.id, price: attempt.product.price,
      priceCurrency: attempt.product.currency, renewals: 0, environment: attempt.environment,
      transactionID: attempt.ids.id,
      originalTransactionID: attempt.ids.original, errorCode: attempt.errorCode,
      scene: attempt.scene)
  }

  /// What a record alone tells.
  fileprivate init(_ transaction: StoreTransaction, _ purchaseID: Bytes) {
    self.init(
      purchaseID: purchaseID, outcome: .success, channel: .store, source: .record, renewals: 0,
      scene: transaction.scene)
    adopt(transaction, nil)
    source = .record
  }

  /// Adds what the record of the same purchase tells, and that it is one.
  fileprivate mutating func adopt(_ transaction: StoreTransaction, _ how: Match?) {
    let succeededAt = outcome == .success ? purchasedAt : nil
    outcome = .success
    purchasedAt = min(succeededAt ?? transaction.recordedAt, transaction.recordedAt)
    revenueLocal = transaction.revenueLocal
    revenueCurrency = transaction.currency
    revenueUSD = transaction.revenueUSD
    refundedAt = transaction.refundedAt
    transactionID = transaction.transactionID
    note(transaction)
    matchedBy = how
  }

  /// Adds what the record of a transaction tells that is counted elsewhere.
  fileprivate mutating func note(_ transaction: StoreTransaction) {
    source = .both
    matchedBy = .transaction
    recordedAt = transaction.recordedAt
    productID = productID ?? transaction.productID
    store = transaction.store
    environment = transaction.environment ?? environment
    originalTransactionID = transaction.originalTransactionID ?? originalTransactionID
  }
}
