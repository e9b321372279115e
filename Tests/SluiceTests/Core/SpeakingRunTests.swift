import Testing

@testable import Core
@testable import sluice

@Suite("Which run speaks")
struct SpeakingRunTests {
  private static let answers = """
    pipeline: p
    flows: { onboarding: { placements: onboarding }, checkin: { placements: checkin } }
    answers:
      weight: { flow: [onboarding, checkin], element: [weight, weight_kg], type: number }
      height: { flow: onboarding, element: height, type: number, plausible: [50, 280] }
    """

  private func value(
    _ runs: String, _ script: EventScript, rule: String = "weight * 1000 + height"
  ) throws -> AttributeOutcome {
    let pipeline = try PipelineFile.checked(
      Self.answers + "\nattributes: { x: { type: number, value: \"\(rule)\", runs: \(runs) } }")
    return try #require(outcome(script, pipeline).attributes.first)
  }

  private func checkin(_ script: inout EventScript, _ seconds: Double, weight: String) {
    script.context[.placementID] = "checkin"
    script.appeared(seconds)
    script.input(seconds + 1, "weight_kg", weight)
    script.screen(seconds + 2, "scr_done", last: true)
    script.disappeared(seconds + 3)
    script.context[.placementID] = "onboarding"
  }

  /// Completed twice, then begun once more, and a check-in in between.
  private var tangled: EventScript {
    var script = EventScript()
    script.onboarding(0, weight: "80", height: "180")
    checkin(&script, 100, weight: "79")
    script.onboarding(200, weight: "78", height: "181")
    checkin(&script, 300, weight: "77")
    script.appeared(400)
    script.input(401, "weight", "70")
    script.input(402, "height", "170")
    return script
  }

  @Test(
    "each way of choosing takes its own run",
    arguments: [
      ("one_completed", 78_181.0), ("latest_each", 77_181), ("first_completed", 80_180),
      ("latest_any", 70_170),
    ])
  func chooses(runs: String, expected: Double) throws {
    #expect(try value(runs, tangled).value == .number(expected))
  }

  @Test("the run is named from which the latest answer came")
  func runID() throws {
    let script = tangled
    let runs = outcome(script, try PipelineFile.checked(Self.answers)).runs
      .sorted { $0.startedAt < $1.startedAt }
    #expect(try value("one_completed", script).runID == runs[2].runID)
    #expect(try value("latest_each", script).runID == runs[3].runID)
    #expect(try value("first_completed", script).runID == runs[0].runID)
    #expect(try value("latest_any", script).runID == runs[4].runID)
  }

  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let height: String?
    let completed: AttributeOutcome.Value
    let first: AttributeOutcome.Value
  }

  @Test(
    "cleared or unreadable in the run that speaks is absent; not asked there, another one speaks",
    arguments: [
      Case(
        testDescription: "cleared", height: "", completed: .absent(.cleared), first: .number(80_180)
      ),
      Case(
        testDescription: "unreadable", height: "tall", completed: .absent(.unreadable),
        first: .number(80_180)),
      Case(
        testDescription: "implausible", height: "1800", completed: .absent(.implausible),
        first: .number(80_180)),
      Case(
        testDescription: "not asked", height: nil, completed: .number(80_180),
        first: .number(80_180)),
    ])
  func silence(of test: Case) throws {
    var script = EventScript()
    script.onboarding(0, weight: "80", height: "180")
    script.appeared(100)
    script.input(101, "weight", "78")
    if let height = test.height { script.input(102, "height", height) }
    script.screen(103, "scr_done", last: true)
    script.disappeared(104)
    #expect(try value("one_completed", script).value == test.completed)
    #expect(try value("latest_any", script).value == test.completed)
    #expect(try value("first_completed", script).value == test.first)
    let each: AttributeOutcome.Value = test.height == nil ? .number(78_180) : test.completed
    #expect(try value("latest_each", script).value == each)
  }

  @Test("without a completed run the reason says how far the person came")
  func reasons() throws {
    var script = EventScript()
    script.add("app_opened", 0)
    #expect(try value("one_completed", script).value == .absent(.notStarted))
    script.appeared(1)
    script.input(2, "weight", "80")
    #expect(try value("one_completed", script).value == .absent(.notCompleted))
    #expect(try value("latest_any", script).value == .absent(.notAsked))
    script.screen(3, "scr_done", last: true)
    #expect(try value("one_completed", script).value == .absent(.notAsked))
    #expect(
      try value("one_completed", script, rule: "coalesce(height, weight)").value == .number(80))
    #expect(try value("one_completed", script, rule: "coalesce(height, weight)").runID != nil)
  }

  @Test("of several elements for one answer the latest input wins")
  func severalElements() throws {
    var script = EventScript()
    script.input(0, "weight", "80")
    script.input(1, "weight_kg", "81")
    script.screen(2, "scr_done", last: true)
    #expect(try value("one_completed", script, rule: "weight").value == .number(81))
    script.input(3, "weight", "82")
    #expect(try value("one_completed", script, rule: "weight").value == .number(82))
    script.input(4, "weight_kg", "")
    #expect(try value("one_completed", script, rule: "weight").value == .absent(.cleared))
  }

  @Test("an element on two screens is ambiguous in whatever order, unless `screen:` tells")
  func ambiguous() throws {
    var script = EventScript()
    script.input(0, "weight", "80", screen: "scr_a")
    script.input(1, "weight_kg", "81", screen: "scr_a")
    script.input(2, "weight", "82", screen: "scr_b")
    script.screen(3, "scr_done", last: true)
    for runs in AttributeSource.Runs.allCases {
      #expect(
        try value(runs.rawValue, script, rule: "weight").value == .absent(.ambiguousElement))
    }
    let pipeline = try PipelineFile.checked(
      """
      pipeline: p
      answers: { weight: { element: weight, screen: scr_b, type: number } }
      attributes: { x: { type: number, value: weight } }
      """)
    #expect(outcome(script, pipeline).attributes.map(\.value) == [.number(82)])
  }
}
