import Core
import Foundation
import Report
import Testing

@testable import Store
@testable import sluice

private let asOf = "2026-11-20T00:00:00Z"

/// Case 52, 53, 54: what names of people's devices, of the vendor's console and of files can hold.
@Suite("Names that are programs")
struct HostileNamesTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Nothing in it moves a cursor.
  private func expectQuiet(_ text: String, _ what: String, allowing allowed: String = "") {
    let controls = text.unicodeScalars.filter {
      (($0.value < 0x20 && $0 != "\n") || (0x7F...0x9F).contains($0.value) || $0 == "\u{202E}")
        && !allowed.unicodeScalars.contains($0)
    }
    #expect(controls.isEmpty, "\(what): \(text.debugDescription.prefix(2000))")
  }

  @Test("are refused in a pipeline file where they hold controls, in words that hold none")
  func controls() async throws {
    for name in [#"\e[2J\e]0;x\a"#, #"\u009b31m"#, #"x\r\ny"#] {
      for place in [
        "segments: { \"\(name)\": a = 'v' }", "flows: { f: { placements: \"\(name)\" } }",
        "placements: { \"\(name)\": { audiences: [{ default: true, show: { flow: f } }] } }",
        "\"\(name)\": x", "answers: { a: { element: \"\(name)\", type: text } }",
      ] {
        let file = try folder.write("pipeline: p\n\(place)\n", as: "controls.yaml")
        for words in [["check", file], ["check", "--format", "json", file]] {
          let done = try await CommandRun(words)
          if words.count == 2 { #expect(done.code == .pipelineWrong, "\(place): \(done.words)") }
          expectQuiet(done.words + done.output, place)
        }
      }
    }
  }

  // MARK: Everything at once

  /// What nobody's shell, server, spreadsheet, browser or YAML reader may take for a program.
  private var payloads: [String] {
    let mark = folder.path + "/ran"
    return [
      "x'; drop table sluice.profiles; --", "$$; drop schema sluice cascade; --", "%s%n\\'\"",
      "$(touch \(mark))", "`touch \(mark)`", "; touch \(mark) #", "| touch \(mark)",
      "=HYPERLINK(\"http://x\")", "+1+cmd|'/c calc'!A0", "-1+1", "@SUM(A1)", "'=1",
      "\"><script>alert(1)</script>", "</title><img src=x onerror=alert(1)>",
      "[x](javascript:alert(1))", "a|b|c", "`code` *b* _i_ #",
      "!!python/object:os.system", "{a: b", "&a *a", "? - x", "no", "~", "1e3", "é\u{301}",
    ]
  }

  /// What only events can hold: a pipeline file refuses it.
  private var controlPayloads: [String] {
    [
      "\u{1B}[2J\u{1B}]0;owned\u{7}", "\u{9B}31m", "\u{202E}gnp.exe",
      "x\r\nsluice: job 1: all is well",
      "\t=1+1", "\r=1+1", "\u{7F}\u{8}\u{8}",
    ]
  }

  private func json(_ text: String) -> String { jsonText(Bytes(text)) }

  private func events(of name: String, _ number: Int) -> String {
    let id = json(name)
    func event(_ kind: String, _ second: Int, _ params: String) -> String {
      #"{"event_id":"\#(number)-\#(second)","event_name":"\#(kind)","profile_id":\#(id),"session_id":\#(id),"occurred_at":"2026-03-01T10:00:0\#(second)Z","placement_id":\#(id),"flow_id":\#(id),"flow_version_id":\#(id),"variation_id":\#(id),"audience_name":\#(id),"ab_test_name":\#(id),"platform":\#(id),"app_version":\#(id),"device":\#(id),"params":\#(params)}"#
        + "\n"
    }
    return event("flow_appeared", 0, "{}")
      + event("flow_screen_showed", 1, #"{"instanceId":\#(id)}"#)
      + event(
        "flow_user_input", 2,
        #"{"element_id":\#(id),"element_type":\#(id),"instanceId":\#(id),"value":\#(id)}"#)
      + event(
        "flow_user_input", 3,
        #"{"element_id":\#(id),"element_type":"single_choice","instanceId":"pick","value":[{"id":\#(id),"title":\#(id)}]}"#
      )
      + event("purchase_started", 4, #"{"product":{"vendorProductId":\#(id)}}"#)
      + event(
        "purchase_finished", 5,
        #"{"product":{"vendorProductId":\#(id)},"purchaseResult":{"type":"success"}}"#)
      + event(
        "product_loading_failed", 6, #"{"error":{"code":\#(id),"message":\#(id)}}"#)
      + event("error_received", 7, #"{"error":{"code":\#(id),"message":\#(id)}}"#)
      + event("flow_screen_showed", 8, #"{"instanceId":"end","is_last_screen":true}"#)
      // The name of an event is one too.
      + event("x", 9, "{}").replacingOccurrences(
        of: #""event_name":"x""#, with: #""event_name":\#(id)"#)
  }

  private func pipeline(_ rule: String) -> String {
    let names = payloads
    func section(_ line: (String, Int) -> String) -> String {
      names.enumerated().map { "  " + line(json($1), $0) + "\n" }.joined()
    }
    func literal(_ name: String) -> String {
      json("profile.device = '" + name.replacingOccurrences(of: "'", with: "''") + "'")
    }
    return "pipeline: \(json(names[0]))\nflows:\n"
      + section { name, _ in "\(name): { placements: [\(name)] }" }
      + "answers:\n" + section { "a\($1): { element: \($0), screen: \($0), type: text }" }
      + "attributes:\n  taken: { type: text, value: 'coalesce(a0, a7, a12)' }\n"
      + "segments:\n"
      + names.map { "  \(json("s " + $0)): \(literal($0))\n" }.joined()
      + "  \(json(names[7])): \(rule)\n  \(json(names[12])): \(rule)\n"
      + "placements:\n"
      + section {
        "\($0): { audiences: [{ segment: \(json("s " + names[$1])), audience_version: \($0), show: { flow: \($0), variation: \(json("v\($1) " + names[$1])) } }, { default: true, show: { flow: \($0) } }] }"
      }
      + "next:\n"
      + names.map { "  - { when: \(literal($0)), placement: \(json($0)), because: \(json($0)) }\n" }
      .joined()
  }

  private func expectNoFormula(_ csv: String, _ what: String) {
    var cells: [String] = []
    var cell = ""
    var isQuoted = false
    for scalar in csv.unicodeScalars {
      switch scalar {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted, "\n" where !isQuoted:
        cells.append(cell)
        cell = ""
      case "\r" where !isQuoted: break
      default: cell.unicodeScalars.append(scalar)
      }
    }
    for cell in cells
    where cell.unicodeScalars.first.map({ "=+-@\t\r".unicodeScalars.contains($0) }) ?? false {
      #expect(Double(cell) != nil, "\(what): \(cell.debugDescription)")
    }
  }

  private func expectNoMarkup(_ markdown: String, _ what: String) {
    var isEscaped = false
    for scalar in markdown.unicodeScalars {
      if !isEscaped {
        #expect(!"<>[]".unicodeScalars.contains(scalar), "\(what): \(markdown)")
        if "<>[]".unicodeScalars.contains(scalar) { return }
      }
      isEscaped = scalar == "\\" && !isEscaped
    }
  }

  private func isJSON(_ text: String) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil
  }

  private func expectClean(
    _ done: CommandRun, _ words: [String], on database: ScratchDatabase?
  ) async throws {
    let what = words.prefix(4).joined(separator: " ")
    expectQuiet(done.words, what)
    // A file holds the exact text, which a terminal must not obey.
    let terminal = try await CommandRun(words, on: database, isTerminal: true)
    expectQuiet(terminal.output, what, allowing: "\t")
    switch words.firstIndex(of: "--format").map({ words[$0 + 1] }) {
    case "csv": expectNoFormula(done.output, what)
    case "json":
      // One value, or one a line.
      #expect(
        isJSON(done.output)
          || done.output.split(separator: "\n").allSatisfy { isJSON(String($0)) },
        "\(what): \(done.output.prefix(500))")
    case "markdown": expectNoMarkup(done.output, what)
    default: break
    }
  }

  @Test("do nothing in any command, and every format of its output holds them as what they are")
  func everywhere() async throws {
    let database = try ScratchDatabase()
    let names = payloads + controlPayloads
    let file = try folder.write(
      names.enumerated().map { events(of: $1, $0) }.joined() + "{\"broken\n",
      as: "\u{1B}[2J\n=cmd|'$(touch ran)'<b>.ndjson")
    let old = try folder.write(pipeline("profile.device is null"), as: "p.yaml")
    let new = try folder.write(pipeline("profile.device is not null"), as: "new.yaml")
    let base = ["--as-of", asOf]
    func expect(_ words: [String], _ code: ExitCode = .done) async throws {
      let target = words[0] == "check" || words.contains("--dry-run") ? nil : database
      let done = try await CommandRun(words, on: target)
      #expect(done.code == code, "\(words): \(done.words)")
      try await expectClean(done, words, on: target)
    }
    try await expect(["check", old])
    try await expect(["run", "--dry-run", "--pipeline", old] + base + [file])
    try await expect(["run", "--pipeline", old] + base + [file])
    for format in ["table", "csv", "json"] {
      for report in ReportCatalogue.reports {
        try await expect(["report", report.name, "--format", format])
      }
      try await expect(["rejects", "list", "--format", format])
      try await expect(["check", "--sample", file, "--format", format])
      for name in names where !name.hasPrefix("-") {
        try await expect(["explain", name, "--format", format] + base)
      }
    }
    for format in ["text", "json", "markdown"] {
      try await expect(
        ["plan", new, "--format", format, "--sample", "50", "--replay", "300d"] + base)
    }
    try await expect(["export", "dump"])
    for name in names where !name.hasPrefix("-") {
      try await expect(["export", "events", name])
      try await expect(["export", name])
      try await expect(["erase", "--plan", name])
    }
    try await expect(["run", "--pipeline", new] + base + [file])
    try await expect(["recompute", "--pipeline", new] + base)

    // Nothing ran, and everything that was said is there.
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/ran"))
    #expect(!FileManager.default.fileExists(atPath: "ran"))
    let store = try database.store()
    #expect(
      try Set(store.query("select profile_id from sluice.profiles").rows.compactMap { $0[0] })
        == Set(names))
    #expect(
      try Set(store.query("select element_id from sluice.answers").rows.compactMap { $0[0] })
        == Set(names))
    #expect(
      try store.query("select count(*) from sluice.next_placements where because <> profile_id")
        .rows
        == [[String(controlPayloads.count)]])
  }

  @Test("on a terminal no data shows a control character, and lines and columns stay")
  func terminal() async throws {
    let output = folder.path + "/output"
    let descriptor = open(output, O_CREAT | O_WRONLY, 0o600)
    let console = Console(output: descriptor, words: descriptor, isTerminal: true)
    let table = ReportTable(columns: [.init("name", .text)], rows: controlPayloads.map { [$0] })
    try console.write(CSVText.text(table))
    try console.write("dump\tline\n")
    try console.flush()
    console.say(controlPayloads.joined(separator: "\n"))
    close(descriptor)
    let shown = try String(contentsOfFile: output, encoding: .utf8)
    expectQuiet(shown, "terminal", allowing: "\t")
    #expect(shown.hasPrefix("name\n") && shown.contains("dump\tline\n"), "\(shown)")
    #expect(shown.contains(#"\u{1b}[2J"#))
  }
}
