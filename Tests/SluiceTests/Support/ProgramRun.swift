import Foundation

/// The program as a process of its own, for tests that signal it, close its streams or set its
/// environment.
final class ProgramRun {
  let process = Process()
  private let output = Pipe()
  private let words = Pipe()
  let input = Pipe()

  /// Starts it.
  ///
  /// - Parameter environment: added to what every process needs; nothing of PostgreSQL is inherited.
  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    process.executableURL = URL(filePath: Checkout.program)
    process.arguments = arguments
    var inherited = ProcessInfo.processInfo.environment.filter {
      !$0.key.hasPrefix("PG") && !$0.key.hasPrefix("SLUICE_")
    }
    inherited.merge(environment) { $1 }
    process.environment = inherited
    process.standardInput = input
    process.standardOutput = output
    process.standardError = words
    try process.run()
  }

  /// Waits for its end; what it says must fit into a pipe.
  ///
  /// - Returns: its exit code, or 128 and the signal that ended it, and what it said.
  func end() throws -> (code: Int32, output: String, words: String) {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    let output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let words = String(decoding: words.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let code = process.terminationStatus
    return (process.terminationReason == .uncaughtSignal ? 128 + code : code, output, words)
  }

  func feed(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }
}
