import Foundation
import Testing

@testable import Core
@testable import Store
@testable import sluice

/// Case 66: a session that never ends is counted and listed, whatever the order.
@Suite("Sessions with too many flow runs")
struct OverfullSessionTests {
  private let folder: ScratchFolder
  private let pipeline: String

  init() throws {
    folder = try ScratchFolder()
    pipeline = try folder.write(
      String(contentsOfFile: Checkout.pipeline, encoding: .utf8)
        + "\nlimits: { flow_runs: 10 }\n", as: "pipeline.yaml")
  }

  private func run(_ files: [String], on database: ScratchDatabase) async throws -> CommandRun {
    let run = try await CommandRun(
      ["run", "--pipeline", pipeline, "--as-of", "2026-11-20"] + files, on: database)
    #expect(run.code == .done, "\(run.words)")
    return run
  }

  private func dump(_ database: ScratchDatabase) async throws -> String {
    let dump = try await CommandRun(["export", "dump"], on: database)
    #expect(dump.code == .done, "\(dump.words)")
    return dump.output
  }

  /// A kiosk's session of 12 runs beside a person's own.
  private func lines() -> [String] {
    var script = EventScript()
    script.session = "kiosk"
    for number in 0..<12 { script.onboarding(Double(number) * 60, weight: "80", height: "180") }
    script.session = "own"
    script.onboarding(5000, weight: "90", height: "180")
    return script.lines(of: "p")
  }

  @Test("make up none, in any order and split, to the same dump; what else they say counts")
  func order() async throws {
    let lines = lines()
    let once = try ScratchDatabase()
    let first = try await run([try folder.write(lines.joined(), as: "all.ndjson")], on: once)
    #expect(
      first.words.contains("1 session quarantined: more flow runs than `limits: flow_runs` allows"),
      "\(first.words)")
    let store = try once.store()
    #expect(
      try store.query("select * from sluice.quarantined_sessions").rows == [["p", "kiosk", "12"]])
    #expect(try store.query("select session_id from sluice.flow_runs").rows == [["own"]])
    let explained = try await CommandRun(
      ["explain", "p", "--pipeline", pipeline, "--format", "csv"], on: once)
    #expect(explained.output.contains("session,kiosk,quarantined,"), "\(explained.output)")
    #expect(try store.query("select events from sluice.profiles").rows == [[String(lines.count)]])
    let expected = try await dump(once)

    var random = SeededGenerator(seed: 6)
    for round in 0..<2 {
      let shuffled = lines.shuffled(using: &random)
      let database = try ScratchDatabase()
      for start in stride(from: 0, to: shuffled.count, by: 30) {
        let part = try folder.write(
          shuffled[max(0, start - 9)..<min(start + 30, shuffled.count)].joined(),
          as: "part-\(round)-\(start).ndjson")
        _ = try await run([part], on: database)
      }
      #expect(try await dump(database) == expected, "seed 6, round \(round)")
    }
  }

  @Test("at the limit all of them count, beyond it none; events without a session are no session")
  func bounds() throws {
    let pipeline = try Pipeline.checked(yaml: String(contentsOfFile: pipeline, encoding: .utf8))
    var script = EventScript()
    for number in 0..<10 { script.onboarding(Double(number) * 60, weight: "80", height: "180") }
    #expect(pipeline.outcome(script).runs.count == 10)
    #expect(pipeline.outcome(script).profile.overfullSessions == [])
    script.appeared(1000)
    let over = pipeline.outcome(script)
    #expect(over.runs.isEmpty)
    #expect(over.profile.overfullSessions.map(\.runs) == [11])
    script.session = nil
    for number in 0..<20 { script.onboarding(Double(number) * 4000, weight: "80", height: "180") }
    #expect(pipeline.outcome(script).runs.count == 20)
  }

  @Test("a dry run counts them, and the file's limits are numbers and sizes with bounds")
  func dry() async throws {
    let file = try folder.write(lines().joined(), as: "all.ndjson")
    let dry = try await CommandRun(["run", "--dry-run", "--pipeline", pipeline, file])
    #expect(dry.code == .done && dry.words.contains("1 session with too many flow runs"))
    let wrong = try folder.write(
      "pipeline: p\nlimits: { flow_runs: 0, answer: 2GiB, record: 10B, depth: 1.5, members: many, size: 1 }\n",
      as: "wrong.yaml")
    let check = try await CommandRun(["check", wrong])
    #expect(check.code == .pipelineWrong)
    for words in [
      "`flow_runs` is a whole number from 1 to 1000000",
      "`answer` is a size such as 64KiB, from 1B to 1GiB",
      "`record` is a size such as 64KiB, from 1KiB to 1GiB",
      "`depth` is a whole number from 1 to 512", "`members` is a whole number from 1 to 1000000",
      "the section `limits` has no key `size`",
    ] { #expect(check.words.contains(words), "\(words): \(check.words)") }
  }

  @Test("limits of records hold for a job and a test of the file, and flags win over them")
  func records() async throws {
    let text = #"{"event_name":"x","profile_id":"p","occurred_at":0,"params":{"value":"12345678"}}"#
    let file = try folder.write(text + "\n", as: "f.ndjson")
    let small = try folder.write(
      "pipeline: p\nlimits: { answer: 4, record: 2KiB }\ntests:\n  - name: t\n    events: [\(text)]\n    expect: { segments: [] }\n",
      as: "small.yaml")
    let test = try await CommandRun(["test", small])
    #expect(test.code == .pipelineWrong && test.words.contains("answer_too_long"), "\(test.words)")
    let plain = try folder.write("pipeline: p\nlimits: { answer: 4 }\n", as: "plain.yaml")
    let database = try ScratchDatabase()
    let base = ["run", "--pipeline", plain, "--as-of", "2026-11-20", "--max-rejects", "1", file]
    let refused = try await CommandRun(base, on: database)
    #expect(refused.words.contains("answer_too_long 1"), "\(refused.words)")
    // Other limits are another reader: the file is read again.
    let taken = try await CommandRun(base + ["--limits", "answer=8"], on: database)
    #expect(taken.code == .done && taken.words.contains("1 event: 1 new"), "\(taken.words)")
    // The database's own pipeline has them too.
    let stored = try await CommandRun(
      ["run", "--as-of", "2026-11-20", "--max-rejects", "1", file], on: database)
    #expect(stored.words.contains("answer_too_long 1"), "\(stored.words)")
    let twice = try await CommandRun(
      base + ["--limits", "record=2KiB", "--max-record-bytes", "2KiB"], on: database)
    #expect(twice.code == .usage && twice.words.contains("are the same"), "\(twice.words)")
  }
}
