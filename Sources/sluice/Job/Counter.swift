internal import Synchronization

/// Counts up from 0, whichever task asks.
final class Counter: Sendable {
  private let next = Mutex(Int64(0))

  func take() -> Int64 {
    next.withLock { next in
      next += 1
      return next - 1
    }
  }
}
