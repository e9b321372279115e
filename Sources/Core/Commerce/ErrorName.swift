/// The names of the vendor's error codes, which are not the same numbers on all platforms.
///
/// Sources: the vendor's iOS and Android SDKs, as restated in the project's table of facts.
package enum ErrorName {
  /// The vendor's own name for a code.
  ///
  /// - Parameters:
  ///   - code: as ``VendorError`` holds it: digits, or a name that is its own.
  ///   - platform: as the event says it, in any case; nil where it is unknown.
  /// - Returns: nil for a number that the platform's list does not hold. Without a platform, a number
  ///   that means different things on two of them has no name either: a guess would be wrong.
  package static func name(of code: Bytes, platform: Bytes?) -> Bytes? {
    guard let number = Int32(code.string) else { return code }
    if let shared = interface[number] { return shared }
    switch platform.map(isAndroid) {
    case true?: return android[number]
    case false?: return apple[number]
    case nil:
      guard let apple = apple[number] else { return android[number] }
      guard let android = android[number] else { return apple }
      return letters(apple) == letters(android) ? apple : nil
    }
  }

  /// Every other platform that the vendor has is Apple's.
  private static func isAndroid(_ platform: Bytes) -> Bool {
    PlatformName.canonical(platform) == PlatformName.android
  }

  /// Letters and digits in lower case: `badRequest` and `BAD_REQUEST` are one name.
  private static func letters(_ name: Bytes) -> [UInt8] {
    name.slice.compactMap { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
      default: nil
      }
    }
  }

  private static let apple: [Int32: Bytes] = [
    0: "unknown", 1: "clientInvalid", 2: "paymentCancelled", 3: "paymentInvalid",
    4: "paymentNotAllowed", 5: "storeProductNotAvailable", 6: "cloudServicePermissionDenied",
    7: "cloudServiceNetworkConnectionFailed", 8: "cloudServiceRevoked",
    9: "privacyAcknowledgementRequired", 10: "unauthorizedRequestData",
    11: "invalidOfferIdentifier", 12: "invalidSignature", 13: "missingOfferParams",
    14: "invalidOfferPrice", 1000: "noProductIDsFound", 1002: "productRequestFailed",
    1003: "cantMakePayments", 1005: "cantReadReceipt", 1006: "productPurchaseFailed",
    1010: "refreshReceiptFailed", 1020: "fetchSubscriptionStatusFailed",
    1030: "unknownTransactionId", 1050: "paymentPendingError", 2002: "notActivated",
    2003: "badRequest", 2004: "serverError", 2005: "networkFailed", 2006: "decodingFailed",
    2009: "encodingFailed", 3000: "analyticsDisabled", 3001: "wrongParam",
    3005: "activateOnceError", 3006: "profileWasChanged", 3007: "unsupportedData",
    3020: "unidentifiedUserLogout", 3101: "fetchTimeoutError", 3201: "operationInProgress",
    3202: "resolverFailure", 9000: "operationInterrupted",
  ]

  private static let android: [Int32: Bytes] = [
    0: "UNKNOWN", 2: "USER_CANCELED", 5: "ITEM_UNAVAILABLE", 20: "ADAPTY_NOT_INITIALIZED",
    21: "PAYWALL_NOT_FOUND", 22: "PRODUCT_NOT_FOUND", 23: "INVALID_JSON",
    24: "CURRENT_SUBSCRIPTION_TO_UPDATE_NOT_FOUND_IN_HISTORY", 25: "PENDING_PURCHASE",
    97: "BILLING_SERVICE_TIMEOUT", 98: "FEATURE_NOT_SUPPORTED",
    99: "BILLING_SERVICE_DISCONNECTED", 102: "BILLING_SERVICE_UNAVAILABLE",
    103: "BILLING_UNAVAILABLE", 105: "DEVELOPER_ERROR", 106: "BILLING_ERROR",
    107: "ITEM_ALREADY_OWNED", 108: "ITEM_NOT_OWNED", 112: "BILLING_NETWORK_ERROR",
    1000: "NO_PRODUCT_IDS_FOUND", 1004: "NO_PURCHASES_TO_RESTORE", 2002: "AUTHENTICATION_ERROR",
    2003: "BAD_REQUEST", 2004: "SERVER_ERROR", 2005: "REQUEST_FAILED", 2006: "DECODING_FAILED",
    2007: "MISSING_PARAMETER", 3000: "ANALYTICS_DISABLED", 3001: "WRONG_PARAMETER",
  ]

  /// Errors of the interface that shows flows: the same on all platforms.
  private static let interface: [Int32: Bytes] = [
    4001: "platformNotSupported", 4002: "adaptyNotActivated", 4003: "adaptyUINotActivated",
    4005: "activateOnce", 4103: "wrongComponentType", 4104: "wrongAssetType",
    4105: "jsException", 4106: "navigatorNotFound", 4107: "invalidActionURL", 4200: "webKit",
    4300: "platformView",
  ]
}
