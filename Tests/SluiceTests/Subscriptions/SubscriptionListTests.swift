import Testing

@testable import Core
@testable import Store
@testable import sluice

@Suite("Subscriptions and single purchases of a profile")
struct SubscriptionListTests {
  /// One profile as the SDK's models print it in lists, and as its wire does in maps.
  private static func profile(_ shape: Shape, timestamp: Int64 = 1_772_359_200_000) -> Bytes {
    switch shape {
    case .models:
      Bytes(
        #"""
        {"profile":{"profileId":"p","timestamp":\#(timestamp),"subscriptions":[
         {"vendorProductId":"m","isActive":true,"store":"app_store",
          "vendorTransactionId":"t2","vendorOriginalTransactionId":"t1","isSandbox":true,
          "activatedAt":"2026-02-01T10:00:00.000+0000","renewedAt":"2026-03-01T10:00:00.000+0000",
          "startsAt":"2026-02-01T10:00:00Z","expiresAt":"2026-04-01T10:00:00.000+0000",
          "unsubscribedAt":"2026-03-02T10:00:00Z","billingIssueDetectedAt":"2026-03-03T10:00:00Z",
          "isLifetime":false,"willRenew":true,"isInGracePeriod":false,"isRefund":false,
          "activeIntroductoryOfferType":"free_trial","activePromotionalOfferType":"pay_up_front",
          "activePromotionalOfferId":"promo","offerId":"o1","cancellationReason":"refund",
          "billingPlanId":"monthly","commitment":{"billingPeriodNumber":3,
           "totalBillingPeriods":12,"expiresAt":"2027-02-01T10:00:00Z"}},
         {"vendorProductId":"y","isActive":false}],
         "nonSubscriptions":[
          {"purchaseId":"n1","vendorProductId":"coins","vendorTransactionId":"t9",
           "store":"app_store","purchasedAt":"2026-02-03T10:00:00Z","isSandbox":false,
           "isRefund":true,"isConsumable":true},
          {"purchaseId":"n2","vendorProductId":"coins","store":"play_store"}]}}
        """#)
    case .wire:
      Bytes(
        #"""
        {"profile":{"profile_id":"p","timestamp":"\#(timestamp)","subscriptions":{
         "y":{"is_active":0},
         "m":{"is_active":"true","store":"app_store",
          "vendor_transaction_id":"t2","vendor_original_transaction_id":"t1","is_sandbox":1,
          "activated_at":"2026-02-01T11:00:00+01:00","renewed_at":"2026-03-01 10:00:00 +0000",
          "starts_at":"2026-02-01T10:00:00Z","expires_at":1775037600000,
          "unsubscribed_at":"2026-03-02T10:00:00Z",
          "billing_issue_detected_at":"2026-03-03T10:00:00Z",
          "is_lifetime":false,"will_renew":true,"is_in_grace_period":false,"is_refund":false,
          "active_introductory_offer_type":"free_trial",
          "active_promotional_offer_type":"pay_up_front","active_promotional_offer_id":"promo",
          "offer_id":"o1","cancellation_reason":"refund","billing_plan_id":"monthly",
          "commitment":{"billing_period_number":"3","total_billing_periods":12.0,
           "expires_at":"2027-02-01T10:00:00Z"}}},
         "non_subscriptions":{"coins":[
          {"purchase_id":"n2","store":"play_store"},
          {"purchase_id":"n1","vendor_product_id":"coins","vendor_transaction_id":"t9",
           "store":"app_store","purchased_at":"2026-02-03T10:00:00Z","is_sandbox":false,
           "is_refund":"1","is_consumable":true}]}}}
        """#)
    }
  }

  enum Shape: CaseIterable { case models, wire }

  private func outcome(_ script: EventScript, at seconds: Double = 1e6) throws -> Outcome {
    try Pipeline.checked(yaml: "pipeline: p").outcome(script, at: seconds)
  }

  @Test("each field is kept, in lists and in maps alike", arguments: Shape.allCases)
  func shapes(_ shape: Shape) throws {
    var script = EventScript()
    script.add("didLoadLatestProfile", 0, Self.profile(shape))
    let found = try outcome(script)
    func at(_ text: Bytes) -> Instant? { TimeLiteral.instant(text) }
    #expect(found.subscriptions.map(\.productID) == ["m", "y"])
    let monthly = try #require(found.subscriptions.first)
    #expect(monthly.number == 1)
    #expect(monthly.isActive == true)
    #expect(monthly.transactionID == "t2")
    #expect(monthly.originalTransactionID == "t1")
    #expect(monthly.isSandbox == true)
    #expect(monthly.billingPlanID == "monthly")
    #expect(monthly.commitmentPeriodNumber == 3)
    #expect(monthly.commitmentPeriods == 12)
    #expect(monthly.commitmentExpiresAt == at("2027-02-01T10:00:00Z"))
    #expect(monthly.version == EventScript.at(0))
    #expect(monthly.toldAt == EventScript.at(0))
    var terms = AccessTerms()
    terms.isActive = true
    terms.isLifetime = false
    terms.isRefund = false
    terms.isInGracePeriod = false
    terms.willRenew = true
    terms.productID = "m"
    terms.store = "app_store"
    terms.activatedAt = at("2026-02-01T10:00:00Z")
    terms.renewedAt = at("2026-03-01T10:00:00Z")
    terms.startsAt = at("2026-02-01T10:00:00Z")
    terms.expiry = at("2026-04-01T10:00:00Z").map { .at($0) } ?? .unknown
    terms.unsubscribedAt = at("2026-03-02T10:00:00Z")
    terms.billingIssueDetectedAt = at("2026-03-03T10:00:00Z")
    terms.introductoryOfferType = "free_trial"
    terms.promotionalOfferType = "pay_up_front"
    terms.promotionalOfferID = "promo"
    terms.offerID = "o1"
    terms.cancellationReason = "refund"
    #expect(monthly.terms == terms)
    #expect(found.subscriptions.last?.isActive == false)
    #expect(found.nonSubscriptions.map(\.purchaseID) == ["n1", "n2"])
    let coins = try #require(found.nonSubscriptions.first)
    #expect(coins.productID == "coins")
    #expect(coins.store == "app_store")
    #expect(coins.transactionID == "t9")
    #expect(coins.purchasedAt == at("2026-02-03T10:00:00Z"))
    #expect(coins.isSandbox == false)
    #expect(coins.isRefund == true)
    #expect(coins.isConsumable == true)
    #expect(found.nonSubscriptions.last?.isSandbox == nil)
  }

  @Test("an older snapshot never overwrites, an excerpt leaves alone what it does not name")
  func newest() throws {
    var script = EventScript()
    script.add(
      "profile_updated", 0, Self.profile(.models, timestamp: EventScript.milliseconds(0)), id: "b")
    script.add(
      "profile_updated", 10,
      #"{"profile":{"profile_id":"p","timestamp":1,"subscriptions":{},"non_subscriptions":{}}}"#,
      id: "a")
    #expect(try outcome(script).subscriptions.count == 2)
    #expect(try outcome(script).nonSubscriptions.count == 2)
    // A level alone, as a purchase's result prints it.
    script.snapshot(20, #""isActive":true"#, id: "c")
    #expect(try outcome(script).subscriptions.count == 2)
    // A whole profile that lists none has none.
    script.add(
      "profile_updated", 30,
      Bytes(#"{"profile_id":"p","timestamp":\#(EventScript.milliseconds(30))}"#), id: "d")
    #expect(try outcome(script).subscriptions.isEmpty)
    #expect(try outcome(script).nonSubscriptions.isEmpty)
  }

  @Test("several of one product keep apart, without an id too, and what is no object costs itself")
  func several() throws {
    var script = EventScript()
    script.add(
      "profile_updated", 0,
      #"""
      {"timestamp":1,"subscriptions":[{"vendorProductId":"m","isActive":false},7,
       {"vendorProductId":"m","isActive":true,"isLifetime":true},{"isActive":true}],
       "nonSubscriptions":{"coins":[{"store":"a"},null,{"store":"b"}],
        "hat":{"vendorTransactionId":"t7"},"odd":3}}
      """#)
    let found = try outcome(script)
    #expect(found.subscriptions.map(\.number) == [1, 2])
    #expect(found.subscriptions.map(\.isActive) == [false, true])
    #expect(found.nonSubscriptions.map(\.purchaseID) == ["coins/1", "coins/2", "t7"])
    #expect(found.nonSubscriptions.map(\.store) == ["a", "b", nil])
  }

  @Test("a newer record of the feed speaks for its product, an older one does not")
  func records() throws {
    func record(_ seconds: Double, ends: Double) -> Bytes {
      Bytes(
        #"{"vendor_product_id":"m","transaction_id":"t3","original_transaction_id":"t1","#
          + #""environment":"Sandbox","subscription_expires_at":"\#(EventScript.at(ends).iso8601)"}"#
      )
    }
    var script = EventScript()
    script.record("subscription_renewed", -10, record(-10, ends: 50), id: "older")
    script.add(
      "profile_updated", 0, Self.profile(.wire, timestamp: EventScript.milliseconds(0)))
    #expect(try outcome(script, at: 10).subscriptions.map(\.transactionID) == ["t2", nil])
    script.record("subscription_renewed", 20, record(20, ends: 5e6), id: "newer")
    let found = try outcome(script, at: 30)
    let renewed = try #require(found.subscriptions.first)
    #expect(renewed.transactionID == "t3")
    #expect(renewed.isSandbox == true)
    #expect(renewed.isActive == true)
    #expect(renewed.terms.expiresAt == EventScript.at(5e6))
    #expect(renewed.terms.activatedAt != nil, "what a renewal does not change stays known")
    #expect(renewed.toldAt == EventScript.at(20))
    #expect(found.subscriptions.map(\.productID) == ["m", "y"])
    #expect(found.profile.nextReviewAt == EventScript.at(5e6), "it expires without an event")
    #expect(try outcome(script, at: 5e6).subscriptions.first?.isActive == nil)
  }

  @Test("a listed subscription whose level a record tells is looked at when it expires")
  func review() throws {
    var script = EventScript()
    script.add(
      "profile_updated", 0,
      Bytes(
        #"{"timestamp":1,"subscriptions":[{"vendorProductId":"m","isActive":true,"willRenew":false,"#
          + #"\#(EventScript.expires(100))}]}"#))
    script.record(
      "access_level_updated", 10,
      #"{"access_level_id":"premium","is_active":true,"is_lifetime":true,"vendor_product_id":"m"}"#)
    #expect(try outcome(script, at: 50).profile.nextReviewAt == EventScript.at(100))
    #expect(try outcome(script, at: 100).subscriptions.map(\.isActive) == [false])
  }

  @Test("both tables hold them, and shuffled and repeated lines give the same dump")
  func tables() async throws {
    var models = EventScript()
    models.add("didLoadLatestProfile", 0, Self.profile(.models))
    models.add(
      "didLoadLatestProfile", 5, Self.profile(.wire, timestamp: EventScript.milliseconds(5)))
    models.record("subscription_renewed", 7, #"{"vendor_product_id":"y"}"#)
    let lines = models.lines(of: "a") + models.lines(of: "b")
    var dumps: [[String]] = []
    var random = SeededGenerator(seed: 11)
    for lines in [lines, (lines + lines).shuffled(using: &random)] {
      let folder = try ScratchFolder()
      let file = try folder.write(lines.joined(), as: "e.ndjson")
      let pipeline = try folder.write("pipeline: p", as: "p.yaml")
      let database = try ScratchDatabase()
      let run = try await CommandRun(
        [
          "run", "--quiet", "--pipeline", pipeline, "--as-of", EventScript.at(60).iso8601, file,
        ], on: database)
      #expect(run.code == .done, "\(run.words)")
      let store = try database.store()
      #expect(
        try store.query(
          """
          select product_id, subscription_number, is_active, has_billing_issue, store, transaction_id,
            original_transaction_id, is_sandbox, billing_plan_id, commitment_period_number,
            commitment_periods, commitment_expires_at, is_said_active
          from sluice.subscriptions where profile_id = 'a' order by 1
          """
        ).rows == [
          [
            "m", "1", "t", "t", "app_store", "t2", "t1", "t", "monthly", "3", "12",
            "2027-02-01 10:00:00+00", "t",
          ],
          ["y", "1", nil, "f", nil, nil, nil, nil, nil, nil, nil, nil, nil],
        ])
      #expect(
        try store.query(
          """
          select purchase_id, product_id, store, transaction_id, purchased_at, is_sandbox,
            is_refund, is_consumable, said_at
          from sluice.non_subscriptions where profile_id = 'b' order by 1
          """
        ).rows == [
          [
            "n1", "coins", "app_store", "t9", "2026-02-03 10:00:00+00", "f", "t", "t",
            "2026-03-01 10:00:05+00",
          ],
          ["n2", "coins", "play_store", nil, nil, nil, nil, nil, "2026-03-01 10:00:05+00"],
        ])
      dumps.append(try store.dumpLines(asOf: EventScript.at(60)))
      withExtendedLifetime(database) {}
    }
    #expect(dumps[0].contains { $0.hasPrefix("subscriptions\t") })
    #expect(dumps[0].contains { $0.hasPrefix("non_subscriptions\t") })
    #expect(dumps[0] == dumps[1])
  }
}
