import Core
import Foundation
import Testing

@testable import Ingest
@testable import Store
@testable import sluice

private let asOf = "2026-11-20T00:00:00Z"
private let mark = "MARKOFAPERSON"

/// Plants a text in every field that a person or their device fills, and looks for it in what is said.
///
/// Only what is asked for one person (`explain`, `export events`) and the dump may hold it.
@Suite("What a person typed")
struct MarkerTests {
  private let folder: ScratchFolder
  private let database: ScratchDatabase

  init() throws {
    folder = try ScratchFolder()
    database = try ScratchDatabase()
  }

  private static let pipeline = """
    pipeline: marked
    flows:
      onboarding: { placements: onboarding }
    answers:
      nick: { element: nick, type: text }
    attributes:
      nickname: { type: text, value: nick }
    segments:
      named: nickname is not null
      marked: nickname like '%MARK%'
    placements:
      paywall:
        audiences:
          - { segment: named, show: { flow: one } }
          - { default: true, show: [{ flow: two, variation: v1, weight: 50 }, { flow: two, variation: v2, weight: 50 }] }
        tags: { nickname: nickname }
    next:
      - { when: marked, placement: paywall }
      - { placement: onboarding }
    """

  private func event(_ id: String, _ name: String, _ params: String, _ more: String = "") -> String
  {
    #"{"event_id":"\#(id)","event_name":"\#(name)","profile_id":"p\#(id.first ?? "x")","session_id":"s","occurred_at":"2026-03-01T10:00:0\#(id.last ?? "0")Z","placement_id":"onboarding","device":"\#(mark)","locale":"\#(mark)","customer_user_id":"\#(mark)","os_version":"\#(mark)","time_zone":"\#(mark)","environment":"\#(mark)","params":\#(params)\#(more)}"#
      + "\n"
  }

  private var good: String {
    ["a", "b"].map { person in
      event("\(person)1", "flow_appeared", #"{"note":"\#(mark)"}"#)
        + event("\(person)2", "flow_screen_showed", #"{"instanceId":"scr","title":"\#(mark)"}"#)
        + event(
          "\(person)3", "flow_user_input",
          #"{"element_id":"nick","element_type":"text_input","instanceId":"scr","value":"\#(mark)"}"#
        )
        + event(
          "\(person)4", "flow_user_input",
          #"{"element_id":"pick","element_type":"multi_choice","instanceId":"scr","value":[{"id":"\#(mark)","title":"\#(mark)"}]}"#
        )
        + event(
          "\(person)5", "flow_user_input",
          #"{"element_id":"mail","element_type":"email_input","instanceId":"scr","value":"\#(mark)@example.com","title":"\#(mark)"}"#
        )
        + event("\(person)6", "flow_screen_showed", #"{"instanceId":"end","is_last_screen":true}"#)
        + event(
          "\(person)7", "profile_updated",
          #"{"custom_attributes":{"\#(mark)":"\#(mark)"},"email":"\#(mark)"}"#)
        + event("\(person)8", "\(person)_tapped", #"{"note":"\#(mark)"}"#)
    }.joined()
  }

  /// A record for each reason, and bad bytes around the text.
  private var bad: [UInt8] {
    let long = String(repeating: mark, count: 20)
    let lines = [
      mark, "{\"\(mark)\":\"\(mark)", "[\"\(mark)\"]", "\"\(mark)\"",
      #"{"event_name":"x","value":"\#(mark)"}"#,
      #"{"event_name":"x","profile_id":["\#(mark)"],"occurred_at":0}"#,
      #"{"event_name":"x","profile_id":"p","occurred_at":"\#(mark)"}"#,
      #"{"event_name":"x","profile_id":"\#(long)","occurred_at":0}"#,
      #"{"event_name":{"\#(mark)":1},"profile_id":"p","occurred_at":0}"#,
      #"{"event_name":"x","profile_id":"p","occurred_at":0,"params":{"element_id":"\#(long)\#(long)"}}"#,
      #"{"event_name":"x","profile_id":"p","occurred_at":0,"params":{"value":"\#(String(repeating: mark, count: 6000))"}}"#,
      #"{"event_name":"x","profile_id":"p","occurred_at":0,"params":"\#(mark)","counter":"\#(mark)","sent_at":"\#(mark)"}"#,
      String(repeating: mark, count: 90_000),
      #"{"event_name":"x","profile_id":"null","note":"\#(mark)"}"#,
    ]
    return Array(lines.map { $0 + "\n" }.joined().utf8) + Array(mark.utf8)
      + [0xFF, 0x0A, 0x7B, 0x22] + Array(mark.utf8) + [0xC3, 0x22, 0x7D, 0x0A]
  }

  private func expectUnsaid(_ run: CommandRun, _ what: String, output: Bool = true) {
    #expect(!run.words.contains(mark), "\(what): \(run.words)")
    if output { #expect(!run.output.contains(mark), "\(what): \(run.output)") }
  }

  @Test("is in no words, no report, no list of rejects, no ledger, no log")
  func unsaid() async throws {
    let pipeline = try folder.write(Self.pipeline, as: "p.yaml")
    let changed = try folder.write(
      Self.pipeline.replacingOccurrences(of: "'%MARK%'", with: "'%PERSON'")
        .replacingOccurrences(
          of: "tags: { nickname: nickname }", with: "tags: { nickname: upper(nickname) }"
        )
        .replacingOccurrences(of: "nickname is not null", with: "nickname is null"),
      as: "changed.yaml")
    let goodFile = try folder.write(good, as: "good.ndjson")
    let badFile = try folder.write(bad, as: "bad.ndjson")
    let csv = try folder.write(
      "profile_id,event_name,occurred_at,params.value\np,x,0\np,x,\(mark),\(mark)\np,x,0,\"\(mark)\"\(mark)\np,x,0,\"\(mark)",
      as: "bad.csv")
    let wrong = try folder.write(
      Self.pipeline.replacingOccurrences(of: "nickname is not null", with: "nickname +"),
      as: "wrong.yaml")
    let out = folder.path + "/rejects.ndjson"
    let files = [goodFile, badFile, csv]
    let base = ["--pipeline", pipeline, "--as-of", asOf]

    let dry = try await CommandRun(["run", "--dry-run"] + base + files)
    #expect(dry.code == .tooManyRejects, "\(dry.words)")
    expectUnsaid(dry, "dry run")
    let run = try await CommandRun(
      ["run", "--max-rejects", "90%", "--rejects", out] + base + files, on: database)
    #expect(run.code == .done, "\(run.words)")
    expectUnsaid(run, "run")
    #expect(run.words.contains("answer_too_long 1") && run.words.contains("record_too_large 1"))
    #expect(!(try String(contentsOfFile: out, encoding: .utf8)).contains(mark))
    // It is there, or the test would prove nothing.
    let explained = try await CommandRun(["explain", "pa"], on: database)
    #expect(explained.code == .done && explained.output.contains(mark))

    var commands: [[String]] = [
      ["run", "--reread", "--max-rejects", "90%", "--jobs", "1"] + base + files,
      ["run"] + base + [goodFile], ["recompute", "--as-of", asOf], ["check", pipeline],
      ["check", wrong], ["check", "--data", pipeline], ["test", pipeline], ["test", wrong],
      ["check", "--sample", goodFile], ["check", "--sample", badFile], ["check", "--sample", csv],
      ["check", "--source", "segment", "--sample", goodFile, "--format", "json"],
      ["run", "--source", "segment"] + base + [goodFile],
      ["plan", changed, "--as-of", asOf, "--sample", "5", "--replay", "300d"],
      ["plan", changed, "--as-of", asOf, "--format", "json"],
      ["plan", changed, "--as-of", asOf, "--format", "markdown", "--sample", "5"],
      ["rejects", "list"], ["rejects", "list", "--format", "csv"],
      ["rejects", "list", "--format", "json"],
      ["rejects", "replay", "--max-rejects", "90%"] + base,
      ["run", "--pipeline", changed, "--as-of", asOf, goodFile], ["explain", "nobody"], ["migrate"],
      [
        "force", "pa", "--placement", "paywall", "--variation", "v1", "--until", "2027-01-01",
        "--as-of", asOf,
      ],
    ]
    for report in ReportNames.all {
      for format in ["table", "csv", "json"] {
        commands.append(["report", report, "--format", format])
      }
    }
    for words in commands {
      let asksDatabase = !(words[0] == "test" || (words[0] == "check" && !words.contains("--data")))
      let done = try await CommandRun(words, on: asksDatabase ? database : nil)
      // An exit that nobody meant would leave the command's own words untested.
      #expect(done.code != .usage && done.code != .bug, "\(words): \(done.words)")
      expectUnsaid(done, words.joined(separator: " "))
    }
    let ledgers = ["rejects", "ingest_files", "job_runs", "job_units", "shard_state"]
    for table in ledgers {
      let rows = try database.store().query("select t::text from sluice.\(table) as t").rows
      #expect(!rows.contains { $0[0]?.contains(mark) == true }, "\(table)")
    }
  }

  @Test("is in no words when the database refuses it, nor in the server's log")
  func refused() async throws {
    let pipeline = try folder.write(Self.pipeline, as: "p.yaml")
    let file = try folder.write(good, as: "good.ndjson")
    try database.connection().executeScript(
      "alter table sluice.flow_runs add constraint no_mark check (answers not like '%MARK%')")
    let run = try await CommandRun(
      ["run", "--pipeline", pipeline, "--as-of", asOf, file], on: database)
    expectUnsaid(run, "run")
    if ScratchServer.isPrivate {
      let log = try Data(contentsOf: URL(fileURLWithPath: ScratchServer.logFile))
      #expect(log.range(of: Data(mark.utf8)) == nil)
    }
  }
}

private enum ReportNames {
  static let all = [
    "segments", "funnel", "purchase_funnel", "error_counts", "product_loading_failures",
    "restore_counts", "subscription_states", "store_message_counts",
  ]
}
