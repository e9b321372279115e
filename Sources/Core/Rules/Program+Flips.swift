/// When time alone can change the value of a rule.
extension Program {
  /// The first instant after `context.now` at which the value could differ; nil for never.
  ///
  /// The value is constant on [now, next flip) for the given slots. A flip may turn out not to
  /// change the value: `x and days_since(t) > 3` is asked again although `x` is false.
  ///
  /// Each place that reads the clock names its own flips from what its other side is now. That is
  /// enough even where the other side reads the clock too: it is constant until its own next flip,
  /// and the earliest of all is taken.
  package func nextFlip(
    _ slots: [Value], in context: RuleContext, using evaluator: inout Evaluator
  ) -> Instant? {
    var next: Instant?
    func consider(_ candidate: Instant?) {
      guard let candidate, candidate > context.now, candidate < next ?? .endOfTime else { return }
      next = candidate
    }
    for term in terms {
      let subject =
        term.kind == .now ? Value.null : evaluator.run(term.subject, of: self, slots, context)
      if term.kind == .age, case .date(let birthday) = subject {
        consider(birthday.anniversary(after: context.today).map(context.dayStart))
      }
      for test in term.tests {
        let other = evaluator.run(test.other, of: self, slots, context)
        switch (term.kind, subject, other) {
        case (.now, _, .timestamp(let other)):
          let flips = test.comparison.flips
          if flips.atValue { consider(other) }
          if flips.afterValue { consider(other.adding(microseconds: 1)) }
        case (.daysSince, .timestamp(let start), .number(let days)):
          let flips = test.comparison.flips
          // A count of whole days reaches the value when it reaches the next whole number.
          if flips.atValue { consider(start.reaching(days: days.rounded(.up))) }
          if flips.afterValue { consider(start.reaching(days: days.rounded(.down) + 1)) }
        default: break
        }
      }
    }
    return next
  }
}

extension Comparison {
  /// Where `x <comparison> value` flips while x grows: when x reaches the value, when it passes it.
  fileprivate var flips: (atValue: Bool, afterValue: Bool) {
    switch self {
    case .less, .greaterOrEqual: (true, false)
    case .lessOrEqual, .greater: (false, true)
    case .equal, .notEqual: (true, true)
    }
  }
}

extension Instant {
  fileprivate static let endOfTime = Instant(microseconds: .max)

  /// When so many whole days are over; nil beyond every calendar.
  fileprivate func reaching(days: Double) -> Instant? {
    days.magnitude < 1e8 ? adding(days: Int64(days)) : nil
  }
}
