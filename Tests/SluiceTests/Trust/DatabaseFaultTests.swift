import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

/// What a database can do to a job, and what the job says of it.
@Suite("Faults of the database")
struct DatabaseFaultTests {
  private let arguments = [
    "run", "--pipeline", Checkout.pipeline, "--as-of", "2026-11-20", Checkout.davis,
  ]

  private func dump(_ database: ScratchDatabase) async throws -> String {
    let dump = try await CommandRun(["export", "dump"], on: database)
    #expect(dump.code == .done, "\(dump.words)")
    return dump.output
  }

  @Test("a full disk is told as 74, and the same command finishes once there is room")
  func fullDisk() async throws {
    let database = try ScratchDatabase()
    let hand = try database.connection()
    // The server's own word for it, from the middle of the job on.
    try hand.executeScript(
      """
      create function full_disk() returns trigger language plpgsql as $$
      begin
        if (select count(*) from sluice.profiles) > 50 then
          raise exception 'could not extend file: No space left on device' using errcode = '53100';
        end if;
        return new;
      end $$;
      create trigger full_disk before insert on sluice.profiles
        for each row execute function full_disk()
      """)
    let run = try await CommandRun(arguments, on: database)
    #expect(run.code == .cannotWrite)
    #expect(run.words.contains("53100") && run.words.contains("make room on its disk"))
    try hand.executeScript("drop trigger full_disk on sluice.profiles")
    #expect(try await CommandRun(arguments, on: database).code == .done)
    let clean = try ScratchDatabase()
    #expect(try await CommandRun(arguments, on: clean).code == .done)
    #expect(try await dump(database) == dump(clean))
  }

  @Test("a database that is read-only unless told otherwise is left as it is")
  func readOnly() async throws {
    let database = try ScratchDatabase()
    #expect(try await CommandRun(arguments, on: database).code == .done)
    try ScratchServer.administrate(
      "alter database \(database.name) set default_transaction_read_only = on")
    let run = try await CommandRun(arguments + ["--reread"], on: database)
    #expect(run.code == .noDatabase)
    #expect(run.words.contains("is read-only: default_transaction_read_only is on"))
    #expect(try database.store().query("select count(*) from sluice.job_runs").rows == [["1"]])
    #expect(try await CommandRun(["report", "segments"], on: database).code == .done)
  }

  @Test("a migration that breaks half-way leaves nothing, and is done once it is mended")
  func brokenMigration() throws {
    let database = try ScratchDatabase()
    let copy = try ScratchFolder()
    let path = copy.path + "/sql"
    try FileManager.default.copyItem(atPath: SQLFolder().path, toPath: path)
    let broken =
      "create table sluice.half (a text);\nalter table sluice.nowhere add column b text;\n"
    try copy.write("sql/migrations/9999_break.sql", broken)
    let store = try database.store(sqlFolder: SQLFolder(named: path))
    let problem = try #require(throws: Problem.self) { try store.migrate() }
    #expect(problem.place == "migrations/9999_break.sql")
    #expect(problem.message.contains("42P01"))
    let left = """
      select
        (select count(*) from pg_catalog.pg_tables where tablename = 'half'),
        (select count(*) from sluice.schema_migrations where name = 'migrations/9999_break.sql')
      """
    #expect(try store.query(left).rows == [["0", "0"]])
    try copy.write("sql/migrations/9999_break.sql", "create table sluice.half (a text);\n")
    let again = try database.store(sqlFolder: SQLFolder(named: path))
    #expect(try again.migrate() == ["migrations/9999_break.sql"])
    #expect(try again.query(left).rows == [["1", "1"]])
  }

  @Test("a database of a newer program is refused with 75, and nothing of it is touched")
  func newer() async throws {
    let database = try ScratchDatabase()
    try database.connection().executeScript(
      "insert into sluice.schema_migrations (name, hash) values ('migrations/9999_later.sql', 'x')")
    for command in [arguments, ["recompute"], ["migrate"]] {
      let run = try await CommandRun(command, on: database)
      #expect(run.code == .tryAgain)
      #expect(run.words.contains("is newer than this program"))
      #expect(run.words.contains("use the newer program"))
    }
    #expect(try database.store().query("select count(*) from sluice.job_runs").rows == [["0"]])
  }

  /// Case 45: no transaction is open while bytes are waited for, and an idle connection may go.
  @Test("a server of short patience and an input that comes slowly", .timeLimit(.minutes(15)))
  func shortTimeouts() async throws {
    let database = try ScratchDatabase()
    for setting in [
      "idle_in_transaction_session_timeout = '2s'", "idle_session_timeout = '2s'",
      "statement_timeout = '1500ms'", "lock_timeout = '1s'",
    ] {
      try ScratchServer.administrate("alter database \(database.name) set \(setting)")
    }
    let lines = try Checkout.lines(of: Checkout.athletes)
    let run = try ProgramRun([
      "run", "--pipeline", Checkout.pipeline, "--as-of", "2026-11-20", "--database",
      try ScratchServer.url(of: database.name), "-",
    ])
    for start in stride(from: 0, to: 30, by: 10) {
      run.feed(lines[start..<(start + 10)].joined(separator: "\n") + "\n")
      usleep(3_000_000)
    }
    let (code, _, words) = try run.end()
    #expect(code == 0, "\(words)")
    #expect(words.contains("30 events: 30 new"))
  }

  @Test("a hot standby is told as 69: it is no database to write to", .timeLimit(.minutes(15)))
  func standby() async throws {
    let home = "/tmp/sluice-standby-\(UUID().uuidString.prefix(8))"
    let server = EmbeddedServer(
      home: home,
      settings: [
        "fsync": "off", "shared_buffers": "16MB", "wal_level": "replica", "max_connections": "20",
      ])
    defer {
      try? server.stop()
      try? FileManager.default.removeItem(atPath: home)
    }
    try server.start()
    let target = ["--database", server.url]
    #expect(try await CommandRun(arguments + target).code == .done)
    try server.stop()
    try Data().write(to: URL(filePath: server.dataFolder + "/standby.signal"))
    try server.start()
    let run = try await CommandRun(arguments + ["--reread"] + target)
    #expect(run.code == .noDatabase)
    #expect(run.words.contains("recovery") && run.words.contains("name the primary, not a standby"))
    let report = try await CommandRun(["report", "segments"] + target)
    #expect(report.code == .done, "\(report.words)")
  }
}
