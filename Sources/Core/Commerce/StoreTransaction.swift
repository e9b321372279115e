/// One transaction of a store, as the records of the vendor's feeds tell of it, each counted once.
package struct StoreTransaction: Hashable, Sendable {
  /// Raw values are stored: never rename.
  package enum Kind: String, CaseIterable, Sendable {
    case subscription
    case trial
    case single
    case renewal
    case conversion
    /// Only its refund is known.
    case unknown

    /// Whether somebody bought something by it.
    var isBeginning: Bool {
      switch self {
      case .subscription, .trial, .single: true
      case .renewal, .conversion, .unknown: false
      }
    }
  }

  /// The store's id; where the feed has none, 32 hex digits that follow from the record.
  package var transactionID: Bytes
  /// Of the first transaction of its subscription; nil where the feed has none.
  package var originalTransactionID: Bytes?
  package var kind: Kind
  /// Time of its first record.
  package var recordedAt: Instant
  /// The store's own time of the purchase, else that of the record.
  package var purchasedAt: Instant
  package var productID: Bytes?
  package var store: Bytes?
  package var environment: Bytes?
  /// True where nobody paid: it is one of a store's sandbox or of Xcode.
  package var isSandbox: Bool { StoreEnvironment.isTest(environment) }
  package var currency: Bytes?
  /// Before refunds.
  package var revenueLocal: Double?
  package var revenueUSD: Double?
  package var refundedAt: Instant?
  package var refundedLocal: Double?
  package var refundedUSD: Double?
  /// The purchase that it began, or that it charged for again; nil where that is not known.
  package var purchaseID: Bytes?
  var scene = Scene()
  /// Of its first record, for the id of a purchase that only records tell of.
  var first: EventKey
  /// Whether the store's id is known.
  var hasID: Bool

  /// What its subscription is known by; itself where nothing says.
  var chain: Bytes { originalTransactionID ?? transactionID }

  /// Whether the store charged again for what was bought before.
  var isContinuation: Bool { kind == .renewal || kind == .conversion }

  var netUSD: Double? { revenueUSD.map { $0 - (refundedUSD ?? 0) } }
}
