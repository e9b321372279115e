internal import Core
internal import Glibc
internal import Ingest

@main
struct Sluice {
  static func main() async {
    // What is closed of 0, 1 and 2 would be the number of the next file or socket that is opened.
    // What takes its place fails at once: nothing read is not the same as no events, and data that
    // nobody gets is lost.
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == 1 ? O_RDONLY : O_WRONLY)
    }
    // A reader that goes away is an error of write(2), not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let command = arguments.first, CommandName(rawValue: command)?.isJob == true {
      Interruption.listen()
    }
    let code = await Sluice(console: Console(), environment: processEnvironment()).run(arguments)
    if code == .interrupted || code == .terminated { Interruption.die(of: code) }
    exit(code.rawValue)
  }

  let console: Console
  let environment: [String: String]
  let primitives = Primitives.system

  /// Does what the words after the program's name say.
  ///
  /// - Returns: what the process exits with; every failure has been told on stderr.
  func run(_ arguments: [String]) async -> ExitCode {
    do {
      let code = try await run(try Command(arguments))
      try console.flush()
      return code
    } catch {
      // What was written before the failure is still data.
      try? console.flush()
      if let wrong = error as? PipelineFileProblem {
        console.say(wrong.report.hasSuffix("\n") ? String(wrong.report.dropLast()) : wrong.report)
        return .pipelineWrong
      }
      let problem =
        error as? Problem
        ?? Problem(
          .bug, at: "sluice", "an error that nobody foresaw", because: "\(type(of: error))",
          next: "please report it with the command that was run")
      if !problem.what.isEmpty {
        console.say((problem.place.hasPrefix("sluice ") ? "" : "sluice: ") + problem.message)
      }
      return problem.exit
    }
  }

  private func run(_ command: Command) async throws -> ExitCode {
    switch command {
    case .run(let options): return try await runEvents(options)
    case .recompute(let options): return try await recompute(options)
    case .check(let options): return try check(options)
    case .test(let options): return try test(options)
    case .plan(let options): return try await plan(options)
    case .explain(let options): return try explain(options)
    case .force(let options): return try await force(options)
    case .release(let options): return try await release(options)
    case .report(let options): return try report(options)
    case .export(let options): return try export(options)
    case .erase(let options): return try await erase(options)
    case .expire(let options): return try await expire(options)
    case .rejects(let options): return try await rejects(options)
    case .migrate(let options): return try migrate(options)
    case .database(let options): return try database(options)
    case .version: try console.write(versionText)
    case .help(let topic): try console.write(HelpText.text(topic))
    case .helpOfRules: try console.write(HelpText.rules)
    }
    return .done
  }

  private var versionText: String {
    "sluice 0.1.0 (events codec \(EventSet.codec), resolver \(resolverVersion))\n"
  }
}
