/// What a member of the vendor's profiles and records is read as: for counting those that cannot be.
enum VendorForm {
  case flag, time, version, text, amount, currency, attributes
  /// Levels, or what was bought: a map or a list of objects, or of lists of them.
  case objects

  /// By snake-case name.
  private static let forms: [Bytes: VendorForm] = {
    let names: [(VendorForm, [Bytes])] = [
      (
        .flag,
        [
          "is_active", "is_lifetime", "is_refund", "is_in_grace_period", "will_renew",
          "is_sandbox", "is_consumable", "is_test_user", "profile_has_access_level",
        ]
      ),
      (
        .time,
        [
          "activated_at", "originally_purchased_at", "renewed_at", "purchased_at", "starts_at",
          "expires_at", "unsubscribed_at", "renewal_cancelled_at", "billing_issue_detected_at",
          "subscription_expires_at", "purchase_date",
        ]
      ),
      (.version, ["timestamp"]),
      (
        .text,
        [
          "vendor_product_id", "store_product_id", "product_id", "store", "transaction_id",
          "vendor_transaction_id", "store_transaction_id", "original_transaction_id",
          "vendor_original_transaction_id", "store_original_transaction_id", "access_level_id",
          "customer_user_id", "environment", "active_introductory_offer_type",
          "active_promotional_offer_type", "active_promotional_offer_id", "offer_id",
          "cancellation_reason", "variation_id", "developer_id", "cohort_name",
        ]
      ),
      (.amount, ["price_usd", "price_local", "revenue_usd", "revenue_local"]),
      (.currency, ["currency"]),
      (.attributes, ["custom_attributes", "user_attributes", "attributes"]),
      (
        .objects, ["access_levels", "paid_access_levels", "subscriptions", "non_subscriptions"]
      ),
    ]
    return Dictionary(
      names.flatMap { form, names in names.map { ($0, form) } }, uniquingKeysWith: { $1 })
  }()

  /// Calls with each member of a record, or of its properties, whose value cannot be read.
  static func forEachUnreadable(ofRecord params: Bytes, _ body: (UnknownName) -> Void) {
    let record = JSONText(params)
    check(record, body)
    record.forEachMember { key, value in
      guard key == properties, value.kind != .null else { return }
      guard let inner = value.lenientObject else { return body(UnknownName(.member, key)) }
      check(inner, body)
    }
  }

  /// Calls with each member of the profile that an event carries whose value cannot be read; of an event
  /// that is about the profile, with the profile itself.
  static func forEachUnreadable(
    ofProfileIn params: Bytes, _ kind: EventKind, _ body: (UnknownName) -> Void
  ) {
    let (object, isThere) = ProfileSnapshot.profile(in: params, kind)
    if let object { return check(object.json, body) }
    // Callbacks count their own members.
    if isThere, kind == .profileUpdated { body(UnknownName(.member, profile)) }
  }

  private static let properties: Bytes = "event_properties"
  private static let profile: Bytes = "profile"

  private static func check(_ object: JSONText, _ body: (UnknownName) -> Void) {
    object.forEachMember { key, value in
      guard let form = forms[snakeCase(key)], !isNothing(value) else { return }
      if form == .objects { return check(objects: value, of: key, body) }
      if !form.reads(value) { body(UnknownName(.member, key)) }
    }
  }

  private static func check(
    objects value: JSONText, of key: Bytes, _ body: (UnknownName) -> Void
  ) {
    let value = VendorObject.unwrapped(value)
    let items = value?.kind == .object ? value?.members.map(\.value) : value?.elements
    guard let items, value?.kind == .object || value?.kind == .array else {
      return body(UnknownName(.member, key))
    }
    for item in items where item.kind != .null {
      let item = VendorObject.unwrapped(item) ?? item
      switch item.kind {
      case .object: check(item, body)
      case .array:
        for element in item.elements {
          if let element = element.lenientObject {
            check(element, body)
          } else {
            body(UnknownName(.member, key))
          }
        }
      default: body(UnknownName(.member, key))
      }
    }
  }

  /// An empty text is how tables write nothing.
  private static func isNothing(_ value: JSONText) -> Bool {
    value.kind == .null || value.string?.isEmpty == true
  }

  private func reads(_ value: JSONText) -> Bool {
    switch self {
    case .flag: lenientBoolean(value) != nil
    case .time: VendorTime.instant(value) != nil
    case .version: ProfileSnapshot.milliseconds(value) != nil
    case .text: value.id != nil
    case .amount: value.amount != nil
    case .currency: value.currency != nil
    case .attributes: ProfileSnapshot.attributes(value) != nil
    case .objects: true
    }
  }
}
