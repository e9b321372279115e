import Core
import Foundation
import Testing

@testable import sluice

/// What a command said and ended with.
struct CommandRun {
  let code: ExitCode
  let output: String
  let words: String

  /// Runs a command of the program within the test process, on a scratch database where one is given.
  init(
    _ arguments: [String], on database: ScratchDatabase? = nil, environment: [String: String] = [:],
    isTerminal: Bool = false
  ) async throws {
    let folder = try ScratchFolder()
    let (outputPath, wordsPath) = (folder.path + "/output", folder.path + "/words")
    let output = open(outputPath, O_CREAT | O_WRONLY, 0o600)
    let words = open(wordsPath, O_CREAT | O_WRONLY, 0o600)
    let target = try database.map { ["--database", try ScratchServer.url(of: $0.name)] } ?? []
    code = await Sluice(
      console: Console(output: output, words: words, isTerminal: isTerminal),
      environment: environment
    ).run(arguments + target)
    close(output)
    close(words)
    self.output = try String(contentsOfFile: outputPath, encoding: .utf8)
    self.words = try String(contentsOfFile: wordsPath, encoding: .utf8)
  }
}

/// Files of the checkout.
enum Checkout {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  static let pipeline = folder + "/pipelines/bmi.yaml"
  static let athletes = folder + "/pipelines/samples/athletes.events.ndjson"
  static let davis = folder + "/pipelines/samples/davis.events.ndjson"

  static func lines(of path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// The program as it was built with the tests, for tests that kill it.
  static var program: String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/sluice"
  }
}
