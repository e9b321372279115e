/// What a record of the vendor's webhook or event export says about money (`facts` 9.1 and 9.2).
///
/// Members stand in the params as the feed names them, or below `event_properties`.
struct VendorRecord {
  /// What a type of record means for purchases.
  enum Meaning {
    /// Somebody bought: a subscription, a trial, a single thing.
    case beginning
    /// The store charged again for what was bought before: nobody bought anything.
    case continuation
    case refund
  }

  let meaning: Meaning
  let kind: StoreTransaction.Kind
  let ids: TransactionIDs
  let productID: Bytes?
  let store: Bytes?
  let environment: Bytes?
  let currency: Bytes?
  let revenueLocal: Double?
  let revenueUSD: Double?
  let purchasedAt: Instant?
  let placementID: Bytes?
  let audienceName: Bytes?
  let variationID: Bytes?

  /// Reads a record; nil for one that is not about money.
  init?(_ event: Event) {
    guard let (meaning, kind) = Self.types[event.name] else { return nil }
    self.meaning = meaning
    self.kind = kind
    var found: [Member: JSONText] = [:]
    func collect(_ object: JSONText) {
      object.forEachMember { key, value in
        if key == Self.properties {
          if let inner = value.lenientObject { collect(inner) }
        } else if let member = Self.members[key], value.kind != .null {
          found[member] = value
        }
      }
    }
    collect(JSONText(event.params))
    ids = TransactionIDs(id: found[.transactionID]?.id, original: found[.originalID]?.id)
    productID = found[.vendorProductID]?.id ?? found[.productID]?.id
    store = found[.store]?.id
    environment = found[.environment]?.id ?? event.context[.environment]
    currency = found[.currency]?.currency
    // The export names what was paid revenue, the webhook price. A trial brings nothing, whatever
    // price stands beside it.
    revenueLocal = kind == .trial ? 0 : (found[.revenueLocal] ?? found[.priceLocal])?.amount
    revenueUSD = kind == .trial ? 0 : (found[.revenueUSD] ?? found[.priceUSD])?.amount
    purchasedAt = found[.purchaseDate]?.feedTime
    placementID = event.context[.placementID] ?? found[.placement]?.id
    audienceName = event.context[.audienceName] ?? found[.audience]?.id
    variationID = event.context[.variationID] ?? found[.variation]?.id?.withLowercaseUUID
  }

  private static let types: [Bytes: (Meaning, StoreTransaction.Kind)] = [
    "subscription_started": (.beginning, .subscription),
    "trial_started": (.beginning, .trial),
    "non_subscription_purchase": (.beginning, .single),
    "subscription_renewed": (.continuation, .renewal),
    "trial_converted": (.continuation, .conversion),
    "subscription_refunded": (.refund, .unknown),
    "non_subscription_purchase_refunded": (.refund, .unknown),
  ]

  private enum Member {
    case transactionID, originalID, vendorProductID, productID, store, environment, currency
    case revenueLocal, revenueUSD, priceLocal, priceUSD, purchaseDate, placement, audience
    case variation
  }

  private static let properties: Bytes = "event_properties"

  private static let members: [Bytes: Member] = [
    "transaction_id": .transactionID, "original_transaction_id": .originalID,
    "vendor_product_id": .vendorProductID, "product_id": .productID, "store": .store,
    "environment": .environment, "currency": .currency, "revenue_local": .revenueLocal,
    "revenue_usd": .revenueUSD, "price_local": .priceLocal, "price_usd": .priceUSD,
    "purchase_date": .purchaseDate, "developer_id": .placement, "cohort_name": .audience,
    "variation_id": .variation,
  ]
}
