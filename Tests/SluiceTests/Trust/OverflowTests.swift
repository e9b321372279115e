import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

/// Cases 64 and 66: a limit that is counted and listed, whatever the order.
@Suite("Profiles with too many events")
struct OverflowTests {
  private let folder: ScratchFolder
  private let pipeline: String

  init() throws {
    folder = try ScratchFolder()
    pipeline = try folder.write(
      String(contentsOfFile: Checkout.pipeline, encoding: .utf8)
        + "\npeople: { max_events: 100 }\n", as: "pipeline.yaml")
  }

  private func run(
    _ files: [String], on database: ScratchDatabase,
    _ more: [String] = ["--as-of", "2026-11-20"]
  ) async throws -> CommandRun {
    let run = try await CommandRun(
      ["run", "--pipeline", pipeline] + more + files, on: database)
    #expect(run.code == .done, "\(run.words)")
    return run
  }

  private func dump(_ database: ScratchDatabase) async throws -> String {
    let dump = try await CommandRun(["export", "dump"], on: database)
    #expect(dump.code == .done, "\(dump.words)")
    return dump.output
  }

  /// 130 events of a machine, a person's onboarding, and an event that makes the machine that person.
  private func lines() -> [String] {
    var bot = EventScript()
    for number in 0..<130 { bot.screen(Double(number), "scr_\(number % 7)") }
    bot.add("profile_merged", 500, Bytes(#"{"from":"bot","into":"person"}"#))
    var person = EventScript()
    person.onboarding(0, weight: "80", height: "180")
    return bot.lines(of: "bot") + person.lines(of: "person")
  }

  @Test("are set aside in any order and split, to the same dump, and their links with them")
  func order() async throws {
    let lines = lines()
    let once = try ScratchDatabase()
    let first = try await run([try folder.write(lines.joined(), as: "all.ndjson")], on: once)
    #expect(first.words.contains("1 profile quarantined (too_many_events 1)"))
    #expect(first.words.contains("131 of quarantined profiles"))
    let expected = try await dump(once)
    #expect(expected.contains("quarantined_profiles\tbot\n"))
    #expect(!expected.contains("profile_aliases\t"))
    #expect(try once.store().query("select profile_id from sluice.profiles").rows == [["person"]])

    var random = SeededGenerator(seed: 5)
    for round in 0..<3 {
      let shuffled = lines.shuffled(using: &random)
      let parts = try stride(from: 0, to: shuffled.count, by: 50).map { start in
        try folder.write(
          shuffled[max(0, start - 20)..<min(start + 50, shuffled.count)].joined(),
          as: "part-\(round)-\(start).ndjson")
      }
      let database = try ScratchDatabase()
      for part in parts { _ = try await run([part], on: database) }
      #expect(try await dump(database) == expected, "seed 5, round \(round)")
    }
  }

  @Test("come back by `release` and their files, and go again where they are too many still")
  func release() async throws {
    let database = try ScratchDatabase()
    let file = try folder.write(lines().joined(), as: "all.ndjson")
    _ = try await run([file], on: database)
    let listed = try await CommandRun(
      ["report", "quarantine", "--format", "csv"], on: database)
    #expect(listed.output.contains("bot,too_many_events,,"))
    let asked = try await CommandRun(["explain", "bot"], on: database)
    #expect(asked.code == .noInput && asked.words.contains("is quarantined: too_many_events"))
    let released = try await CommandRun(["release", "bot"], on: database)
    #expect(released.code == .done && released.words.contains("none of its events is left"))
    let unknown = try await CommandRun(["release", "person"], on: database)
    #expect(unknown.code == .noInput && unknown.words.contains("is not quarantined"))
    let again = try await run([file], on: database, ["--reread"])
    #expect(again.words.contains("1 profile quarantined"))
  }

  @Test("a dry run counts them too, and the limit of the pipeline file is a number with bounds")
  func dry() async throws {
    let file = try folder.write(lines().joined(), as: "all.ndjson")
    let dry = try await CommandRun(["run", "--dry-run", "--pipeline", pipeline, file])
    #expect(dry.code == .done)
    #expect(dry.words.contains("1 profile with too many events: quarantined"))
    let wrong = try folder.write("pipeline: p\npeople: { max_events: 99 }\n", as: "wrong.yaml")
    let check = try await CommandRun(["check", wrong])
    #expect(check.code == .pipelineWrong)
    #expect(check.words.contains("`max_events` is a whole number from 100 to 1000000"))
  }

  @Test("a lower limit of a new pipeline file holds for what is stored already")
  func lower() async throws {
    let database = try ScratchDatabase()
    let file = try folder.write(lines().joined(), as: "all.ndjson")
    let first = try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, "--as-of", "2026-11-20", file], on: database)
    #expect(first.code == .done && !first.words.contains("quarantined"))
    let next = try await CommandRun(
      ["recompute", "--pipeline", pipeline, "--as-of", "2026-11-20"], on: database)
    #expect(next.code == .done && next.words.contains("1 profile quarantined"))
    let once = try ScratchDatabase()
    _ = try await run([file], on: once)
    #expect(try await dump(database) == dump(once))
  }
}
