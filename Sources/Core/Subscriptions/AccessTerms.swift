/// What the vendor says of an access level or of a subscription: the members that both have.
///
/// A member that is absent or cannot be read is nil; the others stay.
package struct AccessTerms: Hashable, Sendable {
  package enum Expiry: Hashable, Sendable {
    /// A lifetime.
    case never
    case at(Instant)
    /// Not said, or not to be read.
    case unknown
  }

  /// As the vendor said it when it spoke; see ``activity(at:)``.
  package var isActive: Bool?
  /// True where the vendor said whether it is active, in a way that cannot be read.
  var isActivityUnreadable = false
  package var isLifetime: Bool?
  package var isRefund: Bool?
  package var isInGracePeriod: Bool?
  package var willRenew: Bool?
  package var productID: Bytes?
  package var store: Bytes?
  package var activatedAt: Instant?
  package var renewedAt: Instant?
  package var startsAt: Instant?
  package var expiry = Expiry.unknown
  package var unsubscribedAt: Instant?
  package var billingIssueDetectedAt: Instant?
  package var introductoryOfferType: Bytes?
  package var promotionalOfferType: Bytes?
  package var promotionalOfferID: Bytes?
  package var offerID: Bytes?
  package var cancellationReason: Bytes?

  package init() {}

  package var expiresAt: Instant? { if case .at(let end) = expiry { end } else { nil } }

  /// Both stores' billing grace periods are at most so long after the paid period's end.
  static let longestGracePeriodInDays: Int64 = 30

  /// Whether it gives access at an instant, nil for unknown, and when time alone changes that.
  ///
  /// What the vendor called inactive stays so. Active is true until it expires, for ever in a
  /// lifetime, and through a grace period. Once expired it is false if it would not renew; if it
  /// would, or nobody said, whether it did is unknown until the vendor speaks again.
  package func activity(at now: Instant) -> (isActive: Bool?, changesAt: Instant?) {
    let (isActive, changesAt) = activityBySaidTerms(at: now)
    // It may have been called over: an end alone, or none, does not make it active.
    return (isActivityUnreadable && isActive == true ? nil : isActive, changesAt)
  }

  private func activityBySaidTerms(
    at now: Instant
  ) -> (isActive: Bool?, changesAt: Instant?) {
    guard isActive != false else { return (false, nil) }
    if isActive == nil, let startsAt, now < startsAt { return (false, startsAt) }
    guard isLifetime != true else { return (true, nil) }
    switch expiry {
    case .never: return (true, nil)
    case .unknown: return (nil, nil)
    case .at(let end):
      let last = isInGracePeriod == true ? end.adding(days: Self.longestGracePeriodInDays) : end
      if now < last { return (true, last) }
      return (renews == false ? false : nil, nil)
    }
  }

  /// Whether it would renew: who switched that off is told by the time of it, too.
  var renews: Bool? { willRenew ?? (unsubscribedAt == nil ? nil : false) }

  /// True where charging failed when the paid period ended, or nobody said when it ends.
  var hasOpenBillingIssue: Bool {
    guard let billingIssueDetectedAt, renews != false else { return false }
    return expiresAt.map { billingIssueDetectedAt >= $0 } ?? true
  }

  /// True for what began with a free trial that is its current period.
  var isTrial: Bool {
    introductoryOfferType == Self.freeTrial || promotionalOfferType == Self.freeTrial
  }

  static let freeTrial: Bytes = "free_trial"
}

// MARK: Reading

extension AccessTerms {
  /// Reads the members of an access level, a subscription, or a record of the vendor's webhook.
  init(_ object: VendorObject) {
    func flag(_ value: JSONText?) -> Bool? { value.flatMap(lenientBoolean) }
    func time(_ value: JSONText?) -> Instant? { value.flatMap(VendorTime.instant) }
    isActive = flag(object["is_active"])
    isActivityUnreadable = isActive == nil && object["is_active"] != nil
    isLifetime = flag(object["is_lifetime"])
    isRefund = flag(object["is_refund"])
    isInGracePeriod = flag(object["is_in_grace_period"])
    productID = object.text(object["vendor_product_id", "store_product_id", "product_id"])
    store = object.text(object["store"])
    activatedAt = time(object["activated_at", "originally_purchased_at"])
    renewedAt = time(object["renewed_at", "purchased_at"])
    startsAt = time(object["starts_at"])
    unsubscribedAt = time(object["unsubscribed_at", "renewal_cancelled_at"])
    billingIssueDetectedAt = time(object["billing_issue_detected_at"])
    introductoryOfferType = object.text(object["active_introductory_offer_type"])
    promotionalOfferType = object.text(object["active_promotional_offer_type"])
    promotionalOfferID = object.text(object["active_promotional_offer_id"])
    offerID = object.text(object["offer_id"])
    cancellationReason = object.text(object["cancellation_reason"])
    willRenew = flag(object["will_renew"])
    if willRenew == nil, object.has("renewal_cancelled_at") {
      // The server API tells when renewal was switched off, or null.
      willRenew = object["renewal_cancelled_at"] == nil
    }
    if let end = object["expires_at"] {
      expiry = time(end).map { .at($0) } ?? .unknown
    } else if isActive != nil || isLifetime == true || object.has("expires_at") {
      expiry = .never
    }
  }
}
