import Testing

@testable import Core
@testable import sluice

@Suite("Facts of flows and profiles")
struct FlowFactTests {
  private static let day = 86_400.0

  /// Names of the segments, out of those declared, that hold.
  private func holding(
    _ rules: [String: String], _ script: EventScript, asOf: Double = 1e6, more: String = ""
  ) throws -> Set<String> {
    let pipeline = try PipelineFile.checked(
      """
      pipeline: p
      \(more)
      flows: { onboarding: { placements: onboarding } }
      segments:
      \(rules.map { "  \($0.key): \($0.value)" }.joined(separator: "\n"))
      """)
    return Set(outcome(script, pipeline, asOf: asOf).segments.map(\.segment.string))
  }

  @Test("a flow that nobody began: completed is false, counts are 0, all else is unknown")
  func notBegun() throws {
    var script = EventScript()
    script.add("app_opened", 0)
    let holds = try holding(
      [
        "completed": "onboarding.completed is false", "runs": "onboarding.runs = 0",
        "started": "onboarding.started_at is null", "at": "onboarding.completed_at is null",
        "days": "onboarding.days_since_completed is null",
        "last_run": "onboarding.last_run.completed is null",
        "screen": "onboarding.last_screen is null",
      ], script)
    #expect(
      holds == ["completed", "runs", "started", "at", "days", "last_run", "screen"])
  }

  @Test("a run without an end is a run: begun, not completed, its last screen known")
  func open() throws {
    var script = EventScript()
    script.appeared(0)
    script.screen(1, "scr_body")
    let holds = try holding(
      [
        "completed": "onboarding.completed is false", "runs": "onboarding.runs = 1",
        "started": "onboarding.started_at = '2026-03-01T10:00:00Z'",
        "last_run": "onboarding.last_run.completed is false",
        "screen": "onboarding.last_screen = 'scr_body'",
        "days": "onboarding.days_since_completed is null",
      ], script)
    #expect(holds == ["completed", "runs", "started", "last_run", "screen", "days"])
  }

  @Test("completed is ever, completed_at the first time, days since the latest, last_run the last")
  func again() throws {
    var script = EventScript()
    script.onboarding(0, weight: "80", height: "180")
    script.onboarding(2 * Self.day, weight: "80", height: "180")
    script.appeared(3 * Self.day)
    script.screen(3 * Self.day + 1, "scr_body")
    let holds = try holding(
      [
        "completed": "onboarding.completed", "runs": "onboarding.runs = 3",
        "at": "onboarding.completed_at = '2026-03-01T10:00:04Z'",
        "days": "onboarding.days_since_completed = 4",
        "last_run": "onboarding.last_run.completed is false",
        "screen": "onboarding.last_screen = 'scr_body'",
      ], script, asOf: 6.5 * Self.day)
    #expect(holds == ["completed", "runs", "at", "days", "last_run", "screen"])
  }

  @Test("what people installed before our history did is unknown, until they do it again")
  func before() throws {
    let rules = [
      "unknown": "onboarding.completed is null", "never": "onboarding.completed is false",
      "ever": "onboarding.completed",
    ]
    func holds(installed: Int64?, completes: Bool) throws -> Set<String> {
      var script = EventScript()
      script.context[.installedAt] = installed.map { Bytes(String($0)) }
      if completes {
        script.onboarding(0, weight: "80", height: "180")
      } else {
        script.add("app_opened", 0)
      }
      return try holding(rules, script, more: "history_starts: 2026-02-01")
    }
    let starts: Int64 = 1_769_904_000_000_000
    #expect(try holds(installed: starts - 1, completes: false) == ["unknown"])
    #expect(try holds(installed: starts, completes: false) == ["never"])
    #expect(try holds(installed: nil, completes: false) == ["never"])
    #expect(try holds(installed: starts - 1, completes: true) == ["ever"])
  }

  @Test("an unknown past belongs to nobody's segment and to nobody's opposite")
  func neither() throws {
    var script = EventScript()
    script.context[.installedAt] = "1"
    script.add("app_opened", 0)
    #expect(
      try holding(
        ["yes": "onboarding.completed", "no": "not onboarding.completed"], script,
        more: "history_starts: 2026-02-01"
      ).isEmpty)
  }

  @Test("facts of a profile are the latest known, the version on install the first")
  func profile() throws {
    var script = EventScript()
    script.context = [.appVersion: "1.0.0", .country: "DE", .locale: "pt_BR", .isTestUser: "false"]
    script.add("app_opened", 0)
    script.context = [.appVersion: "2.0.0", .platform: "iOS"]
    script.add("app_opened", 1)
    let holds = try holding(
      [
        "version": "profile.app_version = '2.0.0'",
        "install": "profile.app_version_on_install = '1.0.0'",
        "country": "profile.country = 'DE'", "language": "profile.language = 'pt'",
        "test": "profile.is_test_user is false", "store": "profile.store_country is null",
        "sandbox": "profile.environment is null", "platform": "profile.platform = 'iOS'",
      ], script)
    #expect(holds.count == 8, "\(holds)")
  }

  @Test("whole days since a completion are boundaries: history has the instant, review the next")
  func boundaries() throws {
    var script = EventScript()
    script.onboarding(0, weight: "80", height: "180")
    let pipeline = try PipelineFile.checked(
      """
      pipeline: p
      flows: { onboarding: { placements: onboarding } }
      segments:
        fresh: onboarding.days_since_completed < 2
        third_day: onboarding.days_since_completed = 3
        old: onboarding.days_since_completed >= 7
      """)
    let completed = EventScript.at(4)
    func at(_ days: Double) -> Outcome { outcome(script, pipeline, asOf: 4 + days * Self.day) }

    #expect(at(0.5).segments == [SegmentMembership(segment: "fresh", since: completed)])
    #expect(at(0.5).profile.nextReviewAt == completed.adding(days: 2))
    #expect(at(2).profile.nextReviewAt == completed.adding(days: 3))
    #expect(at(3).profile.nextReviewAt == completed.adding(days: 4))
    #expect(at(4).profile.nextReviewAt == completed.adding(days: 7))
    #expect(at(9).profile.nextReviewAt == nil)
    #expect(
      at(9).segmentHistory == [
        SegmentInterval(segment: "fresh", from: completed, to: completed.adding(days: 2)),
        SegmentInterval(
          segment: "third_day", from: completed.adding(days: 3), to: completed.adding(days: 4)),
      ])
    #expect(
      at(9).segments == [SegmentMembership(segment: "old", since: completed.adding(days: 7))])
  }

  @Test("a second completion begins the count anew, and history keeps both stretches")
  func boundariesAgain() throws {
    var script = EventScript()
    script.onboarding(0, weight: "80", height: "180")
    script.onboarding(10 * Self.day, weight: "80", height: "180")
    let pipeline = try PipelineFile.checked(
      """
      pipeline: p
      flows: { onboarding: { placements: onboarding } }
      segments: { old: onboarding.days_since_completed > 6.5 }
      """)
    let result = outcome(script, pipeline, asOf: 18 * Self.day)
    let (first, second) = (EventScript.at(4), EventScript.at(10 * Self.day + 4))
    #expect(
      result.segmentHistory == [
        SegmentInterval(segment: "old", from: first.adding(days: 7), to: second)
      ])
    #expect(
      result.segments == [SegmentMembership(segment: "old", since: second.adding(days: 7))])
  }
}
