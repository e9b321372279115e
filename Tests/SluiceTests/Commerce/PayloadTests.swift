import Testing

@testable import Core
@testable import sluice

@Suite("Params of purchase, restore and error callbacks")
struct PayloadTests {
  @Test(
    "a product is read in each shape it is sent in",
    arguments: [
      #"{"product":{"vendorProductId":"m","price":9.99,"currencyCode":"usd"}}"#,
      #"{"product":{"vendor_product_id":"m","price":{"amount":9.99,"currency_code":"USD"}}}"#,
      #"{"product":"{\"vendorProductId\":\"m\",\"price\":\"9.99\",\"currencyCode\":\"USD\"}"}"#,
      #"{"product_id":"m","price":"9.99","currency":"USD"}"#,
    ])
  func product(_ params: String) {
    let product = CommercePayload(Bytes(params)).product
    #expect(product == Product(id: "m", price: 9.99, currency: "USD"))
  }

  @Test(
    "a member that cannot be read costs that member alone",
    arguments: ["\"9,99\"", "\"nan\"", "\"0x1p3\"", "true", "[]", "1e999", "null"])
  func unreadable(_ price: String) {
    let params = #"{"product":{"vendorProductId":"m","price":\#(price),"currencyCode":"USD"}}"#
    let product = CommercePayload(Bytes(params)).product
    #expect(product == Product(id: "m", price: nil, currency: "USD"))
  }

  struct Result: CustomTestStringConvertible {
    let params: String
    let result: PurchaseResult?
    var testDescription: String { params }
  }

  @Test(
    "a purchase's result is read under each of its names",
    arguments: [
      Result(params: #"{"purchaseResult":{"type":"success"}}"#, result: .success),
      Result(params: #"{"purchase_result":{"type":"pending"}}"#, result: .pending),
      Result(params: #"{"purchased_result":{"type":"user_cancelled"}}"#, result: .cancelled),
      Result(params: #"{"purchaseResult":"cancelled"}"#, result: .cancelled),
      Result(params: #"{"purchaseResult":{"type":"userCancelled"}}"#, result: .cancelled),
      Result(params: #"{"purchaseResult":"{\"type\":\"success\"}"}"#, result: .success),
      Result(params: #"{"purchaseResult":{"type":"success"},"result":"ok"}"#, result: .success),
      Result(
        params: #"{"purchaseResult":{"cancelled":false,"success":true}}"#, result: .success),
      // The older callback was called for successes alone.
      Result(params: #"{"profile":{"accessLevels":{}}}"#, result: .success),
      Result(params: #"{"profile":{},"error":{"adapty_code":1006}}"#, result: nil),
      Result(params: #"{"purchaseResult":{"type":"new"},"profile":{}}"#, result: nil),
      Result(params: #"{"product":{}}"#, result: nil), Result(params: "", result: nil),
    ])
  func result(_ row: Result) {
    #expect(CommercePayload(Bytes(row.params)).result == row.result)
  }

  @Test(
    "an error's code is read in both shapes, and no word of its message",
    arguments: [
      (
        #"{"error":{"code":"purchase_failed","details":{"underlyingError":"x"}}}"#,
        "purchase_failed"
      ),
      (#"{"error":{"adapty_code":1006,"message":"m","detail":"d"}}"#, "1006"),
      (#"{"error":{"adapty_code":1006.0,"code":"other"}}"#, "1006"),
      (#"{"error":{"code":"4105"}}"#, "4105"), (#"{"error":"{\"adapty_code\":7}"}"#, "7"),
      (#"{"adapty_code":7}"#, "7"), (#"{"error":{"code":"Jane Doe"}}"#, nil),
      (#"{"error":"Jane Doe"}"#, nil), (#"{"error":{}}"#, nil),
    ] as [(String, Bytes?)])
  func error(_ params: String, _ code: Bytes?) {
    #expect(CommercePayload(Bytes(params)).error == VendorError(code: code))
  }

  @Test("no error is none", arguments: [#"{"error":null}"#, "{}", "", "[1]"])
  func noError(_ params: String) {
    #expect(CommercePayload(Bytes(params)).error == nil)
  }

  @Test("the profile that comes with a success tells the transaction of its product alone")
  func transaction() throws {
    let bridge = CommercePayload(try Fixture.params("bridge/purchase_finished_success"))
    #expect(bridge.transaction == TransactionIDs(id: "t-1", original: "t-1"))
    let single = CommercePayload(
      #"""
      {"product":{"vendorProductId":"gem"},"purchaseResult":{"type":"success","profile":{
        "non_subscriptions":{"gem":[{"vendor_transaction_id":"2","purchased_at":"2026-02"},
          {"vendor_transaction_id":"1","purchased_at":"2026-01"}],
          "gold":[{"vendor_transaction_id":"9","purchased_at":"2026-09"}]}}}}
      """#)
    #expect(single.transaction == TransactionIDs(id: "2", original: nil))
    let list = CommercePayload(
      #"""
      {"product":{"vendorProductId":"m"},"purchaseResult":{"type":"success","profile":{
        "subscriptions":[{"vendorProductId":"y","vendorTransactionId":"8"},
          {"vendorProductId":"m","vendorOriginalTransactionId":"7"}]}}}
      """#)
    #expect(list.transaction == TransactionIDs(id: nil, original: "7"))
  }

  @Test("maps and lists of levels and purchases tell the same, also as JSON in a text")
  func listsForMaps() {
    for levels in [
      #"{"premium":{"is_active":1}}"#, #"[{"id":"premium","isActive":"true"}]"#,
      #""[{\"id\":\"premium\",\"isActive\":true}]""#, #"["premium",{"isActive":true}]"#,
    ] {
      let payload = CommercePayload(Bytes(#"{"profile":{"accessLevels":\#(levels)}}"#))
      #expect(payload.hasAccess == true, "\(levels)")
    }
    #expect(CommercePayload(#"{"profile":{"accessLevels":7}}"#).hasAccess == nil)
    let single = CommercePayload(
      #"{"product_id":"gem","profile":{"nonSubscriptions":[{"vendorProductId":"gem","vendorTransactionId":"2","isSandbox":true},{"vendorProductId":"x","vendorTransactionId":"3"}]}}"#
    )
    #expect(single.transaction == TransactionIDs(id: "2", original: nil))
    #expect(single.environment == "sandbox")
  }

  struct Name: CustomTestStringConvertible {
    let code: Bytes
    let platform: Bytes?
    let name: Bytes?
    var testDescription: String { code.string + " " + (platform?.string ?? "?") }
  }

  @Test(
    "a code has its platform's name; without a platform only one that is sure",
    arguments: [
      Name(code: "2002", platform: "iOS", name: "notActivated"),
      Name(code: "2002", platform: "iPadOS", name: "notActivated"),
      Name(code: "2002", platform: "Android", name: "AUTHENTICATION_ERROR"),
      Name(code: "2002", platform: "android", name: "AUTHENTICATION_ERROR"),
      Name(code: "2002", platform: nil, name: nil),
      Name(code: "5", platform: "ios", name: "storeProductNotAvailable"),
      Name(code: "5", platform: "android", name: "ITEM_UNAVAILABLE"),
      Name(code: "2003", platform: nil, name: "badRequest"),
      Name(code: "20", platform: nil, name: "ADAPTY_NOT_INITIALIZED"),
      Name(code: "20", platform: "ios", name: nil),
      Name(code: "4105", platform: "android", name: "jsException"),
      Name(code: "3201", platform: "ios", name: "operationInProgress"),
      Name(code: "purchase_failed", platform: nil, name: "purchase_failed"),
      Name(code: "123456", platform: "ios", name: nil),
    ])
  func names(_ row: Name) {
    #expect(ErrorName.name(of: row.code, platform: row.platform) == row.name)
  }

  @Test("times of the feed are read with and without the zone's colon")
  func times() {
    let expected = EventScript.at(20)
    for text in [
      "2026-03-01T10:00:20.000000+0000", "2026-03-01T12:00:20+02:00", "2026-03-01T10:00:20Z",
      "2026-03-01 07:00:20.000-0300",
    ] {
      #expect(JSONText(Bytes("\"\(text)\"")).feedTime == expected, "\(text)")
    }
    #expect(JSONText("\"soon\"").feedTime == nil)
    #expect(JSONText("\"+0000\"").feedTime == nil)
  }
}
