/// Something bought once, as the vendor's profile lists it.
struct NonSubscription: Hashable, Sendable {
  /// The vendor's id of the purchase; the store's where it has none.
  var id: Bytes?
  var productID: Bytes
  var store: Bytes?
  var transactionID: Bytes?
  var purchasedAt: Instant?
  var isSandbox: Bool?
  var isRefund: Bool?
  var isConsumable: Bool?

  init(_ object: VendorObject, productID: Bytes) {
    self.productID = productID
    store = object.text(object["store"])
    transactionID = object.transactionID
    id = object.text(object["purchase_id"]) ?? transactionID
    purchasedAt = object["purchased_at"].flatMap(VendorTime.instant)
    isSandbox = object.isSandbox
    isRefund = object["is_refund"].flatMap(lenientBoolean)
    isConsumable = object["is_consumable"].flatMap(lenientBoolean)
  }
}

/// One row of `non_subscriptions`.
package struct NonSubscriptionListing: Hashable, Sendable {
  package var purchaseID: Bytes
  package var productID: Bytes
  package var store: Bytes?
  package var transactionID: Bytes?
  package var purchasedAt: Instant?
  package var isSandbox: Bool?
  package var isRefund: Bool?
  package var isConsumable: Bool?
  /// The profile's own timestamp, or the time of the event where it has none.
  package var version: Instant
  /// Time of the event that told it.
  package var toldAt: Instant

  /// The rows of a profile's list, by id; of two elements with one id the later one counts.
  ///
  /// An element without any id is known by its product and its number among those of that product.
  static func all(
    _ list: [NonSubscription], version: Instant, toldAt: Instant
  ) -> [NonSubscriptionListing] {
    var unnamed: [Bytes: Int] = [:]
    var byID: [Bytes: NonSubscriptionListing] = [:]
    for purchase in list {
      let id: Bytes
      if let known = purchase.id {
        id = known
      } else {
        unnamed[purchase.productID, default: 0] += 1
        id = Bytes(purchase.productID.array + Array("/\(unnamed[purchase.productID] ?? 1)".utf8))
      }
      byID[id] = NonSubscriptionListing(
        purchaseID: id, productID: purchase.productID, store: purchase.store,
        transactionID: purchase.transactionID, purchasedAt: purchase.purchasedAt,
        isSandbox: purchase.isSandbox, isRefund: purchase.isRefund,
        isConsumable: purchase.isConsumable, version: version, toldAt: toldAt)
    }
    return byID.values.sorted { $0.purchaseID < $1.purchaseID }
  }
}
