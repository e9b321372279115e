import Testing

@testable import Core
@testable import sluice

/// Events that tell of access, at seconds of a script.
extension EventScript {
  /// A snapshot with one level, `premium`, in the SDK's shape; further members of it as JSON.
  mutating func snapshot(
    _ seconds: Double, timestamp: Int64? = nil, level: String = "premium", _ members: String,
    id: Bytes? = nil
  ) {
    let stamp = timestamp.map { #","timestamp":\#($0)"# } ?? ""
    add(
      "profile_updated", seconds,
      Bytes(#"{"accessLevels":{"\#(level)":{\#(members)}}\#(stamp)}"#), id: id)
  }

  /// `"expiresAt":"…"` at seconds of a script.
  static func expires(_ seconds: Double) -> String { #""expiresAt":"\#(at(seconds).iso8601)""# }

  /// Milliseconds since 1970 at seconds of a script.
  static func milliseconds(_ seconds: Double) -> Int64 { at(seconds).microseconds / 1000 }
}

@Suite("Access levels")
struct AccessLevelTests {
  private static let pipeline = "pipeline: p"

  private func levels(_ script: EventScript, at seconds: Double) throws -> [AccessLevelOutcome] {
    try Pipeline.checked(yaml: Self.pipeline).outcome(script, at: seconds).accessLevels
  }

  /// `true`, `false` or `unknown`; `none` without the level.
  private func isActive(_ script: EventScript, at seconds: Double, _ level: Bytes = "premium")
    throws
    -> String
  {
    guard let found = try levels(script, at: seconds).first(where: { $0.level == level }) else {
      return "none"
    }
    return found.isActive.map { "\($0)" } ?? "unknown"
  }

  /// What a rule reads, with or without the level.
  private func rule(_ script: EventScript, at seconds: Double, _ level: String = "premium") throws
    -> String
  {
    let pipeline = try Pipeline.checked(
      yaml: """
        pipeline: p
        segments:
          yes: access.\(level).is_active
          no: access.\(level).is_active is false
        """)
    let names = pipeline.outcome(script, at: seconds).segments.map(\.segment.string)
    return names == ["yes"]
      ? "true" : names == ["no"] ? "false" : names.isEmpty ? "unknown" : "both"
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let members: String
    let before: String
    let after: String
    var testDescription: String { members }

    init(_ members: String, _ before: String, _ after: String) {
      self.members = members
      self.before = before
      self.after = after
    }
  }

  /// Each expires at second 100, if at all.
  private static let expires = EventScript.expires(100)

  @Test(
    "is_active before and after it expires",
    arguments: [
      Case(#""isActive":true,"willRenew":false,\#(expires)"#, "true", "false"),
      Case(#""isActive":true,"willRenew":true,\#(expires)"#, "true", "unknown"),
      Case(#""isActive":true,\#(expires)"#, "true", "unknown"),
      Case(#""isActive":false,"willRenew":true,\#(expires)"#, "false", "false"),
      Case(#""isActive":true,"isLifetime":true,"willRenew":false,\#(expires)"#, "true", "true"),
      Case(#""isActive":true,"isLifetime":true"#, "true", "true"),
      Case(#""isActive":true,"expiresAt":null"#, "true", "true"),
      Case(
        #""isActive":true,"isInGracePeriod":true,"willRenew":true,\#(expires)"#, "true", "true"),
      Case(#""isActive":true,"expiresAt":"soon""#, "unknown", "unknown"),
      Case(#""willRenew":false,\#(expires)"#, "true", "false"),
      Case(#""vendorProductId":"p""#, "unknown", "unknown"),
      Case(#""isActive":false"#, "false", "false"),
      Case(
        #""isActive":true,"is_active":null,"expires_at":null,"will_renew":0,\#(expires)"#, "true",
        "false"),
      Case(#""isActive":"perhaps","willRenew":false,\#(expires)"#, "unknown", "false"),
      Case(#""isActive":[],"expiresAt":null"#, "unknown", "unknown"),
      Case(#""isActive":{},"isLifetime":true"#, "unknown", "unknown"),
    ])
  func threeValues(_ test: Case) throws {
    var script = EventScript()
    script.snapshot(0, timestamp: 1, test.members)
    #expect(try isActive(script, at: 99.999999) == test.before)
    #expect(try isActive(script, at: 100) == test.after)
    #expect(try rule(script, at: 99.999999) == test.before)
    #expect(try rule(script, at: 100) == test.after)
  }

  @Test(
    "levels that cannot be read are unknown, not none",
    arguments: [
      #""paid_access_levels":"premium""#, #""accessLevels":7"#, #""access_levels":[["premium"]]"#,
      #""paid_access_levels":true,"segment_hash":"8f""#,
      #""paid_access_levels":[{"id":"other","is_active":false},"premium"]"#,
      #""accessLevels":{"premium":5}"#,
    ])
  func unreadableLevels(_ member: String) throws {
    for stamp in ["", #","timestamp":1"#] {
      var script = EventScript()
      script.add("profile_updated", 0, Bytes(#"{"profile":{\#(member)\#(stamp)}}"#))
      #expect(try rule(script, at: 1) == "unknown", "\(member)\(stamp)")
      let states = try Pipeline.checked(
        yaml: "pipeline: p\nsegments: { never: subscription_state = 'never_subscribed' }"
      ).outcome(script, at: 1).segments
      #expect(member.contains("other") || member.contains(":5") || states.isEmpty)
      // A snapshot that can be read says it all.
      script.add("profile_updated", 5, #"{"profile":{"paid_access_levels":{}}}"#)
      #expect(try rule(script, at: 6) == "false", "\(member)\(stamp)")
      // One that cannot takes nothing away from it.
      script.add("profile_updated", 7, #"{"profile":{"paid_access_levels":7}}"#)
      #expect(try rule(script, at: 8) == "false", "\(member)\(stamp)")
    }
  }

  @Test("a grace period is believed for the longest that a store grants, then nobody knows")
  func grace() throws {
    var script = EventScript()
    script.snapshot(
      0, timestamp: 1,
      #""isActive":true,"isInGracePeriod":true,"willRenew":true,\#(EventScript.expires(100))"#)
    let end = 100 + 30 * 86_400.0
    #expect(try isActive(script, at: end - 0.000001) == "true")
    #expect(try isActive(script, at: end) == "unknown")
    script.snapshot(
      200, timestamp: 2,
      #""isActive":true,"isInGracePeriod":true,"willRenew":false,\#(EventScript.expires(100))"#)
    #expect(try isActive(script, at: end) == "false")
  }

  @Test("who was never told of is without access, in a rule too, and has no row")
  func never() throws {
    var script = EventScript()
    script.onboarding(0, weight: "80", height: "180")
    #expect(try levels(script, at: 1000).isEmpty)
    #expect(try rule(script, at: 1000) == "false")
  }

  @Test("a level that the newest snapshot lacks is gone, and others are as it says")
  func absent() throws {
    var script = EventScript()
    script.snapshot(0, timestamp: 1, #""isActive":true"#)
    #expect(try rule(script, at: 5) == "true")
    script.snapshot(10, timestamp: 2, level: "sports", #""isActive":true"#)
    #expect(try levels(script, at: 20).map(\.level) == ["sports"])
    #expect(try rule(script, at: 20) == "false")
    #expect(try rule(script, at: 20, "sports") == "true")
    // The SDK leaves empty maps out: a whole profile without them has no level.
    script.add("profile_updated", 30, #"{"timestamp":3,"profileId":"p"}"#)
    #expect(try levels(script, at: 40).isEmpty)
    #expect(try rule(script, at: 40, "sports") == "false")
  }

  @Test("several levels stand side by side, by their ids' bytes")
  func several() throws {
    var script = EventScript()
    script.add(
      "profile_updated", 0,
      Bytes(
        #"""
        {"timestamp":1,"access_levels":[{"id":"sports","is_active":true},
        {"id":"Zoo","is_active":false},{"id":"science","is_active":true,"will_renew":false,
        "expires_at":"\#(EventScript.at(50).iso8601)"}]}
        """#))
    #expect(try levels(script, at: 10).map(\.level) == ["Zoo", "science", "sports"])
    #expect(try levels(script, at: 10).map(\.isActive) == [false, true, true])
    #expect(try levels(script, at: 50).map(\.isActive) == [false, false, true])
  }

  @Test("an older snapshot never overwrites a newer one, whatever the order of their events")
  func older() throws {
    let old = #""isActive":true,"vendorProductId":"old""#
    let new = #""isActive":false,"vendorProductId":"new""#
    for isOldFirst in [true, false] {
      var script = EventScript()
      script.snapshot(isOldFirst ? 0 : 60, timestamp: 1000, old, id: "old")
      script.snapshot(isOldFirst ? 60 : 0, timestamp: 2000, new, id: "new")
      let levels = try levels(script, at: 100)
      #expect(levels.map(\.terms.productID) == ["new"])
      #expect(levels.map(\.isActive) == [false])
      #expect(levels.map(\.version) == [Instant(microseconds: 2_000_000)])
      #expect(levels.map(\.toldAt) == [EventScript.at(isOldFirst ? 60 : 0)])
    }
  }

  @Test("of equal timestamps the later event wins")
  func equal() throws {
    var script = EventScript()
    script.snapshot(60, timestamp: 1000, #""vendorProductId":"later""#, id: "a")
    script.snapshot(0, timestamp: 1000, #""vendorProductId":"earlier""#, id: "b")
    #expect(try levels(script, at: 100).map(\.terms.productID) == ["later"])
  }

  @Test("a snapshot without a timestamp counts as made when it was told")
  func withoutTimestamp() throws {
    var script = EventScript()
    script.add(
      "purchase_finished", 100,
      #"{"purchaseResult":{"type":"success","profile":{"accessLevels":{"premium":{"isActive":true}}}}}"#
    )
    // The cache, told later, was made before the purchase.
    script.snapshot(200, timestamp: EventScript.milliseconds(50), #""isActive":false"#)
    #expect(try isActive(script, at: 300) == "true")
    script.snapshot(250, timestamp: EventScript.milliseconds(240), #""isActive":false"#)
    #expect(try isActive(script, at: 300) == "false")
  }

  @Test("an excerpt leaves alone what it does not name")
  func excerpt() throws {
    let pipeline = try Pipeline.checked(
      yaml: """
        pipeline: p
        custom: { plan: text }
        segments: { gold: custom.plan = 'gold', premium: access.premium.is_active }
        """)
    var script = EventScript()
    script.add(
      "profile_updated", 0, #"{"timestamp":1,"custom_attributes":{"plan":"gold"}}"#)
    script.add(
      "restore_finished", 10, #"{"profile":{"accessLevels":{"premium":{"isActive":true}}}}"#)
    #expect(pipeline.outcome(script).segments.map(\.segment) == ["gold", "premium"])
    script.add(
      "profile_updated", 15, #"{"profileId":"p","isTestUser":false,"customerUserId":"42"}"#)
    // A time and an id of an app's own make no profile of a purchase's params.
    script.add("purchase_finished", 16, #"{"timestamp":9999999999999,"profile_id":"p"}"#)
    #expect(pipeline.outcome(script).segments.map(\.segment) == ["gold", "premium"])
    script.add(
      "profile_updated", 20,
      Bytes(#"{"profileId":"p","timestamp":\#(EventScript.milliseconds(20))}"#))
    #expect(pipeline.outcome(script).segments.isEmpty)
  }

  @Test("the samples of the documents: a purchase and a restore give access until it expires")
  func samples() throws {
    let level = #""premium":{"id":"premium","isActive":true,"expiresAt":"2024-02-15T10:30:00Z"}"#
    let restored =
      #"{"profile":{"accessLevels":{\#(level)},"subscriptions":[{"vendorProductId":"#
      + #""premium_monthly","isActive":true,"expiresAt":"2024-02-15T10:30:00Z"}]}}"#
    let bought =
      #"{"product":{"vendorProductId":"premium_monthly","price":9.99,"currencyCode":"USD"},"#
      + #""purchaseResult":{"type":"success","profile":{"accessLevels":{\#(level)}}}}"#
    let day = -759 * 86_400.0  // 2024-02-01T10:00:00Z
    for (name, params) in [
      ("didFinishPurchase", bought), ("paywall_view_did_finish_purchase", bought),
      ("didFinishRestoreWith", restored), ("flow_view_did_finish_restore", restored),
    ] {
      var script = EventScript()
      script.add(Bytes(name), day, Bytes(params))
      #expect(try isActive(script, at: day) == "true", "\(name)")
      #expect(try isActive(script, at: day + 14 * 86_400 + 1799.999999) == "true", "\(name)")
      // Nobody said whether it would renew.
      #expect(try isActive(script, at: day + 14 * 86_400 + 1800) == "unknown", "\(name)")
    }
    var cancelled = EventScript()
    cancelled.add("didFinishPurchase", 0, #"{"purchaseResult":{"type":"cancelled"}}"#)
    #expect(try rule(cancelled, at: 10) == "false")
  }

  @Test("only an object is a level; the default level is one of any number")
  func documentedPattern() throws {
    // profile.accessLevels["premium"]?.isActive ?? false
    var script = EventScript()
    script.add(
      "profile_updated", 0,
      #"{"timestamp":1,"accessLevels":{"sports":{"isActive":true},"science":{"isActive":false}}}"#)
    #expect(try rule(script, at: 10) == "false")
    #expect(try rule(script, at: 10, "sports") == "true")
    #expect(try rule(script, at: 10, "science") == "false")
  }

  // MARK: Records

  private func record(_ members: String) -> Bytes {
    Bytes(#"{"access_level_id":"premium",\#(members)}"#)
  }

  @Test("a webhook's record says what one level is, by the time of its event")
  func record() throws {
    var script = EventScript()
    script.session = nil
    script.snapshot(
      0, timestamp: EventScript.milliseconds(0),
      #""isActive":true,"willRenew":true,\#(EventScript.expires(100))"#)
    #expect(try isActive(script, at: 150) == "unknown")
    script.add(
      "access_level_updated", 120,
      record(#""is_active":true,"will_renew":true,"expires_at":"2026-04-01T10:00:00.000000+0000""#))
    #expect(try isActive(script, at: 150) == "true")
    script.add("access_level_updated", 110, record(#""is_active":false"#), id: "late")
    #expect(try isActive(script, at: 150) == "true")
    script.snapshot(160, timestamp: EventScript.milliseconds(115), #""isActive":false"#, id: "z")
    #expect(try isActive(script, at: 170) == "true")
    script.snapshot(180, timestamp: EventScript.milliseconds(170), #""isActive":false"#, id: "zz")
    #expect(try isActive(script, at: 190) == "false")
  }

  @Test("a record of a level is enough, and other levels are not had")
  func recordAlone() throws {
    var script = EventScript()
    script.add("access_level_updated", 0, record(#""is_active":true,"is_lifetime":true"#))
    #expect(try rule(script, at: 10) == "true")
    #expect(try rule(script, at: 10, "sports") == "false")
  }

  @Test("a purchase that names no level leaves open which one it unlocked, until a newer word")
  func unnamedPurchase() throws {
    var script = EventScript()
    script.add("subscription_started", 0, #"{"vendor_product_id":"m"}"#)
    #expect(try rule(script, at: 10) == "unknown")
    script.add("access_level_updated", 5, #"{"access_level_id":"sports","is_active":true}"#)
    #expect(try rule(script, at: 10) == "false")
    #expect(try rule(script, at: 10, "sports") == "true")
    // The known level explains the renewal.
    script.add("subscription_renewed", 20, #"{"vendor_product_id":"m"}"#)
    #expect(try rule(script, at: 30) == "false")
  }

  @Test(
    "what is no living subscription unlocks nothing",
    arguments: ["subscription_expired", "non_subscription_purchase", "subscription_refunded"])
  func unlocksNothing(_ name: String) throws {
    var script = EventScript()
    script.add(Bytes(name), 0, #"{"vendor_product_id":"m"}"#)
    #expect(try rule(script, at: 10) == "false")
  }

  @Test("a record that no level gives access ends what was said before it, not after")
  func denied() throws {
    var script = EventScript()
    script.snapshot(0, timestamp: EventScript.milliseconds(0), #""isActive":true"#)
    script.add("subscription_expired", 50, #"{"profile_has_access_level":false}"#)
    #expect(try isActive(script, at: 49) == "true")
    #expect(try isActive(script, at: 60) == "false")
    script.snapshot(70, timestamp: EventScript.milliseconds(65), #""isActive":true"#)
    #expect(try isActive(script, at: 80) == "true")
  }
}
