import Testing

@testable import Core
@testable import sluice

@Suite("Purchases in a sandbox")
struct SandboxTests {
  /// Segments that hold; by name, what rules see of purchases.
  private func seen(_ script: EventScript) throws -> (Outcome, segments: [Bytes]) {
    let outcome = try Pipeline.commerce(
      """
      segments:
        bought: purchases.count > 0
        dated: purchases.last_at is not null
        paid: purchases.revenue_usd > 0
        tested: purchases.sandbox_count = 1

      """
    ).outcome(script)
    return (outcome, outcome.segments.map(\.segment))
  }

  private static func record(_ environment: String, more: String = "") -> Bytes {
    Bytes(
      #"{"transaction_id":"t1","original_transaction_id":"t1","environment":"\#(environment)"\#(more)}"#
    )
  }

  @Test("of the webhook: nobody paid", arguments: ["Sandbox", "sandbox", "Xcode", "LocalTesting"])
  func webhook(_ environment: String) throws {
    var script = EventScript()
    script.record(
      "subscription_started", 0,
      Self.record(environment, more: #","vendor_product_id":"m","price_usd":9.99"#))
    script.record(
      "subscription_renewed", 50,
      Bytes(
        #"{"transaction_id":"t2","original_transaction_id":"t1","environment":"\#(environment)","price_usd":9.99}"#
      ))
    let (outcome, segments) = try seen(script)
    #expect(segments == ["tested"])
    #expect(outcome.purchases.map(\.isSandbox) == [true])
    #expect(outcome.purchases.map(\.outcome) == [.success], "it is told, and called what it is")
    #expect(outcome.transactions.map(\.isSandbox) == [true, true])
  }

  @Test("of the daily export: nobody paid; in production somebody did")
  func export() throws {
    for (environment, expected) in [
      ("Sandbox", ["tested"]), ("Production", ["bought", "dated", "paid"]),
      ("", ["bought", "dated", "paid"]),
    ] as [(String, [Bytes])] {
      var script = EventScript()
      script.record(
        "subscription_started", 0,
        Self.record(environment, more: #","product_id":"m","revenue_usd":"9.99""#))
      #expect(try seen(script).segments == expected, "\(environment)")
    }
  }

  @Test("of the app: by its environment, or by the profile that came with the success")
  func app() throws {
    var context = EventScript()
    context.context[.environment] = "sandbox"
    context.add(
      "purchase_finished", 0,
      #"{"product":{"vendorProductId":"m"},"purchaseResult":{"type":"success"}}"#)
    #expect(try seen(context).segments == ["tested"])
    for list in [
      #""subscriptions":[{"vendorProductId":"m","isSandbox":true}]"#,
      #""subscriptions":{"m":{"is_sandbox":"1"}}"#,
      #""non_subscriptions":{"m":[{"vendor_transaction_id":"t","is_sandbox":true}]}"#,
    ] {
      var script = EventScript()
      // A build for production, in TestFlight.
      script.context[.environment] = "production"
      script.add(
        "purchase_finished", 0,
        Bytes(
          #"{"product":{"vendorProductId":"m"},"purchaseResult":{"type":"success","profile":{\#(list)}}}"#
        ))
      let (outcome, segments) = try seen(script)
      #expect(segments == ["tested"], "\(list)")
      #expect(outcome.purchases.map(\.environment) == ["sandbox"])
    }
    // Another product's test says nothing of this one.
    var other = EventScript()
    other.add(
      "purchase_finished", 0,
      #"""
      {"product":{"vendorProductId":"m"},"purchaseResult":{"type":"success",
       "profile":{"subscriptions":{"y":{"is_sandbox":true},"m":{"is_sandbox":false}}}}}
      """#)
    #expect(try seen(other).segments == ["bought", "dated"])
  }

  @Test("beside a real one: the real one counts")
  func both() throws {
    var script = EventScript()
    script.record(
      "subscription_started", 0,
      Self.record("Sandbox", more: #","vendor_product_id":"m","price_usd":9.99"#))
    script.record(
      "subscription_started", 9,
      #"{"transaction_id":"t5","vendor_product_id":"m","environment":"Production","price_usd":5}"#)
    let (outcome, segments) = try seen(script)
    #expect(segments == ["bought", "dated", "paid", "tested"])
    #expect(outcome.purchases.count == 2)
  }

  @Test("charged again adds nothing to a real purchase; a record that names none is the app's")
  func renewals() throws {
    var script = EventScript()
    script.record(
      "subscription_started", 0,
      Self.record("Production", more: #","vendor_product_id":"m","price_usd":5"#))
    script.record(
      "subscription_renewed", 9,
      #"{"transaction_id":"t2","original_transaction_id":"t1","environment":"Sandbox","price_usd":5}"#
    )
    let real = try seen(script).0
    #expect(real.purchases.map(\.totalUSD) == [5])
    #expect(real.purchases.map(\.renewals) == [0])
    var app = EventScript()
    app.context[.environment] = "sandbox"
    app.add(
      "purchase_finished", 0,
      #"{"product":{"vendorProductId":"m"},"purchaseResult":{"type":"success"}}"#)
    app.record(
      "subscription_started", 9,
      #"{"transaction_id":"t1","original_transaction_id":"t1","vendor_product_id":"m","price_usd":5}"#
    )
    app.record(
      "subscription_renewed", 20,
      #"{"transaction_id":"t2","original_transaction_id":"t1","price_usd":5}"#)
    let (outcome, segments) = try seen(app)
    #expect(segments == ["tested"])
    #expect(outcome.transactions.map(\.isSandbox) == [true, true])
    #expect(outcome.purchases.map(\.renewals) == [1])
  }
}
