internal import Core

extension DerivedTable {
  /// Tables of purchases, restores, errors and exposures.
  static let commerce: [DerivedTable] = [
    .purchases, .storeTransactions, .productSelections, .restores, .flowErrors, .exposures,
  ]

  static let purchases = DerivedTable(
    name: "purchases",
    columns: [
      Column("profile_id", .text), Column("purchase_id", .text), Column("outcome", .text),
      Column("app_outcome", .text), Column("channel", .text), Column("source", .text),
      Column("matched_by", .text), Column("started_at", .timestamptz),
      Column("finished_at", .timestamptz), Column("recorded_at", .timestamptz),
      Column("purchased_at", .timestamptz), Column("product_id", .text), Column("price", .float8),
      Column("price_currency", .text), Column("revenue_local", .float8),
      Column("revenue_currency", .text), Column("revenue_usd", .float8),
      Column("total_usd", .float8), Column("renewals", .int4),
      Column("refunded_at", .timestamptz), Column("store", .text), Column("environment", .text),
      Column("transaction_id", .text), Column("original_transaction_id", .text),
      Column("error_code", .text), Column("error_name", .text), Column("is_sandbox", .boolean),
    ] + sceneColumns,
    keyColumns: 2
  ) { outcome, _, rows in
    for purchase in outcome.purchases {
      rows.append(columns: 27 + sceneColumns.count) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(purchase.purchaseID)
      } rest: { row in
        row.appendField(purchase.outcome.rawValue)
        row.appendField(word: purchase.appOutcome?.rawValue)
        row.appendField(purchase.channel.rawValue)
        row.appendField(purchase.source.rawValue)
        row.appendField(word: purchase.matchedBy?.rawValue)
        row.appendField(purchase.startedAt)
        row.appendField(purchase.finishedAt)
        row.appendField(purchase.recordedAt)
        row.appendField(purchase.purchasedAt)
        row.appendField(purchase.productID)
        row.appendField(amount: purchase.price)
        row.appendField(purchase.priceCurrency)
        row.appendField(amount: purchase.revenueLocal)
        row.appendField(purchase.revenueCurrency)
        row.appendField(amount: purchase.revenueUSD)
        row.appendField(amount: purchase.totalUSD)
        row.appendField(Int32(clamping: purchase.renewals))
        row.appendField(purchase.refundedAt)
        row.appendField(purchase.store)
        row.appendField(purchase.environment)
        row.appendField(purchase.transactionID)
        row.appendField(purchase.originalTransactionID)
        row.appendField(purchase.errorCode)
        row.appendField(purchase.errorName)
        row.appendField(purchase.isSandbox)
        row.appendFields(of: purchase.scene)
      }
    }
  }

  static let storeTransactions = DerivedTable(
    name: "store_transactions",
    columns: [
      Column("profile_id", .text), Column("transaction_id", .text),
      Column("original_transaction_id", .text), Column("kind", .text),
      Column("recorded_at", .timestamptz), Column("purchased_at", .timestamptz),
      Column("product_id", .text), Column("store", .text), Column("environment", .text),
      Column("currency", .text), Column("revenue_local", .float8), Column("revenue_usd", .float8),
      Column("refunded_at", .timestamptz), Column("refunded_local", .float8),
      Column("refunded_usd", .float8), Column("purchase_id", .text),
      Column("is_sandbox", .boolean),
    ],
    keyColumns: 2
  ) { outcome, _, rows in
    for transaction in outcome.transactions {
      rows.append(columns: 17) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(transaction.transactionID)
      } rest: { row in
        row.appendField(transaction.originalTransactionID)
        row.appendField(transaction.kind.rawValue)
        row.appendField(transaction.recordedAt)
        row.appendField(transaction.purchasedAt)
        row.appendField(transaction.productID)
        row.appendField(transaction.store)
        row.appendField(transaction.environment)
        row.appendField(transaction.currency)
        row.appendField(amount: transaction.revenueLocal)
        row.appendField(amount: transaction.revenueUSD)
        row.appendField(transaction.refundedAt)
        row.appendField(amount: transaction.refundedLocal)
        row.appendField(amount: transaction.refundedUSD)
        row.appendField(transaction.purchaseID)
        row.appendField(transaction.isSandbox)
      }
    }
  }

  static let productSelections = DerivedTable(
    name: "product_selections",
    columns: [
      Column("profile_id", .text), Column("selection_id", .text), Column("product_id", .text),
      Column("first_at", .timestamptz), Column("times", .int4),
    ] + sceneColumns,
    keyColumns: 2
  ) { outcome, _, rows in
    for selection in outcome.selections {
      rows.append(columns: 5 + sceneColumns.count) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(selection.selectionID)
      } rest: { row in
        row.appendField(selection.productID)
        row.appendField(selection.firstAt)
        row.appendField(Int32(clamping: selection.times))
        row.appendFields(of: selection.scene)
      }
    }
  }

  static let restores = DerivedTable(
    name: "restores",
    columns: [
      Column("profile_id", .text), Column("restore_id", .text), Column("outcome", .text),
      Column("started_at", .timestamptz), Column("finished_at", .timestamptz),
      Column("has_access", .boolean), Column("error_code", .text), Column("error_name", .text),
    ] + sceneColumns,
    keyColumns: 2
  ) { outcome, _, rows in
    for restore in outcome.restores {
      rows.append(columns: 8 + sceneColumns.count) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(restore.restoreID)
      } rest: { row in
        row.appendField(restore.outcome.rawValue)
        row.appendField(restore.startedAt)
        row.appendField(restore.finishedAt)
        row.appendField(restore.hasAccess)
        row.appendField(restore.errorCode)
        row.appendField(restore.errorName)
        row.appendFields(of: restore.scene)
      }
    }
  }

  static let flowErrors = DerivedTable(
    name: "flow_errors",
    columns: [
      Column("profile_id", .text), Column("error_id", .text), Column("kind", .text),
      Column("occurred_at", .timestamptz), Column("code", .text), Column("code_name", .text),
      Column("product_id", .text), Column("failed_product_ids", .textArray),
      Column("is_retried", .boolean),
    ] + sceneColumns,
    keyColumns: 2
  ) { outcome, _, rows in
    for error in outcome.flowErrors {
      rows.append(columns: 9 + sceneColumns.count) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(error.errorID)
      } rest: { row in
        row.appendField(error.kind)
        row.appendField(error.occurredAt)
        row.appendField(error.code)
        row.appendField(error.name)
        row.appendField(error.productID)
        row.appendArray(error.failedProductIDs, of: .text) { $0.appendField($1) }
        row.appendField(error.isRetried)
        row.appendFields(of: error.scene)
      }
    }
  }

  static let exposures = DerivedTable(
    name: "exposures",
    columns: [
      Column("profile_id", .text), Column("placement_id", .text), Column("variation_id", .text),
      Column("audience_version_id", .text), Column("flow_id", .text),
      Column("first_at", .timestamptz), Column("variations", .int4),
      Column("has_several", .boolean),
    ],
    keyColumns: 2
  ) { outcome, _, rows in
    for exposure in outcome.exposures {
      rows.append(columns: 8) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(exposure.placementID)
      } rest: { row in
        row.appendField(exposure.variationID)
        row.appendField(exposure.audienceVersionID)
        row.appendField(exposure.flowID)
        row.appendField(exposure.firstAt)
        row.appendField(Int32(clamping: exposure.variations))
        row.appendField(exposure.variations > 1)
      }
    }
  }

  /// In the order of ``appendFields(of:)``.
  private static let sceneColumns: [Column] = [
    "run_id", "session_id", "placement_id", "flow_id", "variation_id", "audience_name",
    "audience_version_id", "platform", "app_version", "country",
  ].map { Column($0, .text) }
}

extension Array where Element == UInt8 {
  fileprivate mutating func appendFields(of scene: Scene) {
    appendField(scene.runID)
    appendField(scene.sessionID)
    appendField(scene.placementID)
    appendField(scene.flowID)
    appendField(scene.variationID)
    appendField(scene.audienceName)
    appendField(scene.audienceVersionID)
    appendField(scene.platform)
    appendField(scene.appVersion)
    appendField(scene.country)
  }

  fileprivate mutating func appendField(word: String?) {
    if let word { appendField(word) } else { appendNull() }
  }

  /// Minus zero equals zero and is never stored (SEMANTICS 7.2); adding zero turns it.
  fileprivate mutating func appendField(amount: Double?) { appendField(amount.map { $0 + 0 }) }
}
