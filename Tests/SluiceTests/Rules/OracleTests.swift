import Foundation
import Testing

@testable import Core
@testable import sluice

/// Runs statements in one session and gives the rows of the last one; nil is null.
typealias RunSQL = ([String]) throws -> [[String?]]

/// Compares rules with PostgreSQL, which says what they mean (SEMANTICS 7.1).
struct Oracle {
  struct Report {
    var expressions = 0
    var values = 0
    var nulls = 0
    var used: Set<String> = []
    var differences: [String] = []
  }

  let run: RunSQL
  let seed: UInt64

  /// How many expressions one query holds; each twice, in both forms.
  static let batch = 250
  static let rowsPerBatch = 4

  func compare(expressions: Int) throws -> Report {
    let prelude = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "prelude.sql"),
      encoding: .utf8)
    _ = try run([prelude])
    var generator = SampleGenerator(seed: seed)
    var report = Report()
    while report.expressions < expressions {
      try compareBatch(&generator, &report)
      if report.differences.count > 20 { break }
    }
    return report
  }

  private func compareBatch(_ generator: inout SampleGenerator, _ report: inout Report) throws {
    let rows = (0..<Self.rowsPerBatch).map { _ in generator.row() }
    let samples = (0..<Self.batch).map { _ in generator.sample() }
    let cells = samples.flatMap { sample in
      [SampleForm.tree, .text].map { Sample.shown(sample.written(as: $0), sample.type) }
    }
    let names = SampleColumns.all.map(\.name).joined(separator: ", ")
    let values = rows.enumerated().map { index, row in
      "(\(index), 'profile-\(index)', \(Sample.row(row)))"
    }
    let answers = try run([
      "set search_path = oracle, pg_catalog", "set timezone = 'UTC'",
      "drop table if exists pg_temp.rows",
      "create temporary table rows (row_number int, profile_id text, "
        + SampleColumns.all.map { "\($0.name) \($0.sql)" }.joined(separator: ", ") + ")",
      "insert into pg_temp.rows (row_number, profile_id, \(names)) values "
        + values.joined(separator: ", "),
      "select \(cells.joined(separator: ",\n")) from pg_temp.rows order by row_number",
    ])
    let scope = SampleColumns.scope
    var evaluator = Evaluator()
    for (index, sample) in samples.enumerated() {
      let text = sample.written(as: .rule)
      report.expressions += 1
      sample.collect(into: &report.used)
      var checker = Checker(scope: scope, use: .segment, refusesOddVersions: false)
      guard let tree = try? Parser.expression(of: Bytes(text)),
        let root = checker.root(tree, expecting: sample.type)
      else {
        let why = checker.findings.map(\.message).joined(separator: "; ")
        report.differences.append("refused: \(text): \(why)")
        continue
      }
      let program = Program(root.expression, type: sample.type, terms: checker.terms)
      for (number, row) in rows.enumerated() {
        let context = RuleContext(
          now: SampleGenerator.now, profileID: Bytes("profile-\(number)"), primitives: .system)
        let ours = Sample.shown(program.evaluate(row, in: context, using: &evaluator))
        report.values += 1
        if ours == nil { report.nulls += 1 }
        for (form, theirs) in zip(["tree", "text"], answers[number][(2 * index)...])
        where theirs != ours {
          report.differences.append(
            "\(form): \(text)\n  row \(row)\n  ours \(ours ?? "null"), theirs \(theirs ?? "null")")
        }
      }
    }
  }
}

@Suite("Rules against PostgreSQL")
struct OracleTests {
  /// Expressions to compare; the environment may ask for more.
  static let count =
    ProcessInfo.processInfo.environment["SLUICE_ORACLE_EXPRESSIONS"].flatMap(Int.init) ?? 100_000
  static let seed =
    ProcessInfo.processInfo.environment["SLUICE_ORACLE_SEED"].flatMap(UInt64.init) ?? 1

  @Test("random rules mean what PostgreSQL says, as a tree and as text")
  func oracle() throws {
    let database = try ScratchDatabase(isMigrated: false)
    let oracle = Oracle(run: { try PsqlSession.run($0, on: database) }, seed: Self.seed)
    let report = try oracle.compare(expressions: Self.count)
    print(
      "oracle: seed \(Self.seed), \(report.expressions) expressions, \(report.values) values twice")
    #expect(
      report.differences.isEmpty,
      "seed \(Self.seed): \(report.differences.prefix(10).joined(separator: "\n"))")
    #expect(Self.everything.subtracting(report.used).isEmpty, "not covered")
  }

  /// Every operator, and every function with each number of arguments it takes.
  static var everything: Set<String> {
    var names: Set<String> = [
      "unary -", "not", "and", "or", "||", "between", "in", "like", "ilike", "escape",
      "case x when", "case when", "is distinct from", "is not distinct from",
    ]
    names.formUnion(Arithmetic.allCases.map(\.rawValue))
    names.formUnion(Comparison.allCases.map(\.rawValue))
    for test in TruthTest.allCases { names.formUnion(["is \(test)", "is not \(test)"]) }
    for function in Functions.table {
      // One argument alone is not how functions that choose are used.
      let count = function.repeats && function.name != "concat" ? 2 : function.parameters.count
      names.insert("\(function.name.string)/\(count)")
    }
    return names
  }
}

/// A scratch database reached through `psql`.
enum PsqlSession {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static func run(_ statements: [String], on database: ScratchDatabase) throws -> [[String?]] {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "oracle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (script, rows) = (folder.appending(path: "in.sql"), folder.appending(path: "out.txt"))
    try (statements.joined(separator: ";\n") + ";\n").write(
      to: script, atomically: false, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-P", "null=~", "-d",
      try ScratchServer.url(of: database.name), "-f",
      script.path(), "-o", rows.path(),
    ]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let words = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: String(String(decoding: words, as: UTF8.self).prefix(3000)))
    }
    let output = try String(contentsOf: rows, encoding: .utf8)
    return output.split(separator: "\n").map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0 == "~" ? nil : String($0)
      }
    }
  }
}
