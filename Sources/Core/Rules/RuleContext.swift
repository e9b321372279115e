/// What a rule is evaluated against besides the values in its slots.
package struct RuleContext: Sendable {
  package let now: Instant
  /// The pipeline's day that `now` lies in.
  package let today: Day
  /// The first instant of a day in the pipeline's zone.
  package let dayStart: @Sendable (Day) -> Instant
  package let profileID: Bytes
  package let primitives: Primitives

  /// Creates the context of one profile at one instant.
  ///
  /// `today` must contain `now` by `dayStart`, which is strictly increasing; both are those of UTC
  /// unless said otherwise.
  package init(
    now: Instant, profileID: Bytes, primitives: Primitives, today: Day? = nil,
    dayStart: @escaping @Sendable (Day) -> Instant = { $0.startInUTC }
  ) {
    self.now = now
    self.today = today ?? now.day
    self.dayStart = dayStart
    self.profileID = profileID
    self.primitives = primitives
  }
}

/// Where a rule stands, which decides what it may use.
package enum RuleUse: Sendable {
  case attribute
  case segment
  case next
  case tag

  /// True where a rule says who is meant: only its being true counts.
  var asksTruth: Bool { self == .segment || self == .next }

  /// A value with `days_since` in it would be a new row a day for everyone.
  var allowsDaysSince: Bool { self == .segment || self == .next }
}
