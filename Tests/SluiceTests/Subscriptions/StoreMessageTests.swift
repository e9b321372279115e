import Testing

@testable import Core
@testable import sluice

@Suite("Store messages")
struct StoreMessageTests {
  private func messages(_ script: EventScript, at seconds: Double = 1e8) throws
    -> [StoreMessageOutcome]
  {
    try Pipeline.checked(yaml: "pipeline: p").outcome(script, at: seconds).storeMessages
  }

  private func pending(_ script: EventScript, at seconds: Double = 1e8) throws -> [Bytes] {
    try messages(script, at: seconds).filter(\.isPending).map(\.type)
  }

  private func queued(_ script: inout EventScript, _ seconds: Double, _ type: String) {
    script.add("store_message_queued", seconds, Bytes(#"{"type":"\#(type)"}"#))
  }

  @Test("the queue holds each type once, unknown ones too, and showing takes one out")
  func queue() throws {
    var script = EventScript()
    queued(&script, 0, "billing_issue")
    queued(&script, 1, "storekit_7")
    queued(&script, 2, "billing_issue")
    #expect(try pending(script) == ["billing_issue", "storekit_7"])
    #expect(try messages(script).map(\.queuedAt) == [EventScript.at(0), EventScript.at(1)])
    script.add("store_message_shown", 3, #"{"message_type":"billing_issue"}"#)
    #expect(try pending(script) == ["storekit_7"])
    let shown = try #require(try messages(script).first)
    #expect(shown.shownAt == EventScript.at(3))
    #expect(shown.sessionID == "s1")
    // The store asks again.
    queued(&script, 4, "billing_issue")
    #expect(try pending(script) == ["billing_issue", "storekit_7"])
    #expect(try messages(script).map(\.number) == [1, 2, 1])
  }

  @Test(
    "types come alone, as a list, as text, or by the constant's name",
    arguments: [
      #"{"types":["billing_issue","storekit_3"]}"#, #"{"types":"billing_issue, storekit_3"}"#,
      #"{"types":"[\"billing_issue\",\"storekit_3\"]"}"#,
      #"{"types":["storekit_3"],"type":"billingIssue"}"#,
      #"{"messageTypes":[{"type":"billing_issue"},{"type":"storekit_3"}]}"#,
    ])
  func types(_ params: String) throws {
    var script = EventScript()
    script.add("store_message_queued", 0, Bytes(params))
    #expect(try pending(script) == ["billing_issue", "storekit_3"])
  }

  @Test(
    "an event that names no type costs nothing",
    arguments: ["", "{}", #"{"type":""}"#, #"{"types":7.5e}"#])
  func noType(_ params: String) throws {
    var script = EventScript()
    script.add("store_message_queued", 0, Bytes(params))
    script.add("store_message_shown", 1, Bytes(params))
    script.add("store_message_failed", 2, Bytes(params))
    #expect(try messages(script).allSatisfy { !$0.type.isEmpty })
    #expect(try Pipeline.checked(yaml: "pipeline: p").outcome(script).profile.events == 3)
  }

  @Test("in the automatic mode nothing is queued, and nothing is known")
  func automatic() throws {
    var script = EventScript()
    script.onboarding(0, weight: "80", height: "180")
    #expect(try messages(script).isEmpty)
  }

  @Test(
    "a failure keeps the message for the next time, and its error has a name",
    arguments: [
      (#""code":3201"#, 3201, "operationInProgress"),
      (#""error":{"adapty_code":3202,"message":"no scene"}"#, 3202, "resolverFailure"),
      (#""error":{"adaptyCode":"9000"}"#, 9000, "operationInterrupted"),
      (#""error":"operationInProgress""#, 3201, "operationInProgress"),
      (#""error_code":"resolver_failure""#, 3202, "resolverFailure"),
      (#""code":4711"#, 4711, nil), (#""code":"odd_code""#, nil, "odd_code"), (#""x":1"#, nil, nil),
    ] as [(String, Int32?, Bytes?)])
  func failure(_ error: String, _ code: Int32?, _ name: Bytes?) throws {
    var script = EventScript()
    queued(&script, 0, "win_back_offer")
    queued(&script, 0.5, "generic")
    script.add("store_message_failed", 1, Bytes(#"{"type":"win_back_offer",\#(error)}"#))
    let message = try #require(try messages(script).last)
    #expect(message.isPending)
    #expect(message.failedAttempts == 1)
    #expect(message.lastFailedAt == EventScript.at(1))
    #expect(message.lastErrorCode == code)
    #expect(message.lastError == name)
    #expect(try messages(script).first?.failedAttempts == 0)
    script.add("store_message_shown", 2, #"{"types":["win_back_offer"]}"#)
    #expect(try pending(script) == ["generic"])
    #expect(try messages(script).last?.failedAttempts == 1)
  }

  @Test(
    "a failure is an error among the others, by its number's name on its platform",
    arguments: [
      (#""code":3201"#, "iOS", "3201", "operationInProgress"),
      (#""error":{"adapty_code":3202,"message":"Jane's scene"}"#, "ios", "3202", "resolverFailure"),
      (#""error":"operation_interrupted""#, nil, "9000", "operationInterrupted"),
      (#""code":2002"#, "iOS", "2002", "notActivated"),
      (#""code":2002"#, "android", "2002", "AUTHENTICATION_ERROR"),
      (#""code":2002"#, nil, "2002", nil), (#""code":3201"#, "Android", "3201", nil),
      (#""error":"Jane closed the scene""#, "iOS", nil, nil), (#""x":1"#, "iOS", nil, nil),
    ] as [(String, Bytes?, Bytes?, Bytes?)])
  func error(_ members: String, _ platform: Bytes?, _ code: Bytes?, _ name: Bytes?) throws {
    var script = EventScript()
    script.context[.platform] = platform
    queued(&script, 0, "generic")
    script.add("store_message_failed", 1, Bytes(#"{"type":"generic",\#(members)}"#))
    let outcome = try Pipeline.checked(yaml: "pipeline: p").outcome(script)
    let error = try #require(outcome.flowErrors.first)
    #expect(outcome.flowErrors.count == 1)
    #expect(error.kind == "store_message_failed")
    #expect(error.occurredAt == EventScript.at(1))
    #expect(error.code == code)
    #expect(error.name == name)
    #expect(error.scene.runID == nil)
    #expect(outcome.storeMessages.map(\.lastError) == [name], "one event has one error")
  }

  @Test("a call that failed as a whole failed for all that waited")
  func wholeCall() throws {
    var script = EventScript()
    queued(&script, 0, "generic")
    queued(&script, 0, "billing_issue")
    script.add("store_message_shown", 1, #"{"type":"generic"}"#)
    script.add("store_message_failed", 2, #"{"code":3202}"#)
    #expect(try messages(script).map(\.lastError) == ["resolverFailure", nil])
    #expect(try pending(script) == ["billing_issue"])
  }

  @Test("the queue ends when a later app session begins without the message")
  func sessions() throws {
    var script = EventScript()
    script.session = "s1"
    script.add("app_opened", 0)
    queued(&script, 1, "billing_issue")
    #expect(try pending(script) == ["billing_issue"])
    // The same session goes on, even days later.
    script.add("app_opened", 200_000)
    #expect(try pending(script) == ["billing_issue"])
    script.session = "s2"
    script.add("app_opened", 300_000)
    #expect(try pending(script).isEmpty)
    #expect(try messages(script).map(\.endedAt) == [EventScript.at(300_000)])
    #expect(try pending(script, at: 299_999) == ["billing_issue"])
    queued(&script, 300_001, "billing_issue")
    #expect(try pending(script) == ["billing_issue"])
    // An older session's late event begins nothing.
    script.session = "s1"
    script.add("app_opened", 300_002)
    #expect(try pending(script) == ["billing_issue"])
    #expect(try messages(script).map(\.isPending) == [false, true])
  }

  @Test("a server's event begins no app session")
  func server() throws {
    var script = EventScript()
    queued(&script, 0, "billing_issue")
    script.session = nil
    script.add("subscription_renewed", 100_000)
    script.add("profile_updated", 200_000, #"{"timestamp":1}"#)
    #expect(try pending(script) == ["billing_issue"])
    script.session = "webhook"
    script.add("subscription_renewed", 300_000)
    #expect(try pending(script) == ["billing_issue"])
  }

  @Test("without session ids, half an hour of silence ends an app session")
  func silence() throws {
    var script = EventScript()
    script.session = nil
    script.add("app_opened", 0)
    queued(&script, 10, "billing_issue")
    script.add("app_opened", 10 + 1799.999999)
    #expect(try pending(script) == ["billing_issue"])
    var other = EventScript()
    other.session = nil
    queued(&other, 10, "billing_issue")
    other.add("app_opened", 10 + 1800)
    #expect(try pending(other).isEmpty)
  }

  @Test("billing first: no upsell while a billing issue waits, and after it the paywall")
  func billingFirst() throws {
    let file = try PipelineFile(contentsOf: Checkout.pipeline)
    let pipeline = try PipelineChecker.check(try #require(file.source))
    var script = EventScript()
    script.onboarding(0, weight: "80", height: "180")
    #expect(pipeline.outcome(script).profile.next.placementID == "bmi_paywall")
    queued(&script, 10, "billing_issue")
    let next = pipeline.outcome(script).profile.next
    #expect(next.placementID == nil)
    #expect(next.storeMessages == ["billing_issue"])
    #expect(next.because == "billing first")
    script.add("store_message_shown", 20, #"{"type":"billing_issue"}"#)
    #expect(pipeline.outcome(script).profile.next.placementID == "bmi_paywall")
  }
}
