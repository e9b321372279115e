/// One presentation of one flow to one profile.
package struct FlowRun: Hashable, Sendable {
  /// 32 hex digits that follow from the profile and the run's first event (SEMANTICS 5.2).
  package var runID: Bytes
  package var sessionID: Bytes?
  /// 1-based among the profile's runs of this flow, in the profile's order.
  package var number: Int
  /// Name in `flows:`, else placement id, else flow id, else empty.
  package var flow: Bytes
  package var placementID: Bytes?
  package var flowID: Bytes?
  package var flowVersionID: Bytes?
  package var variationID: Bytes?
  package var audienceName: Bytes?
  package var audienceVersionID: Bytes?
  /// Microseconds by which the clock of its first event ran ahead; nil where it was left alone.
  package var clockAhead: Int64?
  /// Of the run's first event; reports split by them.
  package var platform: Bytes?
  package var appVersion: Bytes?
  package var country: Bytes?
  package var startedAt: Instant
  /// Set by `flow_disappeared` alone.
  package var endedAt: Instant?
  package var lastEventAt: Instant
  /// When a last screen was first shown; nil if none was.
  package var completedAt: Instant?
  /// The last screen of the path, by first view.
  package var lastScreenID: Bytes?
  /// By (screen, element), each pair once: the last input won.
  package var answers: [Answer]
  /// Each screen once, in the order of its first view.
  package var path: [PathStep]

  package init(
    runID: Bytes, sessionID: Bytes?, number: Int, flow: Bytes, placementID: Bytes?, flowID: Bytes?,
    flowVersionID: Bytes?, variationID: Bytes?, platform: Bytes?, appVersion: Bytes?,
    country: Bytes?, startedAt: Instant, endedAt: Instant?, lastEventAt: Instant,
    completedAt: Instant?, lastScreenID: Bytes?, answers: [Answer], path: [PathStep]
  ) {
    self.runID = runID
    self.sessionID = sessionID
    self.number = number
    self.flow = flow
    self.placementID = placementID
    self.flowID = flowID
    self.flowVersionID = flowVersionID
    self.variationID = variationID
    self.platform = platform
    self.appVersion = appVersion
    self.country = country
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.lastEventAt = lastEventAt
    self.completedAt = completedAt
    self.lastScreenID = lastScreenID
    self.answers = answers
    self.path = path
  }
}

/// What a person answered to one element of one screen in one run, as it was sent.
package struct Answer: Hashable, Sendable {
  package enum Value: Hashable, Sendable {
    /// Text as typed.
    case text(Bytes)
    /// A JSON number as received, e.g. `6.45408E11`.
    case number(Bytes)
    case boolean(Bool)
    /// Chosen options in the builder's order; a title may be unknown.
    case items([Item])
    /// An emptied field or a multi-choice with nothing selected.
    case cleared
  }

  package struct Item: Hashable, Sendable {
    package var id: Bytes
    package var title: Bytes?

    package init(id: Bytes, title: Bytes?) {
      self.id = id
      self.title = title
    }
  }

  package var screen: Bytes
  package var element: Bytes
  /// `element_type` as received; empty when absent.
  package var type: Bytes
  package var value: Value
  package var at: Instant
  /// `time_zone` of the answer's event, for dates.
  ///
  /// Not stored: it is no part of what was answered.
  package var zone: Bytes?

  package init(
    screen: Bytes, element: Bytes, type: Bytes, value: Value, at: Instant, zone: Bytes? = nil
  ) {
    self.screen = screen
    self.element = element
    self.type = type
    self.value = value
    self.at = at
    self.zone = zone
  }
}

/// One screen of a run's path.
package struct PathStep: Hashable, Sendable {
  package var screen: Bytes
  /// `screen_order` as sent; nil when absent or unreadable.
  package var order: Int32?
  package var isLast: Bool
  package var firstAt: Instant
  package var views: Int
  /// Milliseconds summed over the views until the next event; nil for an unclosed last view.
  package var spentMilliseconds: Int64?

  package init(
    screen: Bytes, order: Int32?, isLast: Bool, firstAt: Instant, views: Int,
    spentMilliseconds: Int64?
  ) {
    self.screen = screen
    self.order = order
    self.isLast = isLast
    self.firstAt = firstAt
    self.views = views
    self.spentMilliseconds = spentMilliseconds
  }
}
