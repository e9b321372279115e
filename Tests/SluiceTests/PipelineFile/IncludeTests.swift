import Core
import Store
import Testing

@testable import sluice

@Suite("Included files and variables")
struct IncludeTests {
  private func load(_ folder: ScratchFolder, _ environment: [String: String] = [:]) throws
    -> LoadedPipeline
  {
    try Sluice(console: Console(), environment: environment).load(folder.path + "/p.yaml")
  }

  @Test("a pipeline in several files is the generation of the same pipeline in one")
  func merged() throws {
    let parts = try ScratchFolder()
    try parts.write(
      "p.yaml",
      "pipeline: p\ninclude: [shared/people.yaml, shared/more/next.yaml]\nsegments:\n  a: profile.is_test_user\n"
    )
    // The same file by two ways counts once, and paths begin at the file that names them.
    try parts.write(
      "shared/people.yaml", "include: more/next.yaml\nsegments:\n  b: profile.device = 'x'\n")
    try parts.write(
      "shared/more/next.yaml", "include: []\nnext: [{ when: b, nothing: true }]\ntests:\n")
    let whole = try ScratchFolder()
    try whole.write(
      "p.yaml",
      "pipeline: p\nnext: [{ when: b, nothing: true }]\nsegments: { b: profile.device = 'x', a: profile.is_test_user }\n"
    )
    let loaded = try load(parts)
    #expect(loaded.generation.text == (try load(whole).generation.text))
    #expect(loaded.generation.hash == (try load(whole).generation.hash))
    // What is stored needs neither the files nor a folder.
    let stored = PipelineFile(Array(loaded.generation.text.utf8), path: "stored")
    #expect(stored.report() == "" && stored.canonicalText.string == loaded.generation.text)
    #expect(!loaded.generation.text.contains("include"))
  }

  @Test("tests of all files are run")
  func tests() throws {
    let folder = try ScratchFolder()
    try folder.write(
      "p.yaml",
      "pipeline: p\ninclude: a.yaml\ntests: [{ name: one, answers: {}, expect: { segments: [] } }]\n"
    )
    try folder.write("a.yaml", "tests: [{ name: two, answers: {}, expect: { segments: [] } }]\n")
    #expect(try load(folder).tests.map(\.name.value) == ["one", "two"])
  }

  @Test("a problem in an included file is shown there, and the core's problems too")
  func places() throws {
    let folder = try ScratchFolder()
    try folder.write("p.yaml", "pipeline: p\ninclude: a.yaml\n")
    try folder.write("a.yaml", "# one\nsegments:\n  a: profile.nope > 1\n")
    let wrong = #expect(throws: PipelineFileProblem.self) { try load(folder) }
    #expect(wrong?.report.hasPrefix("\(folder.path)/a.yaml:3:6: there is no") == true)
    #expect(wrong?.report.hasSuffix("  a: profile.nope > 1\n       ^\n") == true)
  }

  private let variable = """
    pipeline: p
    history_starts: ${START}
    placements:
      a:
        audiences:
          - default: true
            audience_version: ${VERSION}
            show: { flow: "${FLOW}", variation: "${VARIATION}" }
        tags: { name: "'{FLOW} costs $5 or ${'" }

    """

  @Test("variables count as if their values were written, and the canonical text holds the values")
  func values() throws {
    let folder = try ScratchFolder()
    try folder.write("p.yaml", variable)
    let environment = [
      "START": "2026-06-01", "VERSION": "5f0e", "FLOW": "coach", "VARIATION": "7",
    ]
    let loaded = try load(folder, environment)
    var written = variable
    for (name, value) in environment where name != "FLOW" {
      written = written.replacing("${\(name)}", with: value)
    }
    written = written.replacing("flow: \"${FLOW}\"", with: "flow: coach")
    written = written.replacing("variation: \"7\"", with: "variation: 7")
    let other = try ScratchFolder()
    try other.write("p.yaml", written)
    #expect(loaded.generation.text == (try load(other).generation.text))
    #expect(loaded.generation.text.contains(#""audience_version": "5f0e""#))
    // Another value is another generation.
    #expect(
      try load(folder, environment.merging(["VERSION": "6"]) { $1 }).generation.hash
        != loaded.generation.hash)
  }
}
