import Core
import Foundation
import Store
import Testing

@testable import sluice

/// All tests of the law fix the instant.
private let asOf = "2026-11-20T00:00:00Z"

@Suite("The main job on real measurements")
struct MainJobTests {
  private func run(_ inputs: [String], _ more: [String] = [], on database: ScratchDatabase)
    async throws
  {
    let done = try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, "--as-of", asOf] + more + inputs, on: database)
    #expect(done.code == .done, "\(done.words)")
  }

  private func query(_ sql: String, on database: ScratchDatabase) throws -> [[String?]] {
    try database.store().query(sql).rows
  }

  @Test("every athlete's BMI is a double within 0.025 of what the laboratory published")
  func athletes() async throws {
    let database = try ScratchDatabase()
    try await run([Checkout.athletes], on: database)
    let published = try Checkout.lines(
      of: Checkout.folder + "/Tests/SluiceTests/Fixtures/measurements/athletes.bmi.csv"
    ).dropFirst()
    let stored = try query(
      """
      select profile_id, value_number, pg_typeof(value_number)::text
      from sluice.custom_attributes where key = 'bmi'
      """, on: database)
    var values: [String: Double] = [:]
    for row in stored {
      #expect(row[2] == "double precision")
      values[try #require(row[0])] = Double(try #require(row[1]))
    }
    #expect(values.count == 202 && published.count == 202)
    for line in published {
      let cells = line.split(separator: ",")
      let ours = try #require(values[String(cells[0])])
      let theirs = try #require(Double(cells[1]))
      #expect(abs(ours - theirs) <= 0.025, "\(cells[0])")
    }
  }

  @Test(
    "the person whose weight and height were swapped has no BMI, with a reason; all others have")
  func davis() async throws {
    let database = try ScratchDatabase()
    try await run([Checkout.davis], on: database)
    let missing = try query(
      "select profile_id, key, reason from sluice.missing_attributes", on: database)
    #expect(missing.map { $0[2] } == ["implausible"])
    let person = try #require(missing.first?[0])
    let answers = try query(
      "select value_text from sluice.answers where profile_id = '\(person)' order by element_id",
      on: database)
    #expect(answers == [["57"], ["166"]])
    let have = try query(
      "select count(*) from sluice.custom_attributes where key = 'bmi'", on: database)
    #expect(have == [["199"]])
  }

  @Test(
    "who did not complete goes back to onboarding; who completed unreadably does not go in circles")
  func sentBack() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    var left = EventScript()
    left.appeared(0)
    left.input(1, "weight", "80")
    left.disappeared(2)
    var unreadable = EventScript()
    unreadable.onboarding(0, weight: "80", height: "tall")
    let file = try folder.write(
      lines(left, of: "left") + lines(unreadable, of: "unreadable"), as: "events.ndjson")
    try await run([file], on: database)
    let next = try query(
      """
      select profile_id, sluice.next_placement(profile_id) ->> 'placement'
      from sluice.profiles order by profile_id
      """, on: database)
    #expect(next == [["left", "onboarding"], ["unreadable", "bmi_paywall"]])
    #expect(try query("select count(*) from sluice.custom_attributes", on: database) == [["0"]])
    #expect(
      try query("select reason from sluice.missing_attributes order by profile_id", on: database)
        == [["not_completed"], ["unreadable"]])
    let tag = try query(
      "select sluice.next_placement('unreadable') -> 'tags' ->> 'bmi'", on: database)
    #expect(tag == [["—"]])
  }

  @Test("a second run writes no row outside the job's own record")
  func secondRun() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    let file = try folder.write(
      String(contentsOfFile: Checkout.davis, encoding: .utf8), as: "davis.ndjson")
    try await run([file], on: database)
    let before = try RowVersions(database)
    try await run([file], on: database)
    try await run([file], ["--reread"], on: database)
    #expect(try RowVersions(database) == before)
  }

  @Test("a late event changes only that profile's rows, and only those whose value differs")
  func lateEvent() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    var one = EventScript()
    one.onboarding(0, weight: "80", height: "180")
    var two = EventScript()
    two.onboarding(0, weight: "60", height: "180")
    try await run(
      [try folder.write(lines(one, of: "one") + lines(two, of: "two"), as: "first.ndjson")],
      on: database)
    let before = try RowVersions(database)
    var late = EventScript()
    late.add(
      "flow_user_input", 2.5,
      Bytes(#"{"element_id":"weight","instanceId":"scr_body","value":"100"}"#), id: "late")
    try await run([try folder.write(lines(late, of: "one"), as: "late.ndjson")], on: database)
    let after = try RowVersions(database)
    #expect(after.changed(since: before).allSatisfy { $0.profile == "one" })
    // Not obese before 100 kg, and the segment of before is left: memberships move, the decision's
    // audience and tag too; nothing else of the profile differs.
    #expect(
      Set(after.changed(since: before).map(\.table)) == [
        "profile_events", "profiles", "flow_runs", "custom_attributes", "segment_members",
        "placement_decisions",
      ])
    let bmi = try query(
      "select round(value_number::numeric, 2) from sluice.custom_attributes where profile_id = 'one'",
      on: database)
    #expect(bmi == [["30.86"]])
  }

  @Test(
    "a record that is broken is listed with file, line, offset and reason; those around it land")
  func rejects() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    var script = EventScript()
    script.onboarding(0, weight: "80", height: "180")
    let good = lines(script, of: "p").split(separator: "\n").map(String.init)
    let bad = [
      #"{"event_id":"x","event_name":"flow_appeared","#,
      #"{"event_id":"x","event_name":"flow_appeared","occurred_at":"2026-03-01T10:00:00Z"}"#,
      #"{"event_id":"x","event_name":"flow_appeared","profile_id":"p","occurred_at":"2026-02-30T10:00:00Z"}"#,
    ]
    var all = good
    all.insert(contentsOf: bad, at: 2)
    let file = try folder.write(all.joined(separator: "\n") + "\n", as: "events.ndjson")
    let done = try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, "--as-of", asOf, "--max-rejects", "3", file],
      on: database)
    #expect(done.code == .done, "\(done.words)")
    let offset = good[0].utf8.count + good[1].utf8.count + 2
    let rows = try query(
      "select line, byte_offset, reason, field, file from sluice.rejects order by line",
      on: database)
    let path = try #require(realpath(file, nil).map { String(cString: $0) })
    #expect(
      rows == [
        ["3", "\(offset)", "invalid_json", "", path],
        ["4", "\(offset + bad[0].utf8.count + 1)", "missing_member", "profile_id", path],
        [
          "5", "\(offset + bad[0].utf8.count + bad[1].utf8.count + 2)", "invalid_time",
          "occurred_at", path,
        ],
      ])
    #expect(
      try query("select n from sluice.profile_events", on: database) == [["\(good.count)"]])
    let tooMany = try await CommandRun(
      ["run", "--as-of", asOf, "--max-rejects", "2", "--reread", file], on: database)
    #expect(tooMany.code == .tooManyRejects)
  }

  @Test("a wrong pipeline file, a missing file and an unreachable database end with their codes")
  func failures() async throws {
    let folder = try ScratchFolder()
    let wrong = try folder.write("pipeline: x\nsegmnts: {}\n", as: "wrong.yaml")
    let events = try folder.write("", as: "empty.ndjson")
    let database = try ScratchDatabase(isMigrated: false)
    let nowhere = ["--database", "postgresql:///x?host=/nowhere"]

    let pipeline = try await CommandRun(["run", "--pipeline", wrong, events], on: database)
    #expect(pipeline.code == .pipelineWrong)
    #expect(pipeline.words.contains("wrong.yaml:2:1: "))
    let file = try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, folder.path + "/none.ndjson"], on: database)
    #expect(file.code == .noInput)
    #expect(file.words.split(separator: "\n").count == 1)
    let server = try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, events] + nowhere)
    #expect(server.code == .noDatabase)
    #expect(server.words.split(separator: "\n").count == 1)
    let schemas = try database.connection().execute(
      "select count(*) from pg_namespace where nspname = 'sluice'")
    #expect(schemas.integer(0, 0) == 0)
  }

  @Test("a changed pipeline file derives stored profiles anew, without reading any event again")
  func changedPipeline() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    try await run([Checkout.davis], on: database)
    let text = try String(contentsOfFile: Checkout.pipeline, encoding: .utf8)
    let changed = try folder.write(
      text.replacingOccurrences(of: "bmi >= 30", with: "bmi >= 29"), as: "changed.yaml")
    let done = try await CommandRun(
      ["recompute", "--pipeline", changed, "--as-of", asOf], on: database)
    #expect(done.code == .done, "\(done.words)")
    let now = try query(
      "select count(*) from sluice.segment_members where segment = 'obese'", on: database)
    let bmi = try query(
      "select count(*) from sluice.custom_attributes where value_number >= 29", on: database)
    #expect(now == bmi)
    // An old copy of the file must not undo the newer one.
    let old = try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, "--as-of", asOf, Checkout.davis], on: database)
    #expect(old.code == .pipelineWrong)
  }
}

@Suite("The law: the same events give the same database")
struct LawTests {
  /// A tangle of people: measurements of two studies, copies, late and odd events.
  private static func lines() throws -> [String] {
    var script = EventScript()
    script.onboarding(0, weight: "82", height: "181")
    script.onboarding(40, weight: "70,5", height: "181")
    script.input(60, "weight", "")
    script.session = nil
    script.context[.locale] = "de_DE"
    script.onboarding(9_000, weight: "85,5", height: "1.81")
    script.add("cta_tapped", 9_001, #"{"x":[1,{"y":null}]}"#)
    let tangle = sluiceLines(script, of: "tangle").split(separator: "\n").map(String.init)
    let davis = try Checkout.lines(of: Checkout.davis)
    return Array(davis.prefix(420)) + tangle
  }

  private static func dump(_ database: ScratchDatabase) async throws -> String {
    let dump = try await CommandRun(["export", "dump", "--as-of", asOf], on: database)
    #expect(dump.code == .done, "\(dump.words)")
    return dump.output
  }

  private static func load(
    _ parts: [[String]], into database: ScratchDatabase, jobs: Int = 2,
    _ change: (inout RunOptions) -> Void = { _ in }
  ) async throws {
    let folder = try ScratchFolder()
    var files: [String] = []
    for (index, part) in parts.enumerated() {
      files.append(
        try folder.write(part.joined(separator: "\n") + "\n", as: "part-\(index).ndjson"))
    }
    let arguments =
      ["run", "--quiet", "--pipeline", Checkout.pipeline, "--as-of", asOf, "--jobs", "\(jobs)"]
      + files + ["--database", try ScratchServer.url(of: database.name)]
    guard case .run(var options) = try Command(arguments) else { return }
    change(&options)
    let code = try await Sluice(console: Console(), environment: [:]).runEvents(options)
    #expect(code == .done)
  }

  @Test(
    "shuffled, duplicated, split, one event a batch, 1 or 4 jobs: the dump is identical to the byte"
  )
  func orderProof() async throws {
    let lines = try Self.lines()
    var random = SeededGenerator(seed: 11)
    let clean = try ScratchDatabase()
    try await Self.load([lines], into: clean)
    let expected = try await Self.dump(clean)
    #expect(expected.split(separator: "\n").count > 300)

    struct Way {
      let name: String
      let parts: [[String]]
      var jobs = 2
      var change: (inout RunOptions) -> Void = { _ in }
    }
    let shuffled = lines.shuffled(using: &random)
    let doubled = (lines + lines).shuffled(using: &random)
    let ways = [
      Way(name: "shuffled", parts: [shuffled]),
      Way(name: "duplicated", parts: [doubled]),
      Way(
        name: "split over files",
        parts: (0..<7).map { part in
          shuffled.enumerated().filter { $0.offset % 7 == part }.map(\.element)
        }),
      Way(name: "one job", parts: [shuffled], jobs: 1),
      Way(name: "four jobs", parts: [doubled], jobs: 4),
      Way(
        name: "one event a batch", parts: [shuffled],
        change: {
          $0.chunkBytes = 1
          $0.resolve.memoryInBytes = 1
        }),
    ]
    for way in ways {
      let database = try ScratchDatabase()
      try await Self.load(way.parts, into: database, jobs: way.jobs, way.change)
      #expect(try await Self.dump(database) == expected, "\(way.name)")
    }
    let split = try ScratchDatabase()
    try await Self.load([Array(shuffled.prefix(200))], into: split)
    try await Self.load([Array(shuffled.dropFirst(150))], into: split)
    #expect(try await Self.dump(split) == expected, "in two runs that overlap")
  }

  @Test("two runs at once end in the dump of one")
  func atOnce() async throws {
    let lines = try Self.lines()
    let clean = try ScratchDatabase()
    try await Self.load([lines], into: clean)
    let database = try ScratchDatabase()
    async let first: Void = Self.load([lines], into: database)
    async let second: Void = Self.load([lines.reversed()], into: database)
    _ = try await (first, second)
    #expect(try await Self.dump(database) == Self.dump(clean))
  }

  @Test("killed in the middle ten times and run again, the dump is that of a clean run")
  func killed() async throws {
    let lines = try Self.lines()
    let clean = try ScratchDatabase()
    try await Self.load([lines], into: clean)
    let expected = try await Self.dump(clean)
    let folder = try ScratchFolder()
    let file = try folder.write(lines.joined(separator: "\n") + "\n", as: "events.ndjson")
    var random = SeededGenerator(seed: 5)
    let database = try ScratchDatabase()
    var killed = 0
    for _ in 1...10 {
      let process = Process()
      process.executableURL = URL(filePath: Checkout.program)
      process.arguments = [
        "run", "--quiet", "--reread", "--pipeline", Checkout.pipeline, "--as-of", asOf, file,
        "--database", try ScratchServer.url(of: database.name),
      ]
      try process.run()
      usleep(UInt32.random(in: 5_000...400_000, using: &random))
      if process.isRunning {
        kill(process.processIdentifier, SIGKILL)
        killed += 1
      }
      process.waitUntilExit()
    }
    #expect(killed > 0)
    try await Self.load([lines], into: database)
    #expect(try await Self.dump(database) == expected)
  }
}

/// A script's events as lines of the canonical envelope.
private func lines(_ script: EventScript, of profile: Bytes) -> String {
  sluiceLines(script, of: profile)
}

private func sluiceLines(_ script: EventScript, of profile: Bytes) -> String {
  script.events.map { event in
    let line = ProfileEvent(profileID: profile, event: event).envelope
    return String(decoding: line, as: UTF8.self) + "\n"
  }.joined()
}

/// The version of each row that is derived from events: who wrote it last.
struct RowVersions: Equatable {
  struct Row: Hashable {
    let table: String
    let profile: String
    let place: String
    let writer: String
  }

  let rows: Set<Row>

  init(_ database: ScratchDatabase) throws {
    let tables = [
      "profile_events", "profiles", "flow_runs", "custom_attributes", "attribute_history",
      "segment_members", "segment_history", "placement_decisions", "profile_links",
      "profile_aliases", "ununited_profiles",
    ]
    let store = try database.store()
    var rows: Set<Row> = []
    for table in tables {
      let found = try store.query("select profile_id, ctid::text, xmin::text from sluice.\(table)")
      for row in found.rows {
        rows.insert(
          Row(
            table: table, profile: row[0] ?? "", place: row[1] ?? "", writer: row[2] ?? ""))
      }
    }
    self.rows = rows
  }

  func changed(since before: RowVersions) -> Set<Row> { rows.subtracting(before.rows) }
}

@Suite("Inputs that are odd")
struct OddInputTests {
  private func run(_ inputs: [String], on database: ScratchDatabase) async throws -> CommandRun {
    try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, "--as-of", asOf] + inputs, on: database)
  }

  private let event =
    #"{"event_id":"1","event_name":"x","profile_id":"1","occurred_at":"2026-03-01T10:00:00Z"}"#

  @Test("a file name that is no UTF-8 costs nothing")
  func oddName() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    let path = (Array((folder.path + "/a").utf8) + [0xFF, 0]).map { CChar(bitPattern: $0) }
    let file = open(path, O_CREAT | O_WRONLY, 0o600)
    #expect(file >= 0)
    let text = Array((event + "\nbroken\n").utf8)
    #expect(write(file, text, text.count) == text.count)
    close(file)
    let done = try await run([folder.path, "--max-rejects", "1"], on: database)
    #expect(done.code == .done, "\(done.words)")
    let files = try database.store().query(
      "select path from sluice.ingest_files union select file from sluice.rejects")
    #expect(files.rows.count == 1)
    #expect(files.rows[0][0]?.hasSuffix("/a%ff") == true)
  }

  @Test("a cut last record is listed, and no longer once the rest of it has arrived")
  func growing() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    let file = try folder.write(String(event.prefix(40)), as: "events.ndjson")
    _ = try await run([file, "--max-rejects", "1"], on: database)
    let store = try database.store()
    #expect(
      try store.query("select reason from sluice.rejects").rows == [["truncated_record"]])
    _ = try folder.write(event + "\n", as: "events.ndjson")
    #expect(try await run([file], on: database).code == .done)
    #expect(try store.query("select reason from sluice.rejects").rows.isEmpty)
    #expect(try store.query("select n from sluice.profile_events").rows == [["1"]])
  }

  @Test("words about a connection never repeat its password")
  func password() async throws {
    for url in [
      "postgres://u:secretpw@[::1/x", "postgres://u:secretpw%@h/x", "password=secretpw x",
    ] {
      let done = try await CommandRun(["migrate", "--database", url])
      #expect(done.code == .noDatabase)
      #expect(!done.words.contains("secretpw"), "\(done.words)")
    }
  }
}
