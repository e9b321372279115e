import Testing

@testable import Core
@testable import sluice

@Suite("Rules about access, custom attributes and store messages")
struct SubscriptionRuleTests {
  private func holding(
    _ rules: [String: String], _ script: EventScript, at seconds: Double = 1e6, more: String = ""
  ) throws -> Set<String> {
    let pipeline = try PipelineFile.checked(
      """
      pipeline: p
      \(more)
      segments:
      \(rules.map { "  \($0.key): \($0.value)" }.joined(separator: "\n"))
      """)
    return Set(outcome(script, pipeline, asOf: seconds).segments.map(\.segment.string))
  }

  @Test("every fact of a level can be asked")
  func facts() throws {
    var script = EventScript()
    script.snapshot(
      0, timestamp: 1,
      #"""
      "isActive":true,"isLifetime":false,"isRefund":false,"isInGracePeriod":false,"willRenew":true,
      "activatedAt":"2026-01-01T00:00:00Z","renewedAt":"2026-02-01T00:00:00Z",
      "startsAt":"2026-01-01T00:00:00Z","expiresAt":"2026-12-01T00:00:00Z",
      "unsubscribedAt":"2026-02-02T00:00:00Z","billingIssueDetectedAt":"2026-02-03T00:00:00Z",
      "vendorProductId":"m","store":"app_store","activeIntroductoryOfferType":"pay_as_you_go",
      "activePromotionalOfferType":"pay_up_front","cancellationReason":"billing_error"
      """#)
    let expected: [AccessFact: String] = [
      .isActive: "is true", .isLifetime: "is false", .isRefund: "is false",
      .isInGracePeriod: "is false", .hasBillingIssue: "is true", .willRenew: "is true",
      .activatedAt: "= '2026-01-01T00:00:00Z'", .renewedAt: "= '2026-02-01T00:00:00Z'",
      .startsAt: "= '2026-01-01T00:00:00Z'", .expiresAt: "= '2026-12-01T00:00:00Z'",
      .unsubscribedAt: "= '2026-02-02T00:00:00Z'",
      .billingIssueDetectedAt: "= '2026-02-03T00:00:00Z'", .productID: "= 'm'",
      .store: "= 'app_store'", .introductoryOfferType: "= 'pay_as_you_go'",
      .promotionalOfferType: "= 'pay_up_front'", .cancellationReason: "= 'billing_error'",
    ]
    var rules: [String: String] = [:]
    for fact in AccessFact.allCases {
      rules[fact.rawValue] = "access.premium.\(fact.rawValue) " + (expected[fact] ?? "?")
    }
    #expect(try holding(rules, script) == Set(AccessFact.allCases.map(\.rawValue)))
    // A level that somebody lacks has no facts but that it gives no access.
    let none = rules.mapValues { rule in
      String(rule.split(separator: " ")[0]).replacing("premium", with: "sports") + " is null"
    }
    #expect(
      try holding(none, script)
        == Set(AccessFact.allCases.map(\.rawValue)).subtracting(["is_active"]))
  }

  @Test("unknown is kept apart from false: the rules of the design's example")
  func unknown() throws {
    var script = EventScript()
    script.snapshot(
      0, timestamp: 1, #""isActive":true,"willRenew":true,\#(EventScript.expires(100))"#)
    let rules = [
      "premium": "access.premium.is_active is not false",
      "lapsed": "access.premium.is_active is false and access.premium.expires_at is not null",
      "sure": "access.premium.is_active",
    ]
    #expect(try holding(rules, script, at: 50) == ["premium", "sure"])
    #expect(try holding(rules, script, at: 150) == ["premium"])
    script.snapshot(200, timestamp: 2, #""isActive":false,\#(EventScript.expires(100))"#)
    #expect(try holding(rules, script, at: 250) == ["lapsed"])
  }

  @Test("the history of a segment ends at the very instant of expiry, in event time")
  func history() throws {
    let pipeline = try Pipeline.checked(
      yaml: "pipeline: p\nsegments: { premium: access.premium.is_active is not false }")
    var script = EventScript()
    script.appeared(-10)
    script.snapshot(
      0, timestamp: EventScript.milliseconds(0),
      #""isActive":true,"willRenew":false,\#(EventScript.expires(100.5))"#)
    let active = pipeline.outcome(script, at: 100.499999)
    #expect(active.segments.map(\.since) == [EventScript.at(0)])
    #expect(active.segmentHistory.isEmpty)
    #expect(active.profile.nextReviewAt == EventScript.at(100.5))
    let over = pipeline.outcome(script, at: 100.5)
    #expect(over.segments.isEmpty)
    #expect(
      over.segmentHistory
        == [
          SegmentInterval(segment: "premium", from: EventScript.at(0), to: EventScript.at(100.5))
        ])
    #expect(over.profile.nextReviewAt == nil)
    // Bought again: a new interval, and the past one stays.
    script.snapshot(
      200, timestamp: EventScript.milliseconds(200),
      #""isActive":true,"willRenew":true,\#(EventScript.expires(300))"#)
    let again = pipeline.outcome(script, at: 1000)
    #expect(again.segments.map(\.since) == [EventScript.at(200)])
    #expect(again.segmentHistory == over.segmentHistory)
    // Had it been known in time, an older snapshot that comes late changes nothing.
    script.snapshot(400, timestamp: EventScript.milliseconds(50), #""isActive":false"#)
    #expect(pipeline.outcome(script, at: 1000).segments == again.segments)
  }

  @Test("the review is due when a level expires, read by a rule or not")
  func review() throws {
    var script = EventScript()
    script.snapshot(0, timestamp: 1, #""isActive":true,\#(EventScript.expires(100))"#)
    let outcome = try Pipeline.checked(yaml: "pipeline: p").outcome(script, at: 10)
    #expect(outcome.profile.nextReviewAt == EventScript.at(100))
  }

  @Test(
    "records of both feeds carry the app's attributes; the newest word counts, an empty one is none",
    arguments: [
      #""user_attributes":{"coins":120,"plan":"gold","is_vip":true}"#,
      #""user_attributes":"{\"coins\":120.0,\"plan\":\"gold\",\"is_vip\":1}""#,
      #""attributes":{"coins":120,"plan":"gold","is_vip":1}"#,
    ])
  func customOfRecords(_ attributes: String) throws {
    let more = "custom: { coins: number, plan: text, is_vip: number }"
    let rules = [
      "coins": "custom.coins = 120", "plan": "custom.plan = 'gold'", "vip": "custom.is_vip = 1",
      "silver": "custom.plan = 'silver'",
    ]
    var script = EventScript()
    script.record("trial_started", 10, Bytes(#"{"vendor_product_id":"m",\#(attributes)}"#))
    #expect(try holding(rules, script, more: more) == ["coins", "plan", "vip"])
    // The feed was not told to send them, or there are none: either way, nothing is taken away.
    script.record("trial_converted", 20, #"{"user_attributes":{},"attributes":null}"#)
    #expect(try holding(rules, script, more: more) == ["coins", "plan", "vip"])
    func snapshot(_ seconds: Double) -> Bytes {
      Bytes(
        #"{"timestamp":\#(EventScript.milliseconds(seconds)),"customAttributes":{"plan":"silver"}}"#
      )
    }
    // A cache that is older than the record, told later; then a newer one; then a late record.
    script.add("profile_updated", 30, snapshot(5))
    #expect(try holding(rules, script, more: more) == ["coins", "plan", "vip"])
    script.add("profile_updated", 40, snapshot(40))
    #expect(try holding(rules, script, more: more) == ["silver"])
    script.record("subscription_renewed", 39, Bytes("{\(attributes)}"), id: "zz")
    #expect(try holding(rules, script, more: more) == ["silver"])
    script.record("subscription_renewed", 41, Bytes("{\(attributes)}"))
    #expect(try holding(rules, script, more: more) == ["coins", "plan", "vip"])
  }

  @Test("attributes that the app set, by their declared types; another type counts as not set")
  func custom() throws {
    let more = "custom: { coins: number, plan: text, level: text, vip: number }"
    var script = EventScript()
    let rules = [
      "coins": "custom.coins > 99.5", "plan": "custom.plan = 'gold'",
      "level": "custom.level is null", "vip": "custom.vip = 1",
    ]
    script.add("app_opened", -1)
    #expect(try holding(rules, script, more: more) == ["level"])
    script.add(
      "profile_updated", 0,
      #"{"timestamp":1,"customAttributes":{"coins":100,"plan":"gold","level":5,"vip":true}}"#)
    #expect(try holding(rules, script, more: more) == ["coins", "plan", "level", "vip"])
    script.add(
      "profile_updated", 1,
      #"{"timestamp":2,"customAttributes":[{"key":"coins","value":"100"},{"key":"plan","value":"gold"}]}"#
    )
    #expect(try holding(rules, script, more: more) == ["plan", "level"])
  }

  @Test("the profile's own id and tester's mark count where no envelope says them")
  func profileFacts() throws {
    let rules = [
      "tester": "profile.is_test_user", "customer": "profile.customer_user_id = '42'",
      "other": "profile.customer_user_id = '7'",
    ]
    var script = EventScript()
    script.add(
      "profile_updated", 0, #"{"timestamp":1,"customerUserId":"42","isTestUser":true}"#)
    #expect(try holding(rules, script) == ["tester", "customer"])
    let latest = try Pipeline.checked(yaml: "pipeline: p").outcome(script).profile.latest
    #expect(latest[.customerUserID] == "42")
    #expect(latest[.isTestUser] == "true")
    script.context = [.customerUserID: "7", .isTestUser: "false"]
    script.add("app_opened", 1)
    #expect(try holding(rules, script) == ["other"])
  }

  @Test("what cannot be asked is refused with what can")
  func refused() throws {
    func problem(_ rule: String, _ more: String = "") throws -> String {
      let file = PipelineFile(
        Array("pipeline: p\n\(more)\nsegments:\n  s: \(rule)".utf8), path: "p")
      let source = try #require(file.source)
      let problems = try #require(throws: PipelineProblems.self) {
        try PipelineChecker.check(source)
      }
      return problems.list.map(\.message).joined(separator: "; ")
    }
    #expect(try problem("custom.coins > 1").contains("section `custom`"))
    #expect(try problem("access.premium.active").contains("is_active, "))
    #expect(try problem("store_message.billing_issue").contains("is_pending"))
    #expect(try problem("custom.plan > 1", "custom: { plan: text }").contains("number"))
    let long = String(repeating: "k", count: 31)
    #expect(
      try problem("true = true", "custom: { \(long): text }").contains("1 to 30 characters"))
    let wrong = PipelineFile(Array("pipeline: p\ncustom: { a: date }".utf8), path: "p")
    #expect(wrong.report().contains("`number` or `text`"))
  }

  @Test("what a rule reads of access is missed where nobody has it")
  func coverage() throws {
    let pipeline = try Pipeline.checked(
      yaml: """
        pipeline: p
        segments: { s: access.premium.is_active or access.gold.will_renew, t: "subscription_state is null" }
        """)
    var coverage = DataCoverage(pipeline)
    var script = EventScript()
    script.appeared(0)
    coverage.add(pipeline.outcome(script))
    #expect(
      coverage.missing == [
        .accessLevel("gold"), .accessLevel("premium"), .subscriptionState, .segment("s"),
        .segment("t"),
      ])
    script.snapshot(1, timestamp: 1, #""isActive":true"#)
    coverage.add(pipeline.outcome(script))
    #expect(coverage.missing == [.accessLevel("gold"), .segment("t")])
  }

  @Test("an explanation shows the facts' values")
  func explained() throws {
    let pipeline = try Pipeline.checked(
      yaml: """
        pipeline: p
        custom: { coins: number }
        segments:
          s: "access.premium.is_active and custom.coins > 3 and subscription_state = 'subscribed'"
          m: store_message.generic.is_pending
        """)
    var script = EventScript()
    script.add(
      "profile_updated", 0,
      Bytes(
        #"""
        {"timestamp":1,"customAttributes":{"coins":250},"accessLevels":{"premium":{"isActive":true,
        "willRenew":true,\#(EventScript.expires(100))}}}
        """#))
    script.add("store_message_queued", 1, #"{"type":"generic"}"#)
    let explanation = explain(
      EventSet(profileID: "p", events: script.events), pipeline, asOf: EventScript.at(50), .system)
    let shown = explanation.segments.flatMap(\.clauses).map {
      "\($0.text.string) | \($0.shown?.string ?? "") | \($0.value)"
    }
    #expect(shown.contains { $0.hasPrefix("custom.coins > 3 | 250 > 3") })
    #expect(shown.contains { $0.hasPrefix("subscription_state = 'subscribed' | 'subscribed' =") })
    #expect(
      shown.contains { $0.contains("access.premium.is_active") && $0.contains("boolean(true)") })
    #expect(explanation.segments.map(\.name) == ["m", "s"])
    #expect(explanation.outcome.segments.map(\.segment) == ["m", "s"])
  }

  // MARK: Properties

  /// A person with snapshots, records and messages at random, also out of order and ahead of time.
  private func script(_ random: inout SeededGenerator) -> EventScript {
    var script = EventScript()
    func pick<Item>(_ items: [Item]) -> Item {
      items[Int.random(in: 0..<items.count, using: &random)]
    }
    func terms() -> String {
      var members = [#""isActive":\#(pick(["true", "true", "false"]))"#]
      if Bool.random(using: &random) {
        members.append(#""willRenew":\#(Bool.random(using: &random))"#)
      }
      if pick([true, true, false]) {
        members.append(
          EventScript.expires(Double(Int.random(in: -5...40, using: &random)) * 43_200))
      }
      if pick([true, false, false]) { members.append(#""isInGracePeriod":true"#) }
      if pick([true, false, false]) {
        members.append(#""isLifetime":\#(pick(["true", "false"]))"#)
      }
      members.append(#""vendorProductId":"\#(pick(["m", "y"]))""#)
      return members.joined(separator: ",")
    }
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let at = Double(Int.random(in: 0..<30, using: &random)) * 43_200
      script.session = pick(["s1", "s2", "s3", nil])
      let stamp =
        pick([true, true, false])
        ? EventScript.milliseconds(at + Double(pick([0, -86_400, 3600]))) : nil
      switch Int.random(in: 0..<7, using: &random) {
      case 0, 1, 2:
        script.snapshot(at, timestamp: stamp, level: pick(["premium", "sports"]), terms())
      case 3:
        script.add("access_level_updated", at, Bytes(#"{"access_level_id":"premium",\#(terms())}"#))
      case 4:
        script.add(
          pick(["subscription_started", "subscription_expired", "non_subscription_purchase"]), at,
          pick(["{}", #"{"profile_has_access_level":false}"#]))
      case 5: script.add("store_message_queued", at, #"{"type":"billing_issue"}"#)
      default:
        script.add(
          pick(["store_message_shown", "store_message_failed"]), at, #"{"type":"billing_issue"}"#)
      }
    }
    return script
  }

  private static let rules = """
    pipeline: p
    segments:
      premium: access.premium.is_active is not false
      sure: access.sports.is_active
      lapsed: access.premium.is_active is false and access.premium.expires_at < now()
      state: subscription_state in ('subscribed', 'grace_period')
      unknown: subscription_state is null
      waits: store_message.billing_issue.is_pending
    """

  @Test("resolve is constant until the next review, for 600 random people, rules reading it or not")
  func constant() throws {
    var random = SeededGenerator(seed: 4)
    let pipelines = [
      try Pipeline.checked(yaml: Self.rules), try Pipeline.checked(yaml: "pipeline: p"),
    ]
    var reviewed = 0
    for run in 1...600 {
      let pipeline = pipelines[run % 2]
      let set = EventSet(profileID: "p", events: script(&random).events)
      let asOf = EventScript.at(Double(Int.random(in: 0..<2_000_000, using: &random)))
      let now = resolve(set, pipeline, asOf: asOf, .system)
      let end = now.profile.nextReviewAt ?? asOf.adding(days: 4000)
      #expect(end > asOf, "seed 4, run \(run)")
      if now.profile.nextReviewAt != nil { reviewed += 1 }
      let length = end.microseconds - asOf.microseconds
      for instant in [
        end.adding(microseconds: -1),
        asOf.adding(microseconds: Int64.random(in: 0..<length, using: &random)),
      ] {
        #expect(
          resolve(set, pipeline, asOf: instant, .system) == now,
          "seed 4, run \(run), at \(instant.iso8601)")
      }
    }
    // Else the property would say little.
    #expect(reviewed > 200)
  }

  @Test("histories grow and never alter as time goes on, for 200 random people")
  func stepwise() throws {
    var random = SeededGenerator(seed: 5)
    let pipeline = try Pipeline.checked(yaml: Self.rules)
    var steps = 0
    for run in 1...200 {
      let set = EventSet(profileID: "p", events: script(&random).events)
      var known = resolve(set, pipeline, asOf: EventScript.at(31 * 43_200), .system)
      for _ in 0..<6 {
        guard let review = known.profile.nextReviewAt else { break }
        let later = resolve(set, pipeline, asOf: review, .system)
        #expect(
          known.segmentHistory.allSatisfy { later.segmentHistory.contains($0) },
          "seed 5, run \(run)")
        // The history tells of the instants in between what was told at them.
        for membership in later.segments where membership.since > EventScript.at(31 * 43_200) {
          let then = resolve(set, pipeline, asOf: membership.since, .system)
          #expect(then.segments.contains(membership), "seed 5, run \(run)")
        }
        known = later
        steps += 1
      }
    }
    #expect(steps > 50)
  }

  @Test("the order in which events arrive changes nothing, for 200 random people")
  func order() throws {
    var random = SeededGenerator(seed: 6)
    let pipeline = try Pipeline.checked(yaml: Self.rules)
    for run in 1...200 {
      let events = script(&random).events
      let asOf = EventScript.at(1e6)
      let first = resolve(EventSet(profileID: "p", events: events), pipeline, asOf: asOf, .system)
      let other = (events + events.prefix(2)).shuffled(using: &random)
      #expect(
        resolve(EventSet(profileID: "p", events: other), pipeline, asOf: asOf, .system) == first,
        "seed 6, run \(run)")
    }
  }
}
