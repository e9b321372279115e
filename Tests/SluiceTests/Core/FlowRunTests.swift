import Testing

@testable import Core
@testable import sluice

@Suite("Flow runs")
struct FlowRunTests {
  private func runs(
    _ script: EventScript, flows: [(Bytes, [Bytes])] = [("onboarding", ["onboarding"])],
    asOf: Double = 1e9
  ) throws -> [FlowRun] {
    let pipeline = try PipelineChecker.check(.flowsOnly(flows))
    let set = EventSet(profileID: "p", events: script.events)
    return resolve(set, pipeline, asOf: EventScript.at(asOf), .system).runs
      .sorted { ($0.startedAt, $0.runID) < ($1.startedAt, $1.runID) }
  }

  @Test("a run holds its answers, its path and its completion")
  func wholeRun() throws {
    var script = EventScript()
    script.onboarding(0, weight: "82", height: "181")
    let run = try #require(try runs(script).first)
    #expect(run.flow == "onboarding")
    #expect(run.number == 1)
    #expect(run.startedAt == EventScript.at(0))
    #expect(run.endedAt == EventScript.at(5))
    #expect(run.completedAt == EventScript.at(4))
    #expect(run.lastScreenID == "scr_done")
    #expect(run.answers.map(\.element) == ["weight", "height"])
    #expect(run.answers.map(\.value) == [.text("82"), .text("181")])
    #expect(run.path.map(\.screen) == ["scr_body", "scr_done"])
    #expect(run.path.map(\.spentMilliseconds) == [3000, 1000])
    #expect(run.path.map(\.isLast) == [false, true])
  }

  @Test(
    "flow_disappeared resets: the second flow of a session does not see the first one's answers")
  func reset() throws {
    var script = EventScript()
    script.onboarding(0, weight: "82", height: "181")
    script.appeared(6)
    script.screen(7, "scr_body")
    script.disappeared(8)
    let found = try runs(script)
    #expect(found.count == 2)
    #expect(found[1].answers.isEmpty)
    #expect(found[1].completedAt == nil)
    #expect(found[1].number == 2)
  }

  @Test("flows of one session are different runs")
  func twoFlows() throws {
    var script = EventScript()
    script.appeared(0)
    script.screen(1, "a")
    script.context[.placementID] = "bmi_paywall"
    script.appeared(2)
    script.screen(3, "b", last: true)
    script.context[.placementID] = "onboarding"
    script.screen(4, "c")
    let found = try runs(script)
    #expect(found.map(\.flow) == ["onboarding", "bmi_paywall"])
    #expect(found[0].path.map(\.screen) == ["a", "c"])
    #expect(found[1].completedAt != nil)
  }

  @Test("going back to a screen adds a view, not a step, and does not undo completion")
  func goingBack() throws {
    var script = EventScript()
    script.screen(0, "a")
    script.screen(1, "b", last: true)
    script.screen(3, "a")
    script.disappeared(6)
    let run = try #require(try runs(script).first)
    #expect(run.path.map(\.views) == [2, 1])
    #expect(run.path.map(\.spentMilliseconds) == [4000, 2000])
    #expect(run.completedAt == EventScript.at(1))
    #expect(run.lastScreenID == "b")
  }

  @Test("the time on a last view that nothing closed is unknown")
  func unclosedView() throws {
    var script = EventScript()
    script.screen(0, "a")
    script.screen(2, "b")
    let run = try #require(try runs(script).first)
    #expect(run.path.map(\.spentMilliseconds) == [2000, nil])
    #expect(run.endedAt == nil)
  }

  @Test("an empty text and an empty multi-choice clear an answer")
  func clearing() throws {
    var script = EventScript()
    script.input(0, "weight", "80")
    script.input(1, "weight", "")
    script.add(
      "flow_user_input", 2,
      #"{"element_id":"goal","element_type":"multi_choice","instanceId":"x","item_ids":["a"],"item_titles":["A"]}"#
    )
    script.add(
      "flow_user_input", 3,
      #"{"element_id":"goal","element_type":"multi_choice","instanceId":"x","item_ids":[],"item_titles":[]}"#
    )
    let run = try #require(try runs(script).first)
    #expect(run.answers.map(\.value) == [.cleared, .cleared])
  }

  struct Shape: CustomTestStringConvertible {
    let params: Bytes
    let items: [Answer.Item]
    var testDescription: String { params.string }
  }

  @Test(
    "a choice is read in each shape it was ever sent in",
    arguments: [
      Shape(
        params: #"{"element_id":"g","item_ids":["a","b"],"item_titles":["A","B"]}"#,
        items: [.init(id: "a", title: "A"), .init(id: "b", title: "B")]),
      Shape(
        params: #"{"element_id":"g","item_ids":"[\"a\", \"b\"]"}"#,
        items: [.init(id: "a", title: nil), .init(id: "b", title: nil)]),
      Shape(
        params: #"{"element_id":"g","item_ids":"a,b"}"#,
        items: [.init(id: "a", title: nil), .init(id: "b", title: nil)]),
      Shape(
        params: #"{"element_id":"g","value":{"id":"a","title":null}}"#,
        items: [.init(id: "a", title: nil)]),
      Shape(
        params: #"{"element_id":"g","value":[{"id":"a","title":"A"},{"id":"b","title":"B"}]}"#,
        items: [.init(id: "a", title: "A"), .init(id: "b", title: "B")]),
    ])
  func choices(shape: Shape) {
    #expect(FlowParams(shape.params).answer == .items(shape.items))
  }

  @Test(
    "is_last_screen is read in each spelling",
    arguments: [("true", true), ("1", true), ("1.0", true), ("\"1\"", true), ("\"true\"", true)]
      + [("false", false), ("0", false), ("\"no\"", false), ("null", false), ("2", false)])
  func lastScreen(json: String, expected: Bool) {
    #expect(
      FlowParams(Bytes(#"{"instanceId":"a","is_last_screen":\#(json)}"#)).isLastScreen == expected)
  }

  @Test("the input that is sent as focus is lost belongs to the run that just ended")
  func lateInput() throws {
    var script = EventScript()
    script.appeared(0)
    script.disappeared(10)
    script.input(11, "weight", "80")
    let found = try runs(script)
    #expect(found.count == 1)
    #expect(found[0].answers.count == 1)
    #expect(found[0].endedAt == EventScript.at(10))

    script.input(13, "height", "180")
    #expect(try runs(script).count == 2)
  }

  @Test("an appearance that comes after its own first screen joins it, a second one starts anew")
  func lateAppearance() throws {
    var script = EventScript()
    script.screen(0, "a")
    script.appeared(9)
    #expect(try runs(script).count == 1)
    script.appeared(10)
    let found = try runs(script)
    #expect(found.count == 2)
    #expect(found[0].endedAt == nil)
  }

  @Test("30 minutes of silence end a run without a session; a late event bridges it again")
  func gap() throws {
    var script = EventScript()
    script.session = nil
    script.screen(0, "a")
    script.screen(50 * 60, "b")
    #expect(try runs(script).count == 2)
    script.screen(25 * 60, "c")
    let found = try runs(script)
    #expect(found.count == 1)
    #expect(found[0].path.map(\.screen) == ["a", "c", "b"])
  }

  @Test("time alone never ends a run")
  func noTimeout() throws {
    var script = EventScript()
    script.screen(0, "a")
    let run = try #require(try runs(script, asOf: 1e9).first)
    #expect(run.endedAt == nil)
    #expect(run.lastEventAt == EventScript.at(0))
  }

  @Test("counters order a session whose clock ran backwards; without all of them time does")
  func counters() throws {
    var script = EventScript()
    script.counter = 1
    script.input(100, "weight", "80")
    script.input(50, "weight", "90")
    let run = try #require(try runs(script).first)
    #expect(run.answers.map(\.value) == [.text("90")])
    #expect(run.answers.map(\.at) == [EventScript.at(100)])
    script.counter = nil
    script.screen(101, "a")
    #expect(try runs(script).first?.answers.map(\.value) == [.text("80")])
  }

  @Test("an event that names no flow belongs to the open run touched last, else to one of no flow")
  func anonymous() throws {
    var script = EventScript()
    script.appeared(0)
    script.context = [:]
    script.input(1, "weight", "80")
    script.disappeared(2)
    script.appeared(60)
    let found = try runs(script)
    #expect(found.map(\.flow) == ["onboarding", ""])
    #expect(found[0].answers.count == 1)
    #expect(found[0].endedAt == EventScript.at(2))
  }

  @Test("an event that names no flow goes on with the flow that is still open under another one")
  func anonymousUnder() throws {
    var script = EventScript()
    script.appeared(0)
    script.context = [.placementID: "tour"]
    script.appeared(10)
    script.disappeared(20)
    script.context = [:]
    script.screen(21, "still the tour's")
    script.screen(34, "a")
    let found = try runs(script)
    #expect(found.map(\.flow) == ["onboarding", "tour"])
    #expect(found.map { $0.path.map(\.screen) } == [["a"], ["still the tour's"]])
  }

  @Test("the same element on two screens is two answers")
  func twoScreens() throws {
    var script = EventScript()
    script.input(0, "weight", "80", screen: "scr_a")
    script.input(1, "weight", "60", screen: "scr_b")
    #expect(try runs(script).first?.answers.map(\.value) == [.text("80"), .text("60")])
  }

  @Test("events after the instant do not count, and are counted")
  func future() throws {
    var script = EventScript()
    script.screen(0, "a")
    script.screen(10, "b")
    let pipeline = try PipelineChecker.check(.flowsOnly([]))
    let outcome = resolve(
      EventSet(profileID: "p", events: script.events), pipeline, asOf: EventScript.at(5), .system)
    #expect(outcome.profile.eventsAhead == 1)
    #expect(outcome.profile.nextReviewAt == EventScript.at(10))
    #expect(outcome.runs.map(\.path.count) == [1])
  }

  @Test("runs do not depend on the order of the events, for 500 shuffles of a tangled profile")
  func order() throws {
    var script = EventScript()
    script.onboarding(0, weight: "82", height: "181")
    script.session = "s2"
    script.onboarding(3, weight: "83", height: "181")
    script.session = nil
    script.context[.placementID] = "weekly_checkin"
    script.onboarding(2, weight: "84", height: "181")
    script.onboarding(9_000, weight: "85", height: "181")
    script.context = [:]
    script.onboarding(2, weight: "86", height: "181")
    let pipeline = try PipelineChecker.check(.flowsOnly([("onboarding", ["onboarding"])]))
    var random = SeededGenerator(seed: 7)
    let expected = resolve(
      EventSet(profileID: "p", events: script.events), pipeline, asOf: EventScript.at(1e6), .system)
    for run in 1...500 {
      let shuffled = EventSet(
        profileID: "p", events: script.events.shuffled(using: &random))
      let outcome = resolve(shuffled, pipeline, asOf: EventScript.at(1e6), .system)
      #expect(outcome == expected, "seed 7, run \(run)")
    }
  }
}
