/// What a record of the vendor's webhook or daily export says of access.
struct AccessRecord {
  enum Content {
    /// `access_level_updated`: one level as it now is.
    case level(Bytes, AccessTerms)
    /// Something was bought, renewed or ended; it names no level. True where, by it, some level may
    /// give access.
    case purchase(mayHaveAccess: Bool)
  }

  let content: Content
  /// True where the record says that no level gives access any more.
  let deniesAccess: Bool
  /// The subscription that it tells of, as it then was; nil for one of something else.
  let subscription: VendorSubscription?
  /// All attributes that the app had set; nil where the record holds none.
  ///
  /// A feed that was not told to send them leaves them out or empty: that takes nothing away.
  let custom: [Bytes: Value]?

  init(name: Bytes, params: Bytes, at: Instant) {
    let outer = VendorObject(JSONText(params))
    let object = outer?.object("event_properties") ?? outer
    custom = [outer, object].lazy.compactMap { $0.flatMap(Self.custom) }.first
    let hasAccess = object?["profile_has_access_level"].flatMap(lenientBoolean)
    subscription = object.flatMap { Self.subscription($0, name, hasAccess: hasAccess, at) }
    if name == Self.levelUpdated, let object,
      let id = object.text(object["access_level_id", "id"])
    {
      content = .level(id, AccessTerms(object))
      deniesAccess = false
    } else {
      content = .purchase(mayHaveAccess: hasAccess ?? Self.ofLivingSubscriptions.contains(name))
      deniesAccess = hasAccess == false && name != Self.levelUpdated
    }
  }

  /// The webhook calls them `user_attributes`, the daily export `attributes`.
  private static func custom(_ object: VendorObject) -> [Bytes: Value]? {
    object["user_attributes", "attributes"].flatMap(ProfileSnapshot.attributes)
      .flatMap { $0.isEmpty ? nil : $0 }
  }

  private static let levelUpdated: Bytes = "access_level_updated"

  /// What a type of record says of its subscription by its name alone.
  private struct Meaning {
    var isOver = false
    var willRenew: Bool? = true
    var isTrial = false
    var isInGracePeriod = false
    var hasBillingIssue = false
  }

  private static let meanings: [Bytes: Meaning] = [
    "subscription_started": Meaning(), "subscription_renewed": Meaning(),
    "subscription_renewal_reactivated": Meaning(), "subscription_deferred": Meaning(),
    "trial_converted": Meaning(), "subscription_renewal_cancelled": Meaning(willRenew: false),
    "subscription_paused": Meaning(willRenew: false),
    "trial_started": Meaning(isTrial: true), "trial_renewal_reactivated": Meaning(isTrial: true),
    "trial_renewal_cancelled": Meaning(willRenew: false, isTrial: true),
    "entered_grace_period": Meaning(isInGracePeriod: true),
    "billing_issue_detected": Meaning(hasBillingIssue: true),
    "subscription_expired": Meaning(isOver: true, willRenew: false),
    "subscription_refunded": Meaning(isOver: true, willRenew: false),
    "trial_expired": Meaning(isOver: true, willRenew: false, isTrial: true),
  ]

  private static func subscription(
    _ object: VendorObject, _ name: Bytes, hasAccess: Bool?, _ at: Instant
  ) -> VendorSubscription? {
    guard let meaning = meanings[name] else { return nil }
    var terms = AccessTerms()
    terms.productID = object.text(object["vendor_product_id", "product_id"])
    terms.store = object.text(object["store"])
    terms.isActive = meaning.isOver || hasAccess == false ? false : nil
    terms.willRenew = meaning.willRenew
    if meaning.isInGracePeriod { terms.isInGracePeriod = true }
    if meaning.hasBillingIssue { terms.billingIssueDetectedAt = at }
    if meaning.isTrial { terms.introductoryOfferType = AccessTerms.freeTrial }
    if let end = object["subscription_expires_at"].flatMap(VendorTime.instant) {
      terms.expiry = .at(end)
    }
    var subscription = VendorSubscription(terms)
    subscription.readStore(object)
    return subscription
  }

  /// Types after which a subscription may still give access; what was bought once need give none.
  private static let ofLivingSubscriptions: Set<Bytes> = [
    "subscription_started", "subscription_renewed", "subscription_renewal_cancelled",
    "subscription_renewal_reactivated", "subscription_deferred", "trial_started",
    "trial_converted", "trial_renewal_cancelled", "trial_renewal_reactivated",
    "entered_grace_period", "billing_issue_detected", "access_level_updated",
  ]
}
