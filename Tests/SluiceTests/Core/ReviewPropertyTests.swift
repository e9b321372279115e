import Testing

@testable import Core
@testable import sluice

@Suite("Next review")
struct ReviewPropertyTests {
  private static let day = 86_400.0

  /// A pipeline with a handful of rules that read the clock.
  private func pipeline(_ random: inout SeededGenerator) throws -> Pipeline {
    func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
    func moment() -> String {
      let seconds = Double(Int.random(in: -5...40, using: &random)) * Self.day / 2
      return pick([
        EventScript.at(seconds).iso8601, String(EventScript.at(seconds).iso8601.prefix(10)),
      ])
    }
    func rule() -> String {
      let number = pick(["0", "1", "2.5", "7", "-1"])
      let comparison = pick(["<", "<=", ">", ">=", "=", "<>"])
      let flow = pick(["onboarding", "checkin"])
      return pick([
        "\(flow).days_since_completed \(comparison) \(number)",
        "days_since(\(flow).started_at) \(comparison) \(number)",
        "now() \(comparison) '\(moment())'", "age \(comparison) 20",
        "now() \(comparison) \(flow).completed_at", "\(flow).last_run.completed is false",
        "\(flow).days_since_completed between 1 and 4",
        "profile.installed_at \(comparison) now()",
      ])
    }
    func window() -> String {
      pick([
        "", "from: \(moment()),", "until: \(moment()),", "from: 2026-02-20, until: \(moment()),",
      ])
    }
    let yaml = """
      pipeline: p
      history_starts: 2026-02-25
      flows:
        onboarding: { placements: onboarding, \(pick(["", "resume_within: 3 days"])) }
        checkin: { placements: checkin, completed: scr_body }
      answers: { birthday: { element: birthday, type: date } }
      attributes: { age: { type: number, value: age(birthday), runs: latest_any } }
      segments:
        a: "\(rule())"
        b: "\(rule()) and \(rule())"
        c: "a or \(rule())"
      placements:
        paywall:
          audiences:
            - { segment: b, \(window()) show: { flow: one } }
            - { segment: c, \(window()) show: { flow: two } }
            - { default: true, show: [{ flow: x, variation: v, weight: 40 }, { nothing: true, weight: 60 }] }
          tags: { age: "case when \(nowRule(&random)) then 'early' else 'late' end" }
      next:
        - { when: "\(rule())", \(window()) placement: paywall }
        - { \(window()) nothing: true, because: none }
        - { placement: last }
      """
    // A window may be the wrong way round, and a rule without one may hide the last: such a pipeline
    // is refused, another one is taken.
    guard let checked = try? PipelineFile.checked(yaml) else { return try pipeline(&random) }
    return checked
  }

  private func nowRule(_ random: inout SeededGenerator) -> String {
    let days = Double(Int.random(in: 0...20, using: &random))
    return "now() < '\(EventScript.at(days * Self.day).iso8601)'"
  }

  private func script(_ random: inout SeededGenerator) -> EventScript {
    var script = EventScript()
    for number in 0..<Int.random(in: 1...8, using: &random) {
      let start = Double(Int.random(in: 0..<20, using: &random)) * Self.day / 2
      script.session = Bytes("s\(number)")
      script.context = [
        .placementID: Bool.random(using: &random) ? "onboarding" : "checkin", .installedAt: "1",
      ]
      switch Int.random(in: 0..<4, using: &random) {
      case 0: script.onboarding(start, weight: "80", height: "180")
      case 1: script.screen(start, "scr_body")
      case 2:
        let birth = Int64(Int.random(in: 12_000..<14_000, using: &random)) * 86_400_000
        script.input(start, "birthday", json: String(birth), type: "date_picker")
      default:
        let until = EventScript.at(
          start + Double(Int.random(in: -1...9, using: &random)) * Self.day)
        script.add(
          "decision_forced", start,
          Bytes(#"{"placement_id":"paywall","until":"\#(until.iso8601)","variation_id":"v"}"#))
      }
    }
    return script
  }

  @Test("resolve is constant until the next review, for 400 random profiles and pipelines")
  func constant() throws {
    var random = SeededGenerator(seed: 42)
    var reviewed = 0
    for run in 1...400 {
      let pipeline = try pipeline(&random)
      let set = EventSet(profileID: "p", events: script(&random).events)
      func at(_ instant: Instant) -> Outcome { resolve(set, pipeline, asOf: instant, .system) }
      let asOf = EventScript.at(Double(Int.random(in: 0..<2_000_000, using: &random)))
      let now = at(asOf)
      let end =
        now.profile.nextReviewAt ?? asOf.adding(microseconds: Int64(800 * Self.day * 1_000_000))
      #expect(end > asOf, "seed 42, run \(run)")
      if now.profile.nextReviewAt != nil { reviewed += 1 }
      let length = end.microseconds - asOf.microseconds
      var instants = [end.adding(microseconds: -1)]
      for _ in 0..<4 {
        instants.append(
          asOf.adding(microseconds: Int64.random(in: 0..<length, using: &random)))
      }
      for instant in instants {
        #expect(at(instant) == now, "seed 42, run \(run), at \(instant.iso8601)")
      }
    }
    // Else the property would say little.
    #expect(reviewed > 200)
  }

  @Test("history is the same whenever it is told: replay at review after review adds, never alters")
  func stepwise() throws {
    var random = SeededGenerator(seed: 43)
    for run in 1...100 {
      let pipeline = try pipeline(&random)
      // One session a flow run, no event ahead: what happened is over, only the clock goes on.
      let set = EventSet(profileID: "p", events: script(&random).events)
      var now = EventScript.at(12 * Self.day)
      var known = resolve(set, pipeline, asOf: now, .system)
      for _ in 0..<5 {
        guard let review = known.profile.nextReviewAt else { break }
        now = review
        let later = resolve(set, pipeline, asOf: now, .system)
        #expect(
          known.segmentHistory.allSatisfy { later.segmentHistory.contains($0) },
          "seed 43, run \(run)")
        #expect(
          known.attributeHistory.allSatisfy { later.attributeHistory.contains($0) },
          "seed 43, run \(run)")
        known = later
      }
    }
  }
}
