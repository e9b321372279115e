/// What an event means to the fold; an unknown name is kept and means nothing.
///
/// One kind a callback of the vendor's flow and paywall controllers, and the few events of other
/// origin that change what is known of a person.
package enum EventKind: CaseIterable, Sendable {
  case flowAppeared
  case flowScreenShowed
  case flowUserInput
  case flowDisappeared
  /// The callback that hands over an analytic event: which one is told by its params.
  case analyticEvent
  case permissionAsked
  case reviewRequested
  case actionPerformed
  case productSelected
  case purchaseStarted
  /// Successful, pending or cancelled: its params tell which.
  case purchaseFinished
  case purchaseFailed
  /// What older SDKs call where others hand over a cancelled result.
  case purchaseCancelled
  case restoreStarted
  case restoreFinished
  case restoreFailed
  case errorReceived
  case renderingFailed
  case productLoadingFailed
  case productsPartiallyLoaded
  case webPaymentStarted
  /// With or without an error: its params tell which.
  case webPaymentFinished
  case webPaymentFailed
  /// A snapshot of the vendor's profile.
  case profileUpdated
  /// A record of the vendor's webhook or event export; its name is the record's type.
  case vendorRecord
  case storeMessageQueued
  case storeMessageShown
  case storeMessageFailed
  case variationAssigned
  case appOpened
  /// Two ids are one person's (SEMANTICS 6.1).
  case profileMerged
  /// A person of quality assurance is shown a variation that nobody drew (SEMANTICS 6.5).
  case decisionForced
  case systemLog
  /// What the vendor's documents name and no fact follows from; each name is an event of its own.
  case documented
  case other

  /// Reads a canonical name or one of its aliases, also where a callback is named by its whole selector:
  /// `flowController(_:didFinishPurchase:purchaseResult:)`.
  package init(name: Bytes) {
    self =
      name.withSpan(Self.frequent) ?? Self.byName[name] ?? Self.selectorKey(name).flatMap {
        Self.byName[$0]
      } ?? .other
  }

  /// What makes up nearly all events, told without a hash of the name.
  private static func frequent(_ name: Span<UInt8>) -> EventKind? {
    if name.spells("flow_screen_showed") { return .flowScreenShowed }
    if name.spells("flow_user_input") { return .flowUserInput }
    if name.spells("flow_appeared") { return .flowAppeared }
    if name.spells("flow_disappeared") { return .flowDisappeared }
    return nil
  }

  /// What tells a callback in a selector: the first label that is one, else what stands before them.
  private static func selectorKey(_ name: Bytes) -> Bytes? {
    guard name.slice.last == UInt8(ascii: ")"),
      let open = name.slice.firstIndex(of: UInt8(ascii: "("))
    else { return nil }
    let arguments = name.slice[(open + 1)...].dropLast()
    guard arguments.isEmpty || arguments.last == UInt8(ascii: ":") else { return nil }
    let labels = arguments.split(separator: UInt8(ascii: ":"))
    let label = labels.first { Array($0) != [UInt8(ascii: "_")] }
    return Bytes(Array(label ?? name.slice[..<open]))
  }

  private static let byName: [Bytes: EventKind] = {
    var result: [Bytes: EventKind] = [:]
    for kind in allCases { for name in kind.names { result[name] = kind } }
    return result
  }()

  /// Whether each of its names says something of its own, so that none stands for the others.
  package var hasNamesOfTheirOwn: Bool { self == .vendorRecord || self == .documented }

  /// The canonical name first, then its aliases: the controllers' callbacks, the closures of the
  /// SwiftUI modifiers, the ids of the cross-platform bridge, the observers of the other SDKs, and the older paywall's names.
  package var names: [Bytes] {
    switch self {
    case .flowAppeared:
      [
        "flow_appeared", "flowControllerDidAppear", "flow_view_did_appear",
        "paywallControllerDidAppear", "paywall_view_did_appear", "didAppear", "onAppeared",
        "flowViewDidAppear", "paywallViewDidAppear", "onFlowShown", "onPaywallShown",
      ]
    case .flowScreenShowed: ["flow_screen_showed"]
    case .flowUserInput: ["flow_user_input"]
    case .flowDisappeared:
      [
        "flow_disappeared", "flowControllerDidDisappear", "flow_view_did_disappear",
        "paywallControllerDidDisappear", "paywall_view_did_disappear", "didDisappear",
        "onDisappeared", "onFlowClosed", "flowViewDidDisappear", "paywallViewDidDisappear",
        "onPaywallClosed",
      ]
    case .analyticEvent:
      [
        "analytic_event", "didReceiveAnalyticEvent", "onAnalyticEvent", "onAnalytics",
        "flow_view_did_receive_analytic_event", "flowViewDidReceiveAnalyticEvent",
      ]
    case .permissionAsked: ["permission_asked", "flow_view_did_ask_permission"]
    case .reviewRequested: ["review_requested", "flow_view_did_request_app_review"]
    case .actionPerformed:
      [
        "action_performed", "didPerform", "didPerformAction", "flow_view_did_perform_action",
        "paywall_view_did_perform_action", "flowViewDidPerformAction",
        "paywallViewDidPerformAction", "onActionPerformed", "onCustomAction", "onCloseButtonPress",
        "onUrlPress", "onboarding_on_close_action", "onboarding_on_custom_action",
        "onboarding_on_paywall_action",
      ]
    case .productSelected:
      [
        "product_selected", "didSelectProduct", "flow_view_did_select_product",
        "paywall_view_did_select_product", "flowViewDidSelectProduct",
        "paywallViewDidSelectProduct", "onProductSelected",
      ]
    case .purchaseStarted:
      [
        "purchase_started", "didStartPurchase", "flow_view_did_start_purchase",
        "paywall_view_did_start_purchase", "flow_view_observer_did_initiate_purchase",
        "flowViewDidStartPurchase", "paywallViewDidStartPurchase", "onPurchaseStarted",
      ]
    case .purchaseFinished:
      [
        "purchase_finished", "didFinishPurchase", "flow_view_did_finish_purchase",
        "paywall_view_did_finish_purchase", "flowViewDidFinishPurchase",
        "paywallViewDidFinishPurchase", "onPurchaseFinished", "onPurchaseCompleted",
      ]
    case .purchaseFailed:
      [
        "purchase_failed", "didFailPurchase", "flow_view_did_fail_purchase",
        "paywall_view_did_fail_purchase", "flowViewDidFailPurchase", "paywallViewDidFailPurchase",
        "onPurchaseFailure", "onPurchaseFailed",
      ]
    case .purchaseCancelled:
      [
        "purchase_cancelled", "didCancelPurchase", "flow_view_did_cancel_purchase",
        "paywall_view_did_cancel_purchase", "paywallViewDidCancelPurchase", "onPurchaseCancelled",
        "onPurchaseCanceled",
      ]
    case .restoreStarted:
      [
        "restore_started", "flowControllerDidStartRestore", "paywallControllerDidStartRestore",
        "didStartRestore", "flow_view_did_start_restore", "paywall_view_did_start_restore",
        "flow_view_observer_did_initiate_restore", "flowViewDidStartRestore",
        "paywallViewDidStartRestore", "onRestoreStarted",
      ]
    case .restoreFinished:
      [
        "restore_finished", "didFinishRestoreWith", "didFinishRestore",
        "flow_view_did_finish_restore", "paywall_view_did_finish_restore",
        "flowViewDidFinishRestore", "paywallViewDidFinishRestore", "onRestoreSuccess",
        "onRestoreCompleted",
      ]
    case .restoreFailed:
      [
        "restore_failed", "didFailRestoreWith", "didFailRestore", "flow_view_did_fail_restore",
        "paywall_view_did_fail_restore", "flowViewDidFailRestore", "paywallViewDidFailRestore",
        "onRestoreFailure", "onRestoreFailed",
      ]
    case .errorReceived:
      [
        "error_received", "didReceiveError", "flow_view_did_receive_error",
        "flowViewDidReceiveError", "onError", "onboarding_did_fail_with_error",
      ]
    case .renderingFailed:
      [
        "rendering_failed", "didFailRenderingWith", "didFailRendering",
        "paywall_view_did_fail_rendering", "flow_view_did_fail_rendering",
        "flowViewDidFailRendering", "paywallViewDidFailRendering", "onRenderingError",
        "onRenderingFailed",
      ]
    case .productLoadingFailed:
      [
        "product_loading_failed", "didFailLoadingProductsWith", "didFailLoadingProducts",
        "flow_view_did_fail_loading_products", "paywall_view_did_fail_loading_products",
        "flowViewDidFailLoadingProducts", "paywallViewDidFailLoadingProducts",
        "onLoadingProductsFailure", "onLoadingProductsFailed",
      ]
    case .productsPartiallyLoaded:
      [
        "products_partially_loaded", "didPartiallyLoadProducts",
        "flow_view_did_partially_load_products",
      ]
    case .webPaymentStarted:
      [
        "web_payment_started", "shouldContinueWebPaymentNavigation",
        "paywall_view_should_continue_web_payment_navigation",
      ]
    case .webPaymentFinished:
      [
        "web_payment_finished", "didFinishWebPaymentNavigation",
        "flow_view_did_finish_web_payment_navigation",
        "paywall_view_did_finish_web_payment_navigation", "flowViewDidFinishWebPaymentNavigation",
        "paywallViewDidFinishWebPaymentNavigation", "onFinishWebPaymentNavigation",
        "onWebPaymentNavigationFinished",
      ]
    case .webPaymentFailed:
      [
        "web_payment_failed", "didFailWebPaymentNavigation",
        "paywall_view_did_fail_web_payment_navigation",
      ]
    case .profileUpdated:
      ["profile_updated", "didLoadLatestProfile", "did_load_latest_profile", "onLatestProfileLoad"]
    case .vendorRecord:
      [
        "subscription_started", "subscription_renewed", "subscription_renewal_cancelled",
        "subscription_renewal_reactivated", "subscription_expired", "subscription_paused",
        "subscription_deferred", "non_subscription_purchase", "trial_started", "trial_converted",
        "trial_renewal_cancelled", "trial_renewal_reactivated", "trial_expired",
        "entered_grace_period", "billing_issue_detected", "subscription_refunded",
        "non_subscription_purchase_refunded", "access_level_updated",
      ]
    case .storeMessageQueued: ["store_message_queued"]
    case .storeMessageShown: ["store_message_shown"]
    case .storeMessageFailed: ["store_message_failed"]
    case .variationAssigned:
      [
        "variation_assigned", "flow_variation_assigned", "paywall_variation_assigned",
        "onboarding_variation_assigned",
      ]
    case .appOpened: ["app_opened"]
    case .profileMerged: ["profile_merged"]
    case .decisionForced: ["decision_forced"]
    case .systemLog: ["system_log"]
    case .documented:
      [
        // Consent to share data for refund requests, of the SDK's own envelope.
        "profile_refund_saver_settings",
        // Analytics of the older web onboardings: their screens and answers come in events of their own.
        "onboarding_started", "screen_completed", "second_screen_presented",
        "registration_screen_presented", "products_screen_presented", "user_email_collected",
        "onboarding_loaded",
      ]
    case .other: []
    }
  }

  /// True for the four kinds that open and make up flow runs (SEMANTICS 5.2).
  package var isOfFlow: Bool {
    switch self {
    case .flowAppeared, .flowScreenShowed, .flowUserInput, .flowDisappeared: true
    default: false
    }
  }

  /// True for callbacks of a flow's or paywall's controller that happen inside a run without opening
  /// one.
  package var happensInRun: Bool {
    switch self {
    case .actionPerformed, .productSelected, .purchaseStarted, .purchaseFinished, .purchaseFailed,
      .purchaseCancelled, .restoreStarted, .restoreFinished, .restoreFailed, .errorReceived,
      .renderingFailed,
      .productLoadingFailed, .productsPartiallyLoaded, .webPaymentStarted, .webPaymentFinished,
      .webPaymentFailed:
      true
    default: false
    }
  }

  /// The rank between events of one session at the same instant (SEMANTICS 1.9).
  package var rank: Int {
    switch self {
    case .flowAppeared: 0
    case .flowScreenShowed: 1
    case .flowUserInput: 2
    case .flowDisappeared: 4
    default: 3
    }
  }
}
