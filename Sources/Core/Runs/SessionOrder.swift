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
  ///   - clocks: of all events.
  ///   - hasSession: false for the events without a session id, which are never ordered by counter. They have no
  ///     clock in common either, so corrected times order them; one clock's are ordered by raw ones.
  static func ordered(
    _ indices: [Int], of events: [Event], kinds: [EventKind], clocks: ClockOffsets,
    hasSession: Bool
  ) -> [Int] {
    guard indices.count > 1 else { return indices }
    if hasSession, let byCounter = orderedByCounter(indices, events, kinds) { return byCounter }
    return indices.sorted { left, right in
      precedes(left, right, events, kinds) { index in
        hasSession ? events[index].occurredAt : clocks.time(of: events[index], at: index)
      }
    }
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
    return counted.map(\.index)
      + logs.sorted {
        precedes($0, $1, events, kinds) { events[$0].occurredAt }
      }
  }

  private static func precedes(
    _ left: Int, _ right: Int, _ events: [Event], _ kinds: [EventKind], time: (Int) -> Instant
  ) -> Bool {
    let (kindA, kindB) = (kinds[left], kinds[right])
    if (kindA == .systemLog) != (kindB == .systemLog) { return kindB == .systemLog }
    let (timeA, timeB) = (time(left), time(right))
    if timeA != timeB { return timeA < timeB }
    if kindA.rank != kindB.rank { return kindA.rank < kindB.rank }
    if kindA == .flowScreenShowed {
      let orderA = FlowParams(events[left].params).screenOrder.map { Int64($0) } ?? .min
      let orderB = FlowParams(events[right].params).screenOrder.map { Int64($0) } ?? .min
      if orderA != orderB { return orderA < orderB }
    }
    // Events stand in the order of their identities.
    return left < right
  }
}
