internal import Core

extension DerivedTable {
  static let accessLevels = DerivedTable(
    name: "access_levels",
    columns: [
      Column("profile_id", .text), Column("level", .text), Column("is_active", .boolean),
    ] + stateColumns + [Column("product_id", .text)] + termColumns + [
      Column("said_at", .timestamptz), Column("told_at", .timestamptz),
    ],
    keyColumns: 2
  ) { outcome, _, rows in
    for level in outcome.accessLevels {
      let terms = level.terms
      rows.append(columns: 24) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(level.level)
      } rest: { row in
        row.appendField(level.isActive)
        row.appendState(of: terms)
        row.appendField(terms.productID)
        row.appendTerms(terms)
        row.appendField(level.version)
        row.appendField(level.toldAt)
      }
    }
  }

  static let subscriptions = DerivedTable(
    name: "subscriptions",
    columns: [
      Column("profile_id", .text), Column("product_id", .text),
      Column("subscription_number", .int4), Column("is_active", .boolean),
    ] + stateColumns + termColumns + [
      Column("transaction_id", .text), Column("original_transaction_id", .text),
      Column("is_sandbox", .boolean), Column("billing_plan_id", .text),
      Column("commitment_period_number", .int4), Column("commitment_periods", .int4),
      Column("commitment_expires_at", .timestamptz), Column("said_at", .timestamptz),
      Column("told_at", .timestamptz),
    ],
    keyColumns: 3
  ) { outcome, _, rows in
    for subscription in outcome.subscriptions {
      rows.append(columns: 13 + stateColumns.count + termColumns.count) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(subscription.productID)
        row.appendField(subscription.number)
      } rest: { row in
        row.appendField(subscription.isActive)
        row.appendState(of: subscription.terms)
        row.appendTerms(subscription.terms)
        row.appendField(subscription.transactionID)
        row.appendField(subscription.originalTransactionID)
        row.appendField(subscription.isSandbox)
        row.appendField(subscription.billingPlanID)
        row.appendField(subscription.commitmentPeriodNumber)
        row.appendField(subscription.commitmentPeriods)
        row.appendField(subscription.commitmentExpiresAt)
        row.appendField(subscription.version)
        row.appendField(subscription.toldAt)
      }
    }
  }

  static let nonSubscriptions = DerivedTable(
    name: "non_subscriptions",
    columns: [
      Column("profile_id", .text), Column("purchase_id", .text), Column("product_id", .text),
      Column("store", .text), Column("transaction_id", .text),
      Column("purchased_at", .timestamptz), Column("is_sandbox", .boolean),
      Column("is_refund", .boolean), Column("is_consumable", .boolean),
      Column("said_at", .timestamptz), Column("told_at", .timestamptz),
    ],
    keyColumns: 2
  ) { outcome, _, rows in
    for purchase in outcome.nonSubscriptions {
      rows.append(columns: 11) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(purchase.purchaseID)
      } rest: { row in
        row.appendField(purchase.productID)
        row.appendField(purchase.store)
        row.appendField(purchase.transactionID)
        row.appendField(purchase.purchasedAt)
        row.appendField(purchase.isSandbox)
        row.appendField(purchase.isRefund)
        row.appendField(purchase.isConsumable)
        row.appendField(purchase.version)
        row.appendField(purchase.toldAt)
      }
    }
  }

  /// In the order of ``appendState(of:)``.
  private static let stateColumns: [Column] = [
    "is_lifetime", "is_refund", "is_in_grace_period", "has_billing_issue", "will_renew",
  ].map { Column($0, .boolean) }

  /// In the order of ``appendTerms(_:)``.
  private static let termColumns: [Column] =
    [Column("store", .text)]
    + [
      "activated_at", "renewed_at", "starts_at", "expires_at", "unsubscribed_at",
      "billing_issue_detected_at",
    ].map { Column($0, .timestamptz) }
    + [
      "introductory_offer_type", "promotional_offer_type", "promotional_offer_id", "offer_id",
      "cancellation_reason",
    ].map { Column($0, .text) } + [Column("is_said_active", .boolean)]

  static let profileSubscriptions = DerivedTable(
    name: "profile_subscriptions",
    columns: [
      Column("profile_id", .text), Column("state", .text), Column("told_at", .timestamptz),
    ],
    keyColumns: 1
  ) { outcome, _, rows in
    guard let subscription = outcome.subscription else { return }
    rows.append(columns: 3) { row in
      row.appendField(outcome.profile.profileID)
    } rest: { row in
      if let state = subscription.state {
        row.appendField(state.rawValue)
      } else {
        row.appendNull()
      }
      row.appendField(subscription.toldAt)
    }
  }

  static let storeMessages = DerivedTable(
    name: "store_messages",
    columns: [
      Column("profile_id", .text), Column("message_type", .text), Column("message_number", .int4),
      Column("session_id", .text), Column("queued_at", .timestamptz),
      Column("shown_at", .timestamptz), Column("ended_at", .timestamptz),
      Column("failed_attempts", .int4), Column("last_failed_at", .timestamptz),
      Column("last_error_code", .int4), Column("last_error", .text),
      Column("is_pending", .boolean),
    ],
    keyColumns: 3
  ) { outcome, _, rows in
    for message in outcome.storeMessages {
      rows.append(columns: 12) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(message.type)
        row.appendField(message.number)
      } rest: { row in
        row.appendField(message.sessionID)
        row.appendField(message.queuedAt)
        row.appendField(message.shownAt)
        row.appendField(message.endedAt)
        row.appendField(message.failedAttempts)
        row.appendField(message.lastFailedAt)
        row.appendField(message.lastErrorCode)
        row.appendField(message.lastError)
        row.appendField(message.isPending)
      }
    }
  }
}

extension Array where Element == UInt8 {
  fileprivate mutating func appendState(of terms: AccessTerms) {
    appendField(terms.isLifetime)
    appendField(terms.isRefund)
    appendField(terms.isInGracePeriod)
    appendField(terms.billingIssueDetectedAt != nil)
    appendField(terms.willRenew)
  }

  fileprivate mutating func appendTerms(_ terms: AccessTerms) {
    appendField(terms.store)
    for instant in [
      terms.activatedAt, terms.renewedAt, terms.startsAt, terms.expiresAt, terms.unsubscribedAt,
      terms.billingIssueDetectedAt,
    ] {
      appendField(instant)
    }
    appendField(terms.introductoryOfferType)
    appendField(terms.promotionalOfferType)
    appendField(terms.promotionalOfferID)
    appendField(terms.offerID)
    appendField(terms.cancellationReason)
    appendField(terms.isActive)
  }
}
