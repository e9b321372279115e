import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

@Suite("Clocks and the as-of of a job")
struct ClockCommandTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func line(
    _ id: String, _ profile: String, _ time: String, _ more: String = "", isLast: Bool = false
  ) -> String {
    #"{"event_id":"\#(id)","event_name":"flow_screen_showed","profile_id":"\#(profile)","session_id":"s","occurred_at":"\#(time)","placement_id":"onboarding","params":{"instanceId":"\#(id)","is_last_screen":\#(isLast)}\#(more)}"#
      + "\n"
  }

  private func run(
    _ database: ScratchDatabase, _ files: [String], asOf: String, _ more: [String] = []
  ) async throws -> CommandRun {
    try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, "--as-of", asOf] + more + files, on: database)
  }

  private func dump(_ database: ScratchDatabase, asOf: String) async throws -> String {
    let dump = try await CommandRun(["export", "dump", "--as-of", asOf], on: database)
    #expect(dump.code == .done, "\(dump.words)")
    return dump.output
  }

  @Test(
    "a session two weeks ahead counts now, flagged, whatever file or order brings it (cases 17)")
  func ahead() async throws {
    let asOf = "2026-03-02T00:00:00Z"
    let first = line("a", "p", "2026-03-15T10:00:00Z")
    let second = line(
      "b", "p", "2026-03-15T10:01:00Z", #","sent_at":"2026-03-01T10:02:00Z""#, isLast: true)
    let other = line("c", "q", "2026-03-01T10:00:00Z", #","sent_at":"2026-03-01T10:30:00Z""#)
    let one = try folder.write(first + other, as: "one.ndjson")
    let two = try folder.write(second, as: "two.ndjson")
    let both = try folder.write(second + other + first, as: "both.ndjson")

    let late = try ScratchDatabase()
    let before = try await run(late, [one], asOf: asOf)
    #expect(before.code == .done && !before.words.contains("corrected"), "\(before.words)")
    #expect(
      before.words.contains("1 event more than 1 day ahead of the as-of"), "\(before.words)")
    #expect(
      try late.store().query("select events, events_ahead from sluice.profiles order by 1").rows
        == [["0", "1"], ["1", "0"]])
    // What tells the clock arrives later, and corrects what is stored.
    let done = try await run(late, [two], asOf: asOf)
    #expect(
      done.words.contains("2 events of these profiles on clocks that ran ahead"), "\(done.words)")
    #expect(!done.words.contains("ahead of the as-of"), "\(done.words)")
    #expect(
      try late.store().query(
        "select profile_id, session_id, started_at, clock_ahead_ms from sluice.corrected_clocks"
      ).rows == [["p", "s", "2026-03-01 10:01:00+00", "1209540000"]])
    #expect(
      try late.store().query(
        "select events, events_ahead, events_corrected from sluice.profiles where profile_id = 'p'"
      ).rows == [["2", "0", "2"]])
    let once = try ScratchDatabase()
    #expect(try await run(once, [both], asOf: asOf, ["--jobs", "1"]).code == .done)
    #expect(try await dump(once, asOf: asOf) == dump(late, asOf: asOf))
  }

  @Test("--max-future ends a job with 65, and what it read is stored")
  func maxFuture() async throws {
    let database = try ScratchDatabase()
    let file = try folder.write(
      line("a", "p", "2026-03-03T00:00:00Z") + line("b", "p", "2026-03-01T00:00:00Z"), as: "a")
    let asOf = "2026-03-02T00:00:00Z"
    #expect(try await run(database, [file], asOf: asOf, ["--max-future", "24h"]).code == .done)
    let far = try await run(database, [file], asOf: asOf, ["--reread", "--max-future", "23h"])
    #expect(far.code == .tooManyRejects)
    #expect(
      far.words.contains("--max-future: 1 event more than 23 hours ahead of the as-of"),
      "\(far.words)")
    #expect(
      try database.store().query("select events, events_ahead from sluice.profiles").rows
        == [["1", "1"]])
    #expect(try await run(database, [file], asOf: asOf, ["--max-future", "soon"]).code == .usage)
  }

  @Test(
    "--max-future goes by corrected times, whatever record, file, order or batch tells the clock")
  func maxFutureCorrected() async throws {
    let asOf = "2026-03-02T00:00:00Z"
    let raw = (0..<400).map { line("a\($0)", "p", "2026-03-15T10:00:00Z") }.joined()
    let clock = line("b", "p", "2026-03-15T10:01:00Z", #","sent_at":"2026-03-01T10:02:00Z""#)
    let other = line("c", "q", "2026-03-20T10:00:00Z")
    let files = [
      try folder.write(raw, as: "1"), try folder.write(clock, as: "2"),
    ]
    for (names, more) in [
      (files, []), (files.reversed(), []), (files, ["--jobs", "1"]),
      (files, ["--memory", "64MiB"]),
    ] {
      let database = try ScratchDatabase()
      let done = try await run(database, names, asOf: asOf, ["--max-future", "1d"] + more)
      #expect(done.code == .done && !done.words.contains("ahead of the as-of"), "\(done.words)")
      let dry = try await CommandRun(
        [
          "run", "--dry-run", "--pipeline", Checkout.pipeline, "--as-of", asOf, "--max-future",
          "1d",
        ]
          + names)
      #expect(dry.code == .done, "\(dry.words)")
    }
    let database = try ScratchDatabase()
    let early = try await run(database, [files[0]], asOf: asOf, ["--max-future", "1d"])
    #expect(early.code == .tooManyRejects)
    #expect(
      early.words.contains("--max-future: 400 events more than 1 day ahead"), "\(early.words)")
    // What was ahead is corrected by now; what is not is told again when it is read again.
    let late = try await run(
      database, files + [try folder.write(other, as: "3")], asOf: asOf,
      ["--reread", "--max-future", "1d"])
    #expect(late.code == .tooManyRejects)
    #expect(late.words.contains("--max-future: 1 event more than 1 day"), "\(late.words)")
  }

  @Test("recompute --rewind goes back to the rows of that instant, and jobs go on from there")
  func rewind() async throws {
    let (early, late) = ("2026-03-05T00:00:00Z", "2026-06-01T00:00:00Z")
    let script = (0..<5).map { day in
      line("e\(day)", "p\(day % 3)", "2026-03-0\(day + 3)T10:00:00Z", isLast: day > 2)
    }
    let merge =
      #"{"event_id":"m","event_name":"profile_merged","profile_id":"p0","occurred_at":"2026-03-08T00:00:00Z","params":{"from":"p0","into":"p1"}}"#
    let file = try folder.write(script.joined() + merge + "\n", as: "a.ndjson")
    let there = try ScratchDatabase()
    #expect(try await run(there, [file], asOf: early).code == .done)
    let expected = try await dump(there, asOf: early)

    let database = try ScratchDatabase()
    #expect(try await run(database, [file], asOf: late).code == .done)
    let refused = try await CommandRun(["recompute", "--as-of", early], on: database)
    #expect(refused.code == .usage && refused.words.contains("--rewind"), "\(refused.words)")
    let back = try await CommandRun(["recompute", "--as-of", early, "--rewind"], on: database)
    #expect(back.code == .done, "\(back.words)")
    #expect(try await dump(database, asOf: early) == expected)
    let store = try database.store()
    #expect(try store.asOfInForce() == Instant(iso8601: early))
    #expect(
      try store.query("select sluice.next_placement('p1') ->> 'as_of'").rows.first?.first??
        .hasPrefix("2026-03-05") == true)
    // A job goes on from there, and time goes on with it.
    let again = "2026-03-06T00:00:00Z"
    #expect(try await run(database, [file], asOf: again, ["--reread"]).code == .done)
    #expect(try await run(there, [file], asOf: again, ["--reread"]).code == .done)
    #expect(try await dump(database, asOf: again) == dump(there, asOf: again))
    let ahead = try await CommandRun(["recompute", "--as-of", late, "--rewind"], on: database)
    #expect(ahead.code == .usage)
    #expect(try await CommandRun(["recompute", "--rewind"], on: database).code == .usage)
  }

  @Test("a job that began before a rewind goes by the instant it was set back to")
  func overlapped() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let running = try store.exampleJob(asOf: at(minute: 1000))
    try store.load(["p": [storeEvent("a", minute: 1), storeEvent("b", minute: 500)]], running)
    let job = try store.rewind(command: "recompute", to: at(minute: 100), generation: .example)
    try store.settle(job)
    try store.load(
      ["q": [storeEvent("c", minute: 1), storeEvent("d", minute: 700)]], running, from: 500)
    #expect(
      try store.query("select events, events_ahead from sluice.profiles order by profile_id").rows
        == [["1", "1"], ["1", "1"]])
    // Nobody is due before the instant in force, so the running job finds its end.
    #expect(try store.pendingWork(for: running).isEmpty)
  }

  @Test(
    "a job that goes back in time counts as at work, and is told as lost only once it is silent")
  func rewindingIsWork() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let first = try store.exampleJob(asOf: at(minute: 1000))
    try store.finish(first, exit: .done)
    let job = try store.rewind(command: "recompute", to: at(minute: 100), generation: .example)
    let problem = try #require(throws: Problem.self) {
      try store.startJob(
        command: "run", asOf: at(minute: 200), generation: .example, isExclusive: true)
    }
    #expect(problem.exit == .tryAgain)
    #expect(
      try store.query(
        "select state from sluice.job_runs where job_id::text = $1", [String(job.id)]
      ).rows == [["running"]])
  }
}
