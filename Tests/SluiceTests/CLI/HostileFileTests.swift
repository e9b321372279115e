import Core
import Foundation
import Testing

@testable import Ingest
@testable import Store
@testable import sluice

private let asOf = "2026-11-20T00:00:00Z"

/// One rule for each thing that can happen to a file; the table in README.md says the same.
@Suite("Hostile files")
struct HostileFileTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func line(_ id: String) -> String { record(id: id) + "\n" }

  private func run(_ database: ScratchDatabase, _ files: [String], _ more: [String] = [])
    async throws -> CommandRun
  {
    try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, "--as-of", asOf] + more + files, on: database)
  }

  private func events(_ database: ScratchDatabase) throws -> String? {
    try database.store().query("select coalesce(sum(n), 0) from sluice.profile_events").rows[0][0]
  }

  // MARK: Between two jobs

  @Test("10, 11: what grows, is replaced, renamed, copied or compressed is read, and counts once")
  func identity() async throws {
    let database = try ScratchDatabase()
    let file = try folder.write(line("a") + String(line("b").dropLast(9)), as: "f.ndjson")
    let half = try await run(database, [file], ["--max-rejects", "1"])
    #expect(half.code == .done && half.words.contains("truncated_record 1"), "\(half.words)")
    _ = try folder.write(line("a") + line("b"), as: "f.ndjson")
    #expect(try await run(database, [file]).code == .done)
    #expect(try events(database) == "2")
    #expect(try database.store().query("select 1 from sluice.rejects").rows.isEmpty)

    // Another file of the same name and size.
    try FileManager.default.removeItem(atPath: file)
    _ = try folder.write(line("a") + line("c"), as: "f.ndjson")
    #expect(try await run(database, [file]).code == .done)
    #expect(try events(database) == "3")

    let copy = try folder.write(line("a") + line("c"), as: "copy.ndjson")
    let packed = try folder.write(Packed.gzip(Array((line("a") + line("c")).utf8)), as: "f.gz")
    try FileManager.default.moveItem(atPath: file, toPath: folder.path + "/renamed.ndjson")
    let again = try await run(database, [copy, packed, folder.path + "/renamed.ndjson"])
    #expect(again.words.contains("0 new, 6 known already"), "\(again.words)")

    // A file that shrank is read from its start; what was read of it before stays.
    _ = try folder.write(line("d"), as: "copy.ndjson")
    #expect(try await run(database, [copy]).code == .done)
    #expect(try events(database) == "4")
  }

  @Test("7: a file with a huge line is done, and not read again")
  func hugeLine() async throws {
    let database = try ScratchDatabase()
    let huge = String(repeating: "x", count: 3 << 20)
    let file = try folder.write(line("a") + huge + "\n" + line("b"), as: "f.ndjson")
    let first = try await run(database, [file], ["--max-rejects", "1"])
    #expect(first.code == .done && first.words.contains("record_too_large 1"), "\(first.words)")
    let second = try await run(database, [file])
    #expect(second.words.contains("1 file unchanged and skipped"), "\(second.words)")
    let row = try database.store().query("select line, length, stage from sluice.rejects").rows
    #expect(row == [["2", "\(3 << 20)", "limit"]])
  }

  // MARK: While it is read

  enum Change: String, CaseIterable { case grows, shrinks, vanishes, isReplaced }

  @Test(
    "what changes while it is read gives what was read, and is read again",
    arguments: Change.allCases)
  func meanwhile(_ change: Change) async throws {
    let path = try folder.write((0..<5000).map { line("e\($0)") }.joined(), as: "f.ndjson")
    var reader = EventReader(
      try InputPaths(arguments: [path]), sources: .recognised(SourcesFolder()),
      limits: ReadLimits(), chunkBytes: 4000, memory: 1, jobs: 1, primitives: .system)
    var isChanged = false
    var read = 0
    var sheet: FileSheet?
    try await reader.read(
      skip: { _ in false },
      flush: { batch, sheets, _ in
        read += batch.takeShards().reduce(0) { $0 + $1.incoming.values.reduce(0) { $0 + $1.count } }
        sheet = sheets[0]
        guard !isChanged else { return }
        isChanged = true
        switch change {
        case .grows:
          let handle = try #require(FileHandle(forWritingAtPath: path))
          try handle.seekToEnd()
          try handle.write(contentsOf: Data(line("new").utf8))
          try handle.close()
        case .shrinks: #expect(truncate(path, 8000) == 0)
        case .vanishes: try FileManager.default.removeItem(atPath: path)
        case .isReplaced:
          try folder.write("other", line("other"))
          #expect(rename(folder.path + "/other", path) == 0)
        }
      })
    let last = try #require(sheet)
    let told = reader.warnings([:]).filter { $0.contains("were cut off while it was read") }
    #expect(told.count == (change == .shrinks ? 1 : 0))
    #expect(last.counts.isBalanced && last.counts.events == read)
    switch change {
    case .grows: #expect(read == 5001)
    case .shrinks: #expect(read < 5000 && read > 0)
    case .vanishes, .isReplaced: #expect(read == 5000)
    }
    // Never done: the next job looks at it again.
    #expect(!last.isStable)
    #expect(reader.failures.count == (change == .vanishes ? 1 : 0))
  }

  // MARK: What is no file

  /// A process's memory is a regular file that refuses to be read, for root too.
  @Test("a file that the system refuses to read costs itself, in a dry run too")
  func refused() async throws {
    let good = try folder.write(line("a"), as: "good.ndjson")
    let dry = try await CommandRun(
      ["run", "--dry-run", "--pipeline", Checkout.pipeline, "/proc/self/mem", good])
    #expect(dry.code == .noInput && dry.words.contains("cannot read"), "\(dry.words)")
    #expect(dry.words.contains("1 event: 1 new"), "\(dry.words)")
  }

  @Test("a closed stdin is no empty one")
  func closedInput() throws {
    let run = "run --dry-run --pipeline '\(Checkout.pipeline)' -"
    let erase = "erase --database 'host=/nowhere' --file -"
    for (command, redirection, code, words) in [
      (run, "<&-", Int32(66), "cannot read: it is closed"), (run, "</dev/null", 0, ""),
      (erase, "<&-", 66, "cannot read: it is closed"), (erase, "</dev/null", 66, "holds no id"),
    ] {
      let process = Process()
      let errors = Pipe()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "exec '\(Checkout.program)' \(command) \(redirection)"]
      process.standardError = errors
      try process.run()
      process.waitUntilExit()
      let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      #expect(process.terminationStatus == code, "\(redirection): \(said)")
      #expect(said.contains(words.isEmpty ? "dry run" : "stdin: \(words)"), "\(said)")
    }
  }

  @Test("a file that goes away between its listing and its reading costs itself")
  func gone() async throws {
    let one = try folder.write(line("a"), as: "a.ndjson")
    let two = try folder.write(line("b"), as: "b.ndjson")
    var reader = EventReader(
      try InputPaths(arguments: [one, two]), sources: .recognised(SourcesFolder()),
      limits: ReadLimits(), chunkBytes: 4000, memory: 1 << 26, jobs: 1, primitives: .system)
    try FileManager.default.removeItem(atPath: one)
    var read = 0
    try await reader.read(
      skip: { _ in false },
      flush: { batch, _, _ in
        read += batch.takeShards().reduce(0) { $0 + $1.incoming.count }
      })
    #expect(read == 1 && reader.failures.map(\.exit) == [.noInput])
    #expect(reader.failures[0].place.hasSuffix("/a.ndjson"))
  }

  @Test("a pipe is read once; a device, a socket and a broken link are named, and cost themselves")
  func special() async throws {
    let database = try ScratchDatabase()
    let good = try folder.write(line("a"), as: "good.ndjson")
    let pipe = folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    let text = line("b")
    let writer = Thread {
      guard let handle = FileHandle(forWritingAtPath: pipe) else { return }
      try? handle.write(contentsOf: Data(text.utf8))
      try? handle.close()
    }
    writer.start()
    #expect(try await run(database, [good, pipe]).code == .done)
    #expect(try events(database) == "2")
    // It has no identity, so nothing is noted of it.
    #expect(try database.store().query("select count(*) from sluice.ingest_files").rows == [["1"]])

    for device in ["/dev/zero", "/dev/urandom"] {
      let refused = try await run(database, [good, device])
      #expect(refused.code == .noInput, "\(refused.words)")
      #expect(refused.words.contains("\(device): is not read: it is a device"), "\(refused.words)")
    }
    #expect(try await run(database, ["/dev/null"]).code == .done)

    let path = folder.path + "/socket"
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if isBound == 0 {
      let refused = try await run(database, [path])
      #expect(refused.code == .noInput && refused.words.contains("cannot read"), "\(refused.words)")
    }
    try folder.link("broken", to: "nowhere")
    let broken = try await run(database, [folder.path + "/broken"])
    #expect(broken.code == .noInput, "\(broken.words)")
  }

  @Test("a folder is all below it, whatever it is called; what is none by its kind is passed over")
  func folders() async throws {
    let database = try ScratchDatabase()
    _ = try folder.write(line("a"), as: "in/day.ndjson/part")
    #expect(mkfifo(folder.path + "/in/pipe", 0o600) == 0)
    try folder.link("in/broken", to: "nowhere")
    let done = try await run(database, [folder.path + "/in"])
    #expect(done.code == .done && done.words.contains("1 file passed over"), "\(done.words)")
    #expect(done.words.contains("/in/broken: leads nowhere; what it should lead to"))
    #expect(try events(database) == "1")
    try folder.link("in/circle", to: "in/circle")
    let quiet = try await run(database, [folder.path + "/in"], ["--quiet"])
    #expect(quiet.code == .done, "\(quiet.words)")
    #expect(quiet.words.contains("/in/broken: leads nowhere, like 1 other link"), "\(quiet.words)")
  }

  @Test("an unreadable file costs itself", .enabled(if: geteuid() != 0))
  func unreadable() async throws {
    let database = try ScratchDatabase()
    let good = try folder.write(line("a"), as: "good.ndjson")
    let closed = try folder.write(line("b"), as: "closed.ndjson")
    #expect(chmod(closed, 0) == 0)
    let done = try await run(database, [good, closed])
    #expect(done.code == .noInput && done.words.contains("Permission denied"), "\(done.words)")
    #expect(try events(database) == "1")
  }

  @Test("CRLF leaves line numbers true, in pipeline files too")
  func lineNumbers() async throws {
    let file = try folder.write(
      "pipeline: p\r\nflows:\r\n  a: { placements: x }\r\nnxt: []\r\n", as: "p.yaml")
    let check = try await CommandRun(["check", file])
    #expect(check.code == .pipelineWrong)
    #expect((check.output + check.words).contains(":4:1"), "\(check.output)\(check.words)")
  }

  @Test(
    "4: text in another encoding is one reject, and the words say what to do",
    arguments: [
      (2, true, true, "UTF-16"), (2, false, true, "UTF-16"), (2, true, false, "UTF-16LE"),
      (2, false, false, "UTF-16BE"), (4, true, true, "UTF-32"), (4, false, true, "UTF-32"),
      (4, true, false, "UTF-32LE"), (4, false, false, "UTF-32BE"),
    ])
  func encoding(_ width: Int, _ isLittle: Bool, _ hasMark: Bool, _ name: String) async throws {
    func bytes(_ unit: UInt32) -> [UInt8] {
      let little = (0..<width).map { UInt8(truncatingIfNeeded: unit >> ($0 * 8)) }
      return isLittle ? little : little.reversed()
    }
    let text = line("a") + "\u{1F600}\n"
    let units = width == 2 ? text.utf16.map(UInt32.init) : text.unicodeScalars.map(\.value)
    let file = try folder.write(
      (hasMark ? bytes(0xFEFF) : []) + units.flatMap(bytes), as: "f.ndjson")
    let database = try ScratchDatabase()
    let done = try await run(database, [file])
    #expect(done.code == .tooManyRejects)
    #expect(done.words.contains("/f.ndjson: is \(name), which"), "\(done.words)")
    #expect(done.words.contains("`iconv -f \(name) -t UTF-8`"), "\(done.words)")
    #expect(
      try database.store().query("select reason, stage, length from sluice.rejects").rows
        == [
          [
            "wrong_encoding", "frame",
            String(hasMark ? width + units.count * width : units.count * width),
          ]
        ])
  }

  @Test("64: more elements of one profile than one record may hold are stored")
  func elements() async throws {
    let database = try ScratchDatabase()
    let lines = (0..<1001).map {
      #"{"event_id":"e\#($0)","event_name":"flow_user_input","profile_id":"p","session_id":"s","occurred_at":\#(1_772_359_200 + $0),"placement_id":"onboarding","params":{"element_id":"el\#($0)","instanceId":"scr","value":"x"}}"#
        + "\n"
    }
    let file = try folder.write(lines.joined(), as: "f.ndjson")
    #expect(try await run(database, [file]).code == .done)
    #expect(
      try database.store().query("select count(distinct element_id) from sluice.answers").rows
        == [["1001"]])
  }
}
