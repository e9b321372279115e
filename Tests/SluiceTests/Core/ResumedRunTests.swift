import Testing

@testable import Core
@testable import sluice

@Suite("Runs as the pipeline wants them")
struct ResumedRunTests {
  private func runs(_ script: EventScript, _ flow: String, more: String = "") throws -> [FlowRun] {
    let pipeline = try PipelineFile.checked(
      """
      pipeline: p
      \(more)
      flows: { onboarding: { placements: onboarding, \(flow) } }
      """)
    return outcome(script, pipeline).runs.sorted {
      ($0.startedAt, $0.runID) < ($1.startedAt, $1.runID)
    }
  }

  /// Begun in one session and left, gone on with in another.
  private func interrupted(after pause: Double, isClosed: Bool = true) -> EventScript {
    var script = EventScript()
    script.appeared(0)
    script.screen(1, "scr_body")
    script.input(2, "weight", "80")
    if isClosed { script.disappeared(3) }
    script.session = "s2"
    let start = (isClosed ? 3 : 2) + pause
    script.appeared(start)
    script.screen(start + 1, "scr_height")
    script.input(start + 2, "height", "180", screen: "scr_height")
    script.screen(start + 3, "scr_done", last: true)
    script.disappeared(start + 4)
    return script
  }

  @Test("an unfinished run goes on in another session: one run, answers and path merged")
  func resumes() throws {
    for isClosed in [true, false] {
      let found = try runs(
        interrupted(after: 7_199, isClosed: isClosed), "resume_within: 2 h")
      let run = try #require(found.first)
      #expect(found.count == 1)
      #expect(run.sessionID == "s1")
      #expect(run.answers.map(\.element) == ["weight", "height"])
      #expect(run.path.map(\.screen) == ["scr_body", "scr_height", "scr_done"])
      #expect(run.completedAt != nil)
      #expect(run.endedAt == run.lastEventAt)
      // Nobody looked at the screen for two hours: a view that nothing closed has no length.
      #expect(run.path[0].spentMilliseconds == (isClosed ? 2000 : nil))
    }
  }

  @Test("the limit is exact, and without `resume_within` nothing goes on")
  func limit() throws {
    #expect(try runs(interrupted(after: 7_200), "resume_within: 2 h").count == 2)
    #expect(try runs(interrupted(after: 7_199), "screens: x").count == 2)
  }

  @Test("a completed run never goes on, nor does another flow's")
  func completed() throws {
    var script = EventScript()
    script.onboarding(0, weight: "80", height: "180")
    script.appeared(10)
    #expect(try runs(script, "resume_within: 2 h").count == 2)

    var other = EventScript()
    other.appeared(0)
    other.context[.placementID] = "elsewhere"
    other.appeared(10)
    #expect(try runs(other, "resume_within: 2 h").count == 2)
  }

  @Test("a pause is counted from the last event, so that a run can go on many times")
  func chain() throws {
    var script = EventScript()
    for step in 0..<5 {
      script.session = Bytes("s\(step)")
      script.appeared(Double(step) * 3_000)
      script.screen(Double(step) * 3_000 + 1, "scr_\(step)")
    }
    let found = try runs(script, "resume_within: 1 h")
    #expect(found.map(\.path.count) == [5])
  }

  @Test("a late event in between joins what was two runs; a late completion parts what was one")
  func lateEvents() throws {
    var script = EventScript()
    script.appeared(0)
    script.session = "s3"
    script.appeared(5_000)
    #expect(try runs(script, "resume_within: 1 h").count == 2)
    script.session = "s2"
    script.screen(2_500, "scr_body")
    #expect(try runs(script, "resume_within: 1 h").count == 1)
    script.session = "s1"
    script.screen(1, "scr_done", last: true)
    #expect(try runs(script, "resume_within: 1 h").count == 2)
  }

  @Test("resumed runs do not depend on the order of events, for 300 random tangles of sessions")
  func order() throws {
    var random = SeededGenerator(seed: 11)
    let pipeline = try PipelineFile.checked(
      """
      pipeline: p
      flows:
        onboarding:
          placements: onboarding
          resume_within: 20 s
          completed: scr_3
          same_as: { scr_4: scr_2 }
      """)
    for run in 1...300 {
      var script = EventScript()
      for _ in 0..<12 {
        script.session = ["s1", "s2", "s3", nil].randomElement(using: &random) ?? nil
        let second = Double(Int.random(in: 0..<60, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: script.appeared(second)
        case 1: script.disappeared(second)
        case 2: script.input(second, "weight", "80")
        default:
          script.screen(second, "scr_\(Int.random(in: 0..<5, using: &random))")
        }
      }
      let expected = outcome(script, pipeline)
      let shuffled = EventSet(profileID: "p", events: script.events.shuffled(using: &random))
      #expect(
        resolve(shuffled, pipeline, asOf: EventScript.at(1e6), .system) == expected,
        "seed 11, run \(run)")
      #expect(expected.runs.allSatisfy { run in !run.path.contains { $0.screen == "scr_4" } })
    }
  }

  @Test("a named screen completes a run, besides those that the vendor marks")
  func completingScreens() throws {
    var script = EventScript()
    script.screen(0, "scr_body")
    script.screen(1, "scr_paywall")
    let run = try #require(try runs(script, "completed: [scr_paywall, scr_offer]").first)
    #expect(run.completedAt == EventScript.at(1))
    #expect(run.path.map(\.isLast) == [false, true])
    script.screen(2, "scr_done", last: true)
    #expect(try runs(script, "completed: scr_other").first?.completedAt == EventScript.at(2))
  }

  @Test("a renamed screen is one screen: path, answers and completion have its present id")
  func renamed() throws {
    var script = EventScript()
    script.screen(0, "scr_old")
    script.input(1, "weight", "80", screen: "scr_old")
    script.screen(2, "scr_new")
    script.input(3, "weight", "81", screen: "scr_new")
    let run = try #require(
      try runs(script, "same_as: { scr_old: scr_new, scr_older: scr_new }, completed: scr_new")
        .first)
    #expect(run.path.map(\.screen) == ["scr_new"])
    #expect(run.path.map(\.views) == [2])
    #expect(run.answers.map(\.value) == [.text("81")])
    #expect(run.answers.map(\.screen) == ["scr_new"])
    #expect(run.completedAt == EventScript.at(0))
  }

  @Test("a flow that is recognised by a screen is so by its former id, too")
  func renamedRecognises() throws {
    var script = EventScript()
    script.context = [:]
    script.screen(0, "scr_old")
    let found = try runs(script, "screens: scr_new, same_as: { scr_old: scr_new }")
    #expect(found.map(\.flow) == ["onboarding"])
  }

  @Test("gaps and latenesses are settings")
  func settings() throws {
    var script = EventScript()
    script.session = nil
    script.screen(0, "a")
    script.screen(100, "b")
    #expect(try runs(script, "flows: x").count == 1)
    #expect(try runs(script, "flows: x", more: "runs: { gap_without_session: 100 s }").count == 2)

    var session = EventScript()
    session.screen(0, "a")
    session.screen(7_200, "b")
    #expect(try runs(session, "flows: x").count == 1)
    #expect(try runs(session, "flows: x", more: "runs: { gap_within_session: 2h }").count == 2)

    var late = EventScript()
    late.screen(0, "a")
    late.appeared(11)
    #expect(try runs(late, "flows: x").count == 2)
    #expect(try runs(late, "flows: x", more: "runs: { late_appearance: 11 s }").count == 1)

    var input = EventScript()
    input.appeared(0)
    input.disappeared(1)
    input.input(2, "weight", "80")
    #expect(try runs(input, "flows: x").count == 1)
    #expect(try runs(input, "flows: x", more: "runs: { late_input: 0 s }").count == 2)
  }
}
