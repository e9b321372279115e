import Testing

@testable import Core

@Suite("Profile snapshots")
struct ProfileSnapshotTests {
  /// The same profile as the SDK's models print it, as its wire does, and as the server API does.
  private static let shapes: [String] = [
    #"""
    {"profileId":"p","customerUserId":"42","segmentHash":"8f45947bad31ab0c","timestamp":1772359200000,
     "isTestUser":true,"customAttributes":{"coins":250,"plan":"gold","isVip":true,"gone":null,"empty":" "},
     "accessLevels":{"premium":{"id":"premium","isActive":true,"vendorProductId":"premium_monthly",
      "store":"app_store","activatedAt":"2026-02-01T10:00:00.000+0000",
      "renewedAt":"2026-03-01T10:00:00.000+0000","expiresAt":"2026-04-01T10:00:00.000+0000",
      "isLifetime":false,"activeIntroductoryOfferType":"free_trial",
      "activePromotionalOfferType":"pay_up_front","activePromotionalOfferId":"promo","offerId":"o1",
      "willRenew":true,"isInGracePeriod":false,"unsubscribedAt":"2026-03-02T10:00:00Z",
      "billingIssueDetectedAt":"2026-03-03T10:00:00Z","startsAt":"2026-02-01T10:00:00Z",
      "cancellationReason":"voluntarily_cancelled","isRefund":false}},
     "subscriptions":[{"vendorProductId":"premium_monthly","isActive":true,
      "expiresAt":"2026-04-01T10:00:00Z"}],"nonSubscriptions":{}}
    """#,
    #"""
    {"profile":{"profile_id":"p","customer_user_id":"42","timestamp":"1772359200000",
     "is_test_user":1,"custom_attributes":[{"key":"coins","value":250.0},{"key":"plan","value":"gold"},
      {"key":"isVip","value":1},{"key":"gone","value":null},{"key":"empty","value":""}],
     "paid_access_levels":{"premium":{"id":"premium","is_active":"true",
      "vendor_product_id":"premium_monthly","store":"app_store",
      "activated_at":"2026-02-01T11:00:00+01:00","renewed_at":"2026-03-01 10:00:00 +0000",
      "expires_at":"2026-04-01T10:00:00.000000+0000","is_lifetime":0,
      "active_introductory_offer_type":"free_trial","active_promotional_offer_type":"pay_up_front",
      "active_promotional_offer_id":"promo","offer_id":"o1","will_renew":true,
      "is_in_grace_period":false,"unsubscribed_at":1772445600,
      "billing_issue_detected_at":1772532000000,"starts_at":"2026-02-01T10:00Z",
      "cancellation_reason":"voluntarily_cancelled","is_refund":false}},
     "subscriptions":{"premium_monthly":{"is_active":true,"expires_at":"2026-04-01T10:00:00Z"}},
     "non_subscriptions":{}}}
    """#,
    #"""
    {"data":{"profile_id":"p","customer_user_id":"42","segment_hash":"8f45947bad31ab0c",
     "timestamp":1.7723592E12,"is_test_user":"true",
     "custom_attributes":"{\"coins\":250,\"plan\":\"gold\",\"isVip\":true}",
     "access_levels":[{"access_level_id":"premium","is_active":1,
      "store_product_id":"premium_monthly","store":"app_store",
      "originally_purchased_at":"2026-02-01T10:00:00.000000+0000",
      "purchased_at":"2026-03-01T10:00:00.000000+0000",
      "expires_at":"2026-04-01T10:00:00.000000+0000","is_lifetime":"false",
      "active_introductory_offer_type":"free_trial","active_promotional_offer_type":"pay_up_front",
      "active_promotional_offer_id":"promo","offer_id":"o1","will_renew":1,
      "is_in_grace_period":"0","renewal_cancelled_at":"2026-03-02T10:00:00.000000+0000",
      "billing_issue_detected_at":"2026-03-03T10:00:00.000000+0000",
      "starts_at":"2026-02-01T10:00:00.000000+0000",
      "cancellation_reason":"voluntarily_cancelled","is_refund":0}],
     "subscriptions":[{"store_product_id":"premium_monthly","is_active":true,
      "expires_at":"2026-04-01T10:00:00Z"}],"non_subscriptions":[]}}
    """#,
  ]

  @Test("say the same in each of the vendor's shapes", arguments: shapes.indices)
  func shape(_ index: Int) throws {
    let snapshot = try #require(ProfileSnapshot.read(Bytes(Self.shapes[index])))
    #expect(snapshot.timestamp == 1_772_359_200_000)
    #expect(snapshot.customerUserID == "42")
    #expect(snapshot.isTestUser == true)
    #expect(
      snapshot.custom == ["coins": .number(250), "plan": .text("gold"), "isVip": .number(1)])
    #expect(snapshot.levels.map { Array($0.keys) } == ["premium"])
    let level = try #require(snapshot.levels?["premium"])
    func at(_ text: Bytes) -> Instant? { TimeLiteral.instant(text) }
    #expect(level.isActive == true)
    #expect(level.isLifetime == false)
    #expect(level.isRefund == false)
    #expect(level.isInGracePeriod == false)
    #expect(level.willRenew == true)
    #expect(level.productID == "premium_monthly")
    #expect(level.store == "app_store")
    #expect(level.activatedAt == at("2026-02-01T10:00:00Z"))
    #expect(level.renewedAt == at("2026-03-01T10:00:00Z"))
    #expect(level.startsAt == at("2026-02-01T10:00:00Z"))
    #expect(level.expiresAt == at("2026-04-01T10:00:00Z"))
    #expect(level.unsubscribedAt == at("2026-03-02T10:00:00Z"))
    #expect(level.billingIssueDetectedAt == at("2026-03-03T10:00:00Z"))
    #expect(level.introductoryOfferType == "free_trial")
    #expect(level.promotionalOfferType == "pay_up_front")
    #expect(level.promotionalOfferID == "promo")
    #expect(level.offerID == "o1")
    #expect(level.cancellationReason == "voluntarily_cancelled")
    let subscription = try #require(snapshot.subscriptions?.first?.terms)
    #expect(snapshot.subscriptions?.count == 1)
    #expect(subscription.productID == "premium_monthly")
    #expect(subscription.isActive == true)
    #expect(subscription.expiresAt == at("2026-04-01T10:00:00Z"))
  }

  @Test(
    "are found wherever a payload carries them",
    arguments: [
      #"{"accessLevels":{"premium":{"isActive":true}}}"#,
      #"{"profile":{"accessLevels":{"premium":{"isActive":true}}}}"#,
      #"{"purchaseResult":{"type":"success","profile":{"accessLevels":{"premium":{"isActive":true}}}}}"#,
      #"{"purchase_result":{"type":"success","profile":{"paid_access_levels":{"premium":{"is_active":true}}}}}"#,
      #"{"purchased_result":{"type":"success","profile":{"paid_access_levels":{"premium":{"is_active":true}}}}}"#,
      #"{"profile":"{\"access_levels\":[{\"id\":\"premium\",\"is_active\":true}]}"}"#,
    ])
  func places(_ params: String) throws {
    let snapshot = try #require(ProfileSnapshot.read(Bytes(params)))
    #expect(snapshot.levels?["premium"]?.isActive == true)
    // An excerpt says nothing of what it leaves out.
    #expect(snapshot.custom == nil)
    #expect(snapshot.subscriptions == nil)
  }

  @Test(
    "are none where a payload tells of no profile",
    arguments: [
      "", "[]", "{}", #"{"purchaseResult":{"type":"cancelled"}}"#, #"{"profile":null}"#,
      #"{"profile":{}}"#, #"{"product":{"vendorProductId":"x"}}"#,
      #"{"timestamp":1772359200000}"#,
    ])
  func none(_ params: String) {
    #expect(ProfileSnapshot.read(Bytes(params)) == nil)
  }

  @Test("levels of no usable form are said, and are not none")
  func unreadableLevels() throws {
    let snapshot = try #require(ProfileSnapshot.read(#"{"accessLevels":3}"#))
    #expect(snapshot.levels == nil)
    #expect(snapshot.hasUnreadableLevels)
  }

  @Test(
    "an unreadable member costs that member, an unreadable level that level")
  func unreadable() throws {
    let snapshot = try #require(
      ProfileSnapshot.read(
        #"""
        {"timestamp":5,"accessLevels":{"premium":{"isActive":"perhaps","willRenew":[1],"store":{},
         "expiresAt":"soon","isRefund":true},"odd":7,"":{"isActive":true}}}
        """#))
    let level = try #require(snapshot.levels?["premium"])
    // Named, and nothing known of it: neither active nor not there.
    #expect(snapshot.levels?.keys.sorted() == ["odd", "premium"])
    #expect(snapshot.levels?["odd"]?.isActive == nil)
    #expect(level.isRefund == true)
    #expect(level.isActive == nil)
    #expect(level.willRenew == nil)
    #expect(level.store == nil)
    #expect(level.expiry == .unknown)
    // What a whole profile leaves out is empty; what it garbles is not.
    #expect(snapshot.subscriptions == [] && snapshot.custom == [:])
    let garbled = try #require(
      ProfileSnapshot.read(
        #"{"timestamp":5,"isTestUser":true,"accessLevels":3,"subscriptions":"x","customAttributes":7}"#
      ))
    #expect(garbled.levels == nil && garbled.subscriptions == nil && garbled.custom == nil)
  }

  @Test("a timestamp out of range is none")
  func timestamps() {
    for (text, expected) in [
      ("-1", nil), ("9223372036854775807", nil), ("\"x\"", nil), ("0", 0),
      ("\"2026-03-01T10:00:00.123+0000\"", 1_772_359_200_123 as Int64?),
    ] {
      let params = Bytes(#"{"timestamp":\#(text),"accessLevels":{}}"#)
      #expect(ProfileSnapshot.read(params)?.timestamp == expected, "\(text)")
    }
  }

  @Test(
    "instants in every spelling",
    arguments: [
      (#""2026-03-01T10:00:00Z""#, 0), (#""2026-03-01T10:00:00.000Z""#, 0),
      (#""2026-03-01T10:00:00.000+0000""#, 0), (#""2026-03-01T10:00:00.000000+0000""#, 0),
      (#""2026-03-01T11:30:00.5+01:30""#, 500_000), (#""2026-03-01 10:00:00""#, 0),
      (#""2026-03-01 10:00:00 +0000""#, 0), (#""2026-03-01T04:00-06""#, 0),
      (#""2026-03-01T10:00:00.123456789Z""#, 123_456), (#"" 2026-03-01T10:00:00Z ""#, 0),
      ("1772359200", 0), ("1772359200.5", 500_000), ("1772359200000", 0),
      (#""1772359200000""#, 0), ("1.7723592E12", 0), ("1772359200000000", 0),
      (#""2026-03-01""#, -36_000_000_000),
    ])
  func times(_ text: String, _ micros: Int64) {
    #expect(
      VendorTime.instant(JSONText(Bytes(text)))
        == EventScript.start.adding(microseconds: micros))
  }

  @Test(
    "what is no instant is none",
    arguments: [
      "\"\"", "\"soon\"", "null", "true", "[]", "\"2026-02-30T00:00:00Z\"",
      "\"2026-03-01T24:00:00Z\"", "\"2026-03-01T10:00:00Zulu\"", "\"2026-03-01T10:00:00+\"", "-5",
      "2026", "\"20260301\"", "\"1969-12-31T23:59:59Z\"", "1e300",
    ])
  func noTimes(_ text: String) {
    #expect(VendorTime.instant(JSONText(Bytes(text))) == nil)
  }
}
