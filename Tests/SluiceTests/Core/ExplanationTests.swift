import Testing

@testable import Core
@testable import sluice

@Suite("Explanations")
struct ExplanationTests {
  private func pipeline(_ yaml: String) throws -> Pipeline {
    let file = PipelineFile(yaml)
    #expect(file.report() == "")
    return try PipelineChecker.check(try #require(file.source))
  }

  private static let base = """
    pipeline: p
    flows: { onboarding: { placements: [onboarding] } }
    answers:
      weight: { flow: onboarding, element: weight, quantity: mass, unit: kg }
      height: { flow: onboarding, element: height, quantity: length, unit: cm }
    attributes:
      bmi: { type: number, value: weight / (height / 100) ^ 2, runs: latest_each }

    """

  private func explained(_ yaml: String, _ script: EventScript, at seconds: Double = 1000) throws
    -> Explanation
  {
    explain(
      EventSet(profileID: "p", events: script.events), try pipeline(yaml),
      asOf: EventScript.at(seconds), .system)
  }

  private func lines(_ clauses: [Clause]) -> [String] {
    clauses.map { clause in
      let shown = clause.shown.map { " → \($0.string)" } ?? ""
      return String(repeating: "  ", count: clause.depth) + clause.text.string + shown + ": "
        + clause.value.ruleText.string
    }
  }

  private var person: EventScript {
    var script = EventScript()
    script.onboarding(0, weight: "80", height: "200")
    return script
  }

  @Test("a rule is shown clause by clause, with values in the place of names, and with its truth")
  func clauses() throws {
    let found = try explained(
      Self.base
        + """
        segments:
          a: |
            (bmi >= 30 or not (bmi < 18.5))   -- a comment
              and profile.country is not null
          b: (bmi + 1) * 2 >= 42 and profile.locale like 'en%' and bmi not in (1, 2)
          c: a is true and bmi between 10 and 20
        """, person)
    let segments = Dictionary(uniqueKeysWithValues: found.segments.map { ($0.name, $0.clauses) })
    #expect(
      lines(try #require(segments["a"]))
        == [
          "(bmi >= 30 or not (bmi < 18.5)) and profile.country is not null: false",
          "  bmi >= 30 or not (bmi < 18.5): true", "    bmi >= 30 → 20 >= 30: false",
          "    not (bmi < 18.5): true", "      bmi < 18.5 → 20 < 18.5: false",
          "  profile.country is not null → null is not null: false",
        ].map { $0.replacing("is not null: null", with: "is not null: false") })
    #expect(
      lines(try #require(segments["b"])) == [
        "(bmi + 1) * 2 >= 42 and profile.locale like 'en%' and bmi not in (1, 2): true",
        "  (bmi + 1) * 2 >= 42 → 42 >= 42: true",
        "  profile.locale like 'en%' → 'en_US' like 'en%': true",
        "  bmi not in (1, 2) → 20 not in (1, 2): true",
      ])
    #expect(
      lines(try #require(segments["c"])) == [
        "a is true and bmi between 10 and 20: false", "  a is true → false is true: false",
        "  bmi between 10 and 20 → 20 between 10 and 20: true",
      ])
  }

  @Test("a name alone is its own value")
  func names() throws {
    let found = try explained(Self.base + "segments: { d: onboarding.completed }", person)
    #expect(lines(found.segments[0].clauses) == ["onboarding.completed: true"])
  }

  @Test("an unknown comes from what is missing, and time is shown as days")
  func unknowns() throws {
    let found = try explained(
      Self.base + """
        segments:
          a: bmi >= 30
          b: onboarding.days_since_completed >= 2 and now() > '2026-03-01'
        """, person, at: 3 * 86_400)
    #expect(
      lines(found.segments[1].clauses) == [
        "onboarding.days_since_completed >= 2 and now() > '2026-03-01': true",
        "  onboarding.days_since_completed >= 2 → 2 >= 2: true",
        "  now() > '2026-03-01' → '2026-03-04T10:00:00Z' > '2026-03-01': true",
      ])
    var left = EventScript()
    left.appeared(0)
    let missing = try explained(Self.base + "segments: { a: bmi >= 30 }", left)
    #expect(lines(missing.segments[0].clauses) == ["bmi >= 30 → null >= 30: null"])
    #expect(
      missing.attributes[0].sources.map(\.reading) == [
        .absent(.notCompleted), .absent(.notCompleted),
      ])
  }

  @Test("each answer is shown with the run, screen, element and time that it came from")
  func sources() throws {
    var script = person
    script.appeared(100)
    script.input(101, "weight", "100", screen: "scr_again")
    script.screen(102, "scr_done", last: true)
    script.disappeared(103)
    let found = try explained(Self.base, script)
    let sources = found.attributes[0].sources
    #expect(sources.map(\.answer) == ["height", "weight"])
    let weight = try #require(sources.first { $0.answer == "weight" })
    #expect(weight.reading == .value(.number(100)))
    #expect(weight.run?.number == 2)
    #expect(weight.given.first?.screen == "scr_again")
    #expect(weight.given.first?.at == EventScript.at(101))
    let height = try #require(sources.first { $0.answer == "height" })
    #expect(height.run?.number == 1 && height.given.first?.value == .text("200"))
    #expect(
      lines(found.attributes[0].clauses) == [
        "weight / (height / 100) ^ 2 → 100 / (200 / 100) ^ 2: 25"
      ])
  }

  @Test("of alternatives the one that counts is shown, each part of a sum, and what is a default")
  func alternatives() throws {
    var script = EventScript()
    script.appeared(0)
    script.screen(1, "scr_units")
    script.input(2, "feet", "5", screen: "scr_units")
    script.input(3, "inches", "10", screen: "scr_units")
    script.screen(4, "scr_done", last: true)
    script.disappeared(5)
    let found = try explained(
      """
      pipeline: p
      flows: { onboarding: { placements: [onboarding] } }
      answers:
        height:
          quantity: length
          unit: cm
          first_of:
            - { element: height, unit: cm }
            - { sum: [{ element: feet, unit: ft }, { element: inches, unit: in }] }
        goal: { element: goal, type: choice, default: fit, shown_on: scr_units }
      attributes:
        height_m: { type: number, value: height / 100 }
        goal_id: { type: text, value: goal }
      """, script)
    let sources = Dictionary(
      uniqueKeysWithValues: found.attributes.flatMap(\.sources).map { ($0.answer, $0) })
    let height = try #require(sources["height"])
    #expect(height.given.map(\.element) == ["feet", "inches"] && !height.isDefault)
    guard case .value(.number(let centimetres)) = height.reading else {
      Issue.record("\(height.reading)")
      return
    }
    #expect(abs(centimetres - 177.8) < 1e-9)
    let goal = try #require(sources["goal"])
    #expect(goal.given.isEmpty && goal.isDefault && goal.reading == .value(.text("fit")))
  }

  @Test("what has its time is told apart from what does not hold, and a holdout shows nothing")
  func windows() throws {
    let found = try explained(
      Self.base + """
        segments: { b: bmi >= 20 }
        placements:
          paywall:
            audiences:
              - { segment: b, until: 2020-01-01, show: { flow: x } }
              - segment: b
                audience_version: 5f0e0a52-0000-4a00-8000-0000000000aa
                show:
                  - { nothing: true, weight: 100 }
                  - { flow: f, variation: v2, weight: 0 }
              - { default: true, show: { flow: z } }
        next:
          - { when: b, from: 2090-01-01, placement: paywall }
          - { until: 2020-01-01, placement: paywall }
          - { placement: paywall }
        """, person)
    let placement = found.placements[0]
    #expect(placement.audiences.map(\.fate) == [.notNow, .chosen, .notReached])
    let bucket = try #require(placement.draw?.buckets.first { $0.numbers == 0..<100 })
    #expect(bucket.flowID == nil && bucket.variationID.isEmpty)
    #expect(found.outcome.decisions[0].flowID == nil)
    #expect(found.next.map(\.fate) == [.notNow, .notNow, .chosen])
  }

  @Test("every audience is told in turn, the draw's number with its buckets, and every next rule")
  func placements() throws {
    let found = try explained(
      Self.base + """
        segments: { a: bmi >= 30, b: bmi >= 20, unknown: profile.country = 'DE' }
        placements:
          paywall:
            audiences:
              - { segment: unknown, show: { flow: x } }
              - { segment: a, show: { flow: y } }
              - segment: b
                audience_version: 5f0e0a52-0000-4a00-8000-0000000000aa
                show:
                  - { flow: f, variation: v2, weight: 70 }
                  - { flow: g, variation: v1, weight: 30 }
                  - { flow: h, variation: v0, weight: 0 }
              - { default: true, show: { flow: z } }
        next:
          - { when: a, placement: paywall }
          - { when: b and onboarding.completed, placement: paywall, because: big }
          - { placement: onboarding }
        """, person)
    let placement = found.placements[0]
    #expect(placement.audiences.map(\.name) == ["unknown", "a", "b", "default"])
    #expect(
      placement.audiences.map(\.value) == [
        .null, .boolean(false), .boolean(true), .boolean(true),
      ])
    #expect(placement.audiences.map(\.fate) == [.passedOver, .passedOver, .chosen, .notReached])
    let draw = try #require(placement.draw)
    #expect(draw.buckets.map(\.numbers) == [0..<0, 0..<30, 30..<100])
    #expect(draw.buckets.map(\.variationID) == ["v0", "v1", "v2"])
    let drawn = draw.buckets.first { $0.numbers.contains(draw.number) }?.variationID
    #expect(found.outcome.decisions[0].variationID == drawn)
    #expect(found.next.map(\.fate) == [.passedOver, .chosen, .notReached])
    #expect(found.next[1].because == "big")
    #expect(found.next[2].clauses.isEmpty)
  }

  @Test("the whole of each rule says what the outcome says, for random people")
  func agrees() throws {
    let file = try PipelineFile(contentsOf: "pipelines/reference.yaml")
    let pipeline = try PipelineChecker.check(try #require(file.source))
    var random = RandomEvents(seed: 5)
    for run in 0..<300 {
      let set = EventSet(profileID: "p", events: random.events(12))
      let asOf = EventScript.at(10)
      let found = explain(set, pipeline, asOf: asOf, .system)
      let outcome = resolve(set, pipeline, asOf: asOf, .system)
      #expect(found.outcome == outcome, "seed 5, run \(run)")
      // Without an event no membership has begun.
      guard outcome.profile.events > 0 else { continue }
      for segment in found.segments {
        #expect(
          (segment.clauses.first?.value == .boolean(true))
            == outcome.segments.contains { $0.segment == segment.name }, "seed 5, run \(run)")
      }
      for (attribute, derived) in zip(found.attributes, outcome.attributes) {
        if case .number(let number) = derived.value {
          #expect(attribute.clauses.first?.value == .number(number), "seed 5, run \(run)")
        }
      }
    }
  }
}
