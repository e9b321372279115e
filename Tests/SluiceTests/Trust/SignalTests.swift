import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

/// Cases 50, 60 and 61: asked to end, and readers that go away.
@Suite("Signals and closed streams", .timeLimit(.minutes(15)))
struct SignalTests {
  private func url(_ database: ScratchDatabase) throws -> String {
    try ScratchServer.url(of: database.name)
  }

  private func waitForJob(_ database: ScratchDatabase) throws {
    let store = try database.store()
    let deadline = Date().addingTimeInterval(60)
    while try store.query("select 1 from sluice.job_runs where state = 'running'").rows.isEmpty {
      try #require(Date() < deadline)
      usleep(50_000)
    }
  }

  @Test(
    "a job that waits for its input ends by the signal, and its record says so",
    arguments: [SIGTERM, SIGINT])
  func waiting(number: Int32) throws {
    let database = try ScratchDatabase()
    let run = try ProgramRun([
      "run", "--pipeline", Checkout.pipeline, "--database", try url(database), "-",
    ])
    run.feed(try Checkout.lines(of: Checkout.athletes)[0] + "\n")
    try waitForJob(database)
    usleep(300_000)
    kill(run.process.processIdentifier, number)
    run.process.waitUntilExit()
    let (code, output, words) = try run.end()
    #expect(code == 128 + number)
    #expect(output.isEmpty)
    #expect(words.contains("was stopped by \(number == SIGINT ? "SIGINT" : "SIGTERM")"))
    #expect(
      try database.store().query("select state, exit_code from sluice.job_runs").rows
        == [["failed", String(128 + number)]])
  }

  @Test("so does one that waits for somebody to write into a named pipe")
  func namedPipe() throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    let pipe = folder.path + "/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    let run = try ProgramRun([
      "run", "--pipeline", Checkout.pipeline, "--database", try url(database), pipe,
    ])
    try waitForJob(database)
    usleep(300_000)
    kill(run.process.processIdentifier, SIGTERM)
    run.process.waitUntilExit()
    #expect(try run.end().0 == 128 + SIGTERM)
  }

  @Test("a job in the middle of its units ends behind the one it is at, and the next finishes")
  func inUnit() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    let file = try folder.write(
      String(contentsOfFile: Checkout.davis, encoding: .utf8), as: "davis.ndjson")
    let arguments = [
      "run", "--jobs", "1", "--pipeline", Checkout.pipeline, "--as-of", "2026-11-20", file,
    ]
    let clean = try ScratchDatabase()
    #expect(try await CommandRun(arguments, on: clean).code == .done)
    let count = "select count(*) from sluice.job_units"
    #expect(try clean.store().query(count).rows == [["2"]])
    // A hand holds one of the shards; the job stands before it when the signal comes.
    let hand = try database.connection()
    let key = try SchemaName(SchemaName.standard, .system).lockKey
    try hand.executeScript("begin")
    try hand.execute("select pg_advisory_xact_lock($1, 30)", [.int4(key)])
    let run = try ProgramRun(arguments + ["--database", try url(database)])
    let deadline = Date().addingTimeInterval(60)
    while try hand.execute(
      """
      select 1 from pg_locks where locktype = 'advisory' and not granted and objid = 30
        and database = (select oid from pg_database where datname = current_database())
      """
    ).count == 0 {
      try #require(run.process.isRunning && Date() < deadline)
      usleep(10_000)
    }
    kill(run.process.processIdentifier, SIGTERM)
    usleep(200_000)
    #expect(run.process.isRunning)
    try hand.executeScript("rollback")
    #expect(try run.end().code == 143)
    #expect(try database.store().query(count).rows == [["1"]])
    #expect(try await CommandRun(arguments, on: database).code == .done)
    #expect(
      try await CommandRun(["export", "dump"], on: database).output
        == CommandRun(["export", "dump"], on: clean).output)
  }

  private func shell(_ script: String, _ database: ScratchDatabase) throws -> (Int32, String) {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-c", script]
    process.environment = [
      "PATH": "/usr/bin:/bin", "SLUICE": Checkout.program, "SLUICE_DATABASE": try url(database),
    ]
    let words = Pipe()
    process.standardOutput = words
    process.standardError = words
    try process.run()
    let said = words.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
  }

  @Test("a reader that goes away ends a command quietly with 74; a closed stdout is a failure")
  func streams() async throws {
    let database = try ScratchDatabase()
    let loaded = try await CommandRun(
      ["run", "--quiet", "--pipeline", Checkout.pipeline, Checkout.davis], on: database)
    #expect(loaded.code == .done)
    // More than a pipe holds, so that the command still writes when its reader is gone.
    let (code, said) = try shell(
      #""$SLUICE" export dump | head -1 >/dev/null; exit ${PIPESTATUS[0]}"#, database)
    #expect(code == 74)
    #expect(said == "")
    let (closed, why) = try shell(#""$SLUICE" report segments >&-"#, database)
    #expect(closed == 74)
    #expect(why.hasPrefix("sluice: stdout: cannot write"))
    let (full, whyFull) = try shell(#""$SLUICE" report segments >/dev/full"#, database)
    #expect(full == 74 && whyFull.contains("No space left"))
    // A command that prints nothing needs no stdout.
    let (silent, words) = try shell(
      #""$SLUICE" run --quiet "\#(Checkout.davis)" >&-"#, database)
    #expect(silent == 0, "\(words)")
  }
}
