/// What a payload says of the vendor's profile: one snapshot of it, whole or in part.
///
/// The models' shape and the wire's are read alike: maps or lists, camel case or snake case. A whole
/// profile leaves out what is empty; an excerpt, such as the documents' own samples, says nothing of
/// what it leaves out. A profile is taken for whole if it has its hash or its timestamp, which every one
/// of the SDK and the server has.
struct ProfileSnapshot {
  /// The profile's own version: milliseconds since 1970.
  private(set) var timestamp: Int64?
  /// By id; nil where nothing is said of them, as below.
  private(set) var levels: [Bytes: AccessTerms]?
  /// True where something is said of levels, or of subscriptions, that cannot be read: there may be more.
  private(set) var hasUnreadableLevels = false
  private(set) var hasUnreadableSubscriptions = false
  private(set) var subscriptions: [VendorSubscription]?
  private(set) var nonSubscriptions: [NonSubscription]?
  /// By key: numbers and texts.
  private(set) var custom: [Bytes: Value]?
  private(set) var customerUserID: Bytes?
  private(set) var isTestUser: Bool?

  /// Reads what the params of an event tell; nil where they tell of no profile.
  ///
  /// The profile may be the params' `profile`, that of a purchase's result, or the params themselves.
  /// There, unless the event is about the profile, a time and an id may be anybody's: only access tells.
  static func read(_ params: Bytes, kind: EventKind = .profileUpdated) -> ProfileSnapshot? {
    guard let object = VendorObject(JSONText(params)) else { return nil }
    let result = result(in: object)
    for candidate in [object.object("profile"), result?.object("profile")] {
      if let candidate, let snapshot = ProfileSnapshot(candidate) { return snapshot }
    }
    for candidate in [result, object] {
      guard let candidate, let snapshot = ProfileSnapshot(candidate) else { continue }
      if kind == .profileUpdated || namesOfAccess.contains(where: candidate.has) {
        return snapshot
      }
    }
    return nil
  }

  private static func result(in object: VendorObject) -> VendorObject? {
    object.object("purchase_result") ?? object.object("purchased_result")
      ?? object.object("result") ?? object.object("data")
  }

  /// Where the profile stands in params, and whether one stands there at all, readable or not.
  static func profile(in params: Bytes, _ kind: EventKind) -> (VendorObject?, isThere: Bool) {
    guard let object = VendorObject(JSONText(params)) else { return (nil, false) }
    let result = result(in: object)
    if let profile = object.object("profile") ?? result?.object("profile") {
      return (profile, true)
    }
    if object["profile"] != nil || result?["profile"] != nil { return (nil, true) }
    return kind == .profileUpdated ? (result ?? object, true) : (nil, false)
  }

  private static let namesOfAccess: [Bytes] = [
    "access_levels", "paid_access_levels", "subscriptions",
  ]

  /// Nil where the object says nothing that a profile would.
  private init?(_ object: VendorObject) {
    timestamp = object["timestamp"].flatMap(Self.milliseconds)
    let isWhole = timestamp != nil || object.has("segment_hash")
    (levels, hasUnreadableLevels) = Self.levels(object)
    hasUnreadableSubscriptions = Self.isUnreadable(object, "subscriptions")
    subscriptions = Self.list(
      object, "subscriptions", id: { $0["vendor_product_id", "store_product_id"] }
    )?.map { id, object in
      var subscription = VendorSubscription(object)
      subscription.terms.productID = subscription.terms.productID ?? id
      return subscription
    }
    nonSubscriptions = Self.nonSubscriptions(object)
    custom = Self.custom(object)
    customerUserID = object.text(object["customer_user_id"], upTo: 200)
    isTestUser = object["is_test_user"].flatMap(lenientBoolean)
    let saysSomething =
      levels != nil || subscriptions != nil || custom != nil || isTestUser != nil
      || hasUnreadableLevels || hasUnreadableSubscriptions || object.has("non_subscriptions")
    // A time alone may be of anything.
    guard saysSomething || (isWhole && object.has("profile_id")) else { return nil }
    // What is there and cannot be read is not empty: nothing is said of it.
    guard isWhole else { return }
    if !object.has("access_levels"), !object.has("paid_access_levels") { levels = [:] }
    if !object.has("subscriptions") { subscriptions = [] }
    if !object.has("non_subscriptions") { nonSubscriptions = [] }
    if !object.has("custom_attributes") { custom = [:] }
  }

  /// From 1970 to 9999; nil for anything else.
  static func milliseconds(_ value: JSONText) -> Int64? {
    guard let number = value.integer else {
      return VendorTime.instant(value).map { $0.microseconds / 1000 }
    }
    return (0..<253_402_300_800_000).contains(number) ? number : nil
  }

  private static func levels(
    _ object: VendorObject
  ) -> (levels: [Bytes: AccessTerms]?, isUnreadable: Bool) {
    var result: [Bytes: AccessTerms] = [:]
    var isSaid = false
    var isUnreadable = false
    for name: Bytes in ["access_levels", "paid_access_levels"] {
      isUnreadable = isUnreadable || Self.isUnreadable(object, name)
      guard let list = list(object, name, id: { $0["id", "access_level_id"] }) else { continue }
      isSaid = true
      for (id, level) in list { result[id] = AccessTerms(level) }
    }
    return (isSaid ? result : nil, isUnreadable)
  }

  /// Whether something stands there that is neither a map nor a list, or a list of something else.
  ///
  /// What a map names is there, readable or not; an element of a list that cannot be read may be any.
  private static func isUnreadable(_ object: VendorObject, _ name: Bytes) -> Bool {
    guard let value = object[name] else { return false }
    guard let value = VendorObject.unwrapped(value) else { return true }
    switch value.kind {
    case .object: return false
    case .array: return value.elements.contains { VendorObject($0) == nil }
    case .string, .number, .boolean, .null, .none: return true
    }
  }

  /// The objects of a map, each with its key, or of a list, each with its id.
  ///
  /// Null is an empty map. Nil where there is neither; an element that cannot be read is left out.
  private static func list(
    _ object: VendorObject, _ name: Bytes, id: (VendorObject) -> JSONText?
  ) -> [(id: Bytes, object: VendorObject)]? {
    guard object.has(name) else { return nil }
    guard let value = object[name] else { return [] }
    guard let value = VendorObject.unwrapped(value) else { return nil }
    func isID(_ id: Bytes) -> Bool { !id.isEmpty && id.count <= 500 }
    switch value.kind {
    case .object:
      return value.members.compactMap { key, member in
        guard isID(key), member.kind != .null else { return nil }
        // What is named and cannot be read is there: nothing is known of it.
        guard let member = VendorObject(member) ?? VendorObject(JSONText("{}")) else { return nil }
        return (key, member)
      }
    case .array:
      return value.elements.compactMap { element in
        guard let element = VendorObject(element),
          let id = element.text(id(element))
        else { return nil }
        return (id, element)
      }
    case .string, .number, .boolean, .null, .none: return nil
    }
  }

  /// What was bought once: lists by product, or one list.
  private static func nonSubscriptions(_ object: VendorObject) -> [NonSubscription]? {
    let name: Bytes = "non_subscriptions"
    guard object.has(name) else { return nil }
    guard let value = object[name] else { return [] }
    guard let value = VendorObject.unwrapped(value) else { return nil }
    func purchase(_ value: JSONText, of key: Bytes?) -> NonSubscription? {
      guard let purchase = VendorObject(value),
        let id = purchase.text(purchase["vendor_product_id", "store_product_id"]) ?? key,
        !id.isEmpty, id.count <= 500
      else { return nil }
      return NonSubscription(purchase, productID: id)
    }
    switch value.kind {
    case .object:
      return value.members.flatMap { key, member in
        let list = VendorObject.unwrapped(member) ?? member
        return (list.kind == .array ? list.elements : [list]).compactMap { purchase($0, of: key) }
      }
    case .array: return value.elements.compactMap { purchase($0, of: nil) }
    case .string, .number, .boolean, .null, .none: return nil
    }
  }

  private static func custom(_ object: VendorObject) -> [Bytes: Value]? {
    guard object.has("custom_attributes") else { return nil }
    guard let member = object["custom_attributes"] else { return [:] }
    return attributes(member)
  }

  /// Attributes as a map, or as a list of keys and values; nil for anything else.
  static func attributes(_ member: JSONText) -> [Bytes: Value]? {
    guard let value = VendorObject.unwrapped(member) else { return nil }
    var result: [Bytes: Value] = [:]
    switch value.kind {
    case .object: value.forEachMember { result[$0] = attribute($1) }
    case .array:
      for element in value.elements {
        guard let pair = VendorObject(element), let key = pair.text(pair["key"]) else { continue }
        result[key] = pair["value"].flatMap(attribute)
      }
    case .string, .number, .boolean, .null, .none: return nil
    }
    return result
  }

  /// A number or a text; the SDK makes numbers of booleans, and an empty text removes an attribute.
  private static func attribute(_ value: JSONText) -> Value? {
    switch value.kind {
    case .string: return value.string.flatMap { trimmed($0).isEmpty ? nil : .text($0) }
    case .number:
      guard let number = Double(value.text.string), number.isFinite else { return nil }
      // Minus zero is never kept (SEMANTICS 7.2).
      return .number(number == 0 ? 0 : number)
    case .boolean: return value.boolean.map { .number($0 ? 1 : 0) }
    case .object, .array, .null, .none: return nil
    }
  }
}
