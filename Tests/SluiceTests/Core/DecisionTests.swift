import Testing

@testable import Core
@testable import sluice

@Suite("What a placement shows")
struct DecisionTests {
  private static let version = "11111111-1111-4111-8111-111111111111"

  private func decide(
    _ pipeline: Pipeline, _ profile: Bytes = "p", _ events: [Event]? = nil, asOf: Double = 100
  ) throws -> (decision: PlacementDecision, profile: ProfileSummary) {
    var script = EventScript()
    script.appeared(0)
    let result = resolve(
      EventSet(profileID: profile, events: script.events + (events ?? [])), pipeline,
      asOf: EventScript.at(asOf), .system)
    return (try #require(result.decisions.first), result.profile)
  }

  private func placement(_ audiences: String, zone: Zone = .utc) throws -> Pipeline {
    try PipelineFile.checked(
      """
      pipeline: p
      segments: { all: "true" }
      placements:
        paywall:
          audiences:
      \(audiences)
            - { default: true, show: { flow: standard } }
      """, zone: zone)
  }

  @Test("an audience counts from its first instant until before its last, and both are reviewed")
  func window() throws {
    let pipeline = try placement(
      """
            - segment: all
              from: 2026-03-01T10:01:00Z
              until: 2026-03-01T10:02:00+00:00
              show: { flow: sale }
      """)
    func at(_ seconds: Double) throws -> (flow: Bytes?, review: Instant?) {
      let (decision, profile) = try decide(pipeline, asOf: seconds)
      return (decision.flowID, profile.nextReviewAt)
    }
    #expect(try at(59.999_999) == ("standard", EventScript.at(60)))
    #expect(try at(60) == ("sale", EventScript.at(120)))
    #expect(try at(119.999_999) == ("sale", EventScript.at(120)))
    #expect(try at(120) == ("standard", nil))
  }

  @Test("a plain date begins at midnight of the pipeline's zone")
  func zone() throws {
    let zone = Zone(name: "east", firstOffset: 3600, changes: [])
    let pipeline = try placement(
      """
            - { segment: all, from: 2026-03-02, show: { flow: sale } }
      """, zone: zone)
    #expect(try decide(pipeline).profile.nextReviewAt?.iso8601 == "2026-03-01T23:00:00Z")
  }

  @Test("a rule for what is next counts only in its time")
  func next() throws {
    let pipeline = try PipelineFile.checked(
      """
      pipeline: p
      next:
        - { placement: sale, from: 2026-03-01T10:01:00Z, until: 2026-03-01T10:02:00Z }
        - { nothing: true, until: 2026-03-01T10:03:00Z, because: quiet }
        - { placement: always }
      """)
    func at(_ seconds: Double) -> ProfileSummary {
      var script = EventScript()
      script.appeared(0)
      return outcome(script, pipeline, asOf: seconds).profile
    }
    #expect(at(1).next == NextPlacement(placementID: nil, because: "quiet"))
    #expect(at(1).nextReviewAt == EventScript.at(60))
    #expect(at(60).next.placementID == "sale")
    #expect(at(120).next.because == "quiet")
    #expect(at(180).next.placementID == "always")
    #expect(at(180).nextReviewAt == nil)
  }

  private func holdout() throws -> Pipeline {
    try placement(
      """
            - segment: all
              audience_version: \(Self.version)
              show:
                - { flow: coach, variation: aaaa, weight: 50 }
                - { nothing: true, variation: bbbb, weight: 50 }
      """)
  }

  @Test("people of a holdout arm are drawn like others and are shown nothing")
  func drawnHoldout() throws {
    let pipeline = try holdout()
    // Vectors of the vendor's draw: these profiles draw bbbb, aaaa, bbbb, bbbb.
    let expected: [Bytes?] = [nil, "coach", nil, nil]
    for (number, flow) in expected.enumerated() {
      let decision = try decide(
        pipeline, Bytes("00000000-0000-4000-8000-00000000000\(number + 1)")
      ).decision
      #expect(decision.flowID == flow)
      #expect(decision.variationID == (flow == nil ? "bbbb" : "aaaa"))
      #expect(decision.variationSource == .predicted)
      #expect(decision.variationReason == nil)
    }
  }

  @Test("a holdout arm needs no id of its own, and an audience may show nothing at all")
  func namelessHoldout() throws {
    let arm = try placement(
      """
            - segment: all
              audience_version: \(Self.version)
              show: [{ nothing: true, weight: 90 }, { flow: coach, variation: aaaa, weight: 10 }]
      """)
    let drawn = try decide(arm, "00000000-0000-4000-8000-000000000001").decision
    #expect(drawn.flowID == nil && drawn.variationID == nil)
    #expect(drawn.variationSource == .predicted)
    let nothing = try placement("      - { segment: all, show: { nothing: true } }")
    #expect(try decide(nothing).decision.flowID == nil)
    #expect(try decide(nothing).decision.variationSource == nil)
  }

  private func force(
    _ variation: Bytes?, at seconds: Double, until: Double, flow: Bytes? = nil,
    placement: Bytes = "paywall"
  ) -> Event {
    ForcedVariation(variationID: variation, flowID: flow, until: EventScript.at(until))
      .event(of: "p", placement: placement, at: EventScript.at(seconds), .system)
  }

  private func seen(_ variation: Bytes, version: String, at seconds: Double) -> Event {
    var script = EventScript()
    script.context = [
      .placementAudienceVersionID: Bytes(version), .variationID: variation, .flowID: "seen",
    ]
    script.add("flow_appeared", seconds, id: Bytes("seen \(seconds)"))
    return script.events[0]
  }

  @Test("an observed variation counts only for the audience version that it was seen in")
  func observed() throws {
    let pipeline = try holdout()
    let profile: Bytes = "00000000-0000-4000-8000-000000000001"
    let here = try decide(pipeline, profile, [seen("aaaa", version: Self.version, at: 1)]).decision
    #expect(here.variationSource == .observed && here.flowID == "coach")
    let other = try decide(
      pipeline, profile, [seen("aaaa", version: "22222222-1111-4111-8111-111111111111", at: 1)])
    #expect(other.decision.variationSource == .predicted && other.decision.variationID == "bbbb")
    let unknown = try decide(pipeline, profile, [seen("cccc", version: Self.version, at: 1)])
    #expect(unknown.decision.flowID == "seen")
  }

  @Test("a forced variation wins over what was seen and drawn while its time lasts")
  func forced() throws {
    let pipeline = try holdout()
    let events = [
      seen("bbbb", version: Self.version, at: 1), force("aaaa", at: 2, until: 200),
    ]
    let before = try decide(pipeline, "p", events, asOf: 1)
    #expect(before.decision.variationSource == .observed)
    let during = try decide(pipeline, "p", events, asOf: 2)
    #expect(during.decision.variationSource == .forced)
    #expect(during.decision.variationID == "aaaa" && during.decision.flowID == "coach")
    #expect(during.decision.audience == "all")
    #expect(during.profile.nextReviewAt == EventScript.at(200))
    let after = try decide(pipeline, "p", events, asOf: 200)
    #expect(after.decision.variationSource == .observed && after.decision.flowID == nil)
    #expect(after.profile.nextReviewAt == nil)
  }

  @Test("the latest force wins, even one that is over: it lifts the one before")
  func latestForce() throws {
    let pipeline = try holdout()
    let first = force("aaaa", at: 2, until: 1_000)
    let second = force("bbbb", at: 3, until: 1_000)
    let lifted = force("bbbb", at: 4, until: 4)
    let two = try decide(pipeline, "p", [second, first])
    #expect(two.decision.variationID == "bbbb" && two.decision.flowID == nil)
    #expect(try decide(pipeline, "p", [lifted, second, first]).decision.variationSource != .forced)
    let elsewhere = force("aaaa", at: 5, until: 1_000, placement: "other")
    #expect(try decide(pipeline, "p", [elsewhere]).decision.variationSource != .forced)
  }

  @Test("the same force said again is another event; the same saying is the same event")
  func identity() {
    #expect(force("a", at: 1, until: 9).identity == force("a", at: 1, until: 9).identity)
    #expect(force("a", at: 1, until: 9).identity != force("a", at: 2, until: 9).identity)
    #expect(force("a", at: 1, until: 9).identity != force("b", at: 1, until: 9).identity)
  }

  @Test("a force that is not readable forces nothing; a flow alone is enough")
  func readable() throws {
    let complete = #"{"placement_id":"a","until":"2026-03-02T00:00:00Z","variation_id":"v"}"#
    #expect(ForcedVariation.read(Bytes(complete))?.placement == "a")
    for params in [
      "", "{}", #"{"placement_id":"a","variation_id":"v"}"#,
      #"{"placement_id":"a","until":"soon","variation_id":"v"}"#,
      #"{"placement_id":"a","until":"2026-03-02"}"#,
      #"{"until":"2026-03-02","variation_id":"v"}"#,
    ] {
      #expect(ForcedVariation.read(Bytes(params)) == nil, "\(params)")
    }
    let flow = try decide(try holdout(), "p", [force(nil, at: 1, until: 500, flow: "preview")])
    #expect(flow.decision.flowID == "preview" && flow.decision.variationSource == .forced)
  }
}
