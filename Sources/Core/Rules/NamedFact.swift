/// Something a rule can ask whose name holds an id of the vendor's or the app's: it exists as soon as a
/// rule names it.
package enum NamedFact: Hashable, Sendable {
  /// `access.<level>.<name>`
  case access(level: Bytes, AccessFact)
  /// `subscription_state`
  case subscriptionState
  /// `custom.<key>`: an attribute that the app itself set, of the type that the file declares.
  case custom(key: Bytes, ValueType)
  /// `purchases.<name>`
  case purchases(PurchaseFact)
  /// `store_message.<type>.is_pending`
  case storeMessageIsPending(type: Bytes)
  /// `exposed.<placement>.variation`
  case exposedVariation(placement: Bytes)

  /// Reads a full dotted name; nil where it is none of these.
  ///
  /// - Parameter customTypes: the declared types of attributes that the app sets, by key.
  package init?(name: Bytes, customTypes: [Bytes: ValueType]) {
    if name == "subscription_state" {
      self = .subscriptionState
    } else if let rest = name.suffix(behind: "access."),
      let found = AccessFact.allCases.lazy.compactMap({ fact in
        rest.prefix(before: Bytes("." + fact.rawValue)).map { ($0, fact) }
      }).first
    {
      self = .access(level: found.0, found.1)
    } else if let key = name.suffix(behind: "custom."), let type = customTypes[key] {
      self = .custom(key: key, type)
    } else if let rest = name.suffix(behind: "purchases."),
      let fact = PurchaseFact(rawValue: rest.string)
    {
      self = .purchases(fact)
    } else if let type = name.suffix(behind: "store_message.")?.prefix(before: ".is_pending") {
      self = .storeMessageIsPending(type: type)
    } else if let id = name.suffix(behind: "exposed.")?.prefix(before: ".variation") {
      self = .exposedVariation(placement: id)
    } else {
      return nil
    }
  }

  package var type: ValueType {
    switch self {
    case .access(_, let fact): fact.type
    case .subscriptionState, .exposedVariation: .text
    case .custom(_, let type): type
    case .purchases(let fact): fact.type
    case .storeMessageIsPending: .boolean
    }
  }

  var isPending: Bool { if case .storeMessageIsPending = self { true } else { false } }

  var form: TextForm? {
    switch self {
    case .subscriptionState: .oneOf(Set(SubscriptionState.allCases.map { Bytes($0.rawValue) }))
    case .custom(_, .text): .attribute
    case .exposedVariation: .id
    case .access, .custom, .purchases, .storeMessageIsPending: nil
    }
  }
}

/// What a rule can ask of an access level.
package enum AccessFact: String, CaseIterable, Sendable {
  case isActive = "is_active"
  case isLifetime = "is_lifetime"
  case isRefund = "is_refund"
  case isInGracePeriod = "is_in_grace_period"
  case hasBillingIssue = "has_billing_issue"
  case willRenew = "will_renew"
  case activatedAt = "activated_at"
  case renewedAt = "renewed_at"
  case startsAt = "starts_at"
  case expiresAt = "expires_at"
  case unsubscribedAt = "unsubscribed_at"
  case billingIssueDetectedAt = "billing_issue_detected_at"
  case productID = "product_id"
  case store
  case introductoryOfferType = "introductory_offer_type"
  case promotionalOfferType = "promotional_offer_type"
  case cancellationReason = "cancellation_reason"

  package var type: ValueType {
    switch self {
    case .isActive, .isLifetime, .isRefund, .isInGracePeriod, .hasBillingIssue, .willRenew: .boolean
    case .activatedAt, .renewedAt, .startsAt, .expiresAt, .unsubscribedAt, .billingIssueDetectedAt:
      .timestamp
    case .productID, .store, .introductoryOfferType, .promotionalOfferType, .cancellationReason:
      .text
    }
  }
}

/// What a rule can ask of a person's purchases.
package enum PurchaseFact: String, CaseIterable, Sendable {
  /// Without those of a store's sandbox, as the next two.
  case count
  case lastAt = "last_at"
  case revenueUSD = "revenue_usd"
  /// Purchases in a store's sandbox or in Xcode, for which nobody paid.
  case sandboxCount = "sandbox_count"

  package var type: ValueType {
    switch self {
    case .count, .revenueUSD, .sandboxCount: .number
    case .lastAt: .timestamp
    }
  }
}

/// Full dotted names that a rule's text uses, read without judging it: a wrong rule has its names too,
/// up to where it cannot be cut into words.
func namesUsed(in rule: Bytes) -> Set<Bytes> {
  guard let tokens = try? Lexer.tokens(of: rule) else { return [] }
  var names: Set<Bytes> = []
  var name: [UInt8] = []
  var isBehindDot = false
  for token in tokens {
    switch token.kind {
    case .word(let part), .quoted(let part):
      if !isBehindDot { name = [] }
      name += part.slice
      names.insert(Bytes(name))
      isBehindDot = false
    case .sign(.dot):
      name.append(UInt8(ascii: "."))
      isBehindDot = true
    case .number, .text, .sign, .end:
      name = []
      isBehindDot = false
    }
  }
  return names
}

extension Bytes {
  /// What follows a prefix; nil where the bytes do not begin with it, or nothing follows.
  fileprivate func suffix(behind prefix: Bytes) -> Bytes? {
    guard count > prefix.count, self[0..<prefix.count] == prefix else { return nil }
    return self[prefix.count..<count]
  }

  /// What precedes a suffix; nil where the bytes do not end with it, or nothing precedes.
  fileprivate func prefix(before suffix: Bytes) -> Bytes? {
    guard count > suffix.count, self[count - suffix.count..<count] == suffix else { return nil }
    return self[0..<count - suffix.count]
  }
}
