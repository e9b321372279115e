/// Lets the server hear from a long transaction that computes, before it takes it for forgotten
/// (`idle_in_transaction_session_timeout`).
struct Pulse {
  private let clock = ContinuousClock()
  private var last: ContinuousClock.Instant
  private static let interval = Duration.seconds(10)

  init() { last = clock.now }

  /// Says something where nothing was said for a while.
  mutating func beat(on connection: Connection) throws {
    guard clock.now - last > Self.interval else { return }
    try connection.executeScript("select 1")
    last = clock.now
  }
}
