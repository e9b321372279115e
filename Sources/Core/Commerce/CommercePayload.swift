/// What the params of a controller's purchase, restore and error callbacks tell.
///
/// Both spellings are read: camelCase as the vendor's documents print it, snake_case as the
/// cross-platform bridge sends it; objects also as JSON in a string, as analytics tools store them. A
/// member that cannot be read is absent, and named by ``unreadable``. Messages of errors are free text
/// that may be personal: they are not read at all.
struct CommercePayload {
  private(set) var product = Product()
  private(set) var result: PurchaseResult?
  private(set) var error: VendorError?
  private(set) var failedProductIDs: [Bytes] = []
  /// Whether the app asked to try again.
  private(set) var isRetried: Bool?
  /// Whether the profile that came along has an access level that is active; nil without a profile.
  private(set) var hasAccess: Bool?
  private(set) var transaction = TransactionIDs()
  /// The environment of the product's purchase, where the profile that came along calls it a test.
  private(set) var environment: Bytes?
  private(set) var variationID: Bytes?
  private(set) var placementID: Bytes?
  private(set) var audienceVersionID: Bytes?
  /// Names of members, as they were sent, whose values cannot be read; what an error or a result says
  /// has counts of its own.
  private(set) var unreadable: [Bytes] = []
  /// The older callbacks were only called where the purchase succeeded: they have no result, but this.
  private var hasPurchaseInfo = false
  private var profiles: [JSONText] = []

  init(_ params: Bytes) {
    var hasResult = false
    JSONText(params).forEachMember { key, value in
      guard let member = Self.members[key], value.kind != .null else { return }
      if member == .result { hasResult = true }
      read(member, key, value)
    }
    if !hasResult, error == nil, hasPurchaseInfo || !profiles.isEmpty { result = .success }
    for profile in profiles { read(profile: profile) }
  }

  private enum Member {
    case product, productID, price, currency, result, error, errorCode, failedIDs, retry, profile
    case purchaseInfo, transactionID, originalTransactionID, variationID, placementID
    case audienceVersionID
  }

  /// Names of what a purchase ended with.
  static let resultNames: Set<Bytes> = Set(members.filter { $0.value == .result }.keys)

  private static let members: [Bytes: Member] = [
    "product": .product, "vendorProductId": .productID, "vendor_product_id": .productID,
    "product_id": .productID, "productId": .productID, "price": .price, "currency": .currency,
    "currencyCode": .currency, "currency_code": .currency, "purchaseResult": .result,
    "purchase_result": .result, "purchased_result": .result, "purchasedResult": .result,
    "result": .result,
    "error": .error, "adapty_code": .errorCode, "adaptyCode": .errorCode,
    "error_code": .errorCode, "errorCode": .errorCode, "failedIds": .failedIDs,
    "failed_ids": .failedIDs, "failedProductIds": .failedIDs, "failed_product_ids": .failedIDs,
    "retry": .retry, "is_retried": .retry, "isRetried": .retry, "will_retry": .retry,
    "willRetry": .retry, "should_retry": .retry, "shouldRetry": .retry, "profile": .profile,
    "purchasedInfo": .purchaseInfo, "purchased_info": .purchaseInfo, "info": .purchaseInfo,
    "transaction_id": .transactionID, "transactionId": .transactionID,
    "vendor_transaction_id": .transactionID, "vendorTransactionId": .transactionID,
    "original_transaction_id": .originalTransactionID,
    "originalTransactionId": .originalTransactionID,
    "vendor_original_transaction_id": .originalTransactionID,
    "vendorOriginalTransactionId": .originalTransactionID, "variation_id": .variationID,
    "variationId": .variationID, "placement_id": .placementID, "placementId": .placementID,
    "placement_audience_version_id": .audienceVersionID,
    "placementAudienceVersionId": .audienceVersionID,
  ]

  private mutating func read(_ member: Member, _ key: Bytes, _ value: JSONText) {
    /// A value that was read; notes one that was not.
    func noted<Value>(_ read: Value?) -> Value? {
      if read == nil { unreadable.append(key) }
      return read
    }
    switch member {
    case .product:
      if let object = value.lenientObject {
        unreadable += product.read(object)
      } else {
        product.id = product.id ?? noted(value.id)
      }
    case .productID: product.id = product.id ?? noted(value.id)
    case .price: unreadable += product.read(price: value, key)
    case .currency: product.currency = product.currency ?? noted(value.currency)
    case .result: read(result: value)
    case .error:
      // Its presence says that there was one, whatever can be read of it.
      error = VendorError(code: error?.code ?? value.lenientObject.flatMap(VendorError.code(in:)))
    case .errorCode:
      if let code = noted(VendorError.code(value)) { error = VendorError(code: code) }
    case .failedIDs:
      let items = noted(value.lenientElements) ?? []
      failedProductIDs = items.compactMap(\.id)
      if failedProductIDs.count < items.count { unreadable.append(key) }
    case .retry: isRetried = noted(lenientBoolean(value))
    case .profile: if let profile = noted(value.lenientObject) { profiles.append(profile) }
    case .purchaseInfo:
      guard let info = noted(value.lenientObject) else { return }
      hasPurchaseInfo = true
      readNested(info)
    case .transactionID: transaction.id = transaction.id ?? noted(value.id)
    case .originalTransactionID: transaction.original = transaction.original ?? noted(value.id)
    case .variationID: variationID = noted(value.id)?.withLowercaseUUID
    case .placementID: placementID = noted(value.id)
    case .audienceVersionID: audienceVersionID = noted(value.id)?.withLowercaseUUID
    }
  }

  /// Of several results the first that can be read counts.
  private mutating func read(result value: JSONText) {
    guard let object = value.lenientObject else {
      result = result ?? value.string.flatMap { PurchaseResult.byName[$0.lowercasedASCII] }
      return
    }
    var typed: PurchaseResult?
    var tagged: PurchaseResult?
    object.forEachMember { key, member in
      if key == Key.type {
        typed = member.string.flatMap { PurchaseResult.byName[$0.lowercasedASCII] }
      } else if let named = PurchaseResult.byName[key.lowercasedASCII],
        lenientBoolean(member) != false, member.kind != .null
      {
        // `{"success": {…}}`: an enumeration as Swift's own encoder writes it.
        tagged = tagged ?? named
        if let inner = member.lenientObject { readNested(inner) }
      }
    }
    result = result ?? typed ?? tagged
    readNested(object)
  }

  /// The profile and the transaction inside a purchase's result.
  private mutating func readNested(_ object: JSONText) {
    object.forEachMember { key, member in
      switch Self.members[key] {
      case .profile, .transactionID, .originalTransactionID:
        if let known = Self.members[key], member.kind != .null { read(known, key, member) }
      default:
        if key == Key.transaction, let inner = member.lenientObject { readNested(inner) }
      }
    }
  }

  private enum Key {
    static let type: Bytes = "type"
    static let transaction: Bytes = "transaction"
    static let levels: Set<Bytes> = ["accessLevels", "access_levels", "paid_access_levels"]
    static let isActive: Set<Bytes> = ["isActive", "is_active"]
    static let subscriptions: Bytes = "subscriptions"
    static let purchases: Set<Bytes> = ["nonSubscriptions", "non_subscriptions"]
    static let purchasedAt: Set<Bytes> = ["purchasedAt", "purchased_at"]
    static let isSandbox: Set<Bytes> = ["isSandbox", "is_sandbox"]
  }

  /// Maps by id, as the models have them, or lists, as the documents print them.
  private mutating func read(profile: JSONText) {
    profile.forEachMember { key, member in
      let map = member.lenientObject
      let list = map == nil ? member.lenientElements : nil
      guard map != nil || list != nil else { return }
      if Key.levels.contains(key) {
        hasAccess = hasAccess ?? false
        for level in list ?? map?.members.map(\.value) ?? [] {
          level.lenientObject?.forEachMember { name, value in
            if Key.isActive.contains(name), lenientBoolean(value) == true { hasAccess = true }
          }
        }
      } else if key == Key.subscriptions {
        for subscription in list ?? [] { read(subscription: subscription, of: nil) }
        map?.forEachMember { read(subscription: $1, of: $0) }
      } else if Key.purchases.contains(key) {
        read(purchases: (list ?? []).filter { $0.productID == self.product.id })
        map?.forEachMember { product, list in
          if product == self.product.id { read(purchases: list.elements) }
        }
      }
    }
  }

  /// The ids of the product's subscription: the purchase that the callback tells made it the newest.
  private mutating func read(subscription: JSONText, of key: Bytes?) {
    var ids = TransactionIDs()
    var product = key
    var isSandbox = false
    subscription.forEachMember { name, value in
      if Key.isSandbox.contains(name) { isSandbox = lenientBoolean(value) == true }
      switch Self.members[name] {
      case .productID: product = value.id ?? product
      case .transactionID: ids.id = value.id
      case .originalTransactionID: ids.original = value.id
      default: break
      }
    }
    guard product != nil, product == self.product.id else { return }
    transaction.fill(from: ids)
    if isSandbox { environment = StoreEnvironment.sandbox }
  }

  private mutating func read(purchases: [JSONText]) {
    var latest: (at: Bytes, id: Bytes, isSandbox: Bool)?
    for purchase in purchases {
      var id: Bytes?
      var at: Bytes = .empty
      var isSandbox = false
      purchase.forEachMember { name, value in
        if Self.members[name] == .transactionID { id = value.id }
        if Key.purchasedAt.contains(name) { at = value.string ?? .empty }
        if Key.isSandbox.contains(name) { isSandbox = lenientBoolean(value) == true }
      }
      if let id, latest.map({ ($0.at, $0.id) < (at, id) }) ?? true {
        latest = (at, id, isSandbox)
      }
    }
    guard let latest else { return }
    transaction.fill(from: TransactionIDs(id: latest.id))
    if latest.isSandbox { environment = StoreEnvironment.sandbox }
  }
}

/// A product as a paywall showed it.
struct Product: Hashable {
  /// The store's id of it.
  var id: Bytes?
  /// In units of the currency; what people are asked, not what is paid: it may begin with a trial.
  var price: Double?
  /// Three capital letters.
  var currency: Bytes?

  mutating func fill(from other: Product) {
    id = id ?? other.id
    if price == nil, currency == nil { (price, currency) = (other.price, other.currency) }
  }

  /// - Returns: the members that cannot be read.
  fileprivate mutating func read(_ object: JSONText) -> [Bytes] {
    var unreadable: [Bytes] = []
    object.forEachMember { key, value in
      guard value.kind != .null else { return }
      if Self.namesOfID.contains(key) {
        if let read = value.id { id = read } else { unreadable.append(key) }
      }
      unreadable += read(currency: value, key)
      if key == Key.price { unreadable += read(price: value, key) }
    }
    return unreadable
  }

  private mutating func read(currency value: JSONText, _ key: Bytes) -> [Bytes] {
    guard Key.currencies.contains(key), value.kind != .null else { return [] }
    guard let read = value.currency else { return [key] }
    currency = read
    return []
  }

  /// A number, or the bridge's `{"amount": …, "currency_code": …}`.
  ///
  /// - Returns: the members that cannot be read.
  fileprivate mutating func read(price value: JSONText, _ key: Bytes) -> [Bytes] {
    guard let object = value.lenientObject else {
      guard let amount = value.amount else { return [key] }
      price = amount
      return []
    }
    var unreadable: [Bytes] = []
    object.forEachMember { key, member in
      if key == Key.amount, member.kind != .null { unreadable += read(price: member, key) }
      unreadable += read(currency: member, key)
    }
    return unreadable
  }

  fileprivate static let namesOfID: Set<Bytes> = [
    "vendorProductId", "vendor_product_id", "product_id", "productId",
  ]

  private enum Key {
    static let currencies: Set<Bytes> = ["currencyCode", "currency_code", "currency"]
    static let price: Bytes = "price"
    static let amount: Bytes = "amount"
  }
}

/// The store's ids of a transaction and of the first one of its subscription.
struct TransactionIDs: Hashable {
  var id: Bytes?
  var original: Bytes?

  /// What the subscription is known by: its first transaction.
  var chain: Bytes? { original ?? id }

  mutating func fill(from other: TransactionIDs) {
    id = id ?? other.id
    original = original ?? other.original
  }
}

/// How a purchase ended, as the app was told.
enum PurchaseResult: Hashable {
  case success, pending, cancelled

  static let byName: [Bytes: PurchaseResult] = [
    "success": .success, "pending": .pending, "cancelled": .cancelled, "canceled": .cancelled,
    "user_cancelled": .cancelled, "user_canceled": .cancelled, "usercancelled": .cancelled,
    "usercanceled": .cancelled,
  ]
}

/// An error of the vendor's SDK without its words.
struct VendorError: Hashable {
  /// A number in decimal digits, or a name of letters, digits, `_`, `-` and `.`; nil if unreadable.
  var code: Bytes?

  /// The code inside an error: the bridge's number before the documents' name.
  fileprivate static func code(in object: JSONText) -> Bytes? {
    var found: [Bytes: Bytes] = [:]
    object.forEachMember { key, value in
      if keys.contains(key), let code = code(value) { found[key] = code }
    }
    return keys.lazy.compactMap { found[$0] }.first
  }

  private static let keys: [Bytes] = ["adapty_code", "adaptyCode", "code", "error_code"]

  /// A code that stands alone or in an error.
  static func code(_ value: JSONText) -> Bytes? {
    if value.kind == .object { return code(in: value) }
    if let number = value.integer { return Bytes(String(number)) }
    // Anything longer or with spaces in it is somebody's sentence.
    guard let name = value.string, (1...64).contains(name.count),
      name.slice.allSatisfy({ byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
          UInt8(ascii: "."):
          true
        default: false
        }
      })
    else { return nil }
    return name
  }
}

extension JSONText {
  /// The id of the product that an object is about.
  fileprivate var productID: Bytes? {
    var id: Bytes?
    forEachMember { key, value in if Product.namesOfID.contains(key) { id = value.id ?? id } }
    return id
  }
}
