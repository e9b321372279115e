import Core
import Foundation
import Ingest
import Store
import Testing

@testable import sluice

private let asOf = "2026-11-20T00:00:00Z"

/// A way to deliver lines of events, each a record.
private struct Delivery: Sendable {
  let name: String
  let bytes: @Sendable ([String]) throws -> [UInt8]

  private static func text(_ lines: [String]) -> [UInt8] {
    Array(lines.map { $0 + "\n" }.joined().utf8)
  }

  private static func halves(_ lines: [String]) -> [[UInt8]] {
    [text(Array(lines[..<(lines.count / 2)])), text(Array(lines[(lines.count / 2)...]))]
  }

  static let all = [
    Delivery(name: "plain") { text($0) },
    Delivery(name: "gzip, many members") { halves($0).flatMap(Packed.gzip) },
    Delivery(name: "zstd, many frames") {
      halves($0).flatMap { Packed.skippableFrame + Packed.zstd($0) }
    },
    Delivery(name: "zip of gzip") { lines in
      Packed.zip(
        halves(lines).enumerated().map { ("a/\($0.offset).json.gz", Packed.gzip($0.element)) })
    },
    Delivery(name: "array") { Array("[\n\($0.joined(separator: ",\n"))\n]\n".utf8) },
    Delivery(name: "data, gzip") {
      Packed.gzip(Array(#"{"next":null,"data":[\#($0.joined(separator: ","))]}"#.utf8))
    },
    Delivery(name: "the SDK's envelopes") { lines in
      let parts = stride(from: 0, to: lines.count, by: 50)
        .map { lines[$0..<min($0 + 50, lines.count)].joined(separator: ",") }
      return text(
        parts.map {
          #"{"data":{"type":"sdk_background_event","attributes":{"events":[\#($0)]}}}"#
        })
    },
    Delivery(name: "Firehose") { lines in
      let records = lines.map { #"{"data":"\#(Data($0.utf8).base64EncodedString())"}"# }
      return Array(#"{"records":[\#(records.joined(separator: ","))]}"#.utf8)
    },
    Delivery(name: "CSV") { try csv($0) },
    Delivery(name: "CSV, zip") { Packed.zip([("events.csv", try csv($0))]) },
  ]

  /// Canonical CSV: a column for each member, params as JSON in a cell.
  private static func csv(_ lines: [String]) throws -> [UInt8] {
    let records = try lines.map {
      try #require(
        JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    let names = Set(records.flatMap(\.keys)).sorted()
    let rows = try records.map { record in
      try names.map { name -> String in
        switch record[name] {
        case let text as String: quoted(text)
        case let object as [String: Any]:
          quoted(
            String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self))
        case let other?: "\(other)"
        case nil: ""
        }
      }.joined(separator: ",")
    }
    return Array(([names.joined(separator: ",")] + rows).joined(separator: "\r\n").utf8)
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }
}

@Suite("Formats and layouts of input")
struct FormatTests {
  private static func run(
    _ inputs: [String], _ more: [String] = [], on database: ScratchDatabase
  ) async throws -> CommandRun {
    try await CommandRun(
      ["run", "--pipeline", Checkout.pipeline, "--as-of", asOf] + more + inputs, on: database)
  }

  private static func dump(_ database: ScratchDatabase) async throws -> String {
    let dump = try await CommandRun(["export", "dump", "--as-of", asOf], on: database)
    #expect(dump.code == .done, "\(dump.words)")
    return dump.output
  }

  @Test("each alone, shuffled over all of them, and one event a chunk: the dump is the same")
  func sameDump() async throws {
    let lines = try Array(Checkout.lines(of: Checkout.davis).prefix(210))
    let folder = try ScratchFolder()
    let clean = try ScratchDatabase()
    _ = try await Self.run([try folder.write(Delivery.all[0].bytes(lines), as: "plain")], on: clean)
    let expected = try await Self.dump(clean)
    #expect(expected.split(separator: "\n").count > 100)

    for (number, delivery) in Delivery.all.enumerated().dropFirst() {
      let database = try ScratchDatabase()
      let file = try folder.write(delivery.bytes(lines), as: "whole-\(number)")
      let done = try await Self.run([file], on: database)
      #expect(done.code == .done, "\(delivery.name): \(done.words)")
      #expect(try await Self.dump(database) == expected, "\(delivery.name)")
    }

    var random = SeededGenerator(seed: 21)
    let shuffled = lines.shuffled(using: &random)
    let files = try Delivery.all.enumerated().map { number, delivery in
      let part = shuffled.enumerated().filter { $0.offset % Delivery.all.count == number }
      // Some lines come in two files.
      return try folder.write(
        delivery.bytes(part.map(\.element) + shuffled[(number * 20)..<(number * 20 + 10)]),
        as: "part-\(number)")
    }
    let together = try ScratchDatabase()
    #expect(try await Self.run(files, on: together).code == .done)
    #expect(try await Self.dump(together) == expected)

    let small = try ScratchDatabase()
    let arguments =
      ["run", "--quiet", "--pipeline", Checkout.pipeline, "--as-of", asOf] + files
      + ["--database", try ScratchServer.url(of: small.name)]
    guard case .run(var options) = try Command(arguments) else { return }
    options.chunkBytes = 1
    options.resolve.memoryInBytes = 1
    _ = try await Sluice(console: Console(), environment: [:]).runEvents(options)
    #expect(try await Self.dump(small) == expected)
  }

  @Test("a compressed file is skipped the second time; a cut one is kept, told, and read again")
  func ledger() async throws {
    let lines = try Array(Checkout.lines(of: Checkout.davis).prefix(210))
    for delivery in Delivery.all
    where ["gzip, many members", "zip of gzip"].contains(delivery.name) {
      let database = try ScratchDatabase()
      let store = try database.store()
      let folder = try ScratchFolder()
      let bytes = try delivery.bytes(lines)
      let file = try folder.write(Array(bytes.dropLast(40)), as: "events")
      for _ in 1...2 {
        let cut = try await Self.run([file], ["--max-rejects", "1"], on: database)
        #expect(cut.code == .noInput)
        #expect(cut.words.contains("events: is truncated: "))
        #expect(!cut.words.contains("skipped"))
        let state = "select is_done, is_truncated from sluice.ingest_files"
        #expect(try store.query(state).rows == [["f", "t"]])
        let kept = try store.query("select sum(n) from sluice.profile_events").rows
        #expect(Int(kept[0][0] ?? "") ?? 0 >= 100, "\(delivery.name)")
      }
      _ = try folder.write(bytes, as: "events")
      #expect(try await Self.run([file], on: database).code == .done)
      let state = try store.query(
        "select is_done, is_truncated, bytes_done, lines_done from sluice.ingest_files")
      #expect(state.rows == [["t", "f", "\(bytes.count)", "210"]])
      #expect(try store.query("select file from sluice.rejects").rows.isEmpty)
      let again = try await Self.run([file], on: database)
      #expect(again.words.contains("1 file unchanged and skipped"))
      #expect(again.words.contains("nothing changed"))
    }
  }

  @Test("rejects of an archive are listed by its entries, and go when it is delivered well")
  func entries() async throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let folder = try ScratchFolder()
    let good = try Checkout.lines(of: Checkout.davis).prefix(7).map { $0 + "\n" }.joined()
    func zip(_ bad: String) -> [UInt8] {
      Packed.zip([
        ("a/1.json", Array((good + bad).utf8)), ("_SUCCESS", []),
        ("a/2.json.gz", Packed.gzip(Array((bad + good).utf8))),
      ])
    }
    let file = try folder.write(zip("bad\n"), as: "events.zip")
    // Another file whose name begins alike keeps its rejects.
    let other = try folder.write("worse\n", as: "events.zip!")
    let first = try await Self.run([file, other], ["--max-rejects", "3"], on: database)
    #expect(first.code == .done, "\(first.words)")
    #expect(first.words.contains("read as lines (1), lines in gzip in zip (1), lines in zip (1)"))
    #expect(first.words.contains("1 file passed over"))
    let path = try #require(realpath(folder.path, nil).map { String(cString: $0) }) + "/events.zip"
    let rejects = "select file, line, byte_offset from sluice.rejects order by file collate \"C\""
    #expect(
      try store.query(rejects).rows == [
        [path + "!", "1", "0"], [path + "!/a/1.json", "8", "\(good.utf8.count)"],
        [path + "!/a/2.json.gz", "1", "0"],
      ])
    _ = try folder.write(zip(""), as: "events.zip")
    #expect(try await Self.run([file], on: database).code == .done)
    #expect(try store.query(rejects).rows == [[path + "!", "1", "0"]])
  }

  @Test("garbage behind compressed data is told and costs nothing; what is not read is named")
  func garbage() async throws {
    let database = try ScratchDatabase()
    let folder = try ScratchFolder()
    let lines = try Array(Checkout.lines(of: Checkout.davis).prefix(7))
    let good = try folder.write(
      Packed.gzip(Delivery.all[0].bytes(lines)) + Array("garbage".utf8), as: "events.gz")
    let first = try await Self.run([good], on: database)
    #expect(first.code == .done, "\(first.words)")
    #expect(first.words.contains("events.gz: 7 bytes behind the end of its compressed data"))
    #expect(try await Self.run([good], on: database).words.contains("1 file unchanged and skipped"))

    let parquet = try folder.write(Array("PAR1".utf8) + [0, 1, 2], as: "events.parquet")
    let twice = try folder.write("name,profile_id,name\n", as: "events.csv")
    let second = try await Self.run([parquet, twice, good], ["--reread"], on: database)
    #expect(second.code == .noInput)
    #expect(second.words.contains("events.parquet: is not read: it is Parquet"))
    #expect(second.words.contains("events.csv: has two columns of one name: `name`"))
    #expect(second.words.contains("7 records read"))
  }

  @Test("a gigabyte out of 67 bytes is read in little memory, from stdin too")
  func bomb() throws {
    let bomb = Checkout.folder + "/Tests/SluiceTests/Fixtures/compressed/bomb/zeros.zst.zst"
    let run =
      "\(Checkout.program) run --dry-run --jobs 2 --max-rejects 1 --pipeline \(Checkout.pipeline)"
    for command in ["\(run) \(bomb)", "gzip -c \(bomb) | \(run) -"] {
      let process = Process()
      let words = Pipe()
      process.executableURL = URL(filePath: "/bin/sh")
      // Address space: more than what is used, and less than half of what comes out.
      process.arguments = ["-c", "ulimit -v 400000 && \(command)"]
      process.standardError = words
      try process.run()
      let text = String(decoding: words.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "\(text)")
      #expect(text.contains("1 record rejected: record_too_large 1"), "\(text)")
    }
  }
}
