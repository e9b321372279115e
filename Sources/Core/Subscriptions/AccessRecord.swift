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

  init(name: Bytes, params: Bytes) {
    let outer = VendorObject(JSONText(params))
    let object = outer?.object("event_properties") ?? outer
    let hasAccess = object?["profile_has_access_level"].flatMap(lenientBoolean)
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

  private static let levelUpdated: Bytes = "access_level_updated"

  /// Types after which a subscription may still give access; what was bought once need give none.
  private static let ofLivingSubscriptions: Set<Bytes> = [
    "subscription_started", "subscription_renewed", "subscription_renewal_cancelled",
    "subscription_renewal_reactivated", "subscription_deferred", "trial_started",
    "trial_converted", "trial_renewal_cancelled", "trial_renewal_reactivated",
    "entered_grace_period", "billing_issue_detected", "access_level_updated",
  ]
}
