internal import Core

/// Profile ids with events that their own records put further ahead of the as-of than is likely.
///
/// A clock is corrected by all events of its session, so one that another record corrects is here too:
/// what is stored in the end tells which of them are really ahead.
struct FarAhead: Sendable {
  /// As many as are looked at again.
  private static let most = 10_000

  /// As the records alone tell it: at least as many as there are.
  private(set) var events = 0
  private var ids: Set<Bytes> = []
  private var areTooMany = false

  /// nil where there are too many to look at each.
  var profiles: [Bytes]? { areTooMany ? nil : ids.sorted() }

  init() {}

  init(_ decoded: [ProfileEvent], beyond instant: Instant) {
    for item in decoded {
      let event = item.event
      let lead = event.clockDifference < -ClockOffsets.tolerance ? event.clockDifference : 0
      if event.occurredAt.adding(microseconds: lead) > instant { add(item.profileID) }
    }
  }

  private mutating func add(_ id: Bytes) {
    events += 1
    if !areTooMany { ids.insert(id) }
    bound()
  }

  static func += (left: inout FarAhead, right: FarAhead) {
    left.events += right.events
    left.areTooMany = left.areTooMany || right.areTooMany
    left.ids.formUnion(right.ids)
    left.bound()
  }

  private mutating func bound() {
    areTooMany = areTooMany || ids.count > Self.most
    if areTooMany { ids = [] }
  }
}
