/// Everything that follows from one profile's events, a pipeline and an instant: what is stored.
///
/// Lists are in the order of their table's key. No member holds a clock reading, a job or a file.
package struct Outcome: Hashable, Sendable {
  package var profile: ProfileSummary
  package var runs: [FlowRun]
  package var attributes: [AttributeOutcome]
  package var attributeHistory: [AttributeInterval]
  package var segments: [SegmentMembership]
  package var segmentHistory: [SegmentInterval]
  package var decisions: [PlacementDecision]
  package var purchases: [Purchase] = []
  package var transactions: [StoreTransaction] = []
  package var restores: [Restore] = []
  package var flowErrors: [FlowError] = []
  package var selections: [ProductSelection] = []
  package var exposures: [Exposure] = []
  package var accessLevels: [AccessLevelOutcome] = []
  /// Nil where the vendor never said anything of access.
  package var subscription: SubscriptionOutcome?
  package var subscriptions: [SubscriptionListing] = []
  package var nonSubscriptions: [NonSubscriptionListing] = []
  package var storeMessages: [StoreMessageOutcome] = []

  package init(
    profile: ProfileSummary, runs: [FlowRun], attributes: [AttributeOutcome],
    attributeHistory: [AttributeInterval], segments: [SegmentMembership],
    segmentHistory: [SegmentInterval], decisions: [PlacementDecision]
  ) {
    self.profile = profile
    self.runs = runs
    self.attributes = attributes
    self.attributeHistory = attributeHistory
    self.segments = segments
    self.segmentHistory = segmentHistory
    self.decisions = decisions
  }
}

/// One row of `profiles`.
package struct ProfileSummary: Hashable, Sendable {
  package var profileID: Bytes
  /// Of the events up to the instant; nil when all of them lie after it.
  package var firstEventAt: Instant?
  package var lastEventAt: Instant?
  /// Events up to the instant, and after it.
  package var events: Int
  package var eventsAhead: Int
  /// Of ``events``, those whose time was corrected because their clock ran ahead.
  package var eventsCorrected = 0
  /// Sessions with more flow runs than are allowed, by id; none of those runs is there.
  package var overfullSessions: [OverfullSession] = []
  /// The latest known value of each context member that describes a person or a device.
  package var latest: Context
  /// The next instant at which time alone could change this outcome (SEMANTICS 4.2).
  package var nextReviewAt: Instant?
  package var next: NextPlacement

  package init(
    profileID: Bytes, firstEventAt: Instant?, lastEventAt: Instant?, events: Int, eventsAhead: Int,
    latest: Context, nextReviewAt: Instant?, next: NextPlacement
  ) {
    self.profileID = profileID
    self.firstEventAt = firstEventAt
    self.lastEventAt = lastEventAt
    self.events = events
    self.eventsAhead = eventsAhead
    self.latest = latest
    self.nextReviewAt = nextReviewAt
    self.next = next
  }
}

/// A session that is no person's: it has more flow runs than the pipeline allows one to have.
package struct OverfullSession: Hashable, Sendable {
  package let sessionID: Bytes
  /// As many as there would be.
  package let runs: Int
}

/// What the first `next:` rule that holds says.
///
/// Nothing to show: `placementID` is nil.
package struct NextPlacement: Hashable, Sendable {
  package var placementID: Bytes?
  package var because: Bytes
  package var storeMessages: [Bytes]

  package init(placementID: Bytes?, because: Bytes, storeMessages: [Bytes] = []) {
    self.placementID = placementID
    self.because = because
    self.storeMessages = storeMessages
  }
}

/// An attribute of a profile: a value, or the reason why there is none; never both.
package struct AttributeOutcome: Hashable, Sendable {
  package enum Value: Hashable, Sendable {
    case number(Double)
    case text(Bytes)
    case absent(AbsenceReason)
  }

  package var key: Bytes
  package var value: Value
  /// When the current value (or absence) began, in event time.
  package var setAt: Instant
  /// Run of the latest answer used; nil if none.
  package var runID: Bytes?

  package init(key: Bytes, value: Value, setAt: Instant, runID: Bytes?) {
    self.key = key
    self.value = value
    self.setAt = setAt
    self.runID = runID
  }
}

/// Why a profile has no value of an attribute (SEMANTICS 7.6).
///
/// Raw values are stored: never rename.
package enum AbsenceReason: String, CaseIterable, Sendable {
  case notStarted = "not_started"
  case notCompleted = "not_completed"
  case notAsked = "not_asked"
  case cleared = "cleared"
  case unreadable = "unreadable"
  case wrongType = "wrong_type"
  case ambiguousNumber = "ambiguous_number"
  case ambiguousElement = "ambiguous_element"
  case implausible = "implausible"
  case divisionByZero = "division_by_zero"
  case overflow = "overflow"
  case limit = "limit"
  /// The rule itself gave null although no input was missing (`nullif`, `case` without `else`).
  case noValue = "no_value"
}

/// A past, closed interval [from, to) in which an attribute had one value.
///
/// Absences are gaps.
package struct AttributeInterval: Hashable, Sendable {
  package var key: Bytes
  package var value: AttributeOutcome.Value
  package var from: Instant
  package var to: Instant

  package init(key: Bytes, value: AttributeOutcome.Value, from: Instant, to: Instant) {
    self.key = key
    self.value = value
    self.from = from
    self.to = to
  }
}

/// A segment the profile is in now, and since when in event time.
package struct SegmentMembership: Hashable, Sendable {
  package var segment: Bytes
  package var since: Instant

  package init(segment: Bytes, since: Instant) {
    self.segment = segment
    self.since = since
  }
}

/// A past, closed interval [from, to) of membership.
package struct SegmentInterval: Hashable, Sendable {
  package var segment: Bytes
  package var from: Instant
  package var to: Instant

  package init(segment: Bytes, from: Instant, to: Instant) {
    self.segment = segment
    self.from = from
    self.to = to
  }
}

/// What a declared placement would show to this profile.
package struct PlacementDecision: Hashable, Sendable {
  /// Where the variation comes from (DESIGN 6).
  ///
  /// Raw values are stored.
  package enum VariationSource: String, Sendable {
    case observed
    case forced
    case predicted
  }

  package struct Tag: Hashable, Sendable {
    package var name: Bytes
    package var value: Bytes

    package init(name: Bytes, value: Bytes) {
      self.name = name
      self.value = value
    }
  }

  package var placementID: Bytes
  /// The winning audience's segment name; `default` for the default audience.
  package var audience: Bytes
  package var audienceVersionID: Bytes?
  /// The vendor's flow id; nil where the variation is unknown and flows differ, or nothing is shown.
  package var flowID: Bytes?
  package var variationID: Bytes?
  package var variationSource: VariationSource?
  /// Why there is no variation, where there is none.
  package var variationReason: Bytes?
  package var tags: [Tag]
  /// The placement's texts as the flow would show them; for people, not stored.
  package var texts: [Bytes]

  package init(
    placementID: Bytes, audience: Bytes, audienceVersionID: Bytes?, flowID: Bytes?,
    variationID: Bytes?, variationSource: VariationSource?, variationReason: Bytes?, tags: [Tag],
    texts: [Bytes] = []
  ) {
    self.placementID = placementID
    self.audience = audience
    self.audienceVersionID = audienceVersionID
    self.flowID = flowID
    self.variationID = variationID
    self.variationSource = variationSource
    self.variationReason = variationReason
    self.tags = tags
    self.texts = texts
  }
}
