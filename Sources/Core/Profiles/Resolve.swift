/// Everything that follows from a person's events, a pipeline and an instant.
///
/// A pure function: the same set gives the same outcome, whatever the order in which it was gathered.
/// The events whose corrected times lie up to the instant are replayed in the profile's order; state is compared once an
/// instant, and each change becomes history in event time.
///
/// - Parameters:
///   - person: all events of the person, those after the instant included.
///   - asOf: events after it do not count, but the first of them is a review instant.
/// - Returns: lists in the order of their table's key.
package func resolve(
  _ person: PersonEvents, _ pipeline: Pipeline, asOf: Instant, _ primitives: Primitives
) -> Outcome {
  resolve(person, pipeline, asOf: asOf, primitives) { _, _ in }
}

/// As `resolve`, for a person of one id.
package func resolve(
  _ set: EventSet, _ pipeline: Pipeline, asOf: Instant, _ primitives: Primitives
) -> Outcome {
  resolve(PersonEvents(set), pipeline, asOf: asOf, primitives) { _, _ in }
}

/// As `resolve`; at the end, shows the facts that led to the outcome to whoever explains it.
func resolve(
  _ person: PersonEvents, _ pipeline: Pipeline, asOf: Instant, _ primitives: Primitives,
  inspecting inspect: (inout Replay, RuleContext) -> Void
) -> Outcome {
  let timeline = Timeline(
    person, matcher: pipeline.matcher, rules: pipeline.flowRules, settings: pipeline.runSettings,
    asOf: asOf)
  var replay = Replay(pipeline)
  replay.commerce = CommerceLedger(timeline, primitives)
  var history = History(pipeline)

  func context(_ now: Instant) -> RuleContext {
    let zone = pipeline.zone
    return RuleContext(
      now: now, profileID: person.profileID, primitives: primitives, today: zone.day(of: now),
      dayStart: { zone.start(of: $0) })
  }

  var next = 0
  var boundary: Instant?
  while true {
    let entryAt = next < timeline.entries.count ? timeline.entries[next].at : nil
    guard let now = earlier(entryAt, boundary), now <= asOf else { break }
    while next < timeline.entries.count, timeline.entries[next].at == now {
      replay.apply(timeline.entries[next], of: timeline, primitives)
      next += 1
    }
    guard replay.isStale || boundary == now else { continue }
    boundary = replay.evaluate(context(now))
    history.record(replay, at: now)
  }

  let now = context(asOf)
  // Without an event there is no instant at which anything began: rules see an empty profile.
  if timeline.entries.isEmpty {
    boundary = replay.evaluate(now)
    // Nothing is known of this person before the first event that lies ahead.
    if let firstAhead = timeline.firstAhead { history.recordAbsences(replay, since: firstAhead) }
  }
  let review = earlier(
    earlier(
      earlier(boundary, timeline.firstAhead), replay.nextDecisionReview(after: now)),
    replay.vendor.nextChange(after: asOf))
  var outcome = Outcome(
    profile: ProfileSummary(
      profileID: person.profileID, firstEventAt: timeline.entries.first?.at,
      lastEventAt: timeline.entries.last?.at, events: timeline.entries.count,
      eventsAhead: timeline.eventsAhead,
      latest: replay.standardAttributes,
      nextReviewAt: review, next: replay.nextPlacement(now)),
    runs: replay.runs.map(\.run).sorted { $0.runID < $1.runID },
    attributes: history.attributes, attributeHistory: history.attributeIntervals,
    segments: history.memberships, segmentHistory: history.segmentIntervals,
    decisions: pipeline.placements.compactMap { replay.decision(of: $0, now) })
  outcome.profile.eventsCorrected = timeline.entries.count { $0.clockOffset != 0 }
  outcome.profile.overfullSessions = timeline.overfullSessions
  replay.commerce.settle(replay.run)
  outcome.take(replay.commerce, replay.exposures)
  outcome.accessLevels = replay.vendor.levelOutcomes(at: asOf)
  outcome.subscription = replay.vendor.subscriptionOutcome(at: asOf)
  outcome.subscriptions = replay.vendor.subscriptionListings(at: asOf)
  outcome.nonSubscriptions = replay.vendor.nonSubscriptionListings
  outcome.storeMessages = replay.storeMessages.outcomes
  inspect(&replay, now)
  return outcome
}

/// What attributes and segments were, and since when, as a replay goes on.
private struct History {
  private let pipeline: Pipeline
  private var current: [(state: Replay.AttributeState, since: Instant)] = []
  private var memberSince: [Instant?]
  private var closedAttributes: [AttributeInterval] = []
  private var closedSegments: [SegmentInterval] = []

  init(_ pipeline: Pipeline) {
    self.pipeline = pipeline
    memberSince = [Instant?](repeating: nil, count: pipeline.segments.count)
  }

  mutating func record(_ replay: Replay, at now: Instant) {
    if current.isEmpty {
      current = replay.attributes.map { ($0, now) }
    } else {
      for (index, state) in replay.attributes.enumerated() {
        let (old, since) = current[index]
        guard old.value != state.value else {
          current[index].state = state
          continue
        }
        if !old.value.isAbsent {
          closedAttributes.append(
            AttributeInterval(
              key: pipeline.attributes[index].key, value: old.value, from: since, to: now))
        }
        current[index] = (state, now)
      }
    }
    for (index, isMember) in replay.isMember.enumerated() {
      switch (memberSince[index], isMember) {
      case (nil, true):
        memberSince[index] = now
      case (let since?, false):
        closedSegments.append(
          SegmentInterval(segment: pipeline.segments[index].name, from: since, to: now))
        memberSince[index] = nil
      case (nil, false), (.some, true): break
      }
    }
  }

  /// Records why a person without events has no values yet; memberships begin with an event.
  mutating func recordAbsences(_ replay: Replay, since: Instant) {
    current = replay.attributes.map { state in
      (
        Replay.AttributeState(value: state.value.isAbsent ? state.value : .absent(.notStarted)),
        since
      )
    }
  }

  var attributes: [AttributeOutcome] {
    zip(pipeline.attributes, current).map { definition, current in
      AttributeOutcome(
        key: definition.key, value: current.state.value, setAt: current.since,
        runID: current.state.runID)
    }
  }

  var attributeIntervals: [AttributeInterval] {
    closedAttributes.sorted { ($0.key, $0.from) < ($1.key, $1.from) }
  }

  var memberships: [SegmentMembership] {
    zip(pipeline.segments, memberSince).compactMap { definition, since in
      since.map { SegmentMembership(segment: definition.name, since: $0) }
    }
  }

  var segmentIntervals: [SegmentInterval] {
    closedSegments.sorted { ($0.segment, $0.from) < ($1.segment, $1.from) }
  }
}

extension AttributeOutcome.Value {
  fileprivate var isAbsent: Bool {
    if case .absent = self { return true }
    return false
  }
}
