import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

private let asOf = "2026-11-20T00:00:00Z"

/// What surrounds the process decides nothing that it stores or prints.
@Suite("Odd surroundings of a job")
struct SurroundingsTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Runs the program below a shell that sets limits or redirections first.
  private func shell(_ script: String, _ environment: [String: String] = [:]) throws -> (
    code: Int32, output: String, words: String
  ) {
    let (output, words) = (folder.path + "/out", folder.path + "/err")
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-c", "(\(script)) >'\(output)' 2>'\(words)'"]
    var variables = ["PATH": "/usr/bin:/bin", "PROGRAM": Checkout.program]
    variables["PIPELINE"] = Checkout.pipeline
    variables.merge(environment) { $1 }
    process.environment = variables
    process.currentDirectoryURL = URL(filePath: Checkout.folder)
    try process.run()
    process.waitUntilExit()
    return (
      process.terminationStatus, try String(contentsOfFile: output, encoding: .utf8),
      try String(contentsOfFile: words, encoding: .utf8)
    )
  }

  @Test("26, 58: no locale and no zone of the process changes a row or a byte of any output")
  func locales() throws {
    var expected: String?
    for environment in [
      [:], ["LC_ALL": "tr_TR.UTF-8", "TZ": "America/St_Johns"],
      ["LC_ALL": "de_DE.UTF-8", "TZ": ":/etc/passwd"], ["LC_ALL": "garbage", "TZ": "garbage"],
    ] {
      let database = try ScratchDatabase()
      let url = try ScratchServer.url(of: database.name)
      let done = try shell(
        """
        set -e
        "$PROGRAM" run --pipeline "$PIPELINE" --as-of \(asOf) --database '\(url)' '\(Checkout.athletes)' '\(Checkout.davis)'
        for format in table csv json; do "$PROGRAM" report segments --format $format --database '\(url)'; done
        "$PROGRAM" export dump --database '\(url)'
        """, environment)
      #expect(done.code == 0, "\(environment): \(done.words)")
      expected = expected ?? done.output
      #expect(done.output == expected, "\(environment)")
    }
  }

  @Test(
    "59: a pipe by its descriptor, a sparse file and thousands of empty ones are read in few descriptors"
  )
  func descriptors() throws {
    let line = record(id: "a") + "\n"
    let file = try folder.write(line, as: "f.ndjson")
    let many = folder.path + "/many"
    for number in 0..<3000 { try folder.write("many/\(number)\n.ndjson", number == 7 ? line : "") }
    let sparse = try folder.write(line, as: "sparse.ndjson")
    #expect(truncate(sparse, 40_000_000) == 0)
    let run = "exec \"$PROGRAM\" run --dry-run --pipeline \"$PIPELINE\" --max-rejects 1"
    for (script, records) in [
      ("\(run) /dev/fd/3 3<'\(file)'", "1 record read"),
      ("cat '\(file)' | \(run) /dev/fd/0", "1 record read"),
      ("cat '\(file)' | \(run) -", "1 record read"),
      ("ulimit -n 24; \(run) '\(many)'", "1 record read in 3,000 inputs"),
      // The rest is one line of zeros, and too long.
      ("\(run) '\(sparse)'", "2 records read in 1 input"),
      ("ulimit -v 4000000; \(run) '\(many)'", "1 record read in 3,000 inputs"),
    ] {
      let done = try shell(script)
      #expect(done.code == 0, "\(script): \(done.words)")
      #expect(done.words.contains(records), "\(script): \(done.words)")
    }
  }

  @Test(
    "42, 43, 44: ids that differ only by case, blanks, form or their last byte stay apart, to the byte"
  )
  func apart() async throws {
    let long = String(repeating: "ä", count: 200)
    let ids = [
      "Weight", "weight", "weight ", " weight", "é", "e\u{301}", long + "a", long + "b", "Aa", "aA",
      "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "ı", "i", "İ", "a\u{0}b", "a\u{FFFD}c", "\n",
      "\t",
    ]
    let value = String(repeating: "Ä", count: 30_000)
    let lines = ids.enumerated().map { number, id in
      let name = jsonText(Bytes(id))
      return
        #"{"event_id":"e\#(number)","event_name":"flow_user_input","profile_id":"p","session_id":"s","occurred_at":\#(1_772_359_200 + number),"placement_id":"onboarding","params":{"element_id":\#(name),"instanceId":\#(name),"value":"\#(value)"}}"#
        + "\n"
    }
    let file = try folder.write(lines.joined(), as: "f.ndjson")
    let database = try ScratchDatabase()
    let done = try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, "--as-of", asOf, file], on: database)
    #expect(done.code == .done, "\(done.words)")
    let rows = try database.store().query(
      "select element_id, octet_length(element_id)::text from sluice.answers where screen_id = element_id"
    ).rows
    let expected = ids.map { $0.replacingOccurrences(of: "\u{0}", with: "\u{FFFD}") }
    #expect(
      rows.compactMap { $0[0] }.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        == expected.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    #expect(rows.allSatisfy { $0[1] == $0[0].map { String($0.utf8.count) } })
    #expect(
      try database.store().query(
        "select count(*) from sluice.answers where char_length(value_text) = 30000"
      ).rows == [["\(ids.count)"]])
  }
}
