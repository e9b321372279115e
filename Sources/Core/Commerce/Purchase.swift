/// One attempt to buy something, and what came of it; or a purchase that only the vendor's feed tells.
///
/// A restore and a renewal are none.
package struct Purchase: Hashable, Sendable {
  /// Raw values are stored: never rename.
  package enum Outcome: String, CaseIterable, Sendable {
    case success
    /// Waits for something outside the app: an approval, a payment in the browser.
    case pending
    case cancelled
    case failed
    /// Nothing tells how it ended.
    case started
    /// It succeeded with a transaction that is counted already: what was bought was owned before.
    case repeated
  }

  /// Where the person pays.
  package enum Channel: String, Sendable {
    case store
    case web
  }

  /// Whose events tell of it.
  package enum Source: String, Sendable {
    case app
    case record
    case both
  }

  /// How the app's events and the vendor's record were found to be one purchase.
  package enum Match: String, Sendable {
    case transaction
    case originalTransaction = "original_transaction"
    case productAndTime = "product_and_time"
  }

  /// 32 hex digits that follow from the profile and the purchase's first event.
  package var purchaseID: Bytes
  package var outcome: Outcome
  /// What the app's own events say; nil where only a record tells of it.
  package var appOutcome: Outcome?
  package var channel: Channel
  package var source: Source
  package var matchedBy: Match?
  /// When the app said that it began, and how it ended.
  package var startedAt: Instant?
  package var finishedAt: Instant?
  /// Time of the vendor's record.
  package var recordedAt: Instant?
  /// When it came to be a purchase; nil unless it succeeded.
  package var purchasedAt: Instant?
  package var productID: Bytes?
  /// What the app asked for.
  package var price: Double?
  package var priceCurrency: Bytes?
  /// Its own transaction's revenue, before refunds, as the record says.
  package var revenueLocal: Double?
  package var revenueCurrency: Bytes?
  package var revenueUSD: Double?
  /// With the renewals that followed, less refunds; nil where nothing of it is known.
  package var totalUSD: Double?
  /// Transactions by which the store charged again for it.
  package var renewals: Int
  package var refundedAt: Instant?
  package var store: Bytes?
  package var environment: Bytes?
  /// True where nobody paid: it was bought in a store's sandbox or in Xcode.
  package var isSandbox: Bool { StoreEnvironment.isTest(environment) }
  package var transactionID: Bytes?
  package var originalTransactionID: Bytes?
  package var errorCode: Bytes?
  package var errorName: Bytes?
  package var scene: Scene
}
