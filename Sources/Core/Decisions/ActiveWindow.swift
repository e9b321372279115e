/// A day or an instant that a pipeline names.
package enum Moment: Hashable, Sendable {
  /// The first instant of a day in the pipeline's zone.
  case day(Day)
  case instant(Instant)

  package func instant(in zone: Zone) -> Instant {
    switch self {
    case .day(let day): zone.start(of: day)
    case .instant(let instant): instant
    }
  }
}

/// When an audience or a rule counts: from an instant on, until before another.
package struct ActiveWindow: Hashable, Sendable {
  package let from: Instant?
  package let until: Instant?

  package static let always = ActiveWindow(from: nil, until: nil)

  package init(from: Instant?, until: Instant?) {
    self.from = from
    self.until = until
  }

  func contains(_ now: Instant) -> Bool {
    from.map { $0 <= now } ?? true && until.map { now < $0 } ?? true
  }

  /// The first instant after now at which it opens or closes.
  func change(after now: Instant) -> Instant? {
    [from, until].compactMap { $0 }.filter { $0 > now }.min()
  }
}
