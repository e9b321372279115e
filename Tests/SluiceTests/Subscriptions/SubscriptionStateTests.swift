import Testing

@testable import Core
@testable import sluice

@Suite("Subscription states")
struct SubscriptionStateTests {
  private func state(_ script: EventScript, at seconds: Double) throws -> String? {
    let pipeline = try Pipeline.checked(
      yaml: "pipeline: p\nsegments:\n  never: subscription_state = 'never_subscribed'")
    let outcome = pipeline.outcome(script, at: seconds)
    // A rule and the table agree; without a word of the vendor there is no row.
    let isNever = outcome.subscription.map { $0.state == .neverSubscribed } ?? true
    #expect(outcome.segments.isEmpty != isNever)
    return outcome.subscription.map { $0.state?.rawValue ?? "unknown" }
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

  private static let end = EventScript.expires(100)
  private static let trial = #""activeIntroductoryOfferType":"free_trial""#
  private static let issue = #""billingIssueDetectedAt":"2026-03-01T10:00:00Z""#

  @Test(
    "before and after the end of what is paid",
    arguments: [
      Case(#""isActive":true,"willRenew":true,\#(end)"#, "subscribed", "unknown"),
      Case(#""isActive":true,"willRenew":false,\#(end)"#, "auto_renew_off", "cancelled"),
      Case(#""isActive":true,\#(end)"#, "subscribed", "unknown"),
      Case(
        #""isActive":true,"unsubscribedAt":"2026-03-01T10:00:00Z",\#(end)"#, "auto_renew_off",
        "cancelled"),
      Case(#""isActive":true,"willRenew":true,\#(trial),\#(end)"#, "active_trial", "unknown"),
      Case(
        #""isActive":true,"willRenew":false,\#(trial),\#(end)"#, "trial_cancelled",
        "trial_cancelled"),
      Case(
        #""isActive":true,"willRenew":true,"isInGracePeriod":true,\#(issue),\#(end)"#,
        "grace_period", "grace_period"),
      Case(#""isActive":true,"willRenew":true,\#(issue),\#(end)"#, "billing_issue", "unknown"),
      Case(
        #""isActive":false,"willRenew":true,\#(issue),\#(end)"#, "billing_issue", "billing_issue"),
      Case(#""isActive":false,"willRenew":false,\#(issue),\#(end)"#, "cancelled", "cancelled"),
      Case(#""isActive":false,\#(end)"#, "cancelled", "cancelled"),
      Case(#""isActive":true,"isLifetime":true"#, "never_subscribed", "never_subscribed"),
      Case(#""isActive":true,"store":"adapty",\#(end)"#, "never_subscribed", "never_subscribed"),
    ])
  func states(_ test: Case) throws {
    var script = EventScript()
    script.snapshot(0, timestamp: 1, test.members)
    #expect(try state(script, at: 99.999999) == test.before)
    #expect(try state(script, at: 100) == test.after)
    // The same terms told as a subscription that unlocks nothing.
    var other = EventScript()
    other.add(
      "profile_updated", 0,
      Bytes(#"{"timestamp":1,"subscriptions":{"m":{\#(test.members)}}}"#))
    guard !test.members.contains("adapty") else { return }
    #expect(try state(other, at: 99.999999) == test.before)
    #expect(try state(other, at: 100) == test.after)
  }

  @Test("without any subscription: never subscribed, told or not")
  func never() throws {
    var script = EventScript()
    script.appeared(0)
    #expect(try state(script, at: 10) == nil)
    script.add("profile_updated", 1, #"{"timestamp":1,"accessLevels":{}}"#)
    #expect(try state(script, at: 10) == "never_subscribed")
  }

  @Test("the best of several speaks; of those that are over, the one that ended last")
  func several() throws {
    var script = EventScript()
    script.add(
      "profile_updated", 0,
      Bytes(
        #"""
        {"timestamp":1,"subscriptions":[
        {"vendorProductId":"a","isActive":true,"willRenew":false,\#(EventScript.expires(200))},
        {"vendorProductId":"b","isActive":true,"willRenew":true,\#(EventScript.expires(100))},
        {"vendorProductId":"c","isActive":false,"willRenew":false,"activeIntroductoryOfferType":"free_trial",
        \#(EventScript.expires(-50))},
        {"vendorProductId":"d","isActive":false,"willRenew":false,\#(EventScript.expires(-100))}]}
        """#))
    #expect(try state(script, at: 50) == "subscribed")
    // What is known to be active says more than what nobody knows.
    #expect(try state(script, at: 150) == "auto_renew_off")
    #expect(try state(script, at: 250) == "unknown")
    var over = EventScript()
    over.add(
      "profile_updated", 0,
      Bytes(
        #"""
        {"timestamp":1,"subscriptions":[
        {"vendorProductId":"c","isActive":false,"activeIntroductoryOfferType":"free_trial",
        \#(EventScript.expires(-50))},
        {"vendorProductId":"d","isActive":false,\#(EventScript.expires(-100))}]}
        """#))
    #expect(try state(over, at: 10) == "trial_cancelled")
  }

  @Test(
    "a feed alone tells where a person stands",
    arguments: [
      (["subscription_started"], "subscribed", "unknown"),
      (["trial_started"], "active_trial", "unknown"),
      (["trial_started", "trial_converted"], "subscribed", "unknown"),
      (["trial_started", "trial_renewal_cancelled"], "trial_cancelled", "trial_cancelled"),
      (["subscription_started", "subscription_renewal_cancelled"], "auto_renew_off", "cancelled"),
      (["subscription_started", "entered_grace_period"], "grace_period", "grace_period"),
      (["subscription_started", "billing_issue_detected"], "billing_issue", "unknown"),
      (["subscription_started", "subscription_expired"], "cancelled", "cancelled"),
      (["subscription_started", "subscription_refunded"], "cancelled", "cancelled"),
      (["trial_started", "trial_expired"], "trial_cancelled", "trial_cancelled"),
      (["non_subscription_purchase"], "never_subscribed", "never_subscribed"),
    ])
  func feed(_ names: [String], _ before: String, _ after: String) throws {
    var script = EventScript()
    for (index, name) in names.enumerated() {
      script.add(
        Bytes(name), Double(index),
        Bytes(
          #"{"vendor_product_id":"m","subscription_expires_at":"\#(EventScript.at(100).iso8601)"}"#)
      )
    }
    #expect(try state(script, at: 50) == before)
    #expect(try state(script, at: 200) == after)
    // A newer profile lists all there is.
    script.add("profile_updated", 60, #"{"accessLevels":{},"subscriptions":{},"profileId":"p"}"#)
    #expect(try state(script, at: 200) == "never_subscribed")
  }

  @Test("a charge that fails at the end is a billing issue, and takes no grace period back")
  func failedCharge() throws {
    func record(_ end: Double?) -> Bytes {
      let end = end.map { #","subscription_expires_at":"\#(EventScript.at($0).iso8601)""# } ?? ""
      return Bytes(#"{"vendor_product_id":"m"\#(end)}"#)
    }
    for end in [100.0, nil] {
      var script = EventScript()
      script.add("subscription_started", 0, record(100))
      script.add("billing_issue_detected", 100, record(end))
      #expect(try state(script, at: 100) == "billing_issue")
      #expect(try state(script, at: 5000) == "billing_issue")
    }
    for order in [["a", "b"], ["b", "a"]] {
      var script = EventScript()
      script.add("subscription_started", 0, record(100))
      script.add("entered_grace_period", 100, record(200), id: Bytes(order[0]))
      script.add("billing_issue_detected", 100, record(100), id: Bytes(order[1]))
      #expect(try state(script, at: 150) == "grace_period")
    }
  }

  @Test("a level that is over is no level that never was")
  func inactiveWithoutEnd() throws {
    var script = EventScript()
    script.snapshot(0, timestamp: 1, #""isActive":false"#)
    #expect(try state(script, at: 10) == "cancelled")
  }

  @Test("something bought since, of which no level tells, makes it unknown")
  func boughtSince() throws {
    var script = EventScript()
    script.add("profile_updated", 0, #"{"timestamp":1,"accessLevels":{}}"#)
    script.add("subscription_started", 10, "{}")
    #expect(try state(script, at: 5) == "never_subscribed")
    #expect(try state(script, at: 20) == "unknown")
  }
}
