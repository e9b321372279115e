import Core
import Foundation
import Ingest
import Testing

@testable import Store
@testable import sluice

private let asOf = "2026-11-20T00:00:00Z"

/// Runs the main job over files and takes the dump.
private struct Law {
  let database: ScratchDatabase

  init() throws { database = try ScratchDatabase() }

  @discardableResult
  func run(
    _ files: [String], jobs: Int = 2, _ change: (inout RunOptions) -> Void = { _ in }
  ) async throws -> ExitCode {
    let arguments =
      ["run", "--quiet", "--pipeline", Checkout.pipeline, "--as-of", asOf, "--jobs", "\(jobs)"]
      + files + ["--database", try ScratchServer.url(of: database.name)]
    guard case .run(var options) = try Command(arguments) else { return .bug }
    change(&options)
    let code = try await Sluice(console: Console(), environment: [:]).runEvents(options)
    #expect(code == .done)
    return code
  }

  func dump() async throws -> String {
    let dump = try await CommandRun(["export", "dump", "--as-of", asOf], on: database)
    #expect(dump.code == .done, "\(dump.words)")
    return dump.output
  }

  func query(_ sql: String) throws -> [[String?]] { try database.store().query(sql).rows }
}

/// Events that make the law hard: copies that conflict, spellings of one id, events without one.
private struct Tangle {
  var random: SeededGenerator

  mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  private func uuid(_ number: Int, isUpper: Bool) -> String {
    let text =
      "0b8f35d2-3b0a-4f5e-8a55-"
      + String(repeating: "0", count: 10 - String(number).count) + String(number) + "ab"
    return isUpper ? text.uppercased() : text
  }

  /// One record: few ids, few times and few values, so that most are copies of another.
  mutating func line(_ profile: Int) -> String {
    var members: [String] = []
    func member(_ name: String, _ value: String) { members.append("\"\(name)\":\(value)") }
    member("profile_id", "\"\(uuid(profile, isUpper: pick([true, false])))\"")
    let event = Int.random(in: 0..<15, using: &random)
    if pick([true, true, true, false]) {
      member(
        "event_id",
        pick(["\"\(uuid(event, isUpper: pick([true, false])))\"", "\"E\(event)\"", "\(event)"]))
    }
    let second = Int.random(in: 0..<5, using: &random) * 400
    let minute = 10 + second / 60
    let time = "2026-03-01T10:\(minute):\(10 + second % 60 % 50)Z"
    member("occurred_at", "\"\(time)\"")
    switch Int.random(in: 0..<14, using: &random) {
    case 0: member("event_name", "\"flow_appeared\"")
    case 1: member("event_name", "\"flow_disappeared\"")
    case 2: member("event_name", pick([#""cta_tapped""#, #""flow_unheard_of""#, #""Ünknown""#]))
    case 3, 4, 5:
      member("event_name", "\"flow_screen_showed\"")
      let isLast = pick(["true", "true", "false"])
      member(
        "params",
        pick([
          #"{"instanceId":"scr_done","is_last_screen":\#(isLast)}"#,
          #"{"is_last_screen":\#(isLast),"instanceId":"scr_body","screen_order":1}"#,
        ]))
    default:
      member("event_name", "\"flow_user_input\"")
      let element = pick(["weight", "height"])
      let value = pick(
        element == "weight" ? ["60", "82,5", "82.5", ""] : ["181", "1810", "170", "é"])
      member(
        "params",
        pick([
          #"{"element_id":"\#(element)","instanceId":"scr_body","value":"\#(value)"}"#,
          #"{"value":"\#(value)","element_id":"\#(element)","instanceId":"scr_body","x":1.50}"#,
        ]))
    }
    if pick([true, true, false]) { member("session_id", pick(["\"s1\"", "\"s2\""])) }
    if pick([true, false]) { member("counter", "\(event)") }
    // Poorer and richer copies: each member comes or not, and not always with one value.
    if pick([true, true, false]) { member("placement_id", "\"onboarding\"") }
    if pick([true, false]) { member("platform", pick(["\"iOS\"", "\"Android\""])) }
    if pick([true, false]) { member("locale", pick(["\"de_DE\"", "\"en_US\""])) }
    if pick([true, false]) { member("app_version", pick(["\"1.0\"", "\"2.0\""])) }
    if pick([true, false, false]) { member("is_test_user", pick(["true", "false"])) }
    if pick([true, false, false]) { member("sent_at", "\"2026-03-01T11:00:0\(event % 3)Z\"") }
    if pick([true, false, false]) { member("received_at", "\"2026-03-01T12:00:0\(event % 3)Z\"") }
    return "{" + members.shuffled(using: &random).joined(separator: ",") + "}\n"
  }
}

@Suite("The law, where it is hard")
struct LawHardTests {
  @Test(
    "copies that conflict, ids in two spellings and events without one: any order, the same bytes",
  )
  func conflicts() async throws {
    var tangle = Tangle(random: SeededGenerator(seed: 1))
    let lines = (0..<900).map { tangle.line($0 % 20) }
    let folder = try ScratchFolder()
    let clean = try Law()
    try await clean.run([try folder.write(lines.joined(), as: "clean.ndjson")])
    let expected = try await clean.dump()
    let sheet = try clean.query(
      "select counts ->> 'conflict', counts ->> 'duplicate' from sluice.job_runs")
    #expect(Int(try #require(sheet[0][0])) ?? 0 > 100)
    #expect(try clean.query("select count(*) from sluice.profiles") == [["20"]])
    #expect(try clean.query("select count(*) > 2 from sluice.custom_attributes") == [["t"]])

    for round in 0..<3 {
      let shuffled = lines.shuffled(using: &tangle.random)
      let file = try folder.write(shuffled.joined(), as: "shuffled-\(round).ndjson")
      let law = try Law()
      try await law.run([file])
      #expect(try await law.dump() == expected, "shuffled, round \(round)")
    }
    let parts = try (0..<3).map { part in
      let lines = (lines + lines).shuffled(using: &tangle.random)
      return try folder.write(
        lines.prefix(part == 2 ? lines.count : 700).joined(), as: "part-\(part).ndjson")
    }
    let law = try Law()
    for part in parts { try await law.run([part]) }
    #expect(try await law.dump() == expected, "in three runs that overlap")
    let single = try Law()
    try await single.run([parts[2]]) {
      $0.chunkBytes = 64 << 10
      $0.resolve.memoryInBytes = 1
    }
    #expect(try await single.dump() == expected, "in small batches")
  }

  @Test("more events than one connection writes alone: 1 and 4 jobs, small chunks, the same dump")
  func manyEvents() async throws {
    var random = SeededGenerator(seed: 3)
    var lines: [String] = []
    for profile in 0..<500 {
      var script = EventScript()
      for number in 0..<7 {
        script.session = Bytes("s\(number)")
        script.onboarding(
          Double(number) * 100, weight: "\(Int.random(in: 45...120, using: &random))",
          height: "\(Int.random(in: 150...200, using: &random))")
      }
      lines += script.lines(of: Bytes("person \(profile)"))
    }
    #expect(lines.count > 20_000)
    let folder = try ScratchFolder()
    let file = try folder.write(lines.shuffled(using: &random).joined(), as: "many.ndjson")
    let one = try Law()
    try await one.run([file], jobs: 1)
    let four = try Law()
    try await four.run([file], jobs: 4) { $0.chunkBytes = 256 << 10 }
    let expected = try await one.dump()
    #expect(expected.split(separator: "\n").count > 4000)
    #expect(try await four.dump() == expected)
    #expect(
      try four.query("select sum((counts ->> 'accepted')::int) from sluice.job_units")
        == [["\(lines.count)"]])
  }

  @Test("a file that a killed job began is read again, though nobody says --reread")
  func killedWithoutReread() async throws {
    let text = try Checkout.lines(of: Checkout.davis).joined(separator: "\n") + "\n"
    let folder = try ScratchFolder()
    let file = try folder.write(text, as: "events.ndjson")
    let clean = try Law()
    try await clean.run([file])
    let expected = try await clean.dump()

    let law = try Law()
    let lockKey = try SchemaName(SchemaName.standard, .system).lockKey
    let shards = try clean.query("select distinct shard from sluice.profiles order by shard")
      .compactMap { $0[0].flatMap { Int32($0) } }
    for round in 0..<6 {
      // The job is held up where its turn comes to a shard, and killed there.
      let hand = try law.database.connection()
      try hand.executeScript("begin")
      let shard = shards[round * shards.count / 6]
      try hand.execute("select pg_advisory_xact_lock($1, $2)", [.int4(lockKey), .int4(shard)])
      let process = Process()
      process.executableURL = URL(filePath: Checkout.program)
      process.arguments = [
        "run", "--quiet", "--pipeline", Checkout.pipeline, "--as-of", asOf, file,
        "--database", try ScratchServer.url(of: law.database.name),
      ]
      try process.run()
      func isWaiting() throws -> Bool {
        try hand.execute(
          """
          select 1 from pg_locks
          where locktype = 'advisory' and not granted and objid::bigint = $1
            and database = (select oid from pg_database where datname = current_database())
          """, [.int8(Int64(shard))]
        ).count > 0
      }
      while process.isRunning, try !isWaiting() { usleep(1000) }
      #expect(process.isRunning, "round \(round): nothing was left to do in shard \(shard)")
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      try hand.executeScript("rollback")
    }
    try await law.run([file])
    #expect(try await law.dump() == expected)
  }

  @Test("a second flow without its own flow_appeared does not take answers over from the first")
  func reset() async throws {
    var script = EventScript()
    script.onboarding(0, weight: "80", height: "180")
    script.screen(10, "scr_body")
    script.input(11, "weight", "100")
    script.screen(12, "scr_done", last: true)
    let folder = try ScratchFolder()
    let law = try Law()
    try await law.run([try folder.write(script.lines(of: "p").joined(), as: "p.ndjson")])
    #expect(
      try law.query("select element_id, value_text from sluice.answers order by answered_at") == [
        ["weight", "80"], ["height", "180"], ["weight", "100"],
      ])
    #expect(
      try law.query("select run_number, completed from sluice.flow_runs order by 1") == [
        ["1", "t"], ["2", "t"],
      ])
    // The second run was asked for no height: the first one speaks.
    #expect(
      try law.query("select round(value_number::numeric, 2) from sluice.custom_attributes")
        == [["24.69"]])
  }

  @Test("a second run over an old file touches no row of any table but its own record")
  func secondRun() async throws {
    let text = try Checkout.lines(of: Checkout.davis).joined(separator: "\n") + "\nbroken\n"
    let folder = try ScratchFolder()
    let file = try folder.write(text, as: "events.ndjson")
    let law = try Law()
    try await law.run([file])
    let tables = try law.query(
      """
      select relname from pg_class
      where relnamespace = 'sluice'::regnamespace and relkind = 'r'
        and relname not in ('job_runs', 'job_units')
      order by relname
      """
    ).compactMap { $0[0] }
    #expect(
      Set(tables).isSuperset(of: [
        "shard_state", "ingest_files", "rejects", "generations", "schema_migrations", "profiles",
      ]))
    func versions() throws -> [[String?]] {
      try law.query(
        tables.map { "select '\($0)', ctid::text, xmin::text from sluice.\($0)" }
          .joined(separator: " union all ") + " order by 1, 2, 3")
    }
    let before = try versions()
    #expect(before.contains { $0[0] == "rejects" })
    #expect(before.contains { $0[0] == "ingest_files" })
    try await law.run([file])
    #expect(try versions() == before)
    #expect(try law.query("select count(*) from sluice.job_runs") == [["2"]])
    #expect(
      try law.query("select count(*) from sluice.job_units where job_id = 2") == [["0"]])
  }
}

@Suite("Which files are read again")
struct SkipTests {
  private let folder: ScratchFolder
  private let database: ScratchDatabase

  init() throws {
    folder = try ScratchFolder()
    database = try ScratchDatabase()
  }

  /// Records of one profile, some before and after more than the sampled 4 kB of either end.
  private func text(middle: String) -> String {
    func event(_ id: String) -> String {
      #"{"event_id":"\#(id)","event_name":"x","profile_id":"p","occurred_at":"2026-03-01T10:00:00Z"}"#
        + "\n"
    }
    let around = (0..<100).map { event("around-\(100 + $0)") }
    return around[..<50].joined() + event(middle) + around[50...].joined()
  }

  private func run(_ file: String) async throws -> String {
    let done = try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, "--as-of", asOf, file], on: database)
    #expect(done.code == .done, "\(done.words)")
    return done.words
  }

  private func storedEvents() throws -> [String] {
    try database.store().fetchEvents(of: "p")?.events.map { $0.identity.bytes.string } ?? []
  }

  private func status(_ path: String) -> stat {
    var status = stat()
    #expect(stat(path, &status) == 0)
    return status
  }

  private func setModified(_ path: String, as before: stat) {
    let times = [before.st_atim, before.st_mtim]
    #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
  }

  @Test("an unchanged file is skipped, and the words say so")
  func unchanged() async throws {
    let file = try folder.write(text(middle: "one"), as: "events.ndjson")
    #expect(try await run(file).contains("101 records read in 1 input\n"))
    let again = try await run(file)
    #expect(again.contains("0 records read in 0 inputs, 1 file unchanged and skipped"))
    #expect(again.contains("nothing changed"))
    #expect(try database.store().query("select job_id from sluice.ingest_files").rows == [["1"]])
  }

  @Test("a file that was replaced by another of the same size and time is read")
  func replaced() async throws {
    let file = try folder.write(text(middle: "one"), as: "events.ndjson")
    _ = try await run(file)
    let before = status(file)
    let other = try folder.write(text(middle: "two"), as: "other.ndjson")
    setModified(other, as: before)
    #expect(rename(other, file) == 0)
    let after = status(file)
    #expect(after.st_size == before.st_size && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec)
    #expect(after.st_ino != before.st_ino)
    #expect(try await !run(file).contains("skipped"))
    #expect(try storedEvents().contains("two"))
  }

  @Test("a file that was changed in place is read, though its time was set back")
  func changedInPlace() async throws {
    let file = try folder.write(text(middle: "one"), as: "events.ndjson")
    _ = try await run(file)
    let before = status(file)
    let handle = try FileHandle(forUpdating: URL(filePath: file))
    try handle.write(contentsOf: Data(text(middle: "two").utf8))
    try handle.close()
    setModified(file, as: before)
    let after = status(file)
    #expect(after.st_ino == before.st_ino && after.st_size == before.st_size)
    #expect(after.st_mtim.tv_sec == before.st_mtim.tv_sec)
    #expect(try await !run(file).contains("skipped"))
    #expect(try storedEvents().contains("two"))
  }

  @Test("a file that grew is read")
  func grown() async throws {
    let file = try folder.write(text(middle: "one"), as: "events.ndjson")
    _ = try await run(file)
    let before = status(file)
    let handle = try FileHandle(forWritingTo: URL(filePath: file))
    try handle.seekToEnd()
    try handle.write(
      contentsOf: Data(
        text(middle: "two").split(separator: "\n")[50].utf8))
    try handle.close()
    setModified(file, as: before)
    #expect(try await !run(file).contains("skipped"))
    #expect(try storedEvents().contains("two"))
  }

  @Test("a file that was written within two seconds of its reading is read again, later skipped")
  func fresh() async throws {
    let file = try folder.write(text(middle: "one"), as: "events.ndjson")
    for age in [1.0, -3600] {
      // On a machine that is slow enough the first of them is no longer fresh: nothing to see then.
      let written = Date()
      try FileManager.default.setAttributes(
        [.modificationDate: written.addingTimeInterval(-age)], ofItemAtPath: file)
      _ = try await run(file)
      if age > 0, Date().timeIntervalSince(written) > 0.9 { continue }
      #expect(try database.store().query("select is_done from sluice.ingest_files").rows == [["f"]])
      #expect(try await !run(file).contains("skipped"))
    }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -5)], ofItemAtPath: file)
    _ = try await run(file)
    #expect(try await run(file).contains("1 file unchanged and skipped"))
  }

  @Test("any one thing that differs about a file has it read")
  func covers() throws {
    let identity = FileIdentity(
      path: "/f", inode: 1, device: 2, size: 3, modifiedAtNanoseconds: 4, changedAtNanoseconds: 5,
      headHash: "h", tailHash: "t")
    let record = FileRecord(
      path: "/f", device: 2, inode: 1, size: 3, mtimeNanoseconds: 4, ctimeNanoseconds: 5,
      bytesDone: 3, linesDone: 0, headHash: Array("h".utf8), tailHash: Array("t".utf8),
      readerRevision: "r", isDone: true, isTruncated: false, counts: "{}")
    #expect(record.covers(identity, readerRevision: "r"))
    #expect(!record.covers(identity, readerRevision: "other"))
    let changes: [(inout FileRecord) -> Void] = [
      { $0.device += 1 }, { $0.inode += 1 }, { $0.size += 1 }, { $0.mtimeNanoseconds += 1 },
      { $0.ctimeNanoseconds += 1 }, { $0.headHash = [] }, { $0.tailHash = [] },
      { $0.isDone = false },
    ]
    for (index, change) in changes.enumerated() {
      var other = record
      change(&other)
      #expect(!other.covers(identity, readerRevision: "r"), "change \(index)")
    }
  }
}
