import Core
import Testing

@testable import sluice

@Suite("Names with control sequences")
struct HostileNamesTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Nothing in it moves a cursor.
  private func expectQuiet(_ text: String, _ what: String) {
    let controls = text.unicodeScalars.filter {
      ($0.value < 0x20 && $0 != "\n") || (0x7F...0x9F).contains($0.value) || $0 == "\u{202E}"
    }
    #expect(controls.isEmpty, "\(what): \(text.debugDescription.prefix(2000))")
  }

  @Test("are refused in a pipeline file, in words that hold none")
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
}
