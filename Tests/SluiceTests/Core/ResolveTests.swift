import Testing

@testable import Core
@testable import sluice

private let day: Double = 86_400

@Suite("What follows from events: which run speaks")
struct ResolveRunTests {
  private static func pipeline() throws -> Pipeline {
    try Pipeline.checked(
      yaml: """
        pipeline: speaking
        flows:
          onboarding: { placements: [onboarding] }
        answers:
          weight: { flow: onboarding, element: [weight, weight_kg], quantity: mass, unit: kg }
          height: { flow: onboarding, element: height, quantity: length, unit: cm }
        attributes:
          kg: { type: number, value: weight }
          bmi: { type: number, value: weight / (height / 100) ^ 2 }
        """)
  }

  private func value(_ key: Bytes, _ script: EventScript) throws -> AttributeOutcome.Value? {
    try Self.pipeline().outcome(script).attributes.first { $0.key == key }?.value
  }

  /// A run from `flow_appeared` to `flow_disappeared`, completed, with what was put in.
  private func run(_ script: inout EventScript, _ start: Double, _ inputs: [(String, String)]) {
    script.appeared(start)
    for (index, input) in inputs.enumerated() {
      script.input(start + 1 + Double(index), input.0, input.1)
    }
    script.screen(start + 50, "scr_done", last: true)
    script.disappeared(start + 51)
  }

  @Test("the latest completed run speaks, not the oldest and not one that was left")
  func latest() throws {
    var script = EventScript()
    run(&script, 0, [("weight", "80")])
    run(&script, 100, [("weight", "90")])
    script.appeared(200)
    script.input(201, "weight", "99")
    script.disappeared(202)
    #expect(try value("kg", script) == .number(90))
    let outcome = try Self.pipeline().outcome(script)
    let speaking = try #require(outcome.runs.first { $0.number == 2 })
    #expect(outcome.attributes.first { $0.key == "kg" }?.runID == speaking.runID)
  }

  @Test("an older run speaks where the latest did not ask for everything")
  func notAsked() throws {
    var script = EventScript()
    run(&script, 0, [("weight", "80"), ("height", "200")])
    run(&script, 100, [("weight", "90")])
    #expect(try value("bmi", script) == .number(20))
    #expect(try value("kg", script) == .number(90))
  }

  @Test("not asked in any completed run is that reason")
  func neverAsked() throws {
    var script = EventScript()
    run(&script, 0, [("weight", "80")])
    #expect(try value("bmi", script) == .absent(.notAsked))
  }

  @Test("what made a segment unknown is the reason where an attribute reads the segment")
  func reasonsThroughSegments() throws {
    let pipeline = try PipelineFile.checked(
      """
      pipeline: p
      flows: { onboarding: { placements: onboarding } }
      answers: { weight: { flow: onboarding, element: weight, quantity: mass, unit: kg } }
      attributes:
        ratio: { type: number, value: weight / (weight - weight) }
        from_segment: { type: number, value: "case when big then 1 end" }
        blank: { type: text, value: "case when weight > 0 then '   ' end" }
      segments: { big: ratio > 1 }
      """)
    var script = EventScript()
    script.onboarding(0, weight: "80", height: "180")
    let values = outcome(script, pipeline).attributes.map(\.value)
    // The vendor takes a blank text for a removal.
    #expect(values == [.absent(.limit), .absent(.divisionByZero), .absent(.divisionByZero)])
  }

  @Test("a chain of 5,000 segments is put into order without a stack")
  func longChain() throws {
    var rules = "  s5000: profile.platform = 'iOS'\n"
    for number in 0..<5000 { rules += "  s\(number): s\(number + 1)\n" }
    let pipeline = try PipelineFile.checked("pipeline: p\nsegments:\n" + rules)
    #expect(
      pipeline.order.first == .segment(pipeline.segments.firstIndex { $0.name == "s5000" } ?? 0))
    #expect(pipeline.order.count == 5001)
  }

  @Test("cleared or unreadable in the latest run is absent: no older run is asked")
  func cleared() throws {
    var cleared = EventScript()
    run(&cleared, 0, [("weight", "80")])
    run(&cleared, 100, [("weight", "")])
    #expect(try value("kg", cleared) == .absent(.cleared))
    var unreadable = EventScript()
    run(&unreadable, 0, [("weight", "80")])
    run(&unreadable, 100, [("weight", "much")])
    #expect(try value("kg", unreadable) == .absent(.unreadable))
  }

  @Test(
    "an element on two screens is ambiguous, whatever other element of the answer came between",
    arguments: [
      ["weight@s1", "weight@s2"],
      ["weight@s1", "weight_kg@s1", "weight@s2"],
      ["weight_kg@s1", "weight@s1", "weight@s2"],
      ["weight@s1", "weight@s2", "weight_kg@s1"],
    ])
  func ambiguous(_ inputs: [String]) throws {
    var script = EventScript()
    script.appeared(0)
    for (index, input) in inputs.enumerated() {
      let parts = input.split(separator: "@").map(String.init)
      script.input(Double(index) + 1, parts[0], "\(80 + index)", screen: parts[1])
    }
    script.screen(50, "scr_done", last: true)
    #expect(try value("kg", script) == .absent(.ambiguousElement))
  }

  @Test("two elements of one answer are not ambiguous: the later input counts")
  func twoElements() throws {
    var script = EventScript()
    run(&script, 0, [("weight_kg", "80"), ("weight", "81")])
    #expect(try value("kg", script) == .number(81))
  }

  @Test("flow_disappeared resets, also where the next flow of the session has no flow_appeared")
  func reset() throws {
    var script = EventScript()
    script.onboarding(0, weight: "80", height: "200")
    script.screen(8, "scr_body")
    script.input(9, "weight", "100")
    script.screen(10, "scr_done", last: true)
    let outcome = try Self.pipeline().outcome(script)
    let runs = outcome.runs.sorted { $0.number < $1.number }
    #expect(runs.map(\.answers.count) == [2, 1])
    #expect(runs.last?.answers.map(\.value) == [.text("100")])
    #expect(runs.map(\.path.count) == [2, 2])
    // Who was not asked for the height again keeps what the first run told.
    #expect(try value("bmi", script) == .number(20))
  }
}

@Suite("What follows from events: histories")
struct ResolveHistoryTests {
  private static func pipeline() throws -> Pipeline {
    try Pipeline.checked(
      yaml: """
        pipeline: histories
        flows:
          onboarding: { placements: [onboarding] }
        answers:
          weight: { flow: onboarding, element: weight, quantity: mass, unit: kg }
        attributes:
          kg: { type: number, value: weight }
        segments:
          fresh: onboarding.days_since_completed < 30
          heavy: kg >= 100
          rested: onboarding.days_since_completed >= 30
        """)
  }

  /// 80 kg, then 110, then nothing, then a last weight, all typed into one completed run.
  private func script(last: String) -> EventScript {
    var script = EventScript()
    script.appeared(0)
    script.input(2, "weight", "80")
    script.screen(4, "scr_done", last: true)
    script.input(100, "weight", "110")
    script.input(200, "weight", "")
    script.input(300, "weight", last)
    return script
  }

  @Test(
    "closed intervals of an attribute are exact, an absence is a gap, the current one is no row")
  func attribute() throws {
    let outcome = try Self.pipeline().outcome(script(last: "120"))
    #expect(
      outcome.attributeHistory == [
        AttributeInterval(
          key: "kg", value: .number(80), from: EventScript.at(4), to: EventScript.at(100)),
        AttributeInterval(
          key: "kg", value: .number(110), from: EventScript.at(100), to: EventScript.at(200)),
      ])
    #expect(outcome.attributes.map(\.value) == [.number(120)])
    #expect(outcome.attributes.map(\.setAt) == [EventScript.at(300)])
  }

  @Test("closed intervals of a segment are exact, and the current one tells since when")
  func segment() throws {
    let outcome = try Self.pipeline().outcome(script(last: "120"), at: 1000)
    #expect(
      outcome.segmentHistory == [
        SegmentInterval(segment: "heavy", from: EventScript.at(100), to: EventScript.at(200))
      ])
    #expect(
      outcome.segments == [
        SegmentMembership(segment: "fresh", since: EventScript.at(4)),
        SegmentMembership(segment: "heavy", since: EventScript.at(300)),
      ])
  }

  @Test("a value that was cleared last is absent since then, and the member has left")
  func cleared() throws {
    let outcome = try Self.pipeline().outcome(script(last: ""), at: 1000)
    #expect(outcome.attributes.map(\.value) == [.absent(.cleared)])
    #expect(outcome.attributes.map(\.setAt) == [EventScript.at(200)])
    // The run that was asked is told with the reason, as it is with a value.
    #expect(outcome.attributes.map(\.runID) == outcome.runs.map { $0.runID })
    #expect(outcome.segments.map(\.segment) == ["fresh"])
  }

  @Test("the same value again changes nothing: since stays")
  func sameAgain() throws {
    var script = script(last: "120")
    script.input(400, "weight", "120")
    script.input(500, "weight", "120.0")
    let outcome = try Self.pipeline().outcome(script)
    #expect(outcome.attributes.map(\.setAt) == [EventScript.at(300)])
    #expect(outcome.attributeHistory.count == 2)
  }

  @Test("whole days are over at their exact instant, and time alone writes history")
  func boundary() throws {
    let pipeline = try Self.pipeline()
    let script = script(last: "")
    let reached = EventScript.at(4 + 30 * day)
    let before = resolve(
      EventSet(profileID: "p", events: script.events), pipeline,
      asOf: reached.adding(microseconds: -1), .system)
    #expect(before.segments.map(\.segment) == ["fresh"])
    #expect(before.profile.nextReviewAt == reached)
    #expect(!before.segmentHistory.contains { $0.segment == "fresh" })
    for asOf in [reached, reached.adding(days: 400)] {
      let outcome = resolve(
        EventSet(profileID: "p", events: script.events), pipeline, asOf: asOf, .system)
      #expect(outcome.segments == [SegmentMembership(segment: "rested", since: reached)])
      #expect(
        outcome.segmentHistory.first
          == SegmentInterval(segment: "fresh", from: EventScript.at(4), to: reached))
      #expect(outcome.profile.nextReviewAt == nil)
    }
  }

  @Test("an event after the instant is not seen, and is the next review")
  func ahead() throws {
    let outcome = try Self.pipeline().outcome(script(last: "120"), at: 150)
    #expect(outcome.attributes.map(\.value) == [.number(110)])
    #expect(outcome.profile.eventsAhead == 2)
    #expect(outcome.profile.nextReviewAt == EventScript.at(200))
  }
}

@Suite("What follows from events: the next review")
struct ResolveReviewTests {
  private static func pipeline() throws -> Pipeline {
    try Pipeline.checked(
      yaml: """
        pipeline: reviews
        flows:
          onboarding: { placements: [onboarding] }
          checkin: { placements: [checkin] }
        answers:
          weight: { flow: onboarding, element: weight, quantity: mass, unit: kg }
        attributes:
          kg: { type: number, value: weight }
          state: { type: text, value: case when rested then 'rested' else 'fresh' end }
        segments:
          exactly: onboarding.days_since_completed = 3
          rested: onboarding.days_since_completed >= 2.5
          new_and_heavy: kg > 100 and days_since(onboarding.started_at) <= 4
          later: now() > timestamp '2026-03-06T00:00:00Z' and checkin.runs > 0
        placements:
          paywall:
            audiences:
              - { segment: rested, show: { flow: a } }
              - { default: true, show: { flow: b } }
        next:
          - { when: "now() >= timestamp '2026-03-09' and onboarding.completed", placement: paywall }
          - { when: checkin.days_since_completed < 1, nothing: true }
          - { when: "checkin.completed_at < now() and not onboarding.completed", placement: late }
          - { placement: onboarding }
        """)
  }

  /// A few events of two flows over ten days.
  private func script(_ random: inout SeededGenerator) -> EventScript {
    var script = EventScript()
    for _ in 0..<Int.random(in: 0...7, using: &random) {
      let second = Double(Int.random(in: 0...(10 * 24), using: &random)) * 3600
      script.session = Bool.random(using: &random) ? "s1" : nil
      script.context[.placementID] =
        Bool.random(using: &random) ? "onboarding" : "checkin"
      switch Int.random(in: 0..<4, using: &random) {
      case 0: script.appeared(second)
      case 1: script.screen(second, "scr_done", last: true)
      case 2: script.input(second, "weight", Bool.random(using: &random) ? "80" : "120")
      default: script.disappeared(second)
      }
    }
    return script
  }

  @Test(
    "an outcome is the same at every instant until its next review, and that is always ahead",
    arguments: 0..<20)
  func constant(_ seed: UInt64) throws {
    let pipeline = try Self.pipeline()
    var random = SeededGenerator(seed: seed)
    var reviews = 0
    for _ in 0..<10 {
      let set = EventSet(profileID: "p", events: script(&random).events)
      func outcome(_ asOf: Instant) -> Outcome { resolve(set, pipeline, asOf: asOf, .system) }
      var asOf = EventScript.at(-1)
      // Reviews are few; a chain that does not end would be a job that never does.
      for _ in 0..<60 {
        let now = outcome(asOf)
        guard let review = now.profile.nextReviewAt else {
          #expect(outcome(asOf.adding(days: 1000)) == now)
          break
        }
        try #require(review > asOf)
        let length = review.microseconds - asOf.microseconds
        let between = Int64.random(in: 0..<length, using: &random)
        #expect(outcome(asOf.adding(microseconds: between)) == now)
        #expect(outcome(review.adding(microseconds: -1)) == now)
        reviews += 1
        asOf = review
      }
      #expect(outcome(asOf).profile.nextReviewAt == nil)
    }
    #expect(reviews > 20)
  }
}

@Suite("What follows from events: what is unknown, and what was seen")
struct ResolvePastTests {
  private func segments(historyStarts: String, installed: Instant?, completes: Bool) throws
    -> [Bytes]
  {
    let pipeline = try Pipeline.checked(
      yaml: """
        pipeline: past
        \(historyStarts)
        flows:
          onboarding: { placements: [onboarding] }
        segments:
          done: onboarding.completed
          undone: not onboarding.completed
          unknown: onboarding.completed is null
        """)
    var script = EventScript()
    if let installed {
      script.context[.installedAt] = Bytes(String(installed.microseconds))
    }
    script.appeared(0)
    if completes { script.screen(1, "scr_done", last: true) }
    return pipeline.outcome(script).segments.map(\.segment)
  }

  @Test(
    "completed is null only for who was installed before the history starts, and true for who did")
  func historyStarts() throws {
    let starts = "history_starts: 2026-02-01"
    let first = try #require(Day(iso8601: "2026-02-01")).startInUTC
    let before = first.adding(microseconds: -1)
    #expect(
      try segments(historyStarts: starts, installed: before, completes: false) == ["unknown"])
    #expect(try segments(historyStarts: starts, installed: first, completes: false) == ["undone"])
    #expect(try segments(historyStarts: starts, installed: nil, completes: false) == ["undone"])
    #expect(try segments(historyStarts: starts, installed: before, completes: true) == ["done"])
    #expect(try segments(historyStarts: "", installed: before, completes: false) == ["undone"])
  }

  private let version: Bytes = "5f0e0a52-0000-4a00-8000-0000000000aa"

  private func decision(_ script: EventScript) throws -> PlacementDecision {
    let pipeline = try Pipeline.checked(
      yaml: """
        pipeline: seen
        placements:
          paywall:
            audiences:
              - default: true
                audience_version: \(version.string)
                show:
                  - { flow: coach_a, variation: a, weight: 50 }
                  - { flow: coach_b, variation: b, weight: 50 }
        """)
    return try #require(pipeline.outcome(script).decisions.first)
  }

  @Test("an observed variation wins over the drawn one, for the same audience version alone")
  func observed() throws {
    var script = EventScript()
    script.appeared(0)
    let drawn = try decision(script)
    #expect(drawn.variationSource == .predicted)
    let other: Bytes = drawn.variationID == "a" ? "b" : "a"

    script.context[.variationID] = other
    script.context[.placementAudienceVersionID] = "5f0e0a52-0000-4a00-8000-0000000000bb"
    script.appeared(100)
    #expect(try decision(script) == drawn)

    script.context[.placementAudienceVersionID] = version
    script.appeared(200)
    let seen = try decision(script)
    #expect(seen.variationSource == .observed)
    #expect(seen.variationID == other)
    #expect(seen.flowID == (other == "a" ? "coach_a" : "coach_b"))

    // The latest one that was seen counts.
    script.context[.variationID] = drawn.variationID
    script.appeared(300)
    #expect(try decision(script).variationID == drawn.variationID)
    #expect(try decision(script).variationSource == .observed)
  }
}
