import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

@Suite("Privacy on the command line")
struct PrivacyCommandTests {
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

  private func load(_ text: String, as name: String, _ pipeline: String = Checkout.pipeline)
    async throws -> CommandRun
  {
    try await run(
      [
        "run", "--pipeline", pipeline, "--as-of", "2026-11-20", "--max-rejects", "100%",
        try folder.write(text, as: name),
      ])
  }

  private static let anna = "0a1b2c3d-0000-4a00-8000-00000000000a"

  /// One person in every way there is: answers, customer id, merge, a future event, a rejected record.
  private var person: String {
    var script = EventScript()
    script.context[.customerUserID] = "customer-77"
    script.onboarding(0, weight: "110", height: "175")
    script.input(6, "mail", "marker@example.com", type: "email_input")
    let lines = script.lines(of: Bytes(Self.anna)).joined()
    func line(_ id: String, _ name: String, _ profile: String, _ at: String, _ params: String)
      -> String
    {
      #"{"event_id":"\#(id)","event_name":"\#(name)","profile_id":"\#(profile)","#
        + #""occurred_at":"\#(at)","params":\#(params)}"# + "\n"
    }
    return lines
      + line(
        "ahead", "app_opened", Self.anna, "2026-12-04T00:00:00Z", #"{"note":"marker ahead"}"#)
      + line(
        "m", "profile_merged", "device-marker", "2026-03-02T00:00:00Z",
        #"{"from":"device-marker","into":"\#(Self.anna.uppercased())"}"#)
      + line("r", "app_opened", Self.anna, "yesterday", #"{"note":"marker rejected"}"#)
  }

  private var bob: String {
    var script = EventScript()
    script.onboarding(0, weight: "60", height: "180")
    return script.lines(of: "bob").joined()
  }

  @Test("erase leaves no trace in any column of any table, and replays bring nobody back")
  func erase() async throws {
    let traces = [Self.anna, Self.anna.uppercased(), "device-marker", "customer-77", "marker"]
    let first = try await load(person + bob, as: "all.ndjson")
    #expect(first.words.contains("1 record rejected: invalid_time 1"))
    #expect(try database.traces(of: "marker").contains("profile_events.events"))
    #expect(try database.traces(of: Self.anna).contains("flow_runs.profile_id"))

    let plan = try await run(["erase", "--plan", "device-marker"])
    #expect(plan.words.contains("1 person of 2 ids would be erased: 9 events\n"))
    #expect(try database.traces(of: Self.anna).contains("flow_runs.profile_id"))
    let done = try await run(["erase", "device-marker", "--format", "csv"])
    #expect(done.output.split(separator: "\r\n").first == "table,rows")
    #expect(done.output.contains("profile_events,2") && done.output.contains("flow_runs,1"))
    #expect(done.words.contains("1 person of 2 ids erased: 9 events\n"))
    for text in traces {
      #expect(!done.output.contains(text) && !done.words.contains(text))
      #expect(try database.traces(of: text) == [], "\(text)")
    }

    let again = try await run(
      ["run", "--as-of", "2026-11-20", "--reread", "--max-rejects", "100%", folder.path])
    #expect(
      again.words.contains("15 events: 0 new, 6 known already, 9 of erased people"),
      "\(again.words)")
    let replay = try await run(["recompute", "--as-of", "2027-01-01", "--force"])
    #expect(replay.words.contains("1 profile derived"))
    for text in traces { #expect(try database.traces(of: text) == [], "\(text)") }
    let unknown = try await CommandRun(["explain", Self.anna], on: database)
    #expect(unknown.code == .noInput)
    #expect(
      try database.store().query("select sluice.next_placement($1)", [Self.anna]).rows == [[nil]])
    #expect(
      try database.store().query(
        "select counts ->> 'erased' from sluice.job_runs where command = 'run' order by job_id"
      ).rows == [["0"], ["9"]])
  }

  @Test("erase takes ids from a file and says which line is none; before any pipeline it keeps out")
  func file() async throws {
    let list = try folder.write(
      "  bob \r\n\n\(Self.anna.uppercased())\ncu:customer-77\n", as: "ids")
    let early = try await run(["erase", "--file", list])
    #expect(early.words.contains("3 ids unknown here, kept out from now on"))
    #expect(early.output == "")
    let job = try await load(person + bob, as: "all.ndjson")
    // The device is nobody's but its own, and its merge tells of an erased id.
    #expect(
      job.words.contains("15 events: 0 new, 0 known already, 15 of erased people"), "\(job.words)")
    let bad = try await CommandRun(
      ["erase", "--file", try folder.write("bob\nnull\n", as: "bad")], on: database)
    #expect(bad.code == .usage && bad.words.contains("/bad:2: is no id"))
    let none = try await CommandRun(["erase"], on: database)
    #expect(none.code == .usage)
    let junk = try await CommandRun(["erase", "undefined"], on: database)
    #expect(junk.code == .usage && !junk.words.contains("undefined"))
  }

  @Test("erase takes their records out of the files of kept rejects, and leaves the others there")
  func keptRejects() async throws {
    _ = try await load("", as: "none.ndjson")
    let text =
      person + bob + #"{"profile_id":"bob","event_name":"x","occurred_at":"never"}"# + "\n"
      + #"{"profile_id":"\u0064evice-marker","event_name":"x","occurred_at":"never"}"# + "\n"
      + "\(Self.anna.uppercased()) \u{1} cut"
    let kept = folder.path + "/kept"
    _ = try await run([
      "run", "--as-of", "2026-11-20", "--max-rejects", "100%", "--keep-rejects", kept,
      try folder.write(text, as: "all.ndjson"),
    ])
    let file = kept + "/rejects-job-2.ndjson"
    func lines() throws -> [Substring] {
      try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    }
    #expect(try lines().count == 4)
    let done = try await run(["erase", "device-marker"])
    #expect(done.words.contains("3 records in files of --keep-rejects held an id, and went"))
    #expect(try lines().count == 1 && lines()[0].contains("bob"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: kept).count == 1)
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    try FileManager.default.removeItem(atPath: file)
    let gone = try await run(["erase", "bob"])
    #expect(gone.words.contains("1 file of --keep-rejects of the last 30 days not on this machine"))
  }

  @Test("a list of ids may begin with a byte order mark, as spreadsheets write it")
  func mark() async throws {
    _ = try await load(person + bob, as: "all.ndjson")
    let list = try folder.write("\u{FEFF}bob\r\n", as: "ids")
    let done = try await run(["erase", "--file", list])
    #expect(done.words.contains("1 person of 1 id erased"), "\(done.words)")
  }

  @Test("files that are read again bring neither an erased id's name nor its broken records back")
  func readAgain() async throws {
    let file = try folder.write(
      person + bob + #"{"profile_id":"bob","event_name":"x","occurred_at":"never"}"# + "\n"
        + #"{"profile_id":"\u0064evice-marker","event_name":"x","occurred_at":"never"}"# + "\n"
        + #"{"profile_id":"bob","event_name":"opened by device-marker","occurred_at":"2026-03-01T10:00:00Z","event_id":"m"}"#
        + "\n"
        + #"{"profile_id":"bob","customer_user_id":"kund-4242","event_name":"x","occurred_at":"bad"}"#
        + "\n\(Self.anna.uppercased()),\u{1} cut", as: "all.ndjson")
    let kept = folder.path + "/kept"
    func job() async throws -> CommandRun {
      try await run([
        "run", "--reread", "--as-of", "2026-11-20", "--max-rejects", "100%",
        "--keep-rejects", kept, file,
      ])
    }
    _ = try await load("", as: "none.ndjson")
    let first = try await job()
    #expect(first.words.contains("device-marker"), "\(first.words)")
    _ = try await run(["erase", "device-marker"])
    _ = try await run(["erase", "--customer-user-id", "kund-4242"])
    let again = try await job()
    #expect(!again.words.contains("marker"), "\(again.words)")
    let last = try #require(FileManager.default.contentsOfDirectory(atPath: kept).max())
    let lines = try String(contentsOfFile: kept + "/" + last, encoding: .utf8)
      .split(separator: "\n")
    #expect(lines.count == 5 && lines.filter { $0.contains("\"text\":null") }.count == 4)
    #expect(lines.filter { $0.contains("bob") }.count == 1)
    let stored = try await run(["export", "dump", "--as-of", "2026-11-20"])
    #expect(!stored.output.contains("marker"))
  }

  @Test(
    "erase --list-hashes, --apply and --lift work on the command line, and refuse what is wrong")
  func backup() async throws {
    _ = try await load(person + bob, as: "all.ndjson")
    _ = try await run(["erase", Self.anna])
    let list = try await run(["erase", "--list-hashes"])
    #expect(list.output.split(separator: "\n").count == 4 && !list.output.contains("marker"))
    let path = try folder.write(list.output, as: "hashes")
    #expect(
      try await run(["erase", "--apply", path]).words.contains("2 ids in the list, kept out"))
    let lifted = try await run(["erase", "--lift", Self.anna, "bob"])
    #expect(lifted.words.contains("1 id of 2 let in again"))
    #expect(lifted.words.contains("1 id kept out by no erasure"))
    #expect(
      try await run(["erase", "--apply", path, "--plan"]).words.contains("0 people of 0 ids would"))
    _ = try await run([
      "run", "--as-of", "2026-11-20", "--reread", "--max-rejects", "100%",
      folder.path + "/all.ndjson",
    ])
    #expect(try database.store().profiles() == [Self.anna, "bob"])
    let again = try await run(["erase", "--apply", path])
    #expect(again.words.contains("1 person of"), "\(again.words)")
    #expect(try database.store().profiles() == ["bob"])

    // A schema made anew has a key of its own, not the one that scratch databases are copied with.
    let other = try ScratchDatabase(isMigrated: false)
    #expect(try await CommandRun(["migrate"], on: other).code == .done)
    let wrong = try await CommandRun(["erase", "--apply", path], on: other)
    #expect(wrong.code == .usage, "\(wrong.words)")
    #expect(wrong.words.contains("another key"), "\(wrong.words)")
    for words in [
      ["erase", "--apply", path, "bob"], ["erase", "--lift"], ["erase", "--list-hashes", "bob"],
      ["erase", "--lift", "--list-hashes"], ["erase", "--lift", "--plan", "bob"],
      ["erase", "--apply", folder.path + "/all.ndjson"],
    ] {
      #expect(try await CommandRun(words, on: database).code == .usage, "\(words)")
    }
  }

  @Test("erase --customer-user-id finds the person by the app's own id")
  func customer() async throws {
    _ = try await load(person + bob, as: "all.ndjson")
    let done = try await run(["erase", "--customer-user-id", "customer-77"])
    #expect(done.words.contains("1 person of 3 ids erased"))
    #expect(try database.store().profiles() == ["bob"])
  }

  @Test("export prints everything that is stored about one person as one JSON document")
  func export() async throws {
    _ = try await load(person + bob, as: "all.ndjson")
    let done = try await run(["export", "device-marker"])
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(done.output.utf8)) as? [String: Any])
    #expect(document["profile_id"] as? String == Self.anna)
    #expect(document["ids"] as? [String] == [Self.anna, "device-marker"])
    #expect(document["as_of"] as? String == "2026-11-20T00:00:00Z")
    let events = try #require(document["events"] as? [[String: Any]])
    #expect(events.count == 9 && Set(events.compactMap { $0["profile_id"] as? String }).count == 2)
    let tables = try #require(document["tables"] as? [String: [[String: Any]]])
    // Whatever holds an id of theirs is there.
    let held = try database.traces(of: Self.anna).map { $0.prefix { $0 != "." } }
    #expect(
      Set(tables.keys) == Set(held.map(String.init)).subtracting(["profile_events"]))
    let flowRun = try #require(tables["flow_runs"]?.first)
    let answers = try #require(flowRun["answers"] as? [[String: Any]])
    #expect(answers.contains { $0["value"] as? String == "marker@example.com" })
    #expect(done.output.contains("\"value_number\":35.91836734693877,"))
    #expect(!done.output.contains("bob") && !done.output.contains("NaN"))
    #expect(try await run(["export", "profile", Self.anna.uppercased()]).output == done.output)
    #expect(try await CommandRun(["export", "nobody"], on: database).code == .noInput)
    #expect(
      try await CommandRun(["export", Self.anna, "--as-of", "2026-01-01"], on: database).code
        == .usage)
  }

  @Test("expire takes what is older than days or an instant, tells before, and keeps it out")
  func expire() async throws {
    _ = try await load(person + bob, as: "all.ndjson")
    let plan = try await run(["expire", "--older-than", "2026-03-02", "--plan"])
    #expect(
      plan.words
        == "before 2026-03-02T00:00:00Z: 13 events would go; 1 id would keep none, 1 id some\n")
    #expect(try database.store().profiles() == [Self.anna, "bob"])
    let done = try await run(["expire", "--older-than", "2026-03-02"])
    #expect(done.words.contains("events of before 2026-03-02T00:00:00Z are out\n"))
    #expect(done.words.contains("  13 stored events removed\n"))
    #expect(try database.store().profiles() == [Self.anna])
    #expect(try database.store().query("select * from sluice.custom_attributes").rows.isEmpty)
    let again = try await run(
      ["run", "--as-of", "2026-11-20", "--reread", "--max-rejects", "100%", folder.path])
    #expect(again.words.contains("15 events: 0 new, 2 known already, 13 expired"), "\(again.words)")
    let earlier = try await run(["expire", "--older-than", "36500d"])
    #expect(earlier.words.contains("are out already"))
    #expect(earlier.words.contains("events of before 2026-03-02T00:00:00Z are out\n"))
    let ahead = try await CommandRun(["expire", "--older-than", "2100-01-01"], on: database)
    #expect(ahead.code == .usage)
    #expect(try await CommandRun(["expire"], on: database).code == .usage)
    #expect(
      try await CommandRun(["expire", "--older-than", "0d"], on: database).code == .usage)
  }

  @Test("privacy: drop keeps inputs out, counts their records, and takes out what is stored")
  func drop() async throws {
    let plain = try folder.write("pipeline: p\n", as: "plain.yaml")
    let dropping = try folder.write(
      "pipeline: p\nprivacy: { drop: [email_input, element: height] }\n", as: "dropping.yaml")
    // As the callback hands it over, with the event's own envelope inside.
    let nested =
      #"{"event_id":"n","event_name":"onAnalyticEvent","profile_id":"bob","occurred_at":"2026-03-01T11:00:00Z","#
      + #""params":{"name":"flow_user_input","params":{"element_id":"x","element_type":"email_input","#
      + #""value":"marker@nested"}}}"# + "\n"
    let before = try await load(person + bob + nested, as: "events/all.ndjson", plain)
    #expect(before.words.contains("16 events: 16 new"))
    #expect(try database.traces(of: "marker@") != [])

    let events = folder.path + "/events"
    let after = try await run([
      "run", "--pipeline", dropping, "--as-of", "2026-11-20", "--max-rejects", "100%", events,
    ])
    // The file is read again: another reader.
    #expect(after.words.contains("12 events: 0 new, 12 known already"), "\(after.words)")
    #expect(after.words.contains("  4 records dropped, as `privacy` says\n"))
    #expect(after.words.contains("  4 stored events removed\n"))
    #expect(try database.traces(of: "marker@") == [])
    #expect(
      try database.store().query(
        "select counts ->> 'filtered', counts ->> 'events', counts ->> 'read' from sluice.ingest_files"
      ).rows == [["4", "12", "17"]])
    #expect(
      try database.store().query("select distinct element_id from sluice.answers").rows
        == [["weight"]])

    let fresh = try ScratchDatabase()
    let clean = try await CommandRun(
      [
        "run", "--pipeline", dropping, "--as-of", "2026-11-20", "--max-rejects", "100%", events,
      ], on: fresh)
    #expect(clean.code == .done)
    let dumps = try await [
      run(["export", "dump"]).output, CommandRun(["export", "dump"], on: fresh).output,
    ]
    #expect(dumps[0] == dumps[1])

    let back = try await run([
      "run", "--pipeline", plain, "--activate", "--as-of", "2026-11-20", "--max-rejects", "100%",
      events,
    ])
    #expect(back.words.contains("16 events: 4 new, 12 known already"), "\(back.words)")
  }

  @Test("a report leaves small groups out, counts them, and empties small counts beside large ones")
  func smallGroups() async throws {
    func script(_ weight: String) -> EventScript {
      var script = EventScript()
      script.onboarding(0, weight: weight, height: "180")
      return script
    }
    let text =
      (0..<6).flatMap { script("70").lines(of: Bytes("normal\($0)")) }.joined()
      + (0..<2).flatMap { script("120").lines(of: Bytes("heavy\($0)")) }.joined()
    _ = try await load(text, as: "all.ndjson")
    func segments(_ more: [String]) async throws -> CommandRun {
      try await run(["report", "segments", "--format", "csv"] + more)
    }
    func names(_ run: CommandRun) -> [String] {
      run.output.split(separator: "\r\n").dropFirst().map { String($0.prefix { $0 != "," }) }
    }
    #expect(try await names(segments([])) == ["normal", "obese", "overweight", "underweight"])
    let few = try await segments(["--min-group", "3"])
    #expect(names(few) == ["normal", "overweight", "underweight"])
    #expect(few.words == "1 group of fewer than 3 people left out\n")
    let store = try database.store()
    #expect(
      try store.query(
        "select reached from sluice.funnel(min_group => 9)"
      ).rows.isEmpty)
    #expect(
      try store.query("select distinct reached from sluice.funnel(min_group => 8)").rows == [["8"]])
    for report in ["funnel", "purchase_funnel", "error_counts", "subscription_states"] {
      _ = try await run(["report", report, "--min-group", "5"])
    }
    let single = try await CommandRun(["report", "quarantine", "--min-group", "5"], on: database)
    #expect(single.code == .usage && single.words.contains("it lists single profiles"))
    let wrong = try await CommandRun(["report", "segments", "--min-group", "0"], on: database)
    #expect(wrong.code == .usage)
    // A count beside a large group: one of eight never saw the last screen.
    var left = EventScript()
    left.appeared(0)
    left.screen(1, "scr_body")
    _ = try await load(left.lines(of: "left").joined(), as: "left.ndjson")
    #expect(
      try store.query(
        "select step, reached, dropped, drop_rate from sluice.funnel(min_group => 2) order by step"
      ).rows == [["1", "9", nil, nil], ["2", "8", "0", "0"]])
  }
}
