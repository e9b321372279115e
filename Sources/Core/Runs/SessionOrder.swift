/// The order of one session's events (SEMANTICS 1.9).
enum SessionOrder {
  /// Event indices of one session in order.
  ///
  /// By counter where every event that is no `system_log` has one and no two share one; else by time,
  /// rank of kind, screen order with absent first, identity. One rule orders the whole session: pairs
  /// compared by different rules would have no order. `system_log` has a counter of its own and
  /// comes last.
  ///
  /// - Parameters:
  ///   - indices: into `events`, all of one session, or all without one.
  ///   - hasSession: false for the events without a session id, which are never ordered by counter.
  static func ordered(_ indices: [Int], of events: [Event], kinds: [EventKind], hasSession: Bool)
    -> [Int]
  {
    guard indices.count > 1 else { return indices }
    if hasSession, let byCounter = orderedByCounter(indices, events, kinds) { return byCounter }
    return indices.sorted { precedes($0, $1, events, kinds) }
  }

  private static func orderedByCounter(_ indices: [Int], _ events: [Event], _ kinds: [EventKind])
    -> [Int]?
  {
    var counted: [(counter: Int64, index: Int)] = []
    counted.reserveCapacity(indices.count)
    var logs: [Int] = []
    for index in indices {
      if kinds[index] == .systemLog {
        logs.append(index)
      } else if let counter = events[index].counter {
        counted.append((counter, index))
      } else {
        return nil
      }
    }
    counted.sort { $0.counter < $1.counter }
    for (left, right) in zip(counted, counted.dropFirst()) where left.counter == right.counter {
      return nil
    }
    return counted.map(\.index) + logs.sorted { precedes($0, $1, events, kinds) }
  }

  private static func precedes(
    _ left: Int, _ right: Int, _ events: [Event], _ kinds: [EventKind]
  ) -> Bool {
    let (a, b) = (events[left], events[right])
    let (kindA, kindB) = (kinds[left], kinds[right])
    if (kindA == .systemLog) != (kindB == .systemLog) { return kindB == .systemLog }
    if a.occurredAt != b.occurredAt { return a.occurredAt < b.occurredAt }
    if kindA.rank != kindB.rank { return kindA.rank < kindB.rank }
    if kindA == .flowScreenShowed {
      let orderA = FlowParams(a.params).screenOrder.map { Int64($0) } ?? .min
      let orderB = FlowParams(b.params).screenOrder.map { Int64($0) } ?? .min
      if orderA != orderB { return orderA < orderB }
    }
    // Events stand in the order of their identities.
    return left < right
  }
}
