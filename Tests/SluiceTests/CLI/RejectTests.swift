import Core
import Foundation
import Testing

@testable import Ingest
@testable import Store
@testable import sluice

private let asOf = "2026-11-20T00:00:00Z"

@Suite("Rejects")
struct RejectTests {
  private let folder: ScratchFolder
  private let database: ScratchDatabase

  init() throws {
    folder = try ScratchFolder()
    database = try ScratchDatabase()
  }

  private func line(_ id: String, _ more: String = "", time: String = "2026-03-01T10:00:00Z")
    -> String
  {
    #"{"event_id":"\#(id)","event_name":"x","profile_id":"p1","occurred_at":"\#(time)"\#(more)}"#
      + "\n"
  }

  private func run(_ words: [String], _ files: [String]) async throws -> CommandRun {
    try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, "--as-of", asOf] + words + files, on: database)
  }

  private func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test("are written to a file by place, with stage and reason, and without their text")
  func places() async throws {
    let bad = line("e2", time: "secret")
    let file = try folder.write(line("e1") + bad + "not json\n" + line("e3"), as: "a.ndjson")
    let out = folder.path + "/rejects"
    let done = try await run(["--rejects", out, "--max-rejects", "2"], [file])
    #expect(done.code == .done, "\(done.words)")
    let text = try String(contentsOfFile: out, encoding: .utf8)
    #expect(!text.contains("secret") && !text.contains("not json"))
    let rows = try objects(text)
    #expect(rows.map { $0["reason"] as? String } == ["invalid_time", "invalid_json"])
    #expect(rows.map { $0["stage"] as? String } == ["envelope", "parse"])
    #expect(rows.map { $0["field"] as? String } == ["occurred_at", ""])
    #expect(rows.map { $0["line"] as? Int } == [2, 3])
    let offset = line("e1").utf8.count
    #expect(rows.map { $0["byte_offset"] as? Int } == [offset, offset + bad.utf8.count])
    #expect(rows.map { $0["length"] as? Int } == [bad.utf8.count - 1, 8])
    #expect(rows.allSatisfy { ($0["file"] as? String)?.hasSuffix("/a.ndjson") == true })
    let mode = try FileManager.default.attributesOfItem(atPath: out)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("keep their text only where that is asked for, privately, and not for ever")
  func texts() async throws {
    let file = try folder.write(
      Array((line("e1") + "my \"secret\"\n").utf8) + [0x61, 0xA1, 0x0A], as: "a.ndjson")
    let kept = folder.path + "/kept"
    try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
    for name in ["rejects-job-0.ndjson", "mine.ndjson"] {
      try folder.write("kept/" + name)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -31 * 86_400)],
        ofItemAtPath: kept + "/" + name)
    }
    let done = try await run(["--keep-rejects", kept, "--max-rejects", "2"], [file])
    #expect(done.code == .done, "\(done.words)")
    #expect(!done.words.contains("secret"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: kept).sorted() == [
        "mine.ndjson", "rejects-job-1.ndjson",
      ])
    let path = kept + "/rejects-job-1.ndjson"
    let rows = try objects(try String(contentsOfFile: path, encoding: .utf8))
    #expect(rows.map { $0["text"] as? String } == ["my \"secret\"", nil])
    #expect(rows.map { $0["text_hex"] as? String } == [nil, "61a1"])
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("are written in the order of files and places, whichever thread and stage met them")
  func order() async throws {
    var random = SeededGenerator(seed: 4)
    let lines = (0..<12_000).map { index in
      switch Int.random(in: 0..<4, using: &random) {
      case 0: "{\"cut\n"
      case 1: line("e\(index)", time: "x")
      case 2: String(repeating: "y", count: 1100) + "\n"
      default: line("e\(index)")
      }
    }
    let first = try folder.write(lines.joined(), as: "b.ndjson")
    let second = try folder.write(lines.reversed().joined(), as: "a.ndjson")
    var texts: Set<String> = []
    for (jobs, memory) in [("1", "64MiB"), ("8", "64MiB"), ("8", "512MiB")] {
      let out = folder.path + "/out-\(jobs)-\(memory)"
      let done = try await run(
        [
          "--rejects", out, "--max-rejects", "100%", "--jobs", jobs, "--memory", memory, "--reread",
          "--max-record-bytes", "1KiB",
        ], [first, second])
      #expect(done.code == .done, "\(done.words)")
      texts.insert(try String(contentsOfFile: out, encoding: .utf8))
    }
    #expect(texts.count == 1)
    let rows = try objects(try #require(texts.first))
    let places = rows.map { (($0["file"] as? String) ?? "", ($0["byte_offset"] as? Int) ?? 0) }
    #expect(zip(places, places.dropFirst()).allSatisfy { $0.0 != $1.0 || $0.1 <= $1.1 })
    #expect(Set(places.map(\.0)).count == 2)
    #expect(
      places.map(\.0).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }.count == 2)
    #expect(
      try database.store().query("select count(*) from sluice.rejects").rows
        == [[String(rows.count)]])
  }

  @Test("a dry run writes them to the file too")
  func dry() async throws {
    let file = try folder.write(line("e1") + "x\n", as: "a.ndjson")
    let out = folder.path + "/rejects"
    let done = try await CommandRun([
      "run", "--dry-run", "--pipeline", Checkout.pipeline, "--as-of", asOf, "--rejects", out,
      "--max-rejects", "50%", file,
    ])
    #expect(done.code == .done, "\(done.words)")
    #expect(try objects(try String(contentsOfFile: out, encoding: .utf8)).count == 1)
  }

  @Test("are listed by file, reason and job, in a table, CSV and JSON")
  func list() async throws {
    let first = try folder.write(line("e1", time: "x") + "{\n" + line("e2"), as: "a.ndjson")
    let second = try folder.write("[]x\n" + line("e3"), as: "a.ndjson copy")
    #expect(try await run(["--max-rejects", "9"], [first]).code == .done)
    #expect(try await run(["--max-rejects", "9"], [second]).code == .done)
    func list(_ words: [String]) async throws -> CommandRun {
      let done = try await CommandRun(["rejects", "list"] + words, on: database)
      #expect(done.code == .done, "\(done.words)")
      return done
    }
    let csv = try await list(["--format", "csv"]).output.split(whereSeparator: \.isNewline)
    #expect(csv.first == "file,line,byte_offset,length,stage,reason,field,job")
    #expect(csv.count == 4)
    #expect(
      csv[1].hasSuffix(
        "/a.ndjson,1,0,\(line("e1", time: "x").utf8.count - 1),envelope,invalid_time,occurred_at,1")
    )
    // Neither another file whose name begins alike, nor another spelling of the path.
    let ofFile = try await list(["--format", "csv", "--file", folder.path + "/./a.ndjson"]).output
    #expect(ofFile.split(whereSeparator: \.isNewline).count == 3)
    let ofReason = try await list(["--reason", "invalid_time"])
    #expect(ofReason.output.split(separator: "\n").count == 3)
    let ofJob = try await list(["--job", "2", "--format", "json"]).output
    let rows = try #require(
      try JSONSerialization.jsonObject(with: Data(ofJob.utf8)) as? [[String: Any]])
    #expect(rows.map { $0["line"] as? Int } == [1])
    let short = try await list(["--limit", "1"])
    #expect(short.output.split(separator: "\n").count == 3)
    #expect(short.words.contains("1 of 3 rejects"))
    #expect(try await list(["--job", "7"]).words == "no rejects\n")
    #expect(try await list(["--job", "7", "--format", "json"]).output == "[]\n")
    let wrong = try await CommandRun(["rejects", "list", "--reason", "x"], on: database)
    #expect(wrong.code == .usage)
  }

  @Test("pages hold each reject once, whatever their size; entries of an archive are the archive's")
  func pages() throws {
    let store = try database.store()
    let job = try store.exampleJob()
    let rejections = (0..<25).map {
      Rejection(.invalidTime, field: "occurred_at", line: $0, byteOffset: $0 / 2, length: $0)
    }
    for file: Bytes in ["/in/a.zip!/x", "/in/a.zip", "/in/a.zip0", "/in/a.zi"] {
      try store.addRejects(rejections.reversed(), file: file, job)
    }
    for pageRows in [1, 7, 50, 1000] {
      var rows: [RejectRow] = []
      try store.rejects(RejectFilter(file: "/in/a.zip"), pageRows: pageRows) { rows += $0 }
      #expect(rows.count == 50 && Set(rows).count == 50)
      #expect(rows.first?.file == "/in/a.zip" && rows.last?.file == "/in/a.zip!/x")
    }
    var few: [RejectRow] = []
    try store.rejects(RejectFilter(), limit: 60, pageRows: 25) { few += $0 }
    #expect(few.count == 60)
    #expect(try store.rejectedFiles(RejectFilter()).map(\.count) == [25, 25, 25, 25])
  }

  @Test("one record that holds several for one reason is one row; a later job takes rows over")
  func same() throws {
    let store = try database.store()
    let job = try store.exampleJob()
    let one = Rejection(.wrongType, field: "b", line: 1, byteOffset: 5, length: 9)
    let two = Rejection(.wrongType, field: "a", line: 1, byteOffset: 5, length: 9)
    try store.addRejects([one, two], file: "f", job)
    try store.addRejects([two, one, one], file: "f", job)
    let later = try store.exampleJob()
    try store.addRejects(
      [one, Rejection(.invalidJSON, line: 2, byteOffset: 15, length: 1)], file: "f", later)
    try store.addRejects([one], file: "f", job)
    #expect(
      try store.query("select field, stage, job_id from sluice.rejects order by byte_offset").rows
        == [["a", "envelope", "\(later.id)"], ["", "parse", "\(later.id)"]])
  }

  @Test("300,000 of them are listed in little time")
  func many() throws {
    let store = try database.store()
    let job = try store.exampleJob()
    let rejections = (0..<300_000).map {
      Rejection(.invalidJSON, line: $0, byteOffset: $0 * 2, length: 1)
    }
    let clock = ContinuousClock()
    let first = try clock.measure { try store.addRejects(rejections, file: "/in/junk", job) }
    #expect(first < .seconds(60), "\(first)")
    #expect(try store.query("select count(*) from sluice.rejects").rows == [["300000"]])
  }

  @Test("are read again once a mapping was mended, and the recovered are counted")
  func replay() async throws {
    let mapping = { (name: String) in
      """
      source: mine
      envelope: { event_name: \(name), profile_id: who, occurred_at: at }
      """
    }
    let source = folder.path + "/mine.yaml"
    try folder.write("mine.yaml", mapping("wrong"))
    let record = { (what: String) in
      #"{"what":"\#(what)","who":"p1","at":"2026-03-01T10:00:00Z"}"# + "\n"
    }
    let file = try folder.write(
      record("a") + record("b") + #"{"what":"c","who":"null","at":0}"# + "\n", as: "a.ndjson")
    let check = try await CommandRun(["check", "--source", source])
    try #require(check.code == .done, "\(check.words)")
    let bad = try await run(["--source", source], [file])
    #expect(bad.code == .tooManyRejects)
    try folder.write("mine.yaml", mapping("what"))
    let replay = try await CommandRun(
      ["rejects", "replay", "--source", source, "--as-of", asOf, "--max-rejects", "1"],
      on: database)
    #expect(replay.code == .done, "\(replay.words)")
    #expect(replay.words.contains("replay: 2 of 3 rejects recovered from 1 file"))
    #expect(
      try database.store().query("select reason, job_id from sluice.rejects").rows
        == [["illegal_id", "2"]])
    #expect(try database.store().query("select events from sluice.profiles").rows == [["2"]])

    // What is gone cannot be read again, and is told.
    try FileManager.default.removeItem(atPath: file)
    let gone = try await CommandRun(
      ["rejects", "replay", "--source", source, "--as-of", asOf], on: database)
    #expect(gone.code == .noInput && gone.words.contains("there is no such file now"))
    let none = try await CommandRun(
      ["rejects", "replay", "--reason", "too_deep", "--as-of", asOf], on: database)
    #expect(none.code == .done && none.words.contains("no rejects"))
  }

  @Test("are read again as they were read before, never by a mapping of another tool")
  func replayedSources() async throws {
    let mapping = { (name: String) in
      """
      source: mine
      envelope: { event_name: event, profile_id: {path: anonymousId, prefix: "mine:"}, occurred_at: \(name) }
      """
    }
    let source = folder.path + "/mine.yaml"
    try folder.write("mine.yaml", mapping("wrong"))
    let segment = { (id: String) in
      #"{"messageId":"\#(id)","type":"track","event":"x","anonymousId":"a\#(id)","originalTimestamp":"2026-03-01T10:00:00Z"}"#
        + "\n"
    }
    let others = try folder.write(segment("1") + segment("2") + "junk\n", as: "segment.ndjson")
    let plain = try folder.write(line("e1") + "junk\n", as: "plain.ndjson")
    let mine = try folder.write(
      #"{"event":"y","anonymousId":"b","at":"2026-03-01T10:00:00Z"}"# + "\n", as: "mine.ndjson")
    for (words, file) in [([], others), ([], plain), (["--source", source], mine)] {
      _ = try await run(words + ["--max-rejects", "5"], [file])
    }
    let store = try database.store()
    func profiles() throws -> [[String?]] {
      try store.query("select profile_id from sluice.profiles order by 1").rows
    }
    let before = try profiles()
    #expect(before.count == 3, "\(before)")
    let base = ["rejects", "replay", "--as-of", asOf, "--max-rejects", "5"]

    // Its mapping is not known by name.
    let unnamed = try await CommandRun(base, on: database)
    #expect(unnamed.code == .noInput, "\(unnamed.words)")
    #expect(unnamed.words.contains("a mapping of yours, `mine`; name that: --source FILE"))
    #expect(unnamed.words.contains("replay: 0 of 2 rejects recovered from 2 files"))
    #expect(try profiles() == before)

    try folder.write("mine.yaml", mapping("at"))
    let named = try await CommandRun(base + ["--source", source], on: database)
    #expect(named.code == .noInput, "\(named.words)")
    #expect(named.words.contains("it was read as `segment`, not as `mine`"), "\(named.words)")
    #expect(named.words.contains("replay: 1 of 1 reject recovered from 1 file"), "\(named.words)")
    #expect(try Set(profiles()) == Set(before + [["mine:b"]]))
    #expect(try store.query("select count(*) from sluice.rejects").rows == [["2"]])
  }

  @Test("of a file that is gone, or of an archive's entry, are listed by a path from here too")
  func listedByPath() async throws {
    let file = try folder.write(line("e1") + "junk\n", as: "gone.ndjson")
    _ = try await run(["--max-rejects", "1"], [file])
    try FileManager.default.removeItem(atPath: file)
    let here = FileManager.default.currentDirectoryPath
    let up = here.split(separator: "/").map { _ in ".." }.joined(separator: "/")
    for path in [file, up + file] {
      let list = try await CommandRun(
        ["rejects", "list", "--file", path, "--format", "csv"], on: database)
      #expect(list.output.contains("gone.ndjson,2,"), "\(path): \(list.words)")
    }
  }

  @Test("both sheets are stored and printed")
  func sheets() async throws {
    let file = try folder.write(line("e1") + "\n" + line("e1") + "x\n" + line("e2"), as: "a.ndjson")
    let done = try await run(["--max-rejects", "1"], [file])
    #expect(done.code == .done, "\(done.words)")
    for words in [
      "5 records read", "3 events: 2 new, 1 known", "1 blank", "1 record rejected: invalid_json 1",
    ] {
      #expect(done.words.contains(words), "\(done.words)")
    }
    let rows = try database.store().query(
      """
      select reading ->> 'read', reading ->> 'events', reading ->> 'blank', reading -> 'rejected' ->> 'invalid_json',
        counts ->> 'accepted', counts ->> 'duplicate', exit_code::text
      from sluice.job_runs
      """
    ).rows
    #expect(rows == [["5", "3", "1", "1", "2", "1", "0"]])
  }

  @Test("a job whose sheets do not add up fails, and its record says so")
  func unbalanced() async throws {
    try database.connection().executeScript(
      """
      create function public.lie() returns trigger language plpgsql as $$
      begin
        new.counts := jsonb_set(new.counts, '{accepted}', '7');
        return new;
      end $$;
      create trigger lie before insert on sluice.job_units for each row execute function public.lie()
      """)
    let file = try folder.write(line("e1"), as: "a.ndjson")
    let done = try await run([], [file])
    #expect(done.code == .bug && done.words.contains("do not add up"), "\(done.words)")
    #expect(
      try database.store().query("select state, exit_code, reading is null from sluice.job_runs")
        .rows
        == [["failed", "70", "f"]])
  }

  @Test("more than 5 % of the records end the job with 65, and what was good stays")
  func tooMany() async throws {
    let good = (0..<95).map { line("e\($0)") }.joined()
    let few = try folder.write(good + String(repeating: "x\n", count: 5), as: "few.ndjson")
    #expect(try await run([], [few]).code == .done)
    let many = try folder.write(
      good.replacingOccurrences(of: "p1", with: "p2") + String(repeating: "x\n", count: 6),
      as: "many.ndjson")
    #expect(try await run([], [many]).code == .tooManyRejects)
    #expect(
      try database.store().query("select events from sluice.profiles order by profile_id").rows
        == [["95"], ["95"]])
  }
}
