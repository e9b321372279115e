import Testing

@testable import Core
@testable import sluice

@Suite("Clocks that run ahead")
struct ClockTests {
  private static let day = 86_400.0

  private func event(
    _ id: String, _ seconds: Double, session: Bytes? = "s1", sent: Double? = nil,
    received: Double? = nil, screen: String = "scr", isLast: Bool = false
  ) -> Event {
    Event(
      identity: Identity(id: Bytes(id)), name: "flow_screen_showed", sessionID: session,
      occurredAt: EventScript.at(seconds),
      params: Bytes(#"{"instanceId":"\#(screen)","is_last_screen":\#(isLast)}"#),
      context: Context([.placementID: "onboarding"]), sentAt: sent.map { EventScript.at($0) },
      receivedAt: received.map { EventScript.at($0) })
  }

  private func pipeline() throws -> Pipeline {
    try Pipeline.checked(
      yaml: """
        pipeline: p
        flows:
          onboarding: { placements: onboarding }
        segments:
          fresh: onboarding.days_since_completed < 1
        next:
          - { when: fresh, placement: paywall }
          - { placement: onboarding }
        """)
  }

  private func outcome(
    _ events: [Event], at seconds: Double, _ pipeline: Pipeline
  ) -> Outcome {
    resolve(
      EventSet(profileID: "p", events: events), pipeline, asOf: EventScript.at(seconds), .system)
  }

  private func offsets(_ events: [Event]) -> [Double] {
    let clocks = ClockOffsets(events)
    return events.indices.map { Double(clocks.offset(at: $0)) / 1_000_000 }
  }

  @Test("a session moves as a whole, by the least that its transport times allow (cases 17)")
  func whole() throws {
    let ahead = 14 * Self.day
    let events = [
      event("a", ahead, sent: 0),
      event("b", ahead + 60, received: 70, isLast: true),
      event("c", ahead + 90),
    ]
    #expect(offsets(events) == [-ahead, -ahead, -ahead])
    let outcome = outcome(events, at: 3600, try pipeline())
    let run = try #require(outcome.runs.first)
    #expect(outcome.runs.count == 1)
    #expect(run.startedAt == EventScript.at(0) && run.completedAt == EventScript.at(60))
    #expect(run.clockAhead == Int64(ahead) * 1_000_000)
    #expect(outcome.profile.events == 3 && outcome.profile.eventsAhead == 0)
    #expect(outcome.profile.eventsCorrected == 3)
    #expect(outcome.profile.lastEventAt == EventScript.at(90))
    #expect(outcome.profile.next.placementID == "paywall")
  }

  @Test("a clock that was ahead when it sent, too, is told by when that was received")
  func sentAhead() {
    let ahead = 3600.0
    #expect(
      offsets([event("a", ahead, sent: ahead + 30, received: 31)]) == [31 - ahead - 30])
  }

  @Test(
    "an event of 2038 without a transport time is kept, counted as ahead, and due then (cases 17)")
  func farAhead() throws {
    let far = 12 * 365 * Self.day
    let outcome = outcome([event("a", 0), event("b", far)], at: 60, try pipeline())
    #expect(outcome.profile.events == 1 && outcome.profile.eventsAhead == 1)
    #expect(outcome.profile.eventsCorrected == 0)
    #expect(outcome.profile.nextReviewAt == EventScript.at(far))
    #expect(outcome.runs.map(\.clockAhead) == [nil])
  }

  @Test("order in a session is that of capture, however late each batch was sent (cases 18)")
  func batches() throws {
    // The clock is a day ahead. Batch A is sent half a minute late, batch B at once.
    let ahead = Self.day
    let events = [
      event("a", ahead, sent: ahead + 33, received: 33, screen: "one"),
      event("b", ahead + 1, sent: ahead + 1, received: 1, screen: "two"),
      event("c", ahead + 2, sent: ahead + 33, received: 33, screen: "three"),
    ]
    #expect(offsets(events) == [-ahead, -ahead, -ahead])
    let run = try #require(outcome(events, at: 60, try pipeline()).runs.first)
    #expect(run.path.map(\.screen) == ["one", "two", "three"])
    #expect(run.path.map(\.firstAt) == [0, 1, 2].map { EventScript.at($0) })
  }

  @Test("a slow clock, and a lead of up to five minutes, are left alone")
  func alone() {
    #expect(offsets([event("a", 0, sent: 3600, received: 7200)]) == [0])
    #expect(offsets([event("a", 300, received: 0)]) == [0])
    #expect(offsets([event("a", 300.000001, received: 0)]) == [-300.000001])
    #expect(offsets([event("a", 300.000001)]) == [0])
  }

  @Test("each session, and each event without one, has a clock of its own")
  func groups() throws {
    let events = [
      event("a", 7200, received: 0), event("b", 7200, session: "s2"),
      event("c", 3600, session: nil, received: 0), event("d", 3600, session: nil),
    ]
    #expect(offsets(events) == [-7200, 0, -3600, 0])
    // Without a session, corrected times order what no clock has in common.
    let outcome = outcome(
      [
        event("x", 7200, session: nil, received: 10, screen: "first"),
        event("y", 20, session: nil, screen: "second"),
      ], at: 60, try pipeline())
    #expect(outcome.runs.first?.path.map(\.screen) == ["first", "second"])
  }

  @Test("the clock of one id moves no event of another id of the person")
  func owners() {
    let person = PersonEvents(
      profileID: "p", aliases: ["q"],
      sets: [
        EventSet(profileID: "p", events: [event("a", 7200, received: 0), event("c", 7300)]),
        EventSet(profileID: "q", events: [event("b", 7200)]),
      ])
    let clocks = ClockOffsets(person)
    #expect(person.events.map(\.identity.bytes) == ["a", "b", "c"])
    #expect(
      person.events.indices.map { clocks.offset(at: $0) } == [-7_200_000_000, 0, -7_200_000_000])
  }

  @Test("a merge on a clock that runs ahead counts from its corrected time")
  func links() {
    let merge = Event(
      identity: Identity(id: "m"), name: "profile_merged", occurredAt: EventScript.at(7200),
      params: #"{"from":"a","into":"b"}"#, receivedAt: EventScript.at(10))
    let set = EventSet(profileID: "a", events: [merge])
    #expect(PeopleRules().links(of: set, asOf: EventScript.at(9)).isEmpty)
    #expect(PeopleRules().links(of: set, asOf: EventScript.at(10)).count == 1)
  }

  @Test("any order and split of 300 random sets gives one outcome, constant until its next review")
  func law() throws {
    let pipeline = try pipeline()
    var random = SeededGenerator(seed: 5)
    for run in 1...300 {
      func seconds(_ most: Int) -> Double { Double(Int.random(in: 0...most, using: &random)) }
      let events = (0..<Int.random(in: 1...8, using: &random)).map { number in
        let ahead = Bool.random(using: &random) ? 0 : seconds(3) * Self.day
        let at = seconds(4000) + ahead
        return event(
          "e\(number % 6)", at, session: [nil, "s1", "s2"].randomElement(using: &random) ?? nil,
          sent: Bool.random(using: &random) ? at + seconds(100) : nil,
          received: Bool.random(using: &random) ? seconds(5000) : nil,
          isLast: Bool.random(using: &random))
      }
      let asOf = seconds(6000)
      let expected = outcome(events, at: asOf, pipeline)
      var shuffled = events.shuffled(using: &random)
      var set = EventSet(profileID: "p", events: [shuffled.removeLast()])
      for event in shuffled {
        var counts = EventSet.Counts()
        set.formUnion([event, event], counting: &counts)
      }
      let other = resolve(set, pipeline, asOf: EventScript.at(asOf), .system)
      #expect(other == expected, "seed 5, run \(run)")
      guard var review = expected.profile.nextReviewAt else { continue }
      #expect(review > EventScript.at(asOf), "seed 5, run \(run)")
      review = review.adding(microseconds: -1)
      var later = resolve(set, pipeline, asOf: review, .system)
      later.profile.nextReviewAt = expected.profile.nextReviewAt
      #expect(later == expected, "seed 5, run \(run)")
    }
  }
}
