import Testing

@testable import Core
@testable import sluice

@Suite("The run that purchases, restores and errors happen in")
struct RunMembershipTests {
  private static let kinds: [Bytes] = EventKind.allCases.filter(\.happensInRun).map { $0.names[0] }

  /// A run of the onboarding, then one of the paywall, in one session.
  private static func script() -> EventScript {
    var script = EventScript()
    script.onboarding(0, weight: "82", height: "181")
    script.context[.placementID] = "paywall"
    script.appeared(10)
    script.screen(11, "scr_offer", last: true)
    return script
  }

  private func run(_ flow: Bytes, of outcome: Outcome) -> Bytes? {
    outcome.runs.last { $0.flow == flow }?.runID
  }

  @Test("an event belongs to the open run of the flow it names")
  func named() throws {
    var script = Self.script()
    script.context[.placementID] = "onboarding"
    script.appeared(20)
    script.context[.placementID] = "paywall"
    script.add("error_received", 30)
    let outcome = try Pipeline.commerce().outcome(script)
    let error = try #require(outcome.flowErrors.first)
    #expect(error.scene.runID == run("paywall", of: outcome))
  }

  @Test("naming no flow, it belongs to the open run touched last, whose placement it has")
  func unnamed() throws {
    var script = Self.script()
    script.context = [:]
    script.add("purchase_started", 30, #"{"product_id":"m"}"#)
    let outcome = try Pipeline.commerce().outcome(script)
    let purchase = try #require(outcome.purchases.first)
    #expect(purchase.scene.runID == run("paywall", of: outcome))
    #expect(purchase.scene.placementID == "paywall")
  }

  @Test("after its flow ended, an event belongs to no run, whichever other one is open")
  func ended() throws {
    var script = Self.script()
    script.context[.placementID] = "onboarding"
    script.add("error_received", 30)
    let outcome = try Pipeline.commerce().outcome(script)
    #expect(outcome.flowErrors.map(\.scene.runID) == [nil])
    #expect(outcome.flowErrors.map(\.scene.placementID) == ["onboarding"])
  }

  @Test("an attempt whose end comes after the flow was closed keeps the run it began in")
  func attempt() throws {
    var script = Self.script()
    script.add("purchase_started", 20, #"{"product_id":"m"}"#)
    script.disappeared(21)
    script.add("purchase_finished", 25, #"{"product_id":"m","purchaseResult":"success"}"#)
    let outcome = try Pipeline.commerce().outcome(script)
    #expect(outcome.purchases.map(\.scene.runID) == [run("paywall", of: outcome)])
  }

  @Test("such an event opens, splits, reopens, prolongs and changes no run", arguments: kinds)
  func untouched(_ name: Bytes) throws {
    let pipeline = try Pipeline.commerce()
    var plain = Self.script()
    plain.disappeared(40)
    plain.appeared(100)
    plain.session = nil
    plain.appeared(200)
    plain.screen(200 + 1795, "scr_late")
    plain.screen(200 + 1795 + 1801, "scr_next_run")
    var told = Self.script()
    told.context[.variationID] = "v"
    for seconds in [12.0, 30] { told.add(name, seconds, id: Bytes("x\(seconds)")) }
    told.context[.variationID] = nil
    told.disappeared(40)
    told.add(name, 41, id: "after")
    told.context = [:]
    told.add(name, 42, id: "nowhere")
    told.context = plain.context
    told.appeared(100)
    told.session = nil
    told.appeared(200)
    told.screen(200 + 1795, "scr_late")
    // Would bridge the silence of 30 minutes.
    told.add(name, 200 + 1795 + 900, id: "between")
    told.screen(200 + 1795 + 1801, "scr_next_run")
    let expected = pipeline.outcome(plain).runs
    let found = pipeline.outcome(told).runs
    #expect(expected.count == 5)
    #expect(Set(found.map(\.comparable)) == Set(expected.map(\.comparable)))
  }

  @Test("a silence after which a run is over ends it for such events too")
  func silence() throws {
    var script = EventScript()
    script.session = nil
    script.appeared(0)
    script.add("error_received", 1799, id: "in")
    script.add("error_received", 1801, id: "out")
    let outcome = try Pipeline.commerce().outcome(script)
    let errors = outcome.flowErrors.sorted { $0.occurredAt < $1.occurredAt }
    #expect(errors.map { $0.scene.runID != nil } == [true, false])
  }
}

extension FlowRun {
  /// The run without the id of its first event, which differs between two scripts.
  fileprivate var comparable: FlowRun {
    var run = self
    run.runID = .empty
    return run
  }
}
