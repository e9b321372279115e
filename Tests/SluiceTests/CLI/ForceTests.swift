import Core
import Foundation
import Store
import Testing

@testable import sluice

@Suite("Forcing a variation")
struct ForceTests {
  private static let yaml = """
    pipeline: p
    time_zone: UTC
    placements:
      paywall:
        audiences:
          - default: true
            audience_version: 11111111-1111-4111-8111-111111111111
            show:
              - { flow: coach_a, variation: aaaa, weight: 50 }
              - { flow: coach_b, variation: bbbb, weight: 50 }
    """
  private static let profile = "00000000-0000-4000-8000-000000000001"

  private func decision(_ database: ScratchDatabase) throws -> [String?] {
    try #require(
      try database.store().query(
        """
        select variation_id, flow_id, variation_source from sluice.placement_decisions
        where profile_id = '\(Self.profile)'
        """
      ).rows.first)
  }

  private func event(_ folder: ScratchFolder) throws -> String {
    try folder.write(
      #"{"event_id":"e","event_name":"app_opened","profile_id":"\#(Self.profile)","occurred_at":"2026-06-01T00:00:00Z"}"#
        + "\n", as: "app.ndjson")
  }

  @Test("wins over the draw until its time is over; a rebuild from the files gives the same rows")
  func forces() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    let pipeline = try folder.write(Self.yaml, as: "p.yaml")
    let app = try event(folder)
    let run = try await CommandRun(
      ["run", "--pipeline", pipeline, "--as-of", "2026-06-02", app], on: database)
    #expect(run.code == .done, "\(run.words)")
    #expect(try decision(database) == ["bbbb", "coach_b", "predicted"])

    let file = folder.path + "/qa.ndjson"
    let forced = try await CommandRun(
      [
        "force", Self.profile, "--placement", "paywall", "--variation", "aaaa", "--until",
        "2026-06-10", "--as-of", "2026-06-03", "--file", file,
      ], on: database)
    #expect(forced.code == .done, "\(forced.words)")
    #expect(try decision(database) == ["aaaa", "coach_a", "forced"])
    #expect(try String(contentsOfFile: file, encoding: .utf8) == forced.output)
    #expect(
      forced.output.hasSuffix(
        #""event_name":"decision_forced","profile_id":"\#(Self.profile)","occurred_at":"2026-06-03T00:00:00Z","params":{"placement_id":"paywall","until":"2026-06-10T00:00:00Z","variation_id":"aaaa"}}"#
          + "\n"))
    #expect(
      try database.store().query("select next_review_at from sluice.profiles").rows
        == [["2026-06-10 00:00:00+00"]])

    let rebuilt = try ScratchDatabase()
    let again = try await CommandRun(
      ["run", "--pipeline", pipeline, "--as-of", "2026-06-03", app, file], on: rebuilt)
    #expect(again.code == .done, "\(again.words)")
    let dumps = try [database, rebuilt].map { database in
      try database.store().query(
        "select * from sluice.placement_decisions order by profile_id"
      ).rows
    }
    #expect(dumps[0] == dumps[1])

    let later = try await CommandRun(
      ["run", "--as-of", "2026-06-10", app], on: database)
    #expect(later.code == .done, "\(later.words)")
    #expect(try decision(database) == ["bbbb", "coach_b", "predicted"])
  }

  @Test("refuses an unknown placement, variation or profile and stores nothing")
  func refuses() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    let pipeline = try folder.write(Self.yaml, as: "p.yaml")
    _ = try await CommandRun(
      ["run", "--pipeline", pipeline, "--as-of", "2026-06-02", try event(folder)], on: database)
    func force(_ profile: String, _ placement: String, _ variation: String, _ more: [String] = [])
      async throws -> CommandRun
    {
      try await CommandRun(
        [
          "force", profile, "--placement", placement, "--variation", variation, "--until",
          "2026-06-10", "--as-of", "2026-06-03",
        ] + more, on: database)
    }
    let placement = try await force(Self.profile, "paywal", "aaaa")
    #expect(placement.code == .usage)
    #expect(
      placement.words
        == "sluice force: the pipeline has no `paywal` for --placement; did you mean `paywall`?\n"
    )
    let variation = try await force(Self.profile, "paywall", "cccc")
    #expect(variation.code == .usage)
    #expect(try await force("nobody", "paywall", "aaaa").code == .noInput)
    #expect(
      try await force(Self.profile, "paywall", "aaaa", ["--file", "/nowhere/qa"]).code
        == .cannotCreate)
    #expect(try decision(database)[2] == "predicted")
    #expect(
      try database.store().query("select count(*) from sluice.job_runs where command = 'force'")
        .rows
        == [["0"]])
  }

  @Test("refuses a second force of the same instant, which nothing puts before or behind the first")
  func sameInstant() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    let pipeline = try folder.write(Self.yaml, as: "p.yaml")
    _ = try await CommandRun(
      ["run", "--pipeline", pipeline, "--as-of", "2026-06-02", try event(folder)], on: database)
    func force(_ variation: String, asOf: String) async throws -> CommandRun {
      try await CommandRun(
        [
          "force", Self.profile, "--placement", "paywall", "--variation", variation, "--until",
          "2026-06-10", "--as-of", asOf,
        ], on: database)
    }
    #expect(try await force("aaaa", asOf: "2026-06-03").code == .done)
    let second = try await force("bbbb", asOf: "2026-06-03")
    #expect(second.code == .usage && second.words.contains("give a later --as-of"))
    #expect(try await force("aaaa", asOf: "2026-06-03").code == .done)
    #expect(try await force("bbbb", asOf: "2026-06-03T00:00:01Z").code == .done)
    #expect(try decision(database)[0] == "bbbb")
  }
}
