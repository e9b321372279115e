/// What rules can ask of purchases, at any instant of the replay.
struct PurchaseFacts {
  /// When each purchase came to be one, ascending; those of a sandbox apart, for nobody paid.
  private var purchasedAt: [Instant] = []
  private var testedAt: [Instant] = []
  /// Instants at which revenue came in or was given back, with the sum by then, ascending.
  private var revenue: [(at: Instant, sum: Double)] = []

  init() {}

  init(_ purchases: [Purchase], _ transactions: [StoreTransaction]) {
    func times(isSandbox: Bool) -> [Instant] {
      purchases.filter { $0.outcome == .success && $0.isSandbox == isSandbox }
        .compactMap(\.purchasedAt).sorted()
    }
    purchasedAt = times(isSandbox: false)
    testedAt = times(isSandbox: true)
    var changes: [(at: Instant, usd: Double)] = []
    for transaction in transactions where !transaction.isSandbox {
      guard let usd = transaction.revenueUSD else { continue }
      changes.append((transaction.recordedAt, usd))
      if let at = transaction.refundedAt, let refunded = transaction.refundedUSD {
        // A refund may be told of before the transaction it takes back.
        changes.append((max(at, transaction.recordedAt), -refunded))
      }
    }
    changes.sort { $0.at < $1.at }
    var sum = Money()
    for change in changes {
      sum += change.usd
      revenue.append((change.at, sum.amount))
    }
  }

  func value(of fact: PurchaseFact, at now: Instant) -> Value {
    let count = Self.count(purchasedAt, until: now) { $0 }
    switch fact {
    case .count: return .number(Double(count))
    case .sandboxCount: return .number(Double(Self.count(testedAt, until: now) { $0 }))
    case .lastAt: return count == 0 ? .null : .timestamp(purchasedAt[count - 1])
    case .revenueUSD:
      let changes = Self.count(revenue, until: now) { $0.at }
      if changes > 0 { return .number(revenue[changes - 1].sum) }
      // Something was bought, and nothing says for how much.
      return count == 0 ? .number(0) : .null
    }
  }

  /// How many elements of a list that is ascending by time are not after an instant.
  private static func count<Element>(
    _ list: [Element], until now: Instant, at: (Element) -> Instant
  ) -> Int {
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      if at(list[middle]) <= now { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
