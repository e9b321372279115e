import Core
import Foundation
import Store
import Testing

@testable import sluice

private let asOf = "2026-11-20T00:00:00Z"

@Suite("Sources on the command line")
struct SourceCommandTests {
  private func run(_ words: [String], on database: ScratchDatabase) async throws -> CommandRun {
    try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, "--as-of", asOf] + words, on: database)
  }

  private func dump(_ database: ScratchDatabase) async throws -> String {
    let dump = try await CommandRun(["export", "dump", "--as-of", asOf], on: database)
    #expect(dump.code == .done)
    return dump.output
  }

  @Test(
    "an export gives the dump of its canonical twin, by name, recognised, in any order and twice",
    arguments: SourceFixture.all)
  func dumps(_ fixture: SourceFixture) async throws {
    let folder = try ScratchFolder()
    let canonical = try ScratchDatabase()
    let twin = try await run([fixture.twin], on: canonical)
    #expect(twin.code == .done && !twin.words.contains("source:"), "\(twin.words)")
    let expected = try await dump(canonical)

    let recognised = try ScratchDatabase()
    var text = try fixture.text(of: fixture.export)
    if fixture.export.hasSuffix(".ndjson") {
      text = text.split(separator: "\n").reversed().joined(separator: "\n")
    }
    let reversed = try folder.write(text, as: "reversed")
    let first = try await run([reversed], on: recognised)
    #expect(first.code == .done)
    #expect(first.words.contains("source: \(fixture.source), recognised by "), "\(first.words)")
    #expect(try await dump(recognised) == expected)
    let second = try await run(
      ["--source", fixture.source, "--reread", reversed, fixture.export], on: recognised)
    #expect(second.code == .done)
    #expect(second.words.contains("0 new"), "\(second.words)")
    #expect(try await dump(recognised) == expected)
  }

  @Test("a row that changed later counts as it was exported last, in any order of the files")
  func changedRows() async throws {
    let fixture = SourceFixture("ga4")
    let lines = try fixture.text(of: fixture.export).split(separator: "\n").map(String.init)
    let folder = try ScratchFolder()
    let old = try folder.write(lines.filter { $0.contains("20260602") }.joined(), as: "old.json")
    let new = try folder.write(
      lines.filter { !$0.contains("20260602") }.joined(separator: "\n"), as: "new.json")
    var dumps: [String] = []
    for files in [[old, new], [new, old], [new, old, fixture.export]] {
      let database = try ScratchDatabase()
      for file in files { #expect(try await run([file], on: database).code == .done) }
      dumps.append(try await dump(database))
      let bmi = try database.store().query(
        "select profile_id, round(value_number::numeric, 2)::text from sluice.custom_attributes order by 1"
      ).rows
      #expect(
        bmi == [["ae40a677-8ab9-525f-991b-f98aae8cd047", "25.03"], ["ga4:dev-2f00", "32.28"]])
    }
    #expect(Set(dumps).count == 1)
  }

  @Test("a changed mapping has the file read again, and the corrected reading wins")
  func readerRevision() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    let events = try folder.write(
      #"{"id":"1","e":"x","p":"p1","t":0,"where":"a","place":"b"}"# + "\n", as: "events.ndjson")
    func source(_ more: String) throws -> String {
      try folder.write(
        "source: ours\n\(more)\nenvelope: { event_id: id, event_name: e, profile_id: p, occurred_at: t }\n",
        as: "ours.yaml")
    }
    func placement() async throws -> String {
      try await CommandRun(["export", "events", "p1"], on: database).output
    }
    let first = try source("params: { set: { at: where } }")
    #expect(try await run(["--source", first, events], on: database).code == .done)
    #expect(try await placement().contains(#""params":{"at":"a"}"#))
    let again = try await run(["--source", first, events], on: database)
    #expect(again.words.contains("1 file unchanged and skipped"), "\(again.words)")
    let second = try source("revision: 1\nparams: { set: { at: place } }")
    let corrected = try await run(["--source", second, events], on: database)
    #expect(corrected.words.contains("1 record read in 1 input"), "\(corrected.words)")
    #expect(try await placement().contains(#""params":{"at":"b"}"#))
    // The earlier reading does not come back.
    let third = try source("params: { set: { at: where } }")
    #expect(try await run(["--source", third, "--reread", events], on: database).code == .done)
    #expect(try await placement().contains(#""params":{"at":"b"}"#))
  }

  @Test("one job reads files of several sources, and says which kinds came from two of them")
  func several() async throws {
    let database = try ScratchDatabase()
    let done = try await run(
      [
        SourceFixture("segment").export, SourceFixture("amplitude").export,
        SourceFixture("adapty_webhook").export, SourceFixture("adapty_events_csv").export,
      ], on: database)
    #expect(done.code == .done)
    for source in ["segment", "amplitude", "adapty_webhook", "adapty_events_csv"] {
      #expect(done.words.contains("source: \(source), recognised by "), "\(done.words)")
    }
    let warnings = done.words.split(separator: "\n").filter { $0.contains("warning:") }
    let doubled = warnings.compactMap { $0.split(separator: " ").dropFirst(2).first }
    #expect(
      doubled == [
        "flow_appeared", "flow_disappeared", "flow_screen_showed", "flow_user_input",
      ], "records of one transaction are one, whichever feed they come from")
    #expect(
      warnings.first
        == "sluice: warning: flow_appeared came from amplitude and segment: what stands in more than one of them counts more than once"
    )
  }

  @Test("lists and objects where numbers are expected cost those members, not the job")
  func containersForNumbers() async throws {
    let folder = try ScratchFolder()
    var lines = ""
    for (index, value) in ["[1]", #"{"a":1}"#, "true", "null", #""x""#].enumerated() {
      for meta in [
        #""screen_index":\#(value),"total_screens":3"#,
        #""screen_index":1,"total_screens":\#(value)"#,
      ] {
        lines +=
          #"{"type":"analytics","name":"screen_presented","profile_id":"p\#(index)","#
          + #""occurred_at":"2026-01-05T00:00:00Z","meta":{"onboarding_id":"o","screen_cid":"s",\#(meta)}}"#
          + "\n"
      }
      lines +=
        #"{"type":"state_updated","element_id":"b","element_type":"date_picker","#
        + #""value":{"year":\#(value),"month":2,"day":3},"profile_id":"p\#(index)","#
        + #""occurred_at":"2026-01-05T00:00:01Z","meta":{"onboarding_id":"o","screen_cid":"s","#
        + #""screen_index":1,"total_screens":3}}"# + "\n"
    }
    let file = try folder.write(lines, as: "v3.ndjson")
    let done = try await run([file, "--dry-run"], on: try ScratchDatabase())
    #expect(done.code == .done, "\(done.words)")
    #expect(done.words.contains("15 events: 15 new"))
    let sample = try await CommandRun(["check", "--sample", file])
    #expect(sample.code == .done)
  }

  @Test("names that mean nothing are told, the most frequent first")
  func unknownNames() async throws {
    let folder = try ScratchFolder()
    let names = ["b", "a", "a", "app_opened", "flow_shown"]
    let lines = names.enumerated().map {
      #"{"event_id":"e\#($0)","event_name":"\#($1)","profile_id":"p","occurred_at":"2026-01-05T00:00:00Z"}"#
    }
    let file = try folder.write(lines.joined(separator: "\n") + "\n", as: "e.ndjson")
    let done = try await run([file], on: try ScratchDatabase())
    #expect(
      done.words.contains("  4 events kept whose names mean nothing: a 2, b 1, flow_shown 1\n"),
      "\(done.words)")
  }

  @Test("a later job that brings the kinds of an earlier one from another source says so, once")
  func earlierSource() async throws {
    let database = try ScratchDatabase()
    let first = try await run([SourceFixture("segment").export], on: database)
    #expect(first.code == .done && !first.words.contains("warning"), "\(first.words)")
    let second = try await run(
      ["--source", "amplitude", SourceFixture("amplitude").export], on: database)
    #expect(
      second.words.contains(
        "sluice: warning: flow_appeared came from amplitude and segment (in an earlier job): what stands"
      ), "\(second.words)")
    let sources = try database.store().query(
      "select source, inputs::text, last_job_id::text, is_doubled::text from sluice.event_sources where event_kind = 'flow_appeared' order by 1"
    ).rows
    #expect(sources == [["amplitude", "1", "2", "true"], ["segment", "1", "1", "true"]])
    // Nothing new is read: nothing new is to be said.
    let third = try await run(
      ["--source", "amplitude", SourceFixture("amplitude").export], on: database)
    #expect(!third.words.contains("warning"), "\(third.words)")
  }

  @Test("what is read from the standard input is noted with its job")
  func sourcesOfJob() throws {
    let database = try ScratchDatabase()
    defer { withExtendedLifetime(database) {} }
    let store = try database.store()
    let job = try store.exampleJob()
    try store.recordSources(#"{"a":["x","y"],"b":["y"]}"#, job)
    #expect(try store.sourcesOfKinds() == ["x": ["a"], "y": ["a", "b"]])
  }

  @Test(
    "names that mean nothing are counted by kind, in words and in a table, and no value is among them"
  )
  func unknownKinds() async throws {
    let folder = try ScratchFolder()
    let members = [
      #""event_name":"didFinishPurchase","params":{"purchaseResult":{"type":"deferred"}}"#,
      #""event_name":"didFinishPurchase","params":{"purchaseResult":7}"#,
      #""event_name":"didFinishPurchase","params":{"purchaseResult":"jane@example.com"}"#,
      #""event_name":"didReceiveError","platform":"iOS","params":{"error":{"adapty_code":4999}}"#,
      #""event_name":"didReceiveError","platform":"Android","params":{"error":"no code here"}"#,
      #""event_name":"store_message_queued","params":{"type":"storekit_77"}"#,
      #""event_name":"analytic_event","params":{"name":"cta_tapped"}"#,
      #""event_name":"app_opened","placment_id":"x","jane@example.com":1,"nothing":null"#,
    ]
    let lines = members.enumerated().map {
      #"{"event_id":"e\#($0)","profile_id":"p","occurred_at":"2026-01-05T00:00:0\#($0)Z",\#($1)}"#
    }
    // Of a record that is refused nothing is told.
    let refused = #"{"event_name":"x","typed_by_jane":1}"#
    let file = try folder.write((lines + [refused]).joined(separator: "\n") + "\n", as: "e.ndjson")
    let database = try ScratchDatabase()
    let done = try await run([file, "--max-rejects", "1"], on: database)
    #expect(done.code == .done, "\(done.words)")
    for line in [
      "1 event kept whose names mean nothing: cta_tapped 1",
      "2 columns that nothing reads: (no name) 1, placment_id 1",
      "2 members of params that cannot be read: error 1, purchaseResult 1",
      "2 purchase results of no known kind: (no name) 1, deferred 1",
      "1 error code without a name: 4999 on iOS 1",
      "1 store message of no known type: storekit_77 1",
    ] {
      #expect(done.words.contains("  \(line)\n"), "\(line) of \(done.words)")
    }
    #expect(!done.words.contains("jane"))
    let rows = try database.store().query(
      "select source, kind, name, n::text from sluice.unknown_names order by kind, name"
    ).rows
    #expect(
      rows == [
        ["canonical", "column", "", "1"], ["canonical", "column", "placment_id", "1"],
        ["canonical", "error_code", "4999 on iOS", "1"], ["canonical", "event", "cta_tapped", "1"],
        ["canonical", "member", "error", "1"], ["canonical", "member", "purchaseResult", "1"],
        ["canonical", "purchase_result", "", "1"],
        ["canonical", "purchase_result", "deferred", "1"],
        ["canonical", "store_message", "storekit_77", "1"],
      ])
  }

  @Test("columns and record types that the vendor does not document are counted")
  func unknownColumns() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    let text = try SourceFixture("adapty_events_csv").text(
      of: SourceFixture("adapty_events_csv").export)
    let file = try folder.write(
      text.replacing("trial_converted", with: "trial_of_next_year"), as: "events.ndjson")
    let done = try await run([file], on: database)
    #expect(done.code == .done, "\(done.words)")
    #expect(done.words.contains("1 record left out, as the source says: without profile_id 1"))
    #expect(done.words.contains("names mean nothing: trial_of_next_year 1"), "\(done.words)")
    #expect(done.words.contains("1 column that nothing reads: column_of_next_year "))
    let counts = try database.store().query(
      "select counts ->> 'filtered', counts -> 'left_out_without' ->> 'profile_id' from sluice.ingest_files"
    ).rows
    #expect(counts == [["1", "1"]])
  }

  @Test("what came from two sources is said when it is new, and stays in the view")
  func saidOnce() async throws {
    let database = try ScratchDatabase()
    func warned(_ fixture: String, _ more: [String] = []) async throws -> Bool {
      let done = try await run(["--reread", SourceFixture(fixture).export] + more, on: database)
      #expect(done.code == .done, "\(done.words)")
      return done.words.contains("warning: flow_appeared came from")
    }
    #expect(try await !warned("segment"))
    #expect(try await warned("amplitude"), "segment was in an earlier job")
    #expect(try await !warned("amplitude"))
    #expect(try await !warned("segment", [SourceFixture("amplitude").export]))
    #expect(try await warned("posthog"), "a third one is new")
    #expect(try await !warned("segment"))
    let doubled = try database.store().query(
      "select source from sluice.event_sources where event_kind = 'flow_appeared' and is_doubled order by 1"
    ).rows
    #expect(doubled == [["amplitude"], ["posthog"], ["segment"]])
  }

  @Test("the record by which the vendor tries a webhook's address is left out and counted")
  func verification() async throws {
    let folder = try ScratchFolder()
    let text = try SourceFixture("adapty_webhook").text(of: SourceFixture("adapty_webhook").export)
    let twin = try ScratchDatabase()
    #expect(try await run([SourceFixture("adapty_webhook").twin], on: twin).code == .done)
    for (index, content) in ["{}\n" + text, "{}\n{ }\n", text + "{}"].enumerated() {
      let database = try ScratchDatabase()
      let file = try folder.write(content, as: "\(index).json")
      let done = try await run([file, "--max-rejects", "0"], on: database)
      #expect(done.code == .done, "\(done.words)")
      #expect(done.words.contains("source: adapty_webhook, recognised by "), "\(done.words)")
      #expect(done.words.contains("left out, as the source says: without any member "))
      let counts = try database.store().query(
        "select counts -> 'left_out_without' ->> 'any member' from sluice.ingest_files"
      ).rows
      #expect(counts == [[index == 1 ? "2" : "1"]])
      if index != 1 { #expect(try await dump(database) == dump(twin)) }
    }
    // Elsewhere a record without members is a fault.
    let canonical = try folder.write(
      "{}\n" + #"{"event_name":"x","profile_id":"p","occurred_at":0}"# + "\n", as: "c.json")
    let done = try await run([canonical, "--max-rejects", "1"], on: try ScratchDatabase())
    #expect(done.words.contains("1 record rejected: missing_member 1"), "\(done.words)")
  }

  @Test("Amplitude's zip of gzipped files gives what its lines give")
  func zipOfGzip() async throws {
    let fixture = SourceFixture("amplitude")
    let lines = try fixture.text(of: fixture.export).split(separator: "\n").map { $0 + "\n" }
    let middle = lines.count / 2
    let parts = [lines[..<middle], lines[middle...]].map { Array($0.joined().utf8) }
    let folder = try ScratchFolder()
    let file = try folder.write(
      Packed.zip(
        parts.enumerated().map {
          ("512345/512345_2026-06-01_1\($0.offset)#0.json.gz", Packed.gzip($0.element))
        }), as: "export.zip")
    let (plain, packed) = (try ScratchDatabase(), try ScratchDatabase())
    #expect(try await run([fixture.twin], on: plain).code == .done)
    let done = try await run([file], on: packed)
    #expect(done.code == .done && done.words.contains("read as lines in gzip in zip (2)"))
    #expect(done.words.contains("source: amplitude, recognised by "), "\(done.words)")
    #expect(try await dump(packed) == dump(plain))
  }

  @Test("an event that is exported and read again keeps its source's revision")
  func revisionReturns() async throws {
    let fixture = SourceFixture("ga4")
    let (first, second) = (try ScratchDatabase(), try ScratchDatabase())
    #expect(try await run([fixture.export], on: first).code == .done)
    let folder = try ScratchFolder()
    var text = ""
    for row in try first.store().query("select profile_id from sluice.profiles").rows {
      let words = ["export", "events", row[0] ?? ""]
      text += try await CommandRun(words, on: first).output
    }
    #expect(text.contains(#""source_revision":20260604"#))
    let file = try folder.write(text, as: "events.ndjson")
    let old = try fixture.text(of: fixture.export).split(separator: "\n")
      .filter { $0.contains("20260602") }.joined(separator: "\n")
    let stale = try folder.write(old, as: "old.ndjson")
    #expect(try await run([file], on: second).code == .done)
    // The older row of an earlier export does not come back.
    #expect(try await run([stale], on: second).code == .done)
    #expect(try await dump(second) == dump(first))
    // What is no number that can count is none.
    let strange = try folder.write(
      #"{"event_name":"x","profile_id":"q","occurred_at":0,"source_revision":"soon"}"#,
      as: "strange.ndjson")
    let done = try await run([strange], on: second)
    #expect(done.words.contains("1 unreadable member left out"), "\(done.words)")
  }

  @Test("names that a source's maker documents are kept and not told")
  func documentedNames() async throws {
    let folder = try ScratchFolder()
    func record(_ type: String, _ more: String) -> String {
      #"{"messageId":"m\#(type)","originalTimestamp":"2026-06-01T10:00:00Z","type":"\#(type)","anonymousId":"a"\#(more)}"#
        + "\n"
    }
    let file = try folder.write(
      record("identify", #","traits":{"plan":"free"}"#) + record("page", "")
        + record("track", #","event":"cta_tapped","column_of_next_year":1"#), as: "events.ndjson")
    let done = try await run([file], on: try ScratchDatabase())
    #expect(done.words.contains("3 events: 3 new"), "\(done.words)")
    #expect(
      done.words.contains("1 event kept whose names mean nothing: cta_tapped 1"), "\(done.words)")
    #expect(done.words.contains("1 column that nothing reads: column_of_next_year 1"))
  }

  @Test("one source in several files is nothing to warn of")
  func oneSource() async throws {
    let database = try ScratchDatabase()
    let done = try await run(
      [
        SourceFixture("segment").export, SourceFixture("segment").twin, "--source", "segment",
        "--max-rejects", "100%",
      ],
      on: database)
    #expect(!done.words.contains("warning"), "\(done.words)")
    let files = try await run(
      [SourceFixture("appmetrica").export, SourceFixture("appmetrica-csv").export],
      on: try ScratchDatabase())
    #expect(!files.words.contains("warning"), "\(files.words)")
  }

  @Test("where nothing can be read, the sources that were tried are named")
  func nothingRead() async throws {
    let folder = try ScratchFolder()
    let events = try folder.write(#"{"what":"a","who":"b"}"# + "\n", as: "events.ndjson")
    let done = try await CommandRun(
      ["run", "--dry-run", "--pipeline", Checkout.pipeline, "--as-of", asOf, events])
    #expect(done.code == .tooManyRejects)
    #expect(
      done.words.contains(
        "none of 1 record could be read as canonical events; sources tried: canonical, adapty_events_csv, "
      ), "\(done.words)")
    let chosen = try await CommandRun(
      ["run", "--dry-run", "--pipeline", Checkout.pipeline, "--source", "ga4", events])
    #expect(chosen.words.contains("could be read as ga4 events; `sluice check --source ga4"))
  }

  @Test("records that could be of two sources are read as canonical ones, and said so")
  func ambiguous() async throws {
    let folder = try ScratchFolder()
    let line =
      #"{"event":"x","distinct_id":"d","timestamp":"2026-06-01T00:00:00Z","uuid":"u","properties":{},"messageId":"m","originalTimestamp":"2026-06-01T00:00:00Z","rudderId":"r","request_ip":"i","channel":"c"}"#
    let events = try folder.write(line + "\n", as: "events.ndjson")
    let done = try await CommandRun(["check", "--sample", events])
    #expect(done.code == .done)
    // PostHog asks for five things, RudderStack for three or four.
    #expect(done.words.contains("source: posthog"), "\(done.words)")
    let tied = try folder.write(
      line.replacing(#""uuid":"u","#, with: "")
        .replacing(
          #""event":"x","#, with: #""event_type":"x","client_event_time":1,"device_id":1,"#
        )
        .replacing(#""request_ip":"i","#, with: "") + "\n", as: "tied.ndjson")
    let two = try await CommandRun(["check", "--sample", tied])
    #expect(
      two.words.contains(
        "source: canonical is assumed; it could be amplitude or rudderstack: name it with --source"),
      "\(two.words)")
  }

  @Test("several refused records in one are one row of the rejects, and each is counted")
  func rejectsInside() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    let source = try folder.write(
      "source: ours\nrecords: list\ncanonical_members: true\n", as: "ours.yaml")
    let item = #"{"event_name":"x","profile_id":"null","occurred_at":0}"#
    let events = try folder.write(#"{"list":[\#(item),\#(item),\#(item)]}"# + "\n", as: "e.json")
    let done = try await run(
      ["--source", source, "--max-rejects", "100%", events], on: database)
    #expect(
      done.code == .done && done.words.contains("3 records rejected: illegal_id 3"), "\(done.words)"
    )
    let rows = try database.store().query("select reason, field from sluice.rejects").rows
    #expect(rows == [["illegal_id", "profile_id"]])
  }

  @Test("check shows how the first records would be read, and nothing that someone typed")
  func sample() async throws {
    let folder = try ScratchFolder()
    let lines = [
      #"{"event_type":"flow_user_input","uuid":"e1","device_id":"d1","session_id":-1,"client_event_time":"2026-06-01 10:00:00.5","user_id":"jane@example.com","event_properties":{"instanceId":"scr_a","element_id":"mail","element_type":"email_input","value":"jane@example.com","placement_id":"onboarding"}}"#,
      #"{"event_type":"session_start","device_id":"null","client_event_time":"2026-06-01 10:00:00","event_properties":{}}"#,
      #"{"event_type":"session_start","uuid":"e2","device_id":"d1","session_id":5,"client_event_time":"2026-06-01 10:00:01","event_properties":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7}}"#,
    ]
    let events = try folder.write(lines.joined(separator: "\n") + "\n", as: "events.ndjson")
    let done = try await CommandRun(["check", "--source", "amplitude", "--sample", events])
    #expect(done.code == .done && done.words == "amplitude: right: 24 members, 0 names\n")
    #expect(!done.output.contains("jane"))
    try Golden.expect(done.output, "source-sample.txt")
    let json = try await CommandRun(["check", "--sample", events, "--format", "json", "--quiet"])
    #expect(json.words == "" && json.output.split(separator: "\n").count == 5)
  }

  @Test("a broken source file ends with 78 and its report, before any event is read")
  func broken() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write("source: x\nenvelop: {}\ncanonical_members: true\n", as: "x.yaml")
    for words in [
      ["check", "--source", path],
      ["run", "--dry-run", "--pipeline", Checkout.pipeline, "--source", path, Checkout.davis],
    ] {
      let done = try await CommandRun(words)
      #expect(done.code == .pipelineWrong)
      #expect(
        done.words.hasPrefix("\(path):2:1: a source has no key `envelop`; did you mean `envelope`?")
      )
    }
  }

  @Test("check says what a source leaves out")
  func leftOut() async throws {
    let done = try await CommandRun([
      "check", "--source", "adapty_visits_csv", "--sample",
      SourceFixture("adapty_visits_csv").export,
    ])
    #expect(
      done.words
        == "adapty_visits_csv: right: 9 members, 0 names; records without profile_id are left out and counted\n1 record left out: without profile_id\n"
    )
  }

  @Test("what check is asked belongs together")
  func usage() async throws {
    let both = try await CommandRun(["check", "--source", "ga4", "--pipeline", Checkout.pipeline])
    #expect(both.code == .usage && both.words.contains("check one at a time"))
    let format = try await CommandRun(["check", "--format", "json", Checkout.pipeline])
    #expect(format.code == .usage && format.words.contains("add --sample FILE"))
    let operand = try await CommandRun(["check", "--source", "ga4", "x.yaml"])
    #expect(operand.code == .usage)
  }
}
