package import Core
internal import Glibc
internal import Synchronization

/// SIGINT and SIGTERM while a job works: it ends behind the transaction it is at, and what is stored stays.
///
/// The signal's handler only sets a number; whoever works in a loop asks for it. A second signal ends the
/// program at once, which harms nothing either.
package enum Interruption {
  private static let signal = Atomic<Int32>(0)

  /// Begins to listen; before, the signals end the program.
  package static func listen() {
    _ = signal.load(ordering: .relaxed)
    var action = sigaction()
    sigemptyset(&action.sa_mask)
    action.__sigaction_handler.sa_handler = { number in
      if Interruption.signal.exchange(number, ordering: .relaxed) != 0 { _exit(128 + number) }
    }
    // Without SA_RESTART: a read that waits for a pipe or a terminal must notice.
    sigaction(SIGINT, &action, nil)
    sigaction(SIGTERM, &action, nil)
  }

  /// - Throws: a ``Problem`` where a signal came.
  package static func check() throws(Problem) {
    switch signal.load(ordering: .relaxed) {
    case 0: return
    case SIGINT: throw problem(.interrupted, "SIGINT")
    default: throw problem(.terminated, "SIGTERM")
    }
  }

  private static func problem(_ exit: ExitCode, _ name: String) -> Problem {
    Problem(
      exit, at: "the job", "was stopped by \(name)",
      because: "what it had stored stays", next: "run the same command again for the rest")
  }

  /// Ends the program as the signal would have: shells and schedulers see which one it was.
  package static func die(of code: ExitCode) -> Never {
    let number = code.rawValue - 128
    Glibc.signal(number, SIG_DFL)
    raise(number)
    exit(code.rawValue)
  }
}
