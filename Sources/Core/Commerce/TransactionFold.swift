/// Makes transactions of the records of the vendor's feeds, fed in the profile's order.
///
/// The webhook and the export tell of the same transaction in records of their own, under different
/// names and with different members: records of one transaction id are one transaction, with what any
/// of them knows.
struct TransactionFold {
  private struct Entry {
    let record: PurchaseRecord
    let at: Instant
    let key: EventKey
    let scene: Scene
  }

  /// By the store's id, or one made up for a record without it.
  private var records: [Bytes: [Entry]] = [:]
  /// The keys of `records` as they came.
  private var order: [Bytes] = []
  private var refunds: [Entry] = []

  mutating func add(_ entry: Timeline.Entry, _ ids: ThingIDs) {
    guard let record = PurchaseRecord(entry.event) else { return }
    var scene = Scene(entry)
    scene.placementID = record.placementID
    scene.audienceName = record.audienceName
    scene.variationID = record.variationID
    let known = Entry(
      record: record, at: entry.at, key: entry.key, scene: scene)
    if record.meaning == .refund {
      refunds.append(known)
      return
    }
    let key = record.ids.id ?? ids.id(.transaction, known.key)
    if records[key] == nil { order.append(key) }
    records[key, default: []].append(known)
  }

  /// All transactions by time, each once, with their refunds.
  func finished() -> [StoreTransaction] {
    var result = order.map { transaction($0, records[$0] ?? []) }
    refund(&result)
    return result.sorted {
      ($0.purchasedAt, $0.recordedAt, $0.transactionID)
        < ($1.purchasedAt, $1.recordedAt, $1.transactionID)
    }
  }

  private func transaction(_ key: Bytes, _ entries: [Entry]) -> StoreTransaction {
    // What somebody bought is a purchase, whatever else a record says of the same transaction.
    let ranked =
      entries.filter { $0.record.meaning == .beginning }
      + entries.filter { $0.record.meaning != .beginning }
    func first<Value>(_ member: KeyPath<PurchaseRecord, Value?>) -> Value? {
      ranked.lazy.compactMap { $0.record[keyPath: member] }.first
    }
    let local = ranked.filter { $0.record.revenueLocal != nil }
      .max { ($0.record.revenueLocal ?? 0) < ($1.record.revenueLocal ?? 0) }
    let recordedAt = entries.map(\.at).min() ?? Instant(microseconds: 0)
    var scene = ranked[0].scene
    for entry in ranked.dropFirst() {
      scene.placementID = scene.placementID ?? entry.scene.placementID
      scene.audienceName = scene.audienceName ?? entry.scene.audienceName
      scene.variationID = scene.variationID ?? entry.scene.variationID
      scene.country = scene.country ?? entry.scene.country
    }
    return StoreTransaction(
      transactionID: key, originalTransactionID: first(\.ids.original),
      kind: ranked[0].record.kind, recordedAt: recordedAt,
      purchasedAt: ranked.compactMap(\.record.purchasedAt).min() ?? recordedAt,
      productID: first(\.productID), store: first(\.store), environment: first(\.environment),
      currency: local?.record.currency ?? first(\.currency),
      revenueLocal: local?.record.revenueLocal,
      revenueUSD: ranked.compactMap(\.record.revenueUSD).max(), scene: scene,
      first: entries[0].key, hasID: ranked[0].record.ids.id != nil)
  }

  /// Takes refunds off the transactions they name; without an id, off the latest one of the
  /// subscription before it.
  private func refund(_ transactions: inout [StoreTransaction]) {
    var index = Dictionary(
      transactions.enumerated().map { ($1.transactionID, $0) }, uniquingKeysWith: { a, _ in a })
    for entry in refunds {
      let target: Int
      if let id = entry.record.ids.id {
        if index[id] == nil {
          index[id] = transactions.count
          transactions.append(lone(id, entry))
        }
        target = index[id] ?? 0
      } else if let original = entry.record.ids.original,
        let latest = transactions.indices.filter({
          transactions[$0].chain == original && transactions[$0].recordedAt <= entry.at
            && transactions[$0].refundedAt == nil
        }).max(by: {
          (transactions[$0].recordedAt, transactions[$0].transactionID)
            < (transactions[$1].recordedAt, transactions[$1].transactionID)
        })
      {
        target = latest
      } else {
        continue
      }
      take(entry, off: &transactions[target])
    }
  }

  /// The webhook and the export tell of one refund twice: the first one counts, the larger amount.
  private func take(_ entry: Entry, off transaction: inout StoreTransaction) {
    func amount(_ known: Double?, _ said: Double?, of revenue: Double?) -> Double? {
      guard let revenue else { return nil }
      // Feeds write refunds with and without a minus; without an amount all of it was given back.
      return min(revenue, max(known ?? 0, said.map(abs) ?? (known ?? revenue)))
    }
    transaction.refundedAt = transaction.refundedAt ?? entry.at
    transaction.refundedUSD = amount(
      transaction.refundedUSD, entry.record.revenueUSD, of: transaction.revenueUSD)
    transaction.refundedLocal = amount(
      transaction.refundedLocal, entry.record.revenueLocal, of: transaction.revenueLocal)
  }

  /// A transaction of which nothing but its refund is known.
  private func lone(_ id: Bytes, _ entry: Entry) -> StoreTransaction {
    StoreTransaction(
      transactionID: id, originalTransactionID: entry.record.ids.original, kind: .unknown,
      recordedAt: entry.at, purchasedAt: entry.record.purchasedAt ?? entry.at,
      productID: entry.record.productID, store: entry.record.store,
      environment: entry.record.environment, currency: entry.record.currency, scene: entry.scene,
      first: entry.key, hasID: true)
  }
}
