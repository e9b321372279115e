import Core
import Foundation
import Store
import Testing

@testable import sluice

private let asOf = "2026-03-02T00:00:00Z"

@Suite("Plans, explanations and checks against a database")
struct PlanTests {
  private let old = """
    pipeline: p
    flows: { onboarding: { placements: [onboarding] } }
    answers:
      weight: { flow: onboarding, element: weight, quantity: mass, unit: kg }
      height: { flow: onboarding, element: height, quantity: length, unit: cm }
    attributes:
      bmi: { type: number, value: weight / (height / 100) ^ 2 }
    segments:
      obese: bmi >= 30
      slim: bmi < 18.5
    placements:
      paywall:
        audiences:
          - { segment: obese, show: { flow: coach } }
          - { default: true, show: { flow: standard } }
    next:
      - { when: obese, placement: paywall }
      - { placement: onboarding }

    """

  private var new: String {
    old.replacing("bmi >= 30", with: "bmi >= 25").replacing(
      "slim: bmi < 18.5", with: "tall: size > 190"
    )
    .replacing("segments:", with: "  size: { type: number, value: height }\nsegments:")
  }

  /// Three people: of BMI 20, 27.5 and 31.25, one a day.
  private func stored(_ folder: ScratchFolder) async throws -> ScratchDatabase {
    let database = try ScratchDatabase()
    var lines = ""
    for (index, (id, weight)) in [("slim", "80"), ("middle", "110"), ("heavy", "125")].enumerated()
    {
      var script = EventScript()
      script.onboarding(Double(index) * 3600, weight: weight, height: "200")
      for event in script.events {
        lines +=
          String(
            decoding: ProfileEvent(profileID: Bytes(id), event: event).envelope, as: UTF8.self)
          + "\n"
      }
    }
    let file = try folder.write(lines, as: "events.ndjson")
    try folder.write("old.yaml", old)
    try folder.write("new.yaml", new)
    let done = try await CommandRun(
      ["run", "--pipeline", folder.path + "/old.yaml", "--as-of", asOf, file], on: database)
    #expect(done.code == .done, "\(done.words)")
    return database
  }

  @Test("a plan counts who enters, leaves, moves and gains, and writes nothing")
  func plan() async throws {
    let folder = try ScratchFolder()
    let database = try await stored(folder)
    let before = try RowVersions(database)
    let done = try await CommandRun(
      ["plan", folder.path + "/new.yaml", "--sample", "5"], on: database)
    #expect(done.code == .done && done.words == "", "\(done.words)")
    try Golden.expect(done.output, "plan.txt")
    let markdown = try await CommandRun(
      ["plan", folder.path + "/new.yaml", "--format", "markdown"], on: database)
    try Golden.expect(markdown.output, "plan.md")
    let json = try await CommandRun(
      ["plan", folder.path + "/new.yaml", "--format", "json", "--sample", "1"], on: database)
    _ = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
    try Golden.expect(json.output, "plan.json")
    #expect(try RowVersions(database) == before)
    #expect(
      try database.store().query("select count(*) from sluice.generations").rows == [["1"]])
  }

  @Test("a plan is the same bytes for any number of jobs")
  func jobs() async throws {
    let folder = try ScratchFolder()
    let database = try await stored(folder)
    for format in PlanFormat.allCases {
      let arguments = [
        "plan", folder.path + "/new.yaml", "--sample", "2", "--replay", "3d", "--format",
        format.rawValue,
      ]
      let one = try await CommandRun(arguments + ["--jobs", "1"], on: database)
      #expect(one.code == .done && !one.output.isEmpty)
      for jobs in ["2", "3", "7"] {
        #expect(
          try await CommandRun(arguments + ["--jobs", jobs], on: database).output == one.output)
      }
    }
  }

  @Test("a plan counts the stored events that `privacy` would take away, and what follows from it")
  func dropping() async throws {
    let folder = try ScratchFolder()
    let database = try await stored(folder)
    let new =
      try String(contentsOfFile: folder.path + "/old.yaml", encoding: .utf8)
      + "\nprivacy: { drop: [element: weight] }\n"
    let file = try folder.write(new, as: "dropping.yaml")
    let done = try await CommandRun(["plan", file, "--format", "json"], on: database)
    let plan = try #require(
      JSONSerialization.jsonObject(with: Data(done.output.utf8)) as? [String: Any])
    let events = try #require(plan["dropped_events"] as? Int)
    let touched = try #require(plan["touched"] as? Int)
    #expect(events > 0 && touched > 0, "\(done.output)")
    let words = try await CommandRun(["plan", file], on: database)
    #expect(words.output.contains("would be removed for good: `privacy` drops them"))
    let run = try await CommandRun(
      ["run", "--pipeline", file, "--as-of", asOf, try folder.write("", as: "none.ndjson")],
      on: database)
    #expect(run.words.contains("\(counted(events, "stored event")) removed"), "\(run.words)")
  }

  @Test("a plan says which of the new file's own tests fail")
  func testsThatFail() async throws {
    let folder = try ScratchFolder()
    let database = try await stored(folder)
    let tests = """
      tests:
        - { name: lost, expect: { next: paywall } }
        - { name: sound, expect: { next: onboarding } }

      """
    try folder.write("tested.yaml", new + tests)
    for format in PlanFormat.allCases {
      let done = try await CommandRun(
        ["plan", folder.path + "/tested.yaml", "--format", format.rawValue], on: database)
      #expect(done.code == .done)
      let words =
        format == .json
        ? "\"failing_tests\": [\n    \"lost\"\n  ]"
        : "1 test of the new file fails, and it would not"
      #expect(done.output.contains(words), "\(done.output)")
    }
  }

  @Test("what a plan says is what a job with that file then does")
  func planned() async throws {
    let folder = try ScratchFolder()
    let database = try await stored(folder)
    let plan = try await CommandRun(
      ["plan", folder.path + "/new.yaml", "--sample", "5"], on: database)
    #expect(plan.output.contains("enter middle"))
    let done = try await CommandRun(
      ["recompute", "--pipeline", folder.path + "/new.yaml", "--as-of", asOf], on: database)
    #expect(done.code == .done)
    let members = try database.store().query(
      "select segment, profile_id from sluice.segment_members order by 1, 2"
    ).rows
    #expect(
      members == [
        ["obese", "heavy"], ["obese", "middle"], ["tall", "heavy"], ["tall", "middle"],
        ["tall", "slim"],
      ])
    let again = try await CommandRun(["plan", folder.path + "/new.yaml"], on: database)
    #expect(again.output.hasPrefix("The pipeline is the one in force; "))
    // The old file is refused now, and the refusal says how it would come back.
    let back = try await CommandRun(
      ["recompute", "--pipeline", folder.path + "/old.yaml", "--as-of", asOf], on: database)
    #expect(back.code == .pipelineWrong && back.words.contains("--activate"))
    let activated = try await CommandRun(
      ["recompute", "--activate", "--pipeline", folder.path + "/old.yaml", "--as-of", asOf],
      on: database)
    #expect(activated.code == .done)
    #expect(
      try database.store().query("select segment, profile_id from sluice.segment_members").rows
        == [["obese", "heavy"]])
  }

  @Test("a replay sizes the segments of both pipelines at the start of each day")
  func replay() async throws {
    let folder = try ScratchFolder()
    let database = try await stored(folder)
    let done = try await CommandRun(
      ["plan", folder.path + "/new.yaml", "--replay", "3d", "--format", "json"], on: database)
    let plan = try #require(
      try JSONSerialization.jsonObject(with: Data(done.output.utf8)) as? [String: Any])
    let replay = try #require(plan["replay"] as? [[String: Any]])
    #expect(
      replay.map { $0["at"] as? String } == [
        "2026-02-27T00:00:00Z", "2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z",
        "2026-03-02T00:00:00Z",
      ])
    #expect(replay.map { ($0["before"] as? [String: Int])?["obese"] } == [0, 0, 0, 1])
    #expect(replay.map { ($0["after"] as? [String: Int])?["obese"] } == [0, 0, 0, 2])
  }

  @Test("a replay finds what was different between two midnights only")
  func replayOfMoments() async throws {
    let folder = try ScratchFolder()
    let database = try ScratchDatabase()
    let pipeline = """
      pipeline: p
      flows: { checkin: { placements: [checkin] } }
      answers: { weight: { flow: checkin, element: weight, quantity: mass, unit: kg } }
      attributes: { kg: { type: number, value: weight, runs: latest_any } }
      segments: { heavy: kg > 100 }
      placements: { offer: { audiences: [{ default: true, show: { flow: f } }] } }
      next: [{ when: heavy, placement: offer }, { placement: checkin }]

      """
    var lines = ""
    for (id, time, weight) in [
      ("a", "2026-03-01T10:00:00Z", 95), ("b", "2026-03-01T12:00:00Z", 80),
    ] {
      lines +=
        #"{"event_id":"\#(id)","event_name":"flow_user_input","profile_id":"p","session_id":"s","#
        + #""occurred_at":"\#(time)","placement_id":"checkin","params":{"element_id":"weight","#
        + #""instanceId":"x","value":"\#(weight)"}}"# + "\n"
    }
    let events = try folder.write(lines, as: "events.ndjson")
    try folder.write("old.yaml", pipeline)
    try folder.write("new.yaml", pipeline.replacing("kg > 100", with: "kg > 90"))
    let done = try await CommandRun(
      ["run", "--pipeline", folder.path + "/old.yaml", "--as-of", asOf, events], on: database)
    #expect(done.code == .done, "\(done.words)")
    let text = try await CommandRun(
      ["plan", folder.path + "/new.yaml", "--replay", "3d"], on: database)
    #expect(text.output.hasPrefix("Nothing changes for anyone: 1 profile, "))
    #expect(
      text.output.contains(
        "In the replay since 2026-02-27T00:00:00Z something was different at some moment for 1."))
    let json = try await CommandRun(
      ["plan", folder.path + "/new.yaml", "--replay", "3d", "--format", "json"], on: database)
    let plan = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    let moments = try #require(plan["replay_moments"] as? [String: Any])
    let segments = try #require(moments["segments"] as? [[String: Any]])
    #expect(segments.map { $0["before"] as? Int } == [0])
    #expect(segments.map { $0["after"] as? Int } == [1])
    #expect(segments.map { ($0["enter"] as? [String: Any])?["count"] as? Int } == [1])
    let next = try #require(moments["next"] as? [[String: Any]])
    #expect(next.map { $0["from"] as? String } == ["checkin"])
    #expect(next.map { $0["to"] as? String } == ["offer"])
    let same = try await CommandRun(
      ["plan", folder.path + "/old.yaml", "--replay", "3d", "--format", "json"], on: database)
    #expect(same.output.contains("\"touched\": 0"))
  }

  @Test("tags, reasons and store messages are changes, the name of an audience is none")
  func smallChanges() async throws {
    let folder = try ScratchFolder()
    let database = try await stored(folder)
    func plan(_ change: (String) -> String) async throws -> String {
      try folder.write("changed.yaml", change(old))
      return try await CommandRun(["plan", folder.path + "/changed.yaml"], on: database).output
    }
    let tag = try await plan {
      $0.replacing(
        "next:", with: "    tags: { bmi: { value: bmi, fraction_digits: 1 } }\nnext:")
    }
    #expect(tag.hasPrefix("Something changes for 3 of 3 profiles"))
    #expect(tag.contains("see something else"))
    let reason = try await plan {
      $0.replacing("placement: onboarding }", with: "placement: onboarding, because: first }")
    }
    #expect(reason.contains("For 2 profiles the next placement stays, but its reason"))
    let renamed = try await plan { $0.replacing("obese", with: "heavy") }
    #expect(!renamed.contains("see something else"))
    let other = try await plan { $0.replacing("pipeline: p", with: "pipeline: q") }
    #expect(other == "")
  }

  @Test("a pipeline whose own tests fail is not brought into force")
  func failingTests() async throws {
    let folder = try ScratchFolder()
    let database = try await stored(folder)
    let test = "tests: [{ name: t, expect: { next: paywall } }]\n"
    try folder.write("changed.yaml", old.replacing("bmi >= 30", with: "bmi >= 29") + test)
    let before = try RowVersions(database)
    let arguments = ["recompute", "--pipeline", folder.path + "/changed.yaml", "--as-of", asOf]
    let done = try await CommandRun(arguments, on: database)
    #expect(done.code == .pipelineWrong)
    #expect(done.words.contains("1 test of its file fails"))
    #expect(try RowVersions(database) == before)
    try folder.write(
      "changed.yaml",
      old.replacing("bmi >= 30", with: "bmi >= 29") + test.replacing("paywall", with: "onboarding"))
    #expect(try await CommandRun(arguments, on: database).code == .done)
  }

  @Test("an explanation is a table or JSON, with clauses, answers and audiences")
  func explain() async throws {
    let folder = try ScratchFolder()
    let database = try await stored(folder)
    let done = try await CommandRun(["explain", "middle"], on: database)
    #expect(done.code == .done)
    try Golden.expect(done.output, "explain.txt")
    let json = try await CommandRun(["explain", "middle", "--format", "json"], on: database)
    let rows = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]])
    #expect(
      rows.contains { $0["why"] as? String == "27.5 >= 30" && $0["value"] as? String == "no" })
    let unknown = try await CommandRun(["explain", "nobody"], on: database)
    #expect(unknown.code == .noInput)
  }

  @Test("check --data warns of what the pipeline reads and nobody has")
  func data() async throws {
    let folder = try ScratchFolder()
    let database = try await stored(folder)
    try folder.write(
      "wide.yaml",
      old.replacing("element: weight", with: "element: [weight, weight_kg]")
        .replacing("element: height", with: "element: height, screen: scr_size")
        .replacing(
          "segments:", with: "segments:\n  old: profile.os_version = '1' or profile.locale = 'x'"
        )
        .replacing("answers:", with: "  checkin: { placements: [c] }\nanswers:")
        .replacing(
          "flows: { onboarding: { placements: [onboarding] } }",
          with: "flows:\n  onboarding: { placements: [onboarding] }"))
    let done = try await CommandRun(["check", "--data", folder.path + "/wide.yaml"], on: database)
    #expect(done.code == .done)
    let words = done.words.replacing(folder.path + "/", with: "")
    #expect(
      words == """
        wide.yaml: warning: the flow `checkin` was shown to nobody of 3 profiles
        wide.yaml: warning: the answer `height`: nobody of 3 profiles answered on the screen `scr_size`
        wide.yaml: warning: the answer `weight`: nobody of 3 profiles was asked the element `weight_kg`
        wide.yaml: warning: `profile.os_version` is read, and nobody of 3 profiles has it
        wide.yaml: warning: nobody of 3 profiles has the attribute `bmi`
        wide.yaml: warning: nobody of 3 profiles is in the segment `obese`
        wide.yaml: warning: nobody of 3 profiles is in the segment `old`
        wide.yaml: warning: nobody of 3 profiles is in the segment `slim`
        wide.yaml: right: 2 flows, 2 answers, 1 attribute, 3 segments, 1 placement, 2 next rules

        """)
    try folder.write("typo.yaml", old.replacing("placement: paywall", with: "placement: paywal"))
    let typo = try await CommandRun(["check", folder.path + "/typo.yaml"])
    #expect(typo.code == .done)
    #expect(
      typo.words.contains(
        "typo.yaml:17:31: warning: no placement and no flow of this file names `paywal`: did you mean "
          + "`paywall`?"), "\(typo.words)")
    let quiet = try await CommandRun(["check", folder.path + "/old.yaml", "--quiet"])
    #expect(quiet.code == .done && quiet.words == "")
  }
}
