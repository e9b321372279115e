import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

private let asOf = "2026-11-20T00:00:00Z"

/// Cases 28, 30, 38–40 and 49: runs that overlap, behind a pooler too.
@Suite("Runs that overlap", .serialized)
struct OverlapTests {
  private let folder: ScratchFolder
  private let files: [String]

  init() throws {
    folder = try ScratchFolder()
    var random = SeededGenerator(seed: 11)
    var lines: [String] = []
    for profile in 0..<150 {
      var script = EventScript()
      script.onboarding(Double(profile), weight: "\(50 + profile % 60)", height: "175")
      lines += script.lines(of: Bytes("person \(profile)"))
      if profile % 5 == 4 {
        // People of two ids, whose shards are taken in no order of the file's.
        lines += EventScript.merge(from: "person \(profile)", into: "person \(profile - 3)")
      }
    }
    var written: [String] = []
    for part in 0..<4 {
      let some = lines.shuffled(using: &random).prefix(part == 0 ? lines.count : lines.count / 2)
      let ordered = part == 1 ? Array(some.sorted().reversed()) : Array(some)
      written.append(try folder.write(ordered.joined(), as: "part-\(part).ndjson"))
    }
    files = written
  }

  private func dump(_ database: ScratchDatabase) async throws -> String {
    let dump = try await CommandRun(["export", "dump", "--as-of", asOf], on: database)
    #expect(dump.code == .done, "\(dump.words)")
    return dump.output
  }

  private func arguments(_ files: [String], _ database: String) -> [String] {
    [
      "run", "--quiet", "--pipeline", Checkout.pipeline, "--as-of", asOf, "--jobs", "2",
      "--database", database,
    ] + files
  }

  private func clean() async throws -> String {
    let database = try ScratchDatabase()
    let run = try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, "--as-of", asOf] + files, on: database)
    #expect(run.code == .done)
    return try await dump(database)
  }

  private func overlap(_ count: Int, _ database: ScratchDatabase, _ url: String) throws {
    let runs = try (0..<count).map { number in
      // Each begins with another file, and leaves one out but the first.
      let turned = Array(files[(number % 4)...] + files[..<(number % 4)])
      return try ProgramRun(arguments(number == 0 ? turned : Array(turned.dropLast()), url))
    }
    for run in runs {
      let (code, _, words) = try run.end()
      #expect(code == 0, "\(words)")
    }
    #expect(
      try database.store().query(
        "select deadlocks from pg_stat_database where datname = $1", [database.name]
      )
      .rows == [["0"]])
    #expect(
      try database.store().query("select count(*) from sluice.job_runs where state <> 'done'").rows
        == [["0"]])
  }

  @Test("end in the dump of one run, without a deadlock", arguments: [2, 8])
  func direct(count: Int) async throws {
    let database = try ScratchDatabase()
    try overlap(count, database, try ScratchServer.url(of: database.name))
    #expect(try await dump(database) == clean())
  }

  @Test(
    "so do they behind PgBouncer in transaction mode", .enabled(if: PgBouncer.isInstalled),
    arguments: [2, 8])
  func pooled(count: Int) async throws {
    let bouncer = try PgBouncer(connections: 3)
    let database = try ScratchDatabase()
    try overlap(count, database, bouncer.conninfo(database))
    #expect(try await dump(database) == clean())
  }
}

extension EventScript {
  fileprivate static func merge(from: String, into: String) -> [String] {
    var script = EventScript()
    script.add("profile_merged", 900, Bytes(#"{"from":"\#(from)","into":"\#(into)"}"#), id: "merge")
    return script.lines(of: Bytes(into))
  }
}

@Suite("Jobs that are to be alone")
struct ExclusiveTests {
  private func start(_ store: Store, isExclusive: Bool = true) throws -> Job {
    try store.startJob(
      command: "run", asOf: at(minute: 1000), isForced: true, generation: .example,
      isExclusive: isExclusive)
  }

  @Test("`run --exclusive` ends with 75 beside a job at work, and begins once that is done or dead")
  func beside() async throws {
    let database = try ScratchDatabase()
    let arguments = ["run", "--exclusive", "--pipeline", Checkout.pipeline, Checkout.athletes]
    let first = try await CommandRun(arguments, on: database)
    #expect(first.code == .done, "\(first.words)")
    let store = try database.store()
    let generation = try #require(try store.currentGeneration())
    let job = try store.startJob(command: "run", asOf: nil, generation: generation)
    let refused = try await CommandRun(arguments, on: database)
    #expect(refused.code == .tryAgain)
    #expect(refused.words.contains("job \(job.id) (run) is at work"))
    // Without the word it works beside the other.
    let beside = try await CommandRun(Array(arguments.filter { $0 != "--exclusive" }), on: database)
    #expect(beside.code == .done)
    // The other one was killed half a minute ago.
    try database.connection().executeScript(
      "update sluice.job_runs set alive_until = clock_timestamp() - interval '1 second' where state = 'running'"
    )
    let alone = try await CommandRun(arguments, on: database)
    #expect(alone.code == .done)
    #expect(
      try store.query(
        "select state, exit_code from sluice.job_runs where job_id = $1::bigint", [String(job.id)]
      )
      .rows == [["lost", nil]])
  }

  @Test("of many that start at once one begins")
  func atOnce() async throws {
    let database = try ScratchDatabase()
    _ = try database.store().finish(database.store().exampleJob(), exit: .done)
    let results = await withTaskGroup(of: ExitCode?.self) { group in
      for _ in 0..<6 {
        group.addTask {
          do { _ = try start(database.store()) } catch { return (error as? Problem)?.exit }
          return nil
        }
      }
      return await group.reduce(into: [ExitCode?]()) { $0.append($1) }
    }
    #expect(results.filter { $0 == nil }.count == 1)
    #expect(results.filter { $0 == .tryAgain }.count == 5)
  }

  @Test("a job keeps its lease while it says so, and learns when it was believed dead")
  func renewal() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    _ = try store.finish(store.exampleJob(), exit: .done)
    let job = try start(store)
    let hand = try database.connection()
    try hand.executeScript("update sluice.job_runs set alive_until = now()")
    #expect(try store.renew(job, reviving: false))
    #expect(throws: Problem.self) { try start(database.store()) }
    try hand.executeScript("update sluice.job_runs set alive_until = now() where state = 'running'")
    let next = try start(database.store())
    #expect(try !store.renew(job, reviving: false))
    #expect(try store.renew(next, reviving: false))
    #expect(try store.renew(job, reviving: true))
  }

  @Test(
    "a job whose first commit was answered by nobody is there once",
    .enabled(if: ScratchServer.isPrivate))
  func lostAnswer() throws {
    let database = try ScratchDatabase()
    _ = try database.store().finish(database.store().exampleJob(), exit: .done)
    let proxy = try CommitEatingProxy(before: database)
    let store = try Store(
      proxy.address, schema: SchemaName("sluice", .system), sqlFolder: SQLFolder(),
      primitives: .system)
    let job = try start(store)
    #expect(proxy.eaten == 1)
    #expect(job.asOf == at(minute: 1000))
    let rows = try database.store().query(
      "select job_id, state from sluice.job_runs where state = 'running'"
    ).rows
    #expect(rows == [[String(job.id), "running"]])
  }
}
