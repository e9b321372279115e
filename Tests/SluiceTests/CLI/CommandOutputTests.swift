import Core
import Foundation
import Store
import Testing

@testable import sluice

private let asOf = "2026-11-20T00:00:00Z"

/// A database with three people: one is overweight, one left, one had nothing to say.
private func loaded() async throws -> ScratchDatabase {
  let (database, folder) = (try ScratchDatabase(), try ScratchFolder())
  let file = try folder.write(people(), as: "events.ndjson")
  let done = try await CommandRun(
    ["run", "--pipeline", Checkout.pipeline, "--as-of", asOf, file], on: database)
  #expect(done.code == .done, "\(done.words)")
  #expect(done.output.isEmpty)
  return database
}

private func people() -> String {
  var anna = EventScript()
  anna.context[.installedAt] = "1772359200000000"
  anna.context[.isTestUser] = "false"
  anna.onboarding(0, weight: "82", height: "181")
  var left = EventScript()
  left.appeared(0)
  left.screen(1, "scr_body")
  left.disappeared(2)
  var silent = EventScript()
  silent.add("opened", 0)
  return (anna.lines(of: "anna") + left.lines(of: "left") + silent.lines(of: "silent")).joined()
}

/// The objects of a JSON array.
private func objects(_ text: String) throws -> [[String: Any]] {
  try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
}

@Suite("What commands put out")
struct CommandOutputTests {
  @Test("explain tells values, since when and why, as a table and as JSON")
  func explain() async throws {
    let database = try await loaded()
    let table = try await CommandRun(["explain", "anna"], on: database)
    #expect(table.code == .done)
    #expect(table.words.isEmpty)
    let lines = table.output.split(separator: "\n").map {
      $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }
    #expect(lines.first == "part name value since why")
    for line in [
      "run onboarding 1 completed 2026-03-01T10:00:00Z last screen scr_done, 2 answers",
      "attribute bmi 25.029760996306585 2026-03-01T10:00:04Z",
      "clause weight / (height / 100) ^ 2 25.029760996306585 82 / (181 / 100) ^ 2",
      "answer weight 82 2026-03-01T10:00:02Z run onboarding 1; screen scr_body, element weight; given “82”; event e0002",
      "segment overweight yes 2026-03-01T10:00:04Z",
      "clause bmi >= 25 and bmi < 30 yes",
      "segment obese no",
      "clause bmi >= 30 no 25.029760996306585 >= 30",
      "placement bmi_paywall standard audience default, no variation declared",
      "tag bmi 25.0",
      "next bmi_paywall onboarding is done",
    ] { #expect(lines.contains(line), "\(line)\n\(table.output)") }

    let json = try await CommandRun(["explain", "--format", "json", "left"], on: database)
    #expect(json.code == .done)
    let rows = try objects(json.output)
    let bmi = try #require(rows.first { $0["name"] as? String == "bmi" })
    #expect(bmi["part"] as? String == "attribute")
    #expect(bmi["value"] is NSNull)
    #expect(bmi["why"] as? String == "absent: not_completed")

    // At an earlier instant, and by a file that is not in force.
    let early = try await CommandRun(
      ["explain", "--as-of", "2026-03-01T10:00:03.5Z", "--pipeline", Checkout.pipeline, "anna"],
      on: database)
    #expect(early.output.contains("not completed") && early.output.contains("events ahead"))
    let unknown = try await CommandRun(["explain", "Anna"], on: database)
    #expect(unknown.code == .noInput)
    #expect(unknown.output.isEmpty && unknown.words.hasPrefix("sluice: profile Anna: is unknown"))
  }

  @Test("report segments counts members, as table, CSV and JSON")
  func segments() async throws {
    let database = try await loaded()
    let table = try await CommandRun(["report", "segments"], on: database)
    #expect(table.code == .done && table.words.isEmpty)
    #expect(table.output.contains("overweight"))
    #expect(table.output.contains("33.3%"))
    let csv = try await CommandRun(["report", "segments", "--format", "csv"], on: database)
    let lines = csv.output.split(whereSeparator: \.isNewline)
    #expect(lines.first == "segment,rule,split,members,share,entered,exited")
    #expect(
      lines.contains {
        $0.hasPrefix("overweight,bmi >= 25 and bmi < 30,,1,0.333") && $0.hasSuffix(",1,0")
      })
    #expect(lines.contains("obese,bmi >= 30,,0,0,0,0"))
    #expect(lines.count == 5)
    let json = try objects(
      try await CommandRun(["report", "segments", "--format", "json"], on: database).output)
    let overweight = try #require(json.first { $0["segment"] as? String == "overweight" })
    #expect(overweight["members"] as? Int == 1)
  }

  @Test("report funnel counts people step by step, as table, CSV and JSON")
  func funnel() async throws {
    let database = try await loaded()
    let csv = try await CommandRun(["report", "funnel", "--format", "csv"], on: database)
    #expect(csv.code == .done && csv.words.isEmpty)
    #expect(
      csv.output.split(whereSeparator: \.isNewline) == [
        "flow,split,step,screen_id,entered,reached,reached_share,conversion_from_previous,dropped,drop_rate,median_seconds,completed",
        "onboarding,,1,scr_body,2,2,1,,1,0.5,2,1",
        "onboarding,,2,scr_done,2,1,0.5,0.5,0,0,1,1",
      ])
    let table = try await CommandRun(["report", "funnel"], on: database)
    #expect(table.output.contains("scr_body") && table.output.contains("50.0%"))
    let json = try objects(
      try await CommandRun(["report", "funnel", "--format", "json"], on: database).output)
    #expect(json.map { $0["reached"] as? Int } == [2, 1])
    let empty = try await CommandRun(
      ["report", "funnel", "--until", "2020-01-01", "--format", "csv"], on: database)
    #expect(empty.code == .done && empty.words.contains("no rows"))
    #expect(empty.output.split(whereSeparator: \.isNewline).count == 1)
  }

  @Test("exported events, read into another database, give the same dump")
  func export() async throws {
    let database = try await loaded()
    var lines = ""
    for profile in ["anna", "left", "silent"] {
      let events = try await CommandRun(["export", "events", profile], on: database)
      #expect(events.code == .done && events.words.isEmpty)
      lines += events.output
    }
    let folder = try ScratchFolder()
    let other = try ScratchDatabase()
    let done = try await CommandRun(
      [
        "run", "--pipeline", Checkout.pipeline, "--as-of", asOf,
        try folder.write(lines, as: "again.ndjson"),
      ], on: other)
    #expect(done.code == .done, "\(done.words)")
    let dump = try await CommandRun(["export", "dump"], on: database)
    #expect(dump.code == .done && dump.words.isEmpty && !dump.output.isEmpty)
    #expect(try await CommandRun(["export", "dump"], on: other).output == dump.output)
    let unknown = try await CommandRun(["export", "events", "nobody"], on: database)
    #expect(unknown.code == .noInput && unknown.output.isEmpty)
  }

  @Test("check says what a right file holds, and where a wrong one is wrong")
  func check() async throws {
    let right = try await CommandRun(["check", Checkout.pipeline])
    #expect(right.code == .done && right.output.isEmpty)
    #expect(right.words.contains("right: 1 flow, 2 answers, 1 attribute, 4 segments"))
    #expect(try await CommandRun(["check", "--quiet", Checkout.pipeline]).words.isEmpty)
    let folder = try ScratchFolder()
    let path = try folder.write(
      "pipeline: x\nattributes:\n  a: { type: number, value: nothing + 1 }\n", as: "wrong.yaml")
    let wrong = try await CommandRun(["check", path])
    #expect(wrong.code == .pipelineWrong && wrong.output.isEmpty)
    #expect(wrong.words.contains("wrong.yaml:3:"))
    #expect(wrong.words.contains("nothing"))
  }

  @Test("the tests of the files that come along pass", arguments: ["bmi", "reference"])
  func test(_ name: String) async throws {
    let path = Checkout.folder + "/pipelines/\(name).yaml"
    let tests = try PipelineFile(contentsOf: path).tests.count
    let run = try await CommandRun(["test", path])
    #expect(run.code == .done && run.words.isEmpty)
    #expect(tests > 0 && run.output.hasSuffix("\n\(tests) passed, 0 failed\n"), "\(run.output)")
  }

  @Test("a test that fails names what was expected and what came, and ends in 78")
  func testFails() async throws {
    let folder = try ScratchFolder()
    let text = try String(contentsOfFile: Checkout.pipeline, encoding: .utf8)
      .replacingOccurrences(of: "{ bmi: 25.03 }", with: "{ bmi: 25.04 }")
    let run = try await CommandRun(["test", try folder.write(text, as: "bmi.yaml")])
    #expect(run.code == .pipelineWrong)
    #expect(run.output.contains("attribute bmi: expected 25.04, got 25.03"))
    #expect(run.output.hasSuffix("7 passed, 1 failed\n"))
  }

  @Test("db url prints the address; db status refuses a database that is not its own")
  func database() async throws {
    let database = try ScratchDatabase()
    let url = try await CommandRun(["db", "url"], on: database)
    #expect(url.code == .done && url.words.isEmpty)
    #expect(url.output == (try ScratchServer.url(of: database.name)) + "\n")
    let status = try await CommandRun(["db", "status"], on: database)
    #expect(status.code == .usage && status.output.isEmpty)
    #expect(status.words.contains("only the private server"))
    let home = try ScratchFolder()
    let absent = try await CommandRun(
      ["db", "status"], environment: ["SLUICE_HOME": home.path + "/none"])
    #expect(absent.code == .done)
    #expect(absent.output == home.path + "/none: not set up yet\n")
  }

  @Test("db url never prints a password, wherever it stands")
  func password() async throws {
    for named in [
      "postgres://u:s3cret@example.test:5433/x",
      "postgres://example.test:5433/x?user=u&password=s3cret",
      "host=example.test port=5433 dbname=x user=u password=s3cret",
    ] {
      let url = try await CommandRun(["db", "url"], environment: ["SLUICE_DATABASE": named])
      #expect(url.code == .done, "\(url.words)")
      #expect(url.output == "dbname='x' host='example.test' port='5433' user='u'\n")
      #expect(url.words.contains("its password is not printed") && !url.words.contains("s3cret"))
    }
  }

  @Test("a dry run counts what would be derived, and writes nothing")
  func dryRun() async throws {
    let database = try ScratchDatabase(isMigrated: false)
    let folder = try ScratchFolder()
    let file = try folder.write(people(), as: "events.ndjson")
    let run = try await CommandRun(
      ["run", "--dry-run", "--pipeline", Checkout.pipeline, "--as-of", asOf, file], on: database)
    #expect(run.code == .done && run.output.isEmpty)
    for words in [
      "10 records read in 1 input", "10 events: 10 new, 0 known already",
      "3 profiles, 2 flow runs, 1 completed; nothing was written", "attribute bmi: 1 value\n",
      "segment overweight: 1 member\n", "segment obese: 0 members\n",
      "next bmi_paywall: 1 profile\n", "next onboarding: 2 profiles\n",
    ] { #expect(run.words.contains(words), "\(words): \(run.words)") }
    let schemas = try database.connection().execute(
      "select count(*) from pg_namespace where nspname = 'sluice'")
    #expect(schemas.integer(0, 0) == 0)
    // Nor into a database that has everything already.
    let full = try await loaded()
    _ = try await CommandRun(
      ["run", "--dry-run", "--pipeline", Checkout.pipeline, "--as-of", asOf, file], on: full)
    #expect(try full.store().query("select count(*) from sluice.job_runs").rows == [["1"]])
  }

  @Test("recompute derives everyone from what is stored, and changes nothing where nothing differs")
  func recompute() async throws {
    let database = try await loaded()
    let before = try await CommandRun(["export", "dump"], on: database).output
    let same = try await CommandRun(["recompute", "--as-of", asOf], on: database)
    #expect(same.code == .done && same.output.isEmpty)
    #expect(same.words.contains("3 profiles derived, nothing changed"))
    // What someone damaged by hand is made good.
    try database.connection().executeScript(
      "delete from sluice.segment_members; update sluice.custom_attributes set value_number = 1")
    let mended = try await CommandRun(["recompute", "--as-of", asOf], on: database)
    #expect(mended.words.contains("segment overweight: +1 -0"))
    #expect(try await CommandRun(["export", "dump"], on: database).output == before)
    let empty = try await CommandRun(["recompute"], on: try ScratchDatabase())
    #expect(empty.code == .usage && empty.words.contains("--pipeline: is needed"))
  }

  @Test("version and help are data; a wrong command line is words and 64")
  func helpAndVersion() async throws {
    let version = try await CommandRun(["version"])
    #expect(version.code == .done && version.words.isEmpty)
    #expect(version.output.hasPrefix("sluice 0.") && version.output.hasSuffix(")\n"))
    let help = try await CommandRun(["help"])
    #expect(help.code == .done && help.words.isEmpty)
    for command in CommandName.allCases {
      #expect(help.output.contains("\n  \(command.rawValue) "))
      guard command != .help else { continue }
      let page = try await CommandRun([command.rawValue, "--help"])
      #expect(page.code == .done && page.words.isEmpty)
      #expect(page.output.hasPrefix("sluice \(command.rawValue): "))
    }
    for wrong in [["rnu"], ["run"], ["report", "nothing"], ["explain", "a", "--format", "xml"]] {
      let run = try await CommandRun(wrong)
      #expect(run.code == .usage && run.output.isEmpty, "\(wrong)")
      #expect(run.words.hasPrefix("sluice"), "\(wrong): \(run.words)")
    }
  }
}

@Suite("How commands fail")
struct CommandFailureTests {
  /// One line that begins with the program's name.
  private func isOneLine(_ run: CommandRun) -> Bool {
    run.words.hasPrefix("sluice: ") && run.words.hasSuffix("\n")
      && run.words.split(separator: "\n").count == 1
  }

  @Test("no database is 69 and one line, for every command that needs one")
  func noDatabase() async throws {
    let nowhere = ["--database", "postgresql:///x?host=/nowhere"]
    for command in [
      ["run", "--quiet", "--pipeline", Checkout.pipeline, Checkout.davis], ["recompute"],
      ["migrate"], ["explain", "p"], ["report", "segments"], ["export", "dump"],
      ["export", "events", "p"],
    ] {
      let run = try await CommandRun(command + nowhere)
      #expect(run.code == .noDatabase && run.output.isEmpty, "\(command)")
      #expect(isOneLine(run), "\(command): \(run.words)")
    }
  }

  @Test("a database without the schema is 69, one line, and stays empty")
  func noSchema() async throws {
    let database = try ScratchDatabase(isMigrated: false)
    for command in [
      ["explain", "p"], ["report", "funnel"], ["export", "dump"], ["export", "events", "p"],
    ] {
      let run = try await CommandRun(command, on: database)
      #expect(run.code == .noDatabase && isOneLine(run), "\(command): \(run.words)")
    }
    // One that only the environment names gets no schema unasked.
    let run = try await CommandRun(
      ["run", "--quiet", "--pipeline", Checkout.pipeline, Checkout.davis],
      environment: ["SLUICE_DATABASE": try ScratchServer.url(of: database.name)])
    #expect(run.code == .noDatabase && isOneLine(run), "\(run.words)")
    let schemas = try database.connection().execute(
      "select count(*) from pg_namespace where nspname = 'sluice'")
    #expect(schemas.integer(0, 0) == 0)
  }

  @Test("a missing file is 66 and one line, and costs itself; alone it touches nothing")
  func noInput() async throws {
    let database = try ScratchDatabase(isMigrated: false)
    let folder = try ScratchFolder()
    let good = try folder.write(people(), as: "good.ndjson")
    func fails(_ arguments: [String]) async throws {
      let run = try await CommandRun(["run", "--quiet", "--as-of", asOf] + arguments, on: database)
      #expect(run.code == .noInput && run.output.isEmpty)
      #expect(isOneLine(run) && run.words.contains("none"), "\(run.words)")
    }
    try await fails(["--pipeline", Checkout.pipeline, folder.path + "/none.ndjson"])
    try await fails(["--pipeline", folder.path + "/none.yaml", good])
    let connection = try database.connection()
    #expect(
      try connection.execute("select count(*) from pg_namespace where nspname = 'sluice'")
        .integer(0, 0) == 0)
    for missing in [folder.path + "/none.ndjson", folder.path + "/*.none"] {
      try await fails(["--pipeline", Checkout.pipeline, missing, good])
      #expect(
        try connection.execute("select count(*) from sluice.profiles").integer(0, 0) ?? 0 > 0)
      try connection.execute("drop schema sluice cascade")
    }
  }

  @Test("a wrong pipeline file is 78 with a report of all places, and nothing is touched")
  func wrongPipeline() async throws {
    let database = try await loaded()
    let before = try await CommandRun(["export", "dump"], on: database).output
    let folder = try ScratchFolder()
    let path = try folder.write(
      "pipeline: bmi\nflows:\n  f: { placement: [a] }\nsegments:\n  s: nothing > 1\n",
      as: "wrong.yaml")
    for command in [
      ["run", "--pipeline", path, Checkout.davis], ["recompute", "--pipeline", path],
    ] {
      let run = try await CommandRun(command, on: database)
      #expect(run.code == .pipelineWrong && run.output.isEmpty)
      #expect(run.words.contains("wrong.yaml:3:"), "\(run.words)")
    }
    #expect(try await CommandRun(["export", "dump"], on: database).output == before)
    let store = try database.store()
    #expect(try store.query("select count(*) from sluice.job_runs").rows == [["1"]])
    #expect(try store.query("select count(*) from sluice.generations").rows == [["1"]])
  }

  @Test("another pipeline's schema is 78, one line, and nothing is touched")
  func otherPipeline() async throws {
    let database = try await loaded()
    let folder = try ScratchFolder()
    let other = try folder.write("pipeline: other\n", as: "other.yaml")
    let run = try await CommandRun(
      ["run", "--quiet", "--pipeline", other, Checkout.davis], on: database)
    #expect(run.code == .pipelineWrong && isOneLine(run), "\(run.words)")
    let store = try database.store()
    #expect(try store.query("select pipeline from sluice.generations").rows == [["bmi"]])
    #expect(try store.query("select count(*) from sluice.job_runs").rows == [["1"]])
    #expect(try store.query("select count(*) from sluice.profiles").rows == [["3"]])
  }
}
