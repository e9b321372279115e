import Testing

@testable import Core

@Suite("Names that mean nothing")
struct UnknownNameTests {
  @Test("a name that may be a value, or is too long, is not kept")
  func names() {
    #expect(UnknownName(.column, "Some column (2)").name == "")
    #expect(UnknownName(.column, "$os.version/2").name == "$os.version/2")
    for text in ["jane@example.com", "a\nb", "ä", String(repeating: "a", count: 101)] {
      #expect(UnknownName(.purchaseResult, Bytes(text)).name == "", "\(text)")
    }
    #expect(UnknownName(.event, "Überblick gezeigt").name == "Überblick gezeigt")
    #expect(UnknownName(.event, "a\u{1B}[31m").name == "")
  }

  @Test("however many names there are, so many are kept, and the rest is counted")
  func bound() {
    var names = UnknownNames()
    for number in 0..<3000 { names.add(UnknownName(.event, Bytes("e\(number)"))) }
    #expect(names.counts.count == UnknownNames.most + 1)
    #expect(names.counts.values.reduce(0, +) == 3000)
    #expect(names.counts[UnknownName(.event, "")] == 2000)
    names.add(UnknownName(.event, "e7"), 4)
    #expect(names.counts[UnknownName(.event, "e7")] == 5)
  }

  struct Unread: CustomTestStringConvertible {
    let name: Bytes
    let params: String
    let told: [String]
    var testDescription: String { "\(name.string) \(params)" }

    init(_ name: Bytes, _ params: String, _ told: [String]) {
      self.name = name
      self.params = params
      self.told = told
    }
  }

  @Test(
    "each member whose value cannot be read is told, by its name alone",
    arguments: [
      Unread(
        "didSelectProduct", #"{"product":{"vendorProductId":[1],"price":"9,99"}}"#,
        [
          "member price", "member vendorProductId",
        ]),
      Unread(
        "didSelectProduct", #"{"product":{"price":{"amount":[],"currency_code":7}}}"#,
        [
          "member amount", "member currency_code",
        ]),
      Unread(
        "didSelectProduct", #"{"product":[1],"price":null,"currency":"euros"}"#,
        [
          "member currency", "member product",
        ]),
      Unread("didSelectProduct", #"{"product":{"vendorProductId":"m","price":"9.99"}}"#, []),
      Unread("didPartiallyLoadProducts", #"{"failedIds":{"a":1}}"#, ["member failedIds"]),
      Unread("didPartiallyLoadProducts", #"{"failedIds":["a",{}]}"#, ["member failedIds"]),
      Unread(
        "didFailLoadingProductsWith", #"{"error":{"code":"x"},"retry":"maybe"}"#,
        [
          "member retry"
        ]),
      Unread(
        "didFinishPurchase", #"{"purchaseResult":{"type":"success","profile":"Jane"}}"#,
        [
          "member profile"
        ]),
      Unread(
        "didFinishPurchase",
        #"{"purchaseResult":{"type":"success","transaction_id":{},"profile":{"accessLevels":{"a":{"isActive":"yes"}}}}}"#,
        ["member isActive", "member transaction_id"]),
      Unread(
        "flow_screen_showed", #"{"instanceId":[],"screen_order":"x","is_last_screen":2}"#,
        [
          "member instanceId", "member is_last_screen", "member screen_order",
        ]),
      Unread("flow_screen_showed", "{}", ["member instanceId"]),
      Unread("flow_screen_showed", #"{"instanceId":"a","screen_order":"1"}"#, []),
      Unread(
        "flow_user_input", #"{"instanceId":"a","value":"jane@example.com"}"#,
        [
          "member element_id"
        ]),
      Unread(
        "flow_user_input", #"{"element_id":"e","element_type":"slider","value":1}"#,
        [
          "element_type slider"
        ]),
      Unread(
        "flow_user_input", #"{"element_id":"e","element_type":[],"value":{"a":"Jane"}}"#,
        [
          "member element_type", "member value",
        ]),
      Unread(
        "flow_user_input", #"{"element_id":"e","item_ids":{"a":1},"item_titles":7}"#,
        [
          "member item_ids"
        ]),
      Unread("flow_user_input", #"{"element_id":"e","element_type":"toggle","value":true}"#, []),
      Unread(
        "onAnalytics", #"{"name":"flow_screen_showed","params":{"instanceId":{}}}"#,
        [
          "member instanceId"
        ]),
      Unread("profile_updated", #"{"profile":7}"#, ["member profile"]),
      Unread(
        "profile_updated", #"{"profile":{"paid_access_levels":"all","timestamp":[]}}"#,
        [
          "member paid_access_levels", "member timestamp",
        ]),
      Unread(
        "profile_updated",
        #"{"accessLevels":{"a":{"expiresAt":"soon","isLifetime":[],"willRenew":1},"b":5}}"#,
        ["member accessLevels", "member expiresAt", "member isLifetime"]),
      Unread(
        "profile_updated",
        #"{"non_subscriptions":{"p":[{"purchased_at":"x"},7]},"custom_attributes":"x","subscriptions":[{"store":{}}]}"#,
        [
          "member custom_attributes", "member non_subscriptions", "member purchased_at",
          "member store",
        ]),
      Unread(
        "subscription_started",
        #"{"price_usd":"much","price_local":"","currency":"EURO","transaction_id":{},"purchase_date":"x","event_properties":{"will_renew":"x"}}"#,
        [
          "member currency", "member price_usd", "member purchase_date", "member transaction_id",
          "member will_renew",
        ]),
      Unread("store_message_queued", #"{"types":{"billing_issue":true}}"#, ["member type"]),
    ])
  func unread(_ row: Unread) {
    let event = Event(
      identity: Identity(id: "1"), name: row.name, occurredAt: EventScript.at(0),
      params: Bytes(row.params))
    var told: [String] = []
    event.forEachUnknown(of: EventKind(name: row.name)) {
      told.append($0.kind.rawValue + " " + $0.name.string)
    }
    #expect(told.sorted() == row.told)
  }

  @Test("nothing is told of the payloads that the vendor documents")
  func documented() throws {
    for row in KindCase.all {
      for fixture in row.fixtures {
        let event = Event(
          identity: Identity(id: "1"), name: row.names[0], occurredAt: EventScript.at(0),
          params: try Fixture.params(fixture), context: Context([.platform: "iOS"]))
        let kind = EventKind(name: event.name)
        event.forEachUnknown(of: kind) { unknown in
          // The bridge's store message of the table is one of no known type.
          #expect(unknown.kind == .storeMessage, "\(row.names[0].string), \(fixture): \(unknown)")
        }
      }
    }
  }

  @Test("a callback is known by its whole selector")
  func selectors() {
    let kinds: [(Bytes, EventKind)] = [
      ("flowController(_:didFinishPurchase:purchaseResult:)", .purchaseFinished),
      ("flowController(_:didFailPurchase:error:)", .purchaseFailed),
      ("flowController(_:didPerform:)", .actionPerformed),
      ("flowController(_:didFinishRestoreWith:)", .restoreFinished),
      ("flowController(_:didFinishWebPaymentNavigation:error:)", .webPaymentFinished),
      ("flowController(_:didReceiveAnalyticEvent:params:)", .analyticEvent),
      ("flowControllerDidAppear(_:)", .flowAppeared),
      ("paywallController(_:didFailRenderingWith:)", .renderingFailed),
      ("paywallControllerDidStartRestore(_:)", .restoreStarted),
      ("didLoadLatestProfile(_:)", .profileUpdated),
      ("flowController(_:didSomething:)", .other), ("f(onError)", .other), ("()", .other),
      (")", .other), ("(", .other), ("f(:)", .other), ("flow_appeared()", .flowAppeared),
    ]
    for (name, kind) in kinds { #expect(EventKind(name: name) == kind, "\(name.string)") }
  }
}
