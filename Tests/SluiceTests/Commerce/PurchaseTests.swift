import Testing

@testable import Core
@testable import sluice

private let day: Double = 86_400

@Suite("Purchases")
struct PurchaseTests {
  private func purchases(_ script: EventScript, at seconds: Double = 1e8) throws -> [Purchase] {
    try Pipeline.commerce().outcome(script, at: seconds).purchases.sorted {
      ($0.startedAt ?? $0.finishedAt ?? $0.recordedAt ?? EventScript.at(0), $0.purchaseID)
        < ($1.startedAt ?? $1.finishedAt ?? $1.recordedAt ?? EventScript.at(0), $1.purchaseID)
    }
  }

  private static func paywall() -> EventScript {
    var script = EventScript()
    script.context = [
      .placementID: "paywall", .variationID: "v1", .audienceName: "All users", .platform: "iOS",
    ]
    return script
  }

  private static func product(_ id: String, _ more: String = "") -> Bytes {
    Bytes(
      #"{"product":{"vendorProductId":"\#(id)","price":9.99,"currencyCode":"USD"}\#(more)}"#)
  }

  private static func success(_ id: String, transaction: String? = nil, original: String? = nil)
    -> Bytes
  {
    var ids = ""
    if let transaction { ids += #","transaction_id":"\#(transaction)""# }
    if let original { ids += #","original_transaction_id":"\#(original)""# }
    return product(id, #","purchaseResult":{"type":"success"}"# + ids)
  }

  private static func record(
    _ product: String, _ id: String?, original: String? = nil, usd: Double? = 9.99,
    more: String = ""
  ) -> Bytes {
    var members = [#""vendor_product_id":"\#(product)""#]
    if let id { members.append(#""transaction_id":"\#(id)""#) }
    if let original { members.append(#""original_transaction_id":"\#(original)""#) }
    if let usd { members.append(#""price_usd":\#(usd)"#) }
    return Bytes("{" + members.joined(separator: ",") + more + "}")
  }

  @Test("a start and its end are one attempt, with what both know")
  func attempt() throws {
    var script = Self.paywall()
    script.appeared(0)
    script.add("purchase_started", 5, Self.product("m"))
    script.context[.placementID] = nil
    script.add("purchase_finished", 9, #"{"purchaseResult":{"type":"success"}}"#)
    let found = try purchases(script)
    let purchase = try #require(found.first)
    #expect(found.count == 1)
    #expect(purchase.outcome == .success)
    #expect(purchase.source == .app)
    #expect(purchase.startedAt == EventScript.at(5))
    #expect(purchase.finishedAt == EventScript.at(9))
    #expect(purchase.purchasedAt == EventScript.at(9))
    #expect(purchase.productID == "m")
    #expect(purchase.price == 9.99)
    #expect(purchase.scene.placementID == "paywall")
    #expect(purchase.scene.variationID == "v1")
    #expect(purchase.scene.audienceName == "All users")
    #expect(purchase.revenueUSD == nil, "a price is not what was paid")
  }

  @Test("an end belongs to the latest open attempt of its product and session")
  func pairing() throws {
    var script = Self.paywall()
    script.add("purchase_started", 0, Self.product("m"))
    script.add("purchase_started", 1, Self.product("y"))
    script.add("purchase_started", 2, Self.product("m"))
    script.session = "s2"
    script.add("purchase_failed", 3, Self.product("z"))
    script.session = "s1"
    script.add("purchase_finished", 4, Self.product("m", #","purchaseResult":{"type":"pending"}"#))
    script.add(
      "purchase_finished", 5, Self.product("y", #","purchaseResult":{"type":"cancelled"}"#))
    let found = try purchases(script)
    #expect(found.map(\.outcome) == [.started, .cancelled, .pending, .failed])
    #expect(found.map(\.productID) == ["m", "y", "m", "z"])
    #expect(found[3].startedAt == nil)
  }

  @Test("an end that a later launch of the app is told belongs to the attempt that was left open")
  func acrossSessions() throws {
    var script = Self.paywall()
    script.add("purchase_started", 0, Self.product("m"))
    script.add("purchase_started", 10, Self.product("m"))
    script.add("purchase_failed", 11, Self.product("m"))
    for session in [Bytes("s2"), nil] {
      script.session = session
      script.context[.variationID] = session == nil ? nil : "v2"
      script.add("purchase_finished", 3600, Self.success("m", transaction: "t1"))
      let found = try purchases(script)
      #expect(found.first?.outcome == .success)
      #expect(found.first?.startedAt == EventScript.at(0))
      #expect(found.first?.finishedAt == EventScript.at(3600))
      #expect(found.first?.transactionID == "t1")
      #expect(found.first?.scene.variationID == "v1", "it was begun there")
      #expect(found.count == (session == nil ? 3 : 2), "the second one tells of the same purchase")
    }
  }

  @Test("an attempt of another session takes no end of another product, channel, time or attempt")
  func acrossSessionsNot() throws {
    for (name, seconds, params) in [
      ("purchase_finished", 10, Self.success("y")), ("web_payment_finished", 10, Self.product("m")),
      ("purchase_finished", day + 1, Self.success("m")),
      ("purchase_finished", -1, Self.success("m")),
      ("purchase_finished", 10, #"{"purchaseResult":{"type":"success"}}"#),
    ] as [(Bytes, Double, Bytes)] {
      var script = Self.paywall()
      script.add("purchase_started", 0, Self.product("m"))
      script.session = "s2"
      script.add(name, seconds, params)
      #expect(try purchases(script).count == 2, "\(name.string) at \(seconds)")
    }
    // Two devices: the end of the first comes last, and is its own all the same.
    var script = Self.paywall()
    script.add("purchase_started", 0, Self.product("m"))
    script.session = "s2"
    script.add("purchase_finished", 5, Self.success("m", transaction: "t2"))
    script.session = "s1"
    script.add("purchase_finished", 9, Self.success("m", transaction: "t1"))
    let found = try purchases(script)
    #expect(found.first { $0.startedAt != nil }?.transactionID == "t1")
    #expect(found.count == 2)
  }

  @Test("the app and the feed tell of one subscription by two of its transactions")
  func twoTransactions() throws {
    for (own, original) in [("t2", "t1"), ("t1", nil), ("t2", "o")] as [(String, String?)] {
      var script = Self.paywall()
      script.add("purchase_finished", 0, Self.success("m", transaction: own, original: original))
      script.record(
        "subscription_started", 60, Self.record("m", "t3", original: original ?? own))
      let found = try purchases(script)
      #expect(found.map(\.source) == [.both], "\(own)")
      #expect(found.map(\.matchedBy) == [.originalTransaction])
      #expect(found.map(\.revenueUSD) == [9.99])
    }
    // A change of plan keeps the original id, and is a purchase of its own.
    var script = Self.paywall()
    script.add("purchase_finished", 0, Self.success("year", transaction: "t2", original: "t1"))
    script.record("subscription_started", 60, Self.record("month", "t1", original: "t1"))
    #expect(try purchases(script).map(\.source) == [.app, .record])
    // Its own record comes first, however near another one is.
    script = Self.paywall()
    script.add("purchase_finished", 0, Self.success("m", transaction: "t2", original: "t1"))
    script.record("subscription_started", 5, Self.record("m", "t1", original: "t1"))
    script.record("subscription_started", 3 * day, Self.record("m", "t2", original: "t1"))
    #expect(try purchases(script).map(\.transactionID) == ["t2", "t1"])
  }

  @Test(
    "a success whose transaction is a renewal bought nothing",
    arguments: ["subscription_renewed", "trial_converted"] as [Bytes])
  func successOfRenewal(_ type: Bytes) throws {
    for hasBeginning in [true, false] {
      var script = Self.paywall()
      if hasBeginning {
        script.record("trial_started", 0, Self.record("m", "t1", original: "t1"))
      }
      script.record(type, 10 * day, Self.record("m", "t2", original: "t1", usd: 8))
      script.add(
        "purchase_finished", 11 * day, Self.success("m", transaction: "t2", original: "t1"))
      script.add(
        "purchase_finished", 12 * day, Self.success("m", transaction: "t2", original: "t1"))
      let outcome = try Pipeline.commerce("segments: { buyer: purchases.count > 0 }")
        .outcome(script)
      let bought = outcome.purchases.filter { $0.outcome == .success }
      let other = outcome.purchases.filter { $0.outcome == .repeated }
      #expect(bought.count == (hasBeginning ? 1 : 0))
      #expect(bought.allSatisfy { $0.renewals == 1 && $0.totalUSD == 8 })
      #expect(other.count == 2, "what the app told stays visible")
      #expect(
        other.allSatisfy { $0.matchedBy == .transaction && $0.source == .both })
      #expect(other.allSatisfy { $0.revenueUSD == nil && $0.purchasedAt == nil })
      #expect(outcome.segments.count == (hasBeginning ? 1 : 0))
      #expect(
        outcome.transactions.last?.purchaseID == bought.first?.purchaseID, "it goes on with that")
    }
  }

  @Test("an app event and the record of the same purchase are one, both sides told")
  func oneOfTwo() throws {
    var script = Self.paywall()
    script.add("purchase_started", 0, Self.product("m"))
    script.add("purchase_finished", 9, Self.success("m"))
    script.record("subscription_started", 60, Self.record("m", "t1", original: "t1"))
    let found = try purchases(script)
    let purchase = try #require(found.first)
    #expect(found.count == 1)
    #expect(purchase.source == .both)
    #expect(purchase.matchedBy == .productAndTime)
    #expect(purchase.appOutcome == .success)
    #expect(purchase.finishedAt == EventScript.at(9))
    #expect(purchase.recordedAt == EventScript.at(60))
    #expect(purchase.purchasedAt == EventScript.at(9))
    #expect(purchase.revenueUSD == 9.99)
    #expect(purchase.transactionID == "t1")
  }

  @Test("the original transaction id comes before product and time")
  func originalFirst() throws {
    var script = Self.paywall()
    // By time alone the first success would take t2, which is the second one's.
    script.add("purchase_finished", 0, Self.success("m", original: "t1"))
    script.add("purchase_finished", 100, Self.success("m"))
    script.record("subscription_started", 50, Self.record("m", "t2", original: "t2"))
    script.record("subscription_started", 3 * day, Self.record("m", "t1", original: "t1"))
    let found = try purchases(script)
    #expect(found.map(\.transactionID) == ["t1", "t2"])
    #expect(found.map(\.matchedBy) == [.originalTransaction, .productAndTime])
  }

  @Test("greedy in time order: each success takes the earliest record within 24 hours")
  func greedy() throws {
    var script = Self.paywall()
    script.add("purchase_finished", 0, Self.success("m"))
    script.add("purchase_finished", 0.5 * day, Self.success("m"))
    script.record("non_subscription_purchase", 0.6 * day, Self.record("m", "b"))
    script.record("non_subscription_purchase", 0.4 * day, Self.record("m", "a"))
    script.record("non_subscription_purchase", 0.3 * day, Self.record("other", "c"))
    script.record("non_subscription_purchase", 3 * day, Self.record("m", "d"))
    let found = try purchases(script)
    #expect(found.map(\.transactionID) == ["a", "c", "b", "d"])
    #expect(found.map(\.source) == [.both, .record, .both, .record])
    #expect(found.map(\.matchedBy) == [.productAndTime, nil, .productAndTime, nil])
  }

  @Test("24 hours match, a microsecond more does not; the record may be first")
  func window() throws {
    for (seconds, count) in [
      (day, 1), (day + 0.000_001, 2), (-day, 1), (-day - 0.000_001, 2),
    ] {
      var script = Self.paywall()
      script.add("purchase_finished", 0, Self.success("m"))
      script.record("subscription_started", seconds, Self.record("m", "t"))
      #expect(try purchases(script).count == count, "\(seconds)")
    }
  }

  @Test("ids that differ are no match, whatever product and time say")
  func otherID() throws {
    var script = Self.paywall()
    script.add("purchase_finished", 0, Self.success("m", transaction: "t1", original: "o1"))
    script.record("subscription_started", 10, Self.record("m", "t2", original: "o2"))
    #expect(try purchases(script).map(\.source) == [.app, .record])
  }

  @Test("one transaction counts once: told twice by the app, by the webhook and by the export")
  func once() throws {
    var script = Self.paywall()
    script.add("purchase_finished", 0, Self.success("m", transaction: "t1"))
    script.add("purchase_finished", 100, Self.success("m", transaction: "t1"))
    script.record("subscription_started", 10, Self.record("m", "t1", original: "t1"))
    script.record(
      "subscription_started", 10,
      #"{"product_id":"m","transaction_id":"t1","original_transaction_id":"t1","revenue_usd":"9.99","revenue_local":"8.99","currency":"EUR"}"#
    )
    let outcome = try Pipeline.commerce("segments: { buyer: purchases.count = 1 }")
      .outcome(script)
    #expect(try purchases(script).map(\.outcome) == [.success, .repeated])
    #expect(outcome.transactions.count == 1)
    #expect(outcome.transactions.first?.revenueUSD == 9.99)
    #expect(outcome.transactions.first?.revenueLocal == 8.99)
    #expect(outcome.transactions.first?.currency == "EUR")
    #expect(outcome.segments.map(\.segment) == ["buyer"])
  }

  @Test("renewals and conversions are no purchases: they add to the one they go on with")
  func renewals() throws {
    var script = Self.paywall()
    script.add("purchase_finished", 0, Self.success("m"))
    script.record("trial_started", 5, Self.record("m", "t1", original: "t1", usd: 9.99))
    script.record("trial_converted", 7 * day, Self.record("m", "t2", original: "t1", usd: 9.99))
    script.record("subscription_renewed", 37 * day, Self.record("m", "t3", original: "t1", usd: 8))
    script.record("subscription_renewed", 50 * day, Self.record("x", "t9", original: "t8", usd: 5))
    let outcome = try Pipeline.commerce().outcome(script)
    let purchase = try #require(outcome.purchases.first)
    #expect(outcome.purchases.count == 1)
    #expect(purchase.revenueUSD == 0, "a trial brings nothing")
    #expect(purchase.renewals == 2)
    #expect(purchase.totalUSD == 17.99)
    #expect(outcome.transactions.map(\.kind) == [.trial, .conversion, .renewal, .renewal])
    #expect(
      outcome.transactions.map { $0.purchaseID != nil } == [true, true, true, false],
      "a subscription that began before our history has no purchase")
  }

  @Test("a restore is no purchase")
  func restore() throws {
    var script = Self.paywall()
    try script.add("restore_started", 0, fixture: "bridge/restore_started")
    try script.add("restore_finished", 3, fixture: "bridge/restore_finished")
    try script.add("didFailRestore", 9, fixture: "flow-events/restore_failed")
    let outcome = try Pipeline.commerce().outcome(script)
    #expect(outcome.purchases.isEmpty)
    let restores = outcome.restores.sorted {
      ($0.finishedAt ?? EventScript.at(0)) < ($1.finishedAt ?? EventScript.at(0))
    }
    #expect(restores.map(\.outcome) == [.success, .failed])
    #expect(restores.map(\.hasAccess) == [true, nil])
    #expect(restores.map(\.startedAt) == [EventScript.at(0), nil])
  }

  @Test(
    "a refund takes back its transaction's revenue, once, with or without an amount or a minus",
    arguments: [(nil, 0), ("-9.99", 0), ("9.99", 0), ("4", 5.99)] as [(String?, Double)])
  func refund(_ amount: String?, _ rest: Double) throws {
    var script = Self.paywall()
    let said = amount.map { #","price_usd":\#($0)"# } ?? ""
    script.record("subscription_started", 0, Self.record("m", "t1", original: "t1"))
    script.record(
      "subscription_refunded", day, Self.record("m", "t1", original: "t1", usd: nil, more: said))
    script.record(
      "subscription_refunded", day + 5,
      Self.record("m", "t1", original: "t1", usd: nil, more: said))
    let purchase = try #require(try purchases(script).first)
    #expect(purchase.revenueUSD == 9.99)
    #expect(abs((purchase.totalUSD ?? -1) - rest) < 1e-9)
    #expect(purchase.refundedAt == EventScript.at(day))
    #expect(purchase.outcome == .success)
  }

  @Test("a refund that names no transaction takes back the latest of its subscription")
  func refundOfLatest() throws {
    var script = Self.paywall()
    script.record("subscription_started", 0, Self.record("m", "t1", original: "t1"))
    script.record("subscription_renewed", day, Self.record("m", "t2", original: "t1"))
    script.record(
      "subscription_refunded", 2 * day, Self.record("m", nil, original: "t1", usd: nil))
    let outcome = try Pipeline.commerce().outcome(script)
    #expect(outcome.transactions.map(\.refundedUSD) == [nil, 9.99])
  }

  @Test("a refund whose transaction is unknown gives nothing back")
  func refundAlone() throws {
    var script = Self.paywall()
    script.record("subscription_refunded", 0, Self.record("m", "t7", usd: 9.99))
    let outcome = try Pipeline.commerce(
      "attributes: { usd: { type: number, value: purchases.revenue_usd } }"
    ).outcome(script)
    #expect(outcome.purchases.isEmpty)
    #expect(outcome.transactions.map(\.kind) == [.unknown])
    #expect(outcome.attributes.first?.value == .number(0))
  }

  @Test("what waited for an approval, or was paid in the browser, is a purchase by its record")
  func approved() throws {
    var script = Self.paywall()
    script.add(
      "purchase_finished", 0, Self.product("m", #","purchaseResult":{"type":"pending"}"#))
    script.add("web_payment_finished", 10, Self.product("y"))
    script.record("subscription_started", 3600, Self.record("m", "t1"))
    script.record("subscription_started", 4000, Self.record("y", "t2"))
    let found = try purchases(script)
    #expect(found.map(\.outcome) == [.success, .success])
    #expect(found.map(\.appOutcome) == [.pending, .pending])
    #expect(found.map(\.channel) == [.store, .web])
    #expect(found.map(\.purchasedAt) == [EventScript.at(3600), EventScript.at(4000)])
  }

  @Test("a record alone is a purchase, at its placement")
  func recordAlone() throws {
    var script = EventScript()
    script.record("subscription_started", 0, try Fixture.params("bridge/subscription_started"))
    let purchase = try #require(try purchases(script).first)
    #expect(purchase.source == .record)
    #expect(purchase.appOutcome == nil)
    #expect(purchase.scene.placementID == "paywall")
    #expect(purchase.scene.audienceName == "All users")
    #expect(purchase.scene.variationID == "7c1d8a9e-0000-4a00-8000-000000000001")
    #expect(purchase.environment == "Production")
  }

  @Test("an end without a result that can be read ended somehow; with an error it failed")
  func unreadable() throws {
    var script = Self.paywall()
    script.add("purchase_finished", 0, Self.product("m", #","purchaseResult":7"#))
    script.add("purchase_finished", 9, Self.product("m", #","error":{"adapty_code":1006}"#))
    #expect(try purchases(script).map(\.outcome) == [.started, .failed])
  }

  @Test("params that are broken anywhere cost no event and crash nothing")
  func broken() throws {
    let pipeline = try Pipeline.commerce()
    var random = SeededGenerator(seed: 7)
    let params = try [
      "bridge/purchase_finished_success", "bridge/subscription_started",
      "bridge/purchase_failed", "flow-events/restore_finished",
    ].map { try Fixture.params($0) }
    let names = EventKind.allCases.filter { $0.happensInRun || $0 == .vendorRecord }.flatMap(
      \.names)
    for run in 1...300 {
      var script = Self.paywall()
      for second in 0..<5 {
        var bytes = params[Int.random(in: 0..<params.count, using: &random)].array
        for _ in 0..<3 {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] =
            Array(#"{}[]":,\9-e"#.utf8)[Int.random(in: 0..<11, using: &random)]
        }
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random) / 4)
        script.add(
          names[Int.random(in: 0..<names.count, using: &random)], Double(second), Bytes(bytes))
      }
      #expect(pipeline.outcome(script).profile.events == 5, "seed 7, run \(run)")
    }
  }

  @Test("nothing depends on the order of arrival or on copies")
  func law() throws {
    var script = Self.paywall()
    script.appeared(0)
    for index in 0..<12 {
      let at = Double(index) * 0.3 * day
      script.add("purchase_started", at, Self.product(index % 2 == 0 ? "m" : "y"))
      script.add("purchase_finished", at + 5, Self.success(index % 2 == 0 ? "m" : "y"))
      script.record(
        index % 5 == 0 ? "trial_started" : "subscription_started", at + 0.2 * day,
        Self.record(index % 3 == 0 ? "m" : "y", "t\(index)", original: "t\(index % 4)"))
      script.record(
        "subscription_renewed", at + 1.1 * day,
        Self.record("m", "r\(index)", original: "t\(index % 4)", usd: 0.1))
      script.record("subscription_refunded", at + 2 * day, Self.record("m", "t\(index % 3)"))
    }
    let pipeline = try Pipeline.commerce()
    let expected = pipeline.outcome(script)
    #expect(expected.purchases.contains { $0.source == .both })
    var random = SeededGenerator(seed: 1)
    for run in 1...20 {
      let events = (script.events + script.events.prefix(20)).shuffled(using: &random)
      let found = resolve(
        EventSet(profileID: "p", events: events), pipeline, asOf: EventScript.at(1e8), .system)
      #expect(found == expected, "seed 1, run \(run)")
    }
  }

  // MARK: Rules

  @Test("rules see purchases as of each instant, and history follows")
  func facts() throws {
    let pipeline = try Pipeline.commerce(
      """
      attributes:
        bought: { type: number, value: purchases.count }
        usd: { type: number, value: purchases.revenue_usd }
      segments:
        buyer: purchases.count > 0
        recent: days_since(purchases.last_at) < 2
      """)
    var script = Self.paywall()
    script.appeared(0)
    script.add("purchase_finished", 10, Self.success("m"))
    script.record("subscription_started", 20, Self.record("m", "t1", original: "t1", usd: 5))
    script.record("subscription_renewed", day, Self.record("m", "t2", original: "t1", usd: 3))
    script.record("subscription_refunded", 5 * day, Self.record("m", "t2", usd: nil))
    func value(_ key: Bytes, _ seconds: Double) -> AttributeOutcome.Value? {
      pipeline.outcome(script, at: seconds).attributes.first { $0.key == key }?.value
    }
    #expect(value("bought", 5) == .number(0))
    #expect(value("usd", 5) == .number(0))
    #expect(value("bought", 10) == .number(1))
    #expect(value("usd", 10) == .absent(.noValue), "bought, and nothing says for how much")
    #expect(value("usd", 20) == .number(5))
    #expect(value("usd", day) == .number(8))
    #expect(value("usd", 6 * day) == .number(5))
    #expect(value("bought", 6 * day) == .number(1))
    let outcome = pipeline.outcome(script, at: 6 * day)
    #expect(outcome.segments.map(\.segment) == ["buyer"])
    #expect(outcome.segments.first?.since == EventScript.at(10))
    #expect(outcome.segmentHistory.map(\.segment) == ["recent"])
    #expect(outcome.segmentHistory.first?.to == EventScript.at(10 + 2 * day))
    #expect(
      pipeline.outcome(script, at: day).profile.nextReviewAt == EventScript.at(10 + 2 * day))
  }

  @Test("rules see the variation that was met first; several are told")
  func exposed() throws {
    let pipeline = try Pipeline.commerce(
      """
      segments:
        first: exposed.paywall.variation = 'v1'
        never: exposed.other.variation is null
      """)
    var script = Self.paywall()
    script.context[.placementID] = "onboarding"
    script.appeared(0)
    script.context[.placementID] = "paywall"
    script.appeared(5)
    script.context[.variationID] = "v2"
    script.appeared(900)
    script.context[.variationID] = "v1"
    script.appeared(1800)
    script.record(
      "subscription_started", -50, #"{"developer_id":"paywall","variation_id":"v9"}"#)
    let outcome = pipeline.outcome(script)
    #expect(outcome.segments.map(\.segment) == ["first", "never"])
    #expect(outcome.segments.map(\.since) == [EventScript.at(5), EventScript.at(-50)])
    #expect(outcome.exposures.map(\.placementID) == ["onboarding", "paywall"])
    #expect(outcome.exposures.map(\.variationID) == ["v1", "v1"])
    #expect(outcome.exposures.map(\.firstAt) == [EventScript.at(0), EventScript.at(5)])
    #expect(outcome.exposures.map(\.variations) == [1, 2])
  }

  @Test("an assignment of the vendor's own envelope is known by what the pipeline declares")
  func assigned() throws {
    var script = EventScript()
    script.context = [:]
    try script.add("flow_variation_assigned", 0, fixture: "bridge/variation_assigned")
    script.add("flow_variation_assigned", 1, #"{"variation_id":"unheard of"}"#)
    let outcome = try Pipeline.commerce().outcome(script)
    #expect(outcome.exposures.map(\.placementID) == ["paywall"])
    #expect(
      outcome.exposures.map(\.audienceVersionID) == ["5f0e0a52-0000-4a00-8000-0000000000aa"])
  }

  @Test(
    "a wrong name is refused with the right ones",
    arguments: [
      ("purchases.number > 0", "purchases have `count`, `last_at` and `revenue_usd`"),
      ("exposed.paywall = 'v'", "write `exposed.<placement id>.variation`"),
    ])
  func refused(_ rule: String, _ words: String) throws {
    let file = PipelineFile(
      Array("pipeline: p\nsegments:\n  s: \(rule)\n".utf8), path: "test")
    let source = try #require(file.source)
    let problems = try #require(throws: PipelineProblems.self) {
      try PipelineChecker.check(source)
    }
    #expect(problems.list.first?.message.contains(words) == true, "\(problems.list)")
  }

  @Test("data without purchases or a placement's variations is warned of")
  func coverage() throws {
    let pipeline = try Pipeline.commerce(
      """
      segments:
        s: purchases.count > 0 and purchases.last_at is not null
        t: exposed.paywall.variation = 'v1' or exposed.other.variation = 'v1'
      """)
    var coverage = DataCoverage(pipeline)
    var script = Self.paywall()
    script.appeared(0)
    coverage.add(pipeline.outcome(script))
    #expect(coverage.missing.contains(.purchases))
    #expect(coverage.missing.contains(.exposure("other")))
    #expect(!coverage.missing.contains(.exposure("paywall")))
    script.add("purchase_finished", 10, Self.success("m"))
    coverage.add(pipeline.outcome(script))
    #expect(!coverage.missing.contains(.purchases))
  }
}
