/// A subscription as the vendor's profile lists it, or as a record of its feed tells.
struct VendorSubscription: Hashable, Sendable {
  var terms: AccessTerms
  /// The store's id of the latest transaction, and of the first one.
  var transactionID: Bytes?
  var originalTransactionID: Bytes?
  var isSandbox: Bool?
  /// How it is paid for, where the store has several ways; nil where it has one.
  var billingPlanID: Bytes?
  var commitment: Commitment?

  /// What a subscriber promised to pay for in advance.
  struct Commitment: Hashable, Sendable {
    /// Number of the current billing period, from 1.
    var periodNumber: Int32?
    var periods: Int32?
    var expiresAt: Instant?
  }

  init(_ terms: AccessTerms) { self.terms = terms }

  /// Reads a subscription of a profile.
  init(_ object: VendorObject) {
    terms = AccessTerms(object)
    readStore(object)
    billingPlanID = object.text(object["billing_plan_id"])
    commitment = object.object("commitment").map { commitment in
      func number(_ value: JSONText?) -> Int32? {
        value?.integer.flatMap { Int32(exactly: $0) }
      }
      return Commitment(
        periodNumber: number(commitment["billing_period_number"]),
        periods: number(commitment["total_billing_periods"]),
        expiresAt: commitment["expires_at"].flatMap(VendorTime.instant))
    }
  }

  /// Reads what the store calls it and whether it is a test.
  mutating func readStore(_ object: VendorObject) {
    transactionID = object.transactionID
    originalTransactionID = object.text(
      object[
        "vendor_original_transaction_id", "store_original_transaction_id", "original_transaction_id"
      ])
    isSandbox = object.isSandbox
  }

  /// Takes what does not change while a subscription lasts from an older word on it.
  mutating func fill(from older: VendorSubscription) {
    guard
      originalTransactionID == nil || older.originalTransactionID == nil
        || originalTransactionID == older.originalTransactionID
    else { return }
    terms.store = terms.store ?? older.terms.store
    terms.activatedAt = terms.activatedAt ?? older.terms.activatedAt
    originalTransactionID = originalTransactionID ?? older.originalTransactionID
    isSandbox = isSandbox ?? older.isSandbox
    billingPlanID = billingPlanID ?? older.billingPlanID
  }
}

/// One row of `subscriptions`.
package struct SubscriptionListing: Hashable, Sendable {
  /// Empty where a record names none.
  package var productID: Bytes
  /// Of the subscriptions of this product that the profile lists, from 1.
  package var number: Int32
  /// At the outcome's instant; nil for unknown.
  package var isActive: Bool?
  package var terms: AccessTerms
  package var transactionID: Bytes?
  package var originalTransactionID: Bytes?
  package var isSandbox: Bool?
  package var billingPlanID: Bytes?
  package var commitmentPeriodNumber: Int32?
  package var commitmentPeriods: Int32?
  package var commitmentExpiresAt: Instant?
  /// The profile's own timestamp, or the time of the event where it has none.
  package var version: Instant
  /// Time of the event that told it.
  package var toldAt: Instant

  init(
    _ subscription: VendorSubscription, productID: Bytes, number: Int32, isActive: Bool?,
    version: Instant, toldAt: Instant
  ) {
    self.productID = productID
    self.number = number
    self.isActive = isActive
    terms = subscription.terms
    transactionID = subscription.transactionID
    originalTransactionID = subscription.originalTransactionID
    isSandbox = subscription.isSandbox
    billingPlanID = subscription.billingPlanID
    commitmentPeriodNumber = subscription.commitment?.periodNumber
    commitmentPeriods = subscription.commitment?.periods
    commitmentExpiresAt = subscription.commitment?.expiresAt
    self.version = version
    self.toldAt = toldAt
  }
}
