/// Something a rule can name that is read from a profile, not computed by a rule.
package enum Fact: Hashable, Sendable {
  case answer(Int)
  case attribute(Int)
  case segment(Int)
  case flow(Int, FlowFact)
  case profile(ProfileFact)
  case named(NamedFact)
}

/// What a rule can ask of a profile by `profile.<name>`.
package enum ProfileFact: Hashable, Sendable {
  /// The latest known value of a context member.
  case latest(ContextKey)
  /// The two or three letters of the latest known locale, in lower case.
  case language
  /// The first known app version.
  case appVersionOnInstall

  /// Members of the envelope that describe a person or a device, not an event.
  static let members: [ContextKey] = [
    .platform, .appVersion, .osVersion, .device, .locale, .timeZone, .country, .storeCountry,
    .customerUserID, .environment, .isTestUser, .installedAt,
  ]

  package static let all: [ProfileFact] =
    members.map { .latest($0) } + [.language, .appVersionOnInstall]

  package var name: Bytes {
    switch self {
    case .latest(let key): key.name
    case .language: "language"
    case .appVersionOnInstall: "app_version_on_install"
    }
  }

  package var type: ValueType {
    switch self {
    case .latest(.isTestUser): .boolean
    case .latest(.installedAt): .timestamp
    case .latest, .language, .appVersionOnInstall: .text
    }
  }
}

/// What a rule can ask of a flow by `<flow>.<name>`.
package enum FlowFact: String, CaseIterable, Hashable, Sendable {
  /// Ever; null when the person's past is unknown (SEMANTICS 5.5).
  case completed
  /// Number of runs.
  case runs
  /// Start of the first run.
  case startedAt = "started_at"
  /// First completion.
  case completedAt = "completed_at"
  /// Days of 24 hours since the latest completion; its slot holds the instant of that completion.
  case daysSinceCompleted = "days_since_completed"
  /// Of the latest run; null without a run.
  case lastRunCompleted = "last_run.completed"
  /// Of the latest run.
  case lastScreen = "last_screen"

  /// All of them, made once: `allCases` is a new array each time.
  static let all = allCases

  package var type: ValueType {
    switch self {
    case .completed, .lastRunCompleted: .boolean
    case .runs, .daysSinceCompleted: .number
    case .startedAt, .completedAt: .timestamp
    case .lastScreen: .text
    }
  }
}

extension RuleScope.Entry {
  /// A flow's fact, with what is known of its values.
  package init(_ fact: FlowFact, slot: Int, form: TextForm? = nil) {
    let isCount = fact == .runs
    self.init(
      type: fact.type, slot: slot, isDaysSince: fact == .daysSinceCompleted,
      bounds: isCount ? 0...Double.greatestFiniteMagnitude : nil, isWhole: isCount,
      isNeverNull: isCount, form: form)
  }

  /// A fact that a rule names, with what is known of its values.
  package init(_ fact: NamedFact, slot: Int) {
    let isCount = fact == .purchases(.count) || fact == .purchases(.sandboxCount)
    self.init(
      type: fact.type, slot: slot, bounds: isCount ? 0...Double.greatestFiniteMagnitude : nil,
      isWhole: isCount, isNeverNull: isCount || fact.isPending, form: fact.form)
  }

  /// A fact of the person or the device, with what is known of its values.
  package init(_ fact: ProfileFact, slot: Int) {
    let form: TextForm? =
      switch fact {
      case .latest(.platform): .platform
      case .language: .language
      case .latest(.appVersion), .appVersionOnInstall: .version
      case .latest: nil
      }
    self.init(type: fact.type, slot: slot, form: form)
  }
}

/// The names a rule may use: each with its type and the slot its value stands in when the rule runs.
package struct RuleScope: Sendable {
  package struct Entry: Hashable, Sendable {
    package let type: ValueType
    package let slot: Int
    /// Set for a name whose value depends on the clock: days of 24 hours since the timestamp in
    /// `slot` (`<flow>.days_since_completed` is `days_since` of a hidden timestamp).
    package let isDaysSince: Bool
    /// The only values a number can have; nil for any.
    package let bounds: ClosedRange<Double>?
    /// True for numbers that are always whole.
    package let isWhole: Bool
    /// True for what has a value for everyone.
    package let isNeverNull: Bool
    /// Which texts a value can be; nil for any.
    package let form: TextForm?

    package init(
      type: ValueType, slot: Int, isDaysSince: Bool = false, bounds: ClosedRange<Double>? = nil,
      isWhole: Bool = false, isNeverNull: Bool = false, form: TextForm? = nil
    ) {
      self.type = type
      self.slot = slot
      self.isDaysSince = isDaysSince
      self.bounds = bounds
      self.isWhole = isWhole
      self.isNeverNull = isNeverNull
      self.form = form
    }
  }

  /// By full dotted name, case-sensitive.
  package private(set) var entries: [Bytes: Entry] = [:]
  /// Names of issues to come or names not allowed here: name or `prefix.` → why.
  package private(set) var refused: [Bytes: String] = [:]
  /// Names that may mean something nobody could read: a rule that uses them is not judged for that.
  package var unread = UnreadNames()
  /// Whether rules may use answers.
  package var readsAnswers = true
  /// All names, for what someone who mistyped one may have meant.
  private(set) var known = NameIndex()

  package init() {}

  /// Of the slots whose numbers have bounds.
  private(set) var bounds: [Int: ClosedRange<Double>] = [:]
  /// The slots of whole numbers.
  private(set) var wholes: Set<Int> = []
  /// The slots that hold a value for everyone.
  private(set) var neverNull: Set<Int> = []
  /// Of the slots of whose texts something is known.
  private(set) var forms: [Int: TextForm] = [:]

  package mutating func add(_ name: Bytes, _ entry: Entry) {
    if entries.updateValue(entry, forKey: name) == nil { known.add(name) }
    if let limits = entry.bounds { bounds[entry.slot] = limits }
    if entry.isWhole { wholes.insert(entry.slot) }
    if entry.isNeverNull { neverNull.insert(entry.slot) }
    if let form = entry.form { forms[entry.slot] = form }
  }

  /// Notes a name that exists as soon as a rule names it, for those who mistype it.
  package mutating func mention(_ name: Bytes) {
    if entries[name] == nil { known.add(name) }
  }

  package mutating func refuse(_ name: Bytes, because why: String) { refused[name] = why }
}
