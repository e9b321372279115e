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

  /// What only events can hold: a pipeline file refuses it.
  private var controlPayloads: [String] {
    [
      "\u{1B}[2J\u{1B}]0;owned\u{7}", "\u{9B}31m", "\u{202E}gnp.exe",
      "x\r\nsluice: job 1: all is well",
      "\t=1+1", "\r=1+1", "\u{7F}\u{8}\u{8}",
    ]
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
