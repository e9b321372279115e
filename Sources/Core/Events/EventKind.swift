/// What an event means to the fold; an unknown name is kept and means nothing.
package enum EventKind: Sendable {
  case flowAppeared
  case flowScreenShowed
  case flowUserInput
  case flowDisappeared
  /// A person of quality assurance is shown a variation that nobody drew (SEMANTICS 6.5).
  case decisionForced
  case systemLog
  case other

  /// Reads a canonical name or one of its aliases: the controller's callback and the cross-platform
  /// bridge's id.
  package init(name: Bytes) {
    self = Self.byName[name] ?? .other
  }

  private static let byName: [Bytes: EventKind] = [
    "flow_appeared": .flowAppeared,
    "flowControllerDidAppear": .flowAppeared,
    "flow_view_did_appear": .flowAppeared,
    "flow_screen_showed": .flowScreenShowed,
    "flow_user_input": .flowUserInput,
    "flow_disappeared": .flowDisappeared,
    "flowControllerDidDisappear": .flowDisappeared,
    "flow_view_did_disappear": .flowDisappeared,
    "decision_forced": .decisionForced,
    "system_log": .systemLog,
  ]

  /// True for the four kinds that open and make up flow runs (SEMANTICS 5.2).
  package var isOfFlow: Bool {
    switch self {
    case .flowAppeared, .flowScreenShowed, .flowUserInput, .flowDisappeared: true
    case .decisionForced, .systemLog, .other: false
    }
  }

  /// The rank between events of one session at the same instant (SEMANTICS 1.9).
  package var rank: Int {
    switch self {
    case .flowAppeared: 0
    case .flowScreenShowed: 1
    case .flowUserInput: 2
    case .decisionForced, .other, .systemLog: 3
    case .flowDisappeared: 4
    }
  }
}
