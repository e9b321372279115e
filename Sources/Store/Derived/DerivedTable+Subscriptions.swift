internal import Core

extension DerivedTable {
  static let accessLevels = DerivedTable(
    name: "access_levels",
    columns: [
      Column("profile_id", .text), Column("level", .text), Column("is_active", .boolean),
      Column("is_lifetime", .boolean), Column("is_refund", .boolean),
      Column("is_in_grace_period", .boolean), Column("has_billing_issue", .boolean),
      Column("will_renew", .boolean), Column("product_id", .text), Column("store", .text),
      Column("activated_at", .timestamptz), Column("renewed_at", .timestamptz),
      Column("starts_at", .timestamptz), Column("expires_at", .timestamptz),
      Column("unsubscribed_at", .timestamptz), Column("billing_issue_detected_at", .timestamptz),
      Column("introductory_offer_type", .text), Column("promotional_offer_type", .text),
      Column("promotional_offer_id", .text), Column("offer_id", .text),
      Column("cancellation_reason", .text), Column("is_said_active", .boolean),
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
        row.appendField(terms.isLifetime)
        row.appendField(terms.isRefund)
        row.appendField(terms.isInGracePeriod)
        row.appendField(terms.billingIssueDetectedAt != nil)
        row.appendField(terms.willRenew)
        row.appendField(terms.productID)
        row.appendField(terms.store)
        for instant in [
          terms.activatedAt, terms.renewedAt, terms.startsAt, terms.expiresAt,
          terms.unsubscribedAt, terms.billingIssueDetectedAt,
        ] {
          row.appendField(instant)
        }
        row.appendField(terms.introductoryOfferType)
        row.appendField(terms.promotionalOfferType)
        row.appendField(terms.promotionalOfferID)
        row.appendField(terms.offerID)
        row.appendField(terms.cancellationReason)
        row.appendField(terms.isActive)
        row.appendField(level.version)
        row.appendField(level.toldAt)
      }
    }
  }

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
