import Core
import Testing

@testable import sluice

@Suite("The tests of a pipeline file")
struct TestCommandTests {
  private static let pipeline = """
    pipeline: p
    flows: { onboarding: { placements: [onboarding] } }
    answers:
      weight: { flow: onboarding, element: weight, quantity: mass, unit: kg, plausible: [20, 500] }
      height: { flow: onboarding, element: height, quantity: length, unit: cm }
      goal: { flow: onboarding, element: goal, type: choice }
    attributes:
      bmi: { type: number, value: weight / (height / 100) ^ 2 }
      goal_text: { type: text, value: goal }
    segments: { heavy: bmi >= 25, light: bmi < 25 }
    placements:
      paywall:
        audiences:
          - { segment: heavy, show: { flow: coach, variation: v1 } }
          - { default: true, show: { flow: standard } }
        tags: { bmi: { value: bmi, fraction_digits: 1, initial: none yet } }
      again:
        audiences: [{ default: true, show: { flow: standard, variation: v2 } }]
        tags: { bmi: bmi, name: goal_text }
    next:
      - { when: onboarding.completed, placement: paywall, because: done }
      - { when: onboarding.runs > 9, placement: again }
      - { nothing: true, because: not done }
    tests:

    """

  private func run(_ tests: String, quiet: Bool = false) async throws -> CommandRun {
    let folder = try ScratchFolder()
    let file = try folder.write(Self.pipeline + tests + "\n", as: "p.yaml")
    return try await CommandRun(["test", file] + (quiet ? ["--quiet"] : []))
  }

  /// The lines that tell what differs, without their indentation.
  private func differences(_ tests: String) async throws -> [String] {
    let done = try await run(tests)
    #expect(done.code == .pipelineWrong)
    return done.output.split(separator: "\n").filter { $0.hasPrefix("        ") }
      .map { String($0.dropFirst(8)) }
  }

  @Test("a test that holds passes, and says so")
  func passes() async throws {
    let tests = """
        - name: heavy
          answers: { weight: "100", height: "200", goal: lose }
          completed: onboarding
          expect:
            attributes: { bmi: 25.0, goal_text: lose }
            segments: [heavy]
            next: paywall
            flow: coach
            variation: v1
            tags: { bmi: "25.0" }
            because: done
        - name: left
          answers: { weight: "100" }
          expect: { absent: { bmi: not_completed, goal_text: not_completed }, segments: [], next: ~ }
      """
    let done = try await run(tests)
    #expect(done.code == .done)
    #expect(done.output == "passed  heavy\npassed  left\n2 passed, 0 failed\n")
    #expect(try await run(tests, quiet: true).output == "2 passed, 0 failed\n")
  }

  @Test("a test that fails shows expected and got, value by value")
  func fails() async throws {
    #expect(
      try await differences(
        """
          - name: all wrong
            answers: { weight: "100", height: "200", goal: lose }
            completed: onboarding
            expect:
              attributes: { bmi: 25.01, goal_text: gain }
              segments: [light]
              next: again
              flow: standard
              variation: v2
              tags: { bmi: "25", name: x }
              because: not done
        """) == [
          "attribute bmi: expected 25.01, got 25.00",
          "attribute goal_text: expected gain, got lose",
          "segments: expected [light], got [heavy]", "next: expected again, got paywall",
          "because: expected not done, got done", "flow: expected standard, got coach",
          "variation: expected v2, got v1", "tag bmi: expected 25, got 25.0",
          "tag name: expected x, got none",
        ])
  }

  @Test("an absent value shows its reason")
  func absences() async throws {
    #expect(
      try await differences(
        """
          - name: one
            answers: { weight: "1000", height: "200" }
            completed: onboarding
            expect: { attributes: { bmi: 1.0 }, absent: { goal_text: cleared } }
        """) == [
          "attribute bmi: expected 1.0, got absent: implausible",
          "attribute goal_text: expected absent: cleared, got absent: not_asked",
        ])
  }

  @Test("numbers are compared at the decimals that are written, rounded as a person sees them")
  func decimals() async throws {
    func bmi(_ written: String) async throws -> ExitCode {
      try await run(
        """
          - name: one
            answers: { weight: "82", height: "181" }
            completed: onboarding
            expect: { attributes: { bmi: \(written) } }
        """
      ).code
    }
    for written in ["25", "25.0", "25.03", "25.030", "25.0298"] {
      #expect(try await bmi(written) == .done, "\(written)")
    }
    for written in ["25.1", "25.02", "25.04", "26", "-25"] {
      #expect(try await bmi(written) == .pipelineWrong, "\(written)")
    }
  }

  @Test("whole events are read as a source gives them; several people and rejects fail the test")
  func events() async throws {
    func event(_ more: String) -> String {
      "{ event_name: flow_screen_showed, occurred_at: 2026-07-01T08:00:00Z, placement_id: onboarding, "
        + more + " }"
    }
    let last = "params: { instanceId: a, is_last_screen: true }"
    let passed = try await run(
      """
        - name: one
          events:
            - \(event("profile_id: p1, event_id: 1, \(last)"))
          expect: { next: paywall, because: done, tags: { bmi: none yet } }
      """)
    #expect(passed.code == .done, "\(passed.output)")
    #expect(
      try await differences(
        """
          - name: several people
            events:
              - \(event("profile_id: p1, event_id: 1, \(last)"))
              - \(event("profile_id: p2, event_id: 2, \(last)"))
            expect: { next: paywall }
          - name: absent
            answers: { weight: "100", height: "200" }
            completed: onboarding
            expect: { absent: { bmi: cleared } }
        """
      ) == [
        "its events are of several people: a test is of one, whose ids a merge unites",
        "attribute bmi: expected absent: cleared, got 25",
      ])
    let refused = try await run(
      """
        - name: a reject
          events:
            - \(event("profile_id: p1, event_id: 1, \(last)"))
            - \(event("event_id: 1, \(last)"))
          expect: { next: paywall }
      """)
    #expect(refused.code == .pipelineWrong)
    #expect(refused.words.contains("this event is refused: missing_member profile_id"))
  }

  @Test("what a test says of a person is read as an event would be")
  func profile() async throws {
    let folder = try ScratchFolder()
    func run(_ profile: String) async throws -> CommandRun {
      let file = try folder.write(
        """
        pipeline: p
        segments:
          tester: profile.is_test_user
          old: profile.installed_at < '2026-01-02'
          phone: profile.platform = 'Android' and profile.language = 'de'
        tests:
          - name: one
            profile: \(profile)
            expect: { segments: [old, phone, tester] }
        """, as: "p.yaml")
      return try await CommandRun(["test", file])
    }
    let read = try await run(
      "{ is_test_user: 1, installed_at: '1767225600', platform: ANDROID, locale: de-AT }")
    #expect(read.code == .done, "\(read.output)\(read.words)")
    let unread = try await run("{ is_test_user: perhaps, installed_at: long ago }")
    #expect(unread.code == .pipelineWrong)
    #expect(unread.words.contains("`is_test_user` cannot be read from this"))
    #expect(unread.words.contains("`installed_at` cannot be read from this"))
  }

  @Test("a name in a test that the pipeline does not declare is told, not passed over")
  func unknownNames() async throws {
    let wrong = try await run(
      """
        - name: one
          answers: { wieght: "82" }
          completed: onbording
          expect: { segments: [hevy], next: paywal, tags: { bnmi: x }, flow: choach }
      """)
    #expect(wrong.code == .pipelineWrong && wrong.output.isEmpty)
    for line in [
      "26:16: unknown answer `wieght`: did you mean `weight`, `height`?",
      "27:16: unknown flow `onbording`: did you mean `onboarding`?",
      "28:26: unknown segment `hevy`: did you mean `heavy`?",
      "28:39: unknown next placement `paywal`: did you mean `paywall`?",
    ] {
      #expect(wrong.words.contains(line), "\(line) in \(wrong.words)")
    }
  }

  private static let people = """
    pipeline: p
    flows: { onboarding: { placements: [onboarding] }, checkin: { placements: [checkin] } }
    answers:
      height:
        flow: onboarding
        quantity: length
        unit: cm
        first_of:
          - { element: height, unit: cm }
          - sum: [{ element: feet, unit: ft }, { element: inches, unit: in }]
      mood: { flow: checkin, element: mood, type: choice }
    attributes:
      height_cm: { type: number, value: height }
      mood_text: { type: text, value: mood }
    segments:
      even: bucket('x') < 50
      lapsed: onboarding.days_since_completed >= 30
    placements:
      paywall:
        audiences:
          - segment: even
            show: { nothing: true }
          - { default: true, show: { flow: standard } }
    next:
      - { when: lapsed, nothing: true, store_messages: [win_back_offer], because: come back }
      - { placement: paywall, because: always }
    tests:

    """

  private func runPeople(_ tests: String) async throws -> CommandRun {
    let folder = try ScratchFolder()
    return try await CommandRun([
      "test", try folder.write(Self.people + tests + "\n", as: "p.yaml"),
    ])
  }

  @Test("a test says who the person is, when it was, and when it is looked at")
  func whoAndWhen() async throws {
    let done = try await runPeople(
      """
        - name: aaa has the number 67
          profile: { profile_id: aaa }
          completed: onboarding
          expect: { segments: [], flow: standard }
        - name: bbb has the number 23, and is shown nothing
          profile: { profile_id: bbb }
          completed: onboarding
          expect:
            segments: [even]
            next: paywall
            flow: null
            variation: null
            placements: { paywall: { audience: even, flow: null } }
        - name: thirty days later
          profile: { profile_id: aaa }
          completed: onboarding
          answered_at: 2026-03-01T00:00:00Z
          as_of: 2026-03-31T00:00:10Z
          expect: { segments: [lapsed], next: null, store_messages: [win_back_offer] }
        - name: a second too early
          profile: { profile_id: aaa }
          completed: onboarding
          answered_at: 2026-03-01T00:00:00Z
          as_of: 2026-03-30T23:59:59Z
          expect: { segments: [], store_messages: [] }
      """)
    #expect(done.code == .done, "\(done.output)")
  }

  @Test("answers go to the inputs and flows that ask them")
  func inputsAndFlows() async throws {
    let done = try await runPeople(
      """
        - name: feet and inches
          answers: { height: { feet: "5", inches: "11" } }
          completed: onboarding
          expect: { attributes: { height_cm: 180.34 } }
        - name: two flows
          answers: { height: "180", mood: good }
          completed: [onboarding, checkin]
          expect: { attributes: { height_cm: 180, mood_text: good } }
        - name: only one of them is completed
          answers: { height: "180", mood: good }
          completed: onboarding
          expect: { attributes: { height_cm: 180 }, absent: { mood_text: not_completed } }
      """)
    #expect(done.code == .done, "\(done.output)")
    let wrong = try await runPeople(
      """
        - name: one
          profile: { profile_id: aaa }
          answers: { height: { foot: "5" } }
          completed: onboarding
          expect:
            placements: { paywal: { flow: x }, paywall: { audience: default, flow: coach } }
            store_messages: [x]
      """)
    #expect(wrong.code == .pipelineWrong)
    for line in [
      "unknown placement `paywal`: did you mean `paywall`?",
      "unknown element of `height` `foot`: known are `feet`, `height`, `inches`",
      "unknown store message `x`: known are `win_back_offer`",
    ] {
      #expect(wrong.words.contains(line), "\(line) in \(wrong.words)")
    }
    let differing = try await runPeople(
      """
        - name: one
          profile: { profile_id: aaa }
          completed: onboarding
          expect:
            placements: { paywall: { audience: even, flow: standard } }
            store_messages: [win_back_offer]
      """)
    for line in [
      "store_messages: expected [win_back_offer], got []",
      "placement paywall, audience: expected even, got default",
    ] {
      #expect(differing.output.contains(line), "\(line) in \(differing.output)")
    }
    #expect(!differing.output.contains("flow: expected"))
  }

  @Test("a file without tests says so")
  func none() async throws {
    let folder = try ScratchFolder()
    let file = try folder.write("pipeline: p\n", as: "p.yaml")
    let done = try await CommandRun(["test", file])
    #expect(done.code == .done && done.words.hasSuffix("holds no tests\n"))
  }
}
