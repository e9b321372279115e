internal import Core
internal import Glibc
internal import Store
internal import Synchronization

/// Says again and again that a job lives.
///
/// From a thread of its own: the others wait for files and for the database. Each time on a new
/// connection: a short job needs none.
final class Heartbeat: Sendable {
  private let beat: Beat
  private let job: Job

  /// Begins; it beats as long as it is there.
  ///
  /// - Parameter isExclusive: true for a job that must be alone: believed dead, it may not go on.
  init(of job: Job, _ connector: StoreConnector, isExclusive: Bool = false) {
    self.job = job
    beat = Beat(job: job, connector: connector, isExclusive: isExclusive)
    beat.start()
  }

  deinit { beat.stop() }

  /// - Throws: a ``Problem`` where the job was to be alone and another one may have begun.
  func check() throws {
    guard beat.isLost else { return }
    throw Problem(
      .tryAgain, at: "job \(job.id)", "may not be alone any more",
      because: "it was stopped for longer than others wait for a word of it",
      next: "run the same command again")
  }

}

/// What its thread holds on to.
private final class Beat: Sendable {
  private struct State {
    var isStopped = false
    var isLost = false
  }

  private let state = Mutex(State())
  private let job: Job
  private let connector: StoreConnector
  private let isExclusive: Bool

  init(job: Job, connector: StoreConnector, isExclusive: Bool) {
    self.job = job
    self.connector = connector
    self.isExclusive = isExclusive
  }

  var isLost: Bool { state.withLock { $0.isLost } }

  func start() {
    var thread = pthread_t()
    let me = Unmanaged.passRetained(self)
    let failure = pthread_create(
      &thread, nil,
      { pointer in
        if let pointer { Unmanaged<Beat>.fromOpaque(pointer).takeRetainedValue().run() }
        return nil
      }, me.toOpaque())
    // Without a thread the job may be believed dead: whoever is to be alone starts beside it.
    if failure == 0 { pthread_detach(thread) } else { me.release() }
  }

  func stop() { state.withLock { $0.isStopped = true } }

  private func run() {
    while true {
      for _ in 0..<Int(Store.renewalInterval * 10) {
        if state.withLock({ $0.isStopped }) { return }
        usleep(100_000)
      }
      // What fails now is tried again at the next beat; the job itself meets it too.
      guard let isAlive = try? connector.connect().renew(job, reviving: !isExclusive) else {
        continue
      }
      if !isAlive { state.withLock { $0.isLost = true } }
    }
  }
}
