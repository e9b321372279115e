import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

private let asOf = "2026-11-20T00:00:00Z"

/// A merge as a line of a file.
private func mergeLine(_ from: String, _ into: String, under id: String? = nil) -> String {
  #"{"event_id":"m-\#(from)-\#(into)","event_name":"profile_merged","profile_id":"\#(id ?? from)","#
    + #""occurred_at":"2026-03-02T10:00:00Z","params":{"from":"\#(from)","into":"\#(into)"}}"#
    + "\n"
}

/// A record of the vendor's webhook as a line of a file.
private func recordLine(_ profile: String, customer: String, integrations: String) -> String {
  #"{"event_id":"r-\#(profile)","event_name":"subscription_started","profile_id":"\#(profile)","#
    + #""customer_user_id":"\#(customer)","occurred_at":"2026-03-02T10:00:00Z","#
    + #""params":{"integration_ids":\#(integrations)}}"# + "\n"
}

private func onboarding(_ id: Bytes, weight: String, at seconds: Double = 0) -> [String] {
  var script = EventScript()
  script.session = Bytes("s \(id.string) \(Int(seconds))")
  script.onboarding(seconds, weight: weight, height: "180")
  return script.lines(of: id)
}

@Suite("People of several ids, on the command line")
struct PeopleCommandTests {
  private let folder: ScratchFolder
  private let database: ScratchDatabase

  init() throws {
    folder = try ScratchFolder()
    database = try ScratchDatabase()
  }

  @discardableResult
  private func run(_ arguments: [String]) async throws -> CommandRun {
    let done = try await CommandRun(arguments, on: database)
    #expect(done.code == .done, "\(done.words)")
    return done
  }

  private func job(_ text: String, as name: String, _ pipeline: String = Checkout.pipeline)
    async throws -> CommandRun
  {
    try await run(
      ["run", "--pipeline", pipeline, "--as-of", asOf, try folder.write(text, as: name)])
  }

  @Test("events that come again under a link that has just come into force are counted once")
  func againUnderNewLink() async throws {
    func line(_ id: String, _ profile: String) -> String {
      #"{"event_id":"\#(id)","event_name":"app_opened","profile_id":"\#(profile)","#
        + #""occurred_at":"2026-03-01T00:00:00Z"}"# + "\n"
    }
    let ids = (1...8).map { "p\($0)" }
    let all = try folder.write(
      ids.map { line("e", $0) }.joined() + ids.dropFirst().map { mergeLine($0, "p1") }.joined(),
      as: "all.ndjson")
    let again = try folder.write(ids.map { line("e", $0) }.joined(), as: "again.ndjson")
    let pipeline = try folder.write("pipeline: p\n", as: "p.yaml")
    for (asOf, file) in [("2026-03-01T12:00:00Z", all), ("2026-03-10T00:00:00Z", again)] {
      let done = try await CommandRun(
        ["run", "--pipeline", pipeline, "--as-of", asOf, file], on: database)
      #expect(done.code == .done, "\(done.words)")
    }
    #expect(
      try database.store().query("select profile_id from sluice.profiles").rows == [["p1"]])
  }

  @Test("every command that names a person takes any of their ids")
  func anyID() async throws {
    let pair =
      (onboarding("anna", weight: "70") + onboarding("device-7", weight: "120", at: 5000)).joined()
    let first = try await job(
      pair + mergeLine("device-7", "anna") + mergeLine("nil", "anna", under: "anna"), as: "a.ndjson"
    )
    #expect(first.words.contains("  other ids of people: +1 -0\n"))
    #expect(first.words.contains("  1 merge of no two ids: one is missing or junk"))
    let store = try database.store()
    // The later onboarding speaks, whichever id it came under.
    for id in ["anna", "device-7"] {
      let next = try store.query(
        "select sluice.next_placement($1) -> 'tags' ->> 'bmi', sluice.next_placement($1) ->> 'audience'",
        [id])
      #expect(next.rows == [["37.0", "obese"]])
      let explained = try await run(["explain", id, "--format", "csv"])
      #expect(explained.output.contains("profile,also known as,device-7,"))
      #expect(explained.output.contains("profile,events,14,"))
      let events = try await run(["export", "events", id])
      let lines = events.output.split(separator: "\n")
      #expect(lines.count == 14)
      #expect(lines.filter { $0.contains(#""profile_id":"anna""#) }.count == 7)
    }
    let force = try await run([
      "force", "device-7", "--placement", "bmi_paywall", "--variation",
      "7c1d8a9e-0000-4a00-8000-000000000001", "--until", "2027-01-01",
    ])
    #expect(force.output.contains(#""profile_id":"device-7""#))
    #expect(
      try store.query(
        "select profile_id, flow_id, variation_source from sluice.placement_decisions"
      ).rows == [["anna", "coach_a", "forced"]])
    let unknown = try await CommandRun(["explain", "anna-2"], on: database)
    #expect(unknown.code == .noInput)
  }

  @Test("the variation is drawn for the id that stands for the person")
  func draw() async throws {
    let names = (0..<40).map { Bytes("p\($0)") }
    let version: Bytes = "5f0e0a52-0000-4a00-8000-0000000000aa"
    func number(_ id: Bytes) -> Int {
      VariationDraw.number(audienceVersionID: version, profileID: id, .system)
    }
    let low = try #require(names.first { number($0) < 50 })
    let high = try #require(names.first { number($0) >= 50 })
    for (canonical, other) in [(low, high), (high, low)] {
      let database = try ScratchDatabase()
      let text =
        onboarding(other, weight: "120").joined() + mergeLine(other.string, canonical.string)
      let file = try folder.write(text, as: "\(canonical.string).ndjson")
      _ = try await CommandRun(
        ["run", "--pipeline", Checkout.pipeline, "--as-of", asOf, file], on: database)
      #expect(
        try database.store().query(
          "select profile_id, flow_id, variation_source from sluice.placement_decisions"
        ).rows == [
          [canonical.string, canonical == low ? "coach_a" : "coach_b", "predicted"]
        ])
    }
  }

  private func pipeline(_ people: String, as name: String) throws -> String {
    let text = try String(contentsOfFile: Checkout.pipeline, encoding: .utf8)
    return try folder.write(text + "\n" + people + "\n", as: name)
  }

  @Test("streams of other tools join their person where the pipeline says so, and leave again")
  func otherTools() async throws {
    let plain = try pipeline("", as: "plain.yaml")
    let united = try pipeline(
      "people: { unite_by: [customer_user_id, integration_ids] }", as: "united.yaml")
    let text =
      (onboarding("amplitude:d1", weight: "120") + onboarding("ga4:f1", weight: "80", at: 9000)
      + onboarding("p", weight: "60", at: -9000)).joined()
      + recordLine(
        "p", customer: "42", integrations: #"{"amplitude_device_id":"d1"}"#)
      + recordLine("q", customer: "42", integrations: #"{"firebase_app_instance_id":"f1"}"#)
    _ = try await job(text, as: "events.ndjson", plain)
    let store = try database.store()
    #expect(try store.profiles() == ["amplitude:d1", "ga4:f1", "p", "q"])
    let alone = try await run(["export", "dump"]).output

    let planned = try await run(["plan", united])
    #expect(planned.output.contains("only a run can tell"))
    let json = try await run(["plan", "--format", "json", united]).output
    #expect(json.contains(#""people_rules_differ": true"#))
    try await run(["recompute", "--pipeline", united, "--as-of", asOf])
    #expect(try store.profiles() == ["p"])
    #expect(
      try store.aliases() == ["amplitude:d1>p", "cu:42>p", "ga4:f1>p", "q>p"])
    #expect(
      try store.query("select sluice.next_placement('ga4:f1') -> 'tags' ->> 'bmi'").rows
        == [["24.7"]])
    let together = try await run(["export", "dump"]).output

    let fresh = try ScratchDatabase()
    _ = try await CommandRun(
      [
        "run", "--pipeline", united, "--as-of", asOf, try folder.write(text, as: "again.ndjson"),
      ], on: fresh)
    #expect(try await CommandRun(["export", "dump"], on: fresh).output == together)
    try await run(["recompute", "--pipeline", plain, "--as-of", asOf, "--activate"])
    #expect(try await run(["export", "dump"]).output == alone)
  }

  @Test("a dry run counts people, not ids")
  func dryRun() async throws {
    let text =
      onboarding("anna", weight: "70").joined() + onboarding("device-7", weight: "80").joined()
      + mergeLine("device-7", "anna", under: "x")
    let file = try folder.write(text, as: "a.ndjson")
    let done = try await CommandRun([
      "run", "--dry-run", "--pipeline", Checkout.pipeline, "--as-of", asOf, file,
    ])
    #expect(done.code == .done, "\(done.words)")
    #expect(done.words.contains("  2 profiles, 2 flow runs, 2 completed; nothing was written"))
    #expect(done.words.contains("13 events: 13 new"))
  }

  @Test("a job says which ids it kept apart")
  func quarantine() async throws {
    let text = (0..<40).map { mergeLine("p\($0)", "hub") }.joined()
    let done = try await job(text, as: "a.ndjson")
    #expect(
      done.words.contains(
        "  41 ids not united: links make more than 32 of them one person; see the view quarantined_links"
      ))
    #expect(
      try database.store().query("select count(*) from sluice.quarantined_links").rows == [["40"]])
  }
}

@Suite("The law on the command line, people included")
struct PeopleCommandLawTests {
  /// Onboardings of many ids, and merges between them across shards, told by anybody.
  private static func lines() -> [String] {
    var random = SeededGenerator(seed: 21)
    var lines: [String] = []
    for number in 0..<60 {
      let weight = Int.random(in: 50...130, using: &random)
      lines += onboarding(Bytes("p\(number)"), weight: "\(weight)", at: Double(number * 400))
    }
    for _ in 0..<40 {
      let from = Int.random(in: 0..<60, using: &random)
      let into = Int.random(in: max(0, from - 4)..<min(60, from + 4), using: &random)
      let teller = [from, into, Int.random(in: 0..<60, using: &random)].randomElement(
        using: &random)
      lines.append(mergeLine("p\(from)", "p\(into)", under: "p\(teller ?? 0)"))
    }
    return lines
  }

  private static func load(
    _ lines: [String], into database: ScratchDatabase, jobs: Int = 2,
    _ change: (inout RunOptions) -> Void = { _ in }
  ) async throws {
    let folder = try ScratchFolder()
    let file = try folder.write(lines.joined(), as: "events.ndjson")
    let arguments = [
      "run", "--quiet", "--pipeline", Checkout.pipeline, "--as-of", asOf, "--jobs", "\(jobs)", file,
      "--database", try ScratchServer.url(of: database.name),
    ]
    guard case .run(var options) = try Command(arguments) else { return }
    change(&options)
    let code = try await Sluice(console: Console(), environment: [:]).runEvents(options)
    #expect(code == .done)
  }

  private static func dump(_ database: ScratchDatabase) async throws -> String {
    let dump = try await CommandRun(["export", "dump", "--as-of", asOf], on: database)
    #expect(dump.code == .done, "\(dump.words)")
    return dump.output
  }

  @Test("shuffled, duplicated, in small batches, 1 or 4 jobs, two runs at once: one dump")
  func ways() async throws {
    let lines = Self.lines()
    var random = SeededGenerator(seed: 2)
    let clean = try ScratchDatabase()
    try await Self.load(lines, into: clean)
    let expected = try await Self.dump(clean)
    #expect(expected.split(separator: "\n").filter { $0.hasPrefix("profile_aliases") }.count > 15)
    let shuffled = lines.shuffled(using: &random)
    let doubled = (lines + lines).shuffled(using: &random)
    for jobs in [1, 4] {
      let database = try ScratchDatabase()
      try await Self.load(doubled, into: database, jobs: jobs) { $0.resolve.memoryInBytes = 1 }
      #expect(try await Self.dump(database) == expected, "\(jobs) jobs")
    }
    let split = try ScratchDatabase()
    try await Self.load(Array(shuffled.prefix(250)), into: split)
    try await Self.load(Array(shuffled.dropFirst(200)), into: split)
    #expect(try await Self.dump(split) == expected, "in two runs that overlap")
    let atOnce = try ScratchDatabase()
    async let first: Void = Self.load(shuffled, into: atOnce) { $0.chunkBytes = 4096 }
    async let second: Void = Self.load(lines.reversed(), into: atOnce) {
      $0.resolve.memoryInBytes = 1
    }
    _ = try await (first, second)
    #expect(try await Self.dump(atOnce) == expected, "two runs at once")
  }

  @Test("more events than one connection writes alone, in 4 connections: the same dump")
  func manyConnections() async throws {
    var lines = Self.lines()
    for number in 0..<2000 {
      lines += onboarding(Bytes("q\(number)"), weight: "80").dropLast().map { $0 }
      lines += onboarding(Bytes("q\(number)"), weight: "90", at: 1000).map {
        $0.replacingOccurrences(of: #""event_id":"e"#, with: #""event_id":"f"#)
      }
      if number % 3 == 0 { lines.append(mergeLine("q\(number)", "q\(number + 1)")) }
    }
    #expect(lines.count > 20_000)
    let one = try ScratchDatabase()
    try await Self.load(lines, into: one, jobs: 1)
    let four = try ScratchDatabase()
    try await Self.load(lines.reversed(), into: four, jobs: 4)
    #expect(try await Self.dump(four) == Self.dump(one))
  }

  @Test("a job that is killed amid merges, then run again, ends in the dump of a clean run")
  func killed() async throws {
    let lines = Self.lines()
    let folder = try ScratchFolder()
    let file = try folder.write(lines.joined(), as: "events.ndjson")
    let clean = try ScratchDatabase()
    try await Self.load(lines, into: clean)
    let expected = try await Self.dump(clean)
    let database = try ScratchDatabase()
    let lockKey = try SchemaName(SchemaName.standard, .system).lockKey
    let shards = Set((0..<60).map { Shard(of: Bytes("p\($0)"), .system) }).sorted()
    for part in [1, 2, 3, 4] {
      let shard = Int32(shards[part * shards.count / 5].number)
      let hand = try database.connection()
      try hand.executeScript("begin")
      try hand.execute("select pg_advisory_xact_lock($1, $2)", [.int4(lockKey), .int4(shard)])
      let process = Process()
      process.executableURL = URL(filePath: Checkout.program)
      process.arguments = [
        "run", "--quiet", "--reread", "--pipeline", Checkout.pipeline, "--as-of", asOf, file,
        "--database", try ScratchServer.url(of: database.name),
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
      #expect(process.isRunning, "nothing was left to do in shard \(shard)")
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      try hand.executeScript("rollback")
    }
    try await Self.load(lines, into: database)
    #expect(try await Self.dump(database) == expected)
  }
}
