import Testing

@testable import Core
@testable import sluice

/// Every kind of event, every name it is sent under, what it looks like, and where it lands.
struct KindCase: CustomTestStringConvertible {
  let kind: EventKind
  /// The canonical name first.
  let names: [Bytes]
  let fixtures: [String]
  /// What follows, besides events that are counted, one a fixture.
  let lands: [String]
  var testDescription: String { names.first?.string ?? "other" }

  init(_ kind: EventKind, _ names: [Bytes], _ fixtures: [(String, String)]) {
    self.kind = kind
    self.names = names
    self.fixtures = fixtures.map(\.0)
    lands = fixtures.map(\.1)
  }

  static let all: [KindCase] = [
    KindCase(
      .flowAppeared,
      [
        "flow_appeared", "flowControllerDidAppear", "flow_view_did_appear",
        "paywallControllerDidAppear", "paywall_view_did_appear", "didAppear", "onAppeared",
        "flowViewDidAppear", "paywallViewDidAppear", "onFlowShown", "onPaywallShown",
      ], [("bridge/flow_appeared", "run")]),
    KindCase(
      .flowScreenShowed, ["flow_screen_showed"],
      [("bridge/flow_screen_showed", "run completed scr_a")]),
    KindCase(
      .flowUserInput, ["flow_user_input"], [("bridge/flow_user_input", "run answer weight")]),
    KindCase(
      .flowDisappeared,
      [
        "flow_disappeared", "flowControllerDidDisappear", "flow_view_did_disappear",
        "paywallControllerDidDisappear", "paywall_view_did_disappear", "didDisappear",
        "onDisappeared", "onFlowClosed", "flowViewDidDisappear", "paywallViewDidDisappear",
        "onPaywallClosed",
      ], [("bridge/flow_disappeared", "run ended")]),
    KindCase(
      .analyticEvent,
      [
        "analytic_event", "didReceiveAnalyticEvent", "onAnalyticEvent", "onAnalytics",
        "flow_view_did_receive_analytic_event", "flowViewDidReceiveAnalyticEvent",
      ],
      [
        ("bridge/flow_screen_showed", "run completed scr_a"),
        ("bridge/flow_user_input", "run answer weight"),
        ("bridge/analytic_event", "run answer weight"),
      ]),
    KindCase(
      .permissionAsked, ["permission_asked", "flow_view_did_ask_permission"],
      [("bridge/permission_asked", "")]),
    KindCase(
      .reviewRequested, ["review_requested", "flow_view_did_request_app_review"],
      [("bridge/review_requested", "")]),
    KindCase(
      .actionPerformed,
      [
        "action_performed", "didPerform", "didPerformAction", "flow_view_did_perform_action",
        "paywall_view_did_perform_action", "flowViewDidPerformAction",
        "paywallViewDidPerformAction", "onActionPerformed", "onCustomAction", "onCloseButtonPress",
        "onUrlPress", "onboarding_on_close_action", "onboarding_on_custom_action",
        "onboarding_on_paywall_action",
      ], [("bridge/action_performed", "")]),
    KindCase(
      .productSelected,
      [
        "product_selected", "didSelectProduct", "flow_view_did_select_product",
        "paywall_view_did_select_product", "flowViewDidSelectProduct",
        "paywallViewDidSelectProduct", "onProductSelected",
      ],
      [
        ("flow-events/product_selected", "selected premium_monthly"),
        ("bridge/product_selected", "selected premium_monthly"),
      ]),
    KindCase(
      .purchaseStarted,
      [
        "purchase_started", "didStartPurchase", "flow_view_did_start_purchase",
        "paywall_view_did_start_purchase", "flow_view_observer_did_initiate_purchase",
        "flowViewDidStartPurchase", "paywallViewDidStartPurchase", "onPurchaseStarted",
      ],
      [
        ("flow-events/purchase_started", "purchase started store premium_monthly 9.99 USD"),
        ("bridge/purchase_started", "purchase started store premium_monthly 9.99 USD"),
      ]),
    KindCase(
      .purchaseFinished,
      [
        "purchase_finished", "didFinishPurchase", "flow_view_did_finish_purchase",
        "paywall_view_did_finish_purchase", "flowViewDidFinishPurchase",
        "paywallViewDidFinishPurchase", "onPurchaseFinished", "onPurchaseCompleted",
      ],
      [
        (
          "flow-events/purchase_finished_success",
          "purchase success store premium_monthly 9.99 USD"
        ),
        (
          "flow-events/purchase_finished_cancelled",
          "purchase cancelled store premium_monthly 9.99 USD"
        ),
        ("bridge/purchase_finished_success", "purchase success store premium_monthly 9.99 USD"),
        ("bridge/purchase_finished_pending", "purchase pending store premium_monthly 9.99 USD"),
        (
          "bridge/purchase_finished_cancelled",
          "purchase cancelled store premium_monthly 9.99 USD"
        ),
      ]),
    KindCase(
      .purchaseFailed,
      [
        "purchase_failed", "didFailPurchase", "flow_view_did_fail_purchase",
        "paywall_view_did_fail_purchase", "flowViewDidFailPurchase", "paywallViewDidFailPurchase",
        "onPurchaseFailure", "onPurchaseFailed",
      ],
      [
        (
          "flow-events/purchase_failed",
          """
          purchase failed store premium_monthly 9.99 USD
          error purchase_failed purchase_failed purchase_failed premium_monthly
          """
        ),
        (
          "bridge/purchase_failed",
          """
          purchase failed store premium_monthly 9.99 USD
          error purchase_failed 1006 productPurchaseFailed premium_monthly
          """
        ),
      ]),
    KindCase(
      .purchaseCancelled,
      [
        "purchase_cancelled", "didCancelPurchase", "flow_view_did_cancel_purchase",
        "paywall_view_did_cancel_purchase", "paywallViewDidCancelPurchase", "onPurchaseCancelled",
        "onPurchaseCanceled",
      ],
      [("bridge/purchase_started", "purchase cancelled store premium_monthly 9.99 USD")]),
    KindCase(
      .restoreStarted,
      [
        "restore_started", "flowControllerDidStartRestore", "paywallControllerDidStartRestore",
        "didStartRestore", "flow_view_did_start_restore", "paywall_view_did_start_restore",
        "flow_view_observer_did_initiate_restore", "flowViewDidStartRestore",
        "paywallViewDidStartRestore", "onRestoreStarted",
      ], [("bridge/restore_started", "restore started")]),
    KindCase(
      .restoreFinished,
      [
        "restore_finished", "didFinishRestoreWith", "didFinishRestore",
        "flow_view_did_finish_restore", "paywall_view_did_finish_restore",
        "flowViewDidFinishRestore", "paywallViewDidFinishRestore", "onRestoreSuccess",
        "onRestoreCompleted",
      ],
      [
        ("flow-events/restore_finished", "restore success access"),
        ("bridge/restore_finished", "restore success access"),
      ]),
    KindCase(
      .restoreFailed,
      [
        "restore_failed", "didFailRestoreWith", "didFailRestore", "flow_view_did_fail_restore",
        "paywall_view_did_fail_restore", "flowViewDidFailRestore", "paywallViewDidFailRestore",
        "onRestoreFailure", "onRestoreFailed",
      ],
      [
        (
          "flow-events/restore_failed",
          "restore failed restore_failed\nerror restore_failed restore_failed restore_failed"
        ),
        (
          "bridge/restore_failed",
          "restore failed 2002\nerror restore_failed 2002 notActivated"
        ),
      ]),
    KindCase(
      .errorReceived,
      [
        "error_received", "didReceiveError", "flow_view_did_receive_error",
        "flowViewDidReceiveError", "onError", "onboarding_did_fail_with_error",
      ],
      [("bridge/error_received", "error error_received 4105 jsException")]),
    KindCase(
      .renderingFailed,
      [
        "rendering_failed", "didFailRenderingWith", "didFailRendering",
        "paywall_view_did_fail_rendering", "flow_view_did_fail_rendering",
        "flowViewDidFailRendering", "paywallViewDidFailRendering", "onRenderingError",
        "onRenderingFailed",
      ],
      [
        (
          "flow-events/rendering_failed",
          "error rendering_failed rendering_failed rendering_failed"
        ),
        ("bridge/rendering_failed", "error rendering_failed 4103 wrongComponentType"),
      ]),
    KindCase(
      .productLoadingFailed,
      [
        "product_loading_failed", "didFailLoadingProductsWith", "didFailLoadingProducts",
        "flow_view_did_fail_loading_products", "paywall_view_did_fail_loading_products",
        "flowViewDidFailLoadingProducts", "paywallViewDidFailLoadingProducts",
        "onLoadingProductsFailure", "onLoadingProductsFailed",
      ],
      [
        (
          "flow-events/product_loading_failed",
          "error product_loading_failed products_loading_failed products_loading_failed"
        ),
        (
          "bridge/product_loading_failed",
          "error product_loading_failed 1000 noProductIDsFound retried"
        ),
      ]),
    KindCase(
      .productsPartiallyLoaded,
      [
        "products_partially_loaded", "didPartiallyLoadProducts",
        "flow_view_did_partially_load_products",
      ],
      [
        (
          "bridge/products_partially_loaded",
          "error products_partially_loaded without premium_yearly gold"
        ),
        (
          "bridge/products_partially_loaded_camel",
          "error products_partially_loaded without premium_yearly gold"
        ),
      ]),
    KindCase(
      .webPaymentStarted,
      [
        "web_payment_started", "shouldContinueWebPaymentNavigation",
        "paywall_view_should_continue_web_payment_navigation",
      ],
      [
        ("flow-events/web_payment_started", "purchase started web premium_monthly 9.99 USD"),
        ("bridge/web_payment_started", "purchase started web premium_monthly 9.99 USD"),
      ]),
    KindCase(
      .webPaymentFinished,
      [
        "web_payment_finished", "didFinishWebPaymentNavigation",
        "flow_view_did_finish_web_payment_navigation",
        "paywall_view_did_finish_web_payment_navigation", "flowViewDidFinishWebPaymentNavigation",
        "paywallViewDidFinishWebPaymentNavigation", "onFinishWebPaymentNavigation",
        "onWebPaymentNavigationFinished",
      ],
      [
        ("bridge/web_payment_finished", "purchase pending web premium_monthly 9.99 USD"),
        (
          "bridge/web_payment_finished_error",
          "purchase failed web\nerror web_payment_finished 2005 networkFailed"
        ),
        ("bridge/web_payment_finished_bare", "purchase pending web"),
        (
          "bridge/web_payment_failed",
          """
          purchase failed web premium_monthly 9.99 USD
          error web_payment_finished 2005 networkFailed premium_monthly
          """
        ),
      ]),
    KindCase(
      .webPaymentFailed,
      [
        "web_payment_failed", "didFailWebPaymentNavigation",
        "paywall_view_did_fail_web_payment_navigation",
      ],
      [
        (
          "flow-events/web_payment_failed",
          """
          purchase failed web premium_monthly 9.99 USD
          error web_payment_failed web_payment_failed web_payment_failed premium_monthly
          """
        ),
        (
          "bridge/web_payment_failed",
          """
          purchase failed web premium_monthly 9.99 USD
          error web_payment_failed 2005 networkFailed premium_monthly
          """
        ),
      ]),
    KindCase(
      .profileUpdated,
      [
        "profile_updated", "didLoadLatestProfile", "did_load_latest_profile", "onLatestProfileLoad",
      ],
      [("bridge/profile_updated", "")]),
    KindCase(
      .vendorRecord,
      [
        "subscription_started", "subscription_renewed", "subscription_renewal_cancelled",
        "subscription_renewal_reactivated", "subscription_expired", "subscription_paused",
        "subscription_deferred", "non_subscription_purchase", "trial_started", "trial_converted",
        "trial_renewal_cancelled", "trial_renewal_reactivated", "trial_expired",
        "entered_grace_period", "billing_issue_detected", "subscription_refunded",
        "non_subscription_purchase_refunded", "access_level_updated",
      ],
      [
        (
          "bridge/subscription_started",
          "purchase success store premium_monthly\ntransaction subscription t-1 9.99 USD 9.49 EUR"
        )
      ]),
    KindCase(
      .storeMessageQueued, ["store_message_queued"], [("bridge/store_message_queued", "")]),
    KindCase(.storeMessageShown, ["store_message_shown"], [("bridge/store_message_queued", "")]),
    KindCase(
      .storeMessageFailed, ["store_message_failed"],
      [("bridge/store_message_queued", "error store_message_failed")]),
    KindCase(
      .variationAssigned,
      [
        "variation_assigned", "flow_variation_assigned", "paywall_variation_assigned",
        "onboarding_variation_assigned",
      ],
      [
        ("bridge/variation_assigned", "exposed paywall 7c1d8a9e-0000-4a00-8000-000000000001")
      ]),
    KindCase(.appOpened, ["app_opened"], [("bridge/app_opened", "")]),
    KindCase(.profileMerged, ["profile_merged"], [("bridge/profile_merged", "")]),
    KindCase(.decisionForced, ["decision_forced"], [("bridge/decision_forced", "")]),
    KindCase(.systemLog, ["system_log"], [("bridge/system_log", "")]),
    KindCase(
      .documented,
      [
        "profile_refund_saver_settings", "onboarding_started", "screen_completed",
        "second_screen_presented", "registration_screen_presented", "products_screen_presented",
        "user_email_collected", "onboarding_loaded",
      ],
      [("bridge/profile_refund_saver_settings", ""), ("bridge/screen_completed", "")]),
    KindCase(.other, [], []),
  ]
}

@Suite("Kinds of events")
struct EventKindTests {
  @Test("the table has every kind with every name, and a fixture for each")
  func complete() {
    for kind in EventKind.allCases {
      let found = KindCase.all.filter { $0.kind == kind }
      #expect(found.count == 1, "\(kind)")
      #expect(found.first?.names == kind.names, "\(kind)")
      #expect(kind == .other || found.first?.fixtures.isEmpty == false, "\(kind)")
    }
    let names = KindCase.all.flatMap(\.names)
    #expect(Set(names).count == names.count, "no name stands for two kinds")
  }

  @Test("the vendor's document is a fixture of its kind, block by block")
  func seeds() {
    let used = Set(KindCase.all.flatMap(\.fixtures).filter { $0.hasPrefix("flow-events/") })
    #expect(
      used.map { $0.dropFirst("flow-events/".count) }.sorted() == [
        "product_loading_failed", "product_selected", "purchase_failed",
        "purchase_finished_cancelled", "purchase_finished_success", "purchase_started",
        "rendering_failed", "restore_failed", "restore_finished", "web_payment_failed",
        "web_payment_started",
      ])
  }

  @Test("each name is read and each fixture lands where it should", arguments: KindCase.all)
  func lands(_ row: KindCase) throws {
    let pipeline = try Pipeline.commerce()
    for name in row.names { #expect(EventKind(name: name) == row.kind, "\(name.string)") }
    for (fixture, lands) in zip(row.fixtures, row.lands) {
      let params = try Fixture.params(fixture)
      // A record's name is its type: they mean different things.
      for name in row.kind == .vendorRecord ? [row.names[0]] : row.names {
        var script = EventScript()
        script.context = [:]
        if row.kind != .variationAssigned { script.context[.platform] = "iOS" }
        script.add(name, 0, params)
        let outcome = pipeline.outcome(script)
        #expect(outcome.profile.events == 1)
        #expect(outcome.landing.joined(separator: "\n") == lands, "\(name.string), \(fixture)")
      }
    }
  }

  @Test("each type of the feed's records is a transaction of its kind, or none")
  func records() throws {
    let kinds: [Bytes: StoreTransaction.Kind] = [
      "subscription_started": .subscription, "trial_started": .trial,
      "non_subscription_purchase": .single, "subscription_renewed": .renewal,
      "trial_converted": .conversion, "subscription_refunded": .unknown,
      "non_subscription_purchase_refunded": .unknown,
    ]
    let pipeline = try Pipeline.commerce()
    for name in EventKind.vendorRecord.names {
      var script = EventScript()
      script.record(name, 0, try Fixture.params("bridge/subscription_started"))
      let outcome = pipeline.outcome(script)
      #expect(outcome.transactions.first?.kind == kinds[name], "\(name.string)")
      let isPurchase = kinds[name]?.isBeginning ?? false
      #expect(outcome.purchases.count == (isPurchase ? 1 : 0), "\(name.string)")
    }
  }

  @Test("an unknown name is kept and means nothing")
  func unknown() throws {
    var script = EventScript()
    script.add("cta_tapped", 0, "{}")
    let outcome = try Pipeline.commerce().outcome(script)
    #expect(EventKind(name: "cta_tapped") == .other)
    #expect(outcome.profile.events == 1)
    #expect(outcome.landing.isEmpty)
  }
}

extension Outcome {
  /// What there is besides the profile, in words, one a row.
  fileprivate var landing: [String] {
    func words(_ parts: [String?]) -> String {
      parts.compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }.joined(separator: " ")
    }
    var lines: [String] = []
    for run in runs {
      lines.append(
        words([
          "run", run.endedAt.map { _ in "ended" }, run.completedAt.map { _ in "completed" },
          run.path.map(\.screen.string).joined(separator: " "),
          run.answers.first.map { "answer " + $0.element.string },
        ]))
    }
    for purchase in purchases {
      lines.append(
        words([
          "purchase", purchase.outcome.rawValue, purchase.channel.rawValue,
          purchase.productID?.string, purchase.price.map { "\($0)" },
          purchase.priceCurrency?.string,
        ]))
    }
    for transaction in transactions {
      lines.append(
        words([
          "transaction", transaction.kind.rawValue, transaction.transactionID.string,
          transaction.revenueUSD.map { "\($0) USD" }, transaction.revenueLocal.map { "\($0)" },
          transaction.currency?.string,
        ]))
    }
    for restore in restores {
      lines.append(
        words([
          "restore", restore.outcome.rawValue, restore.hasAccess.map { $0 ? "access" : "none" },
          restore.errorCode?.string,
        ]))
    }
    for error in flowErrors {
      lines.append(
        words([
          "error", error.kind.string, error.code?.string, error.name?.string,
          error.productID?.string, error.isRetried.map { $0 ? "retried" : "not retried" },
          error.failedProductIDs.isEmpty
            ? nil : "without " + error.failedProductIDs.map(\.string).joined(separator: " "),
        ]))
    }
    for selection in selections {
      lines.append(words(["selected", selection.productID?.string]))
    }
    for exposure in exposures {
      lines.append(words(["exposed", exposure.placementID.string, exposure.variationID.string]))
    }
    return lines
  }
}
