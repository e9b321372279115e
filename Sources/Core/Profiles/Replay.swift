/// A profile's facts as far as its events have been replayed, and the values that rules read.
struct Replay {
  let pipeline: Pipeline
  private(set) var runs: [RunState] = []
  private(set) var latest = KnownContext()
  private var appVersionOnInstall: Bytes?
  /// The context of the event before.
  private var adopted = Context.empty
  private(set) var observed: [Bytes: ObservedVariation] = [:]
  /// By placement: the latest force, over or not.
  private(set) var forced: [Bytes: ForcedVariation] = [:]
  /// Settled before the replay; what rules see of it follows the instant.
  var commerce = CommerceLedger.empty
  private(set) var exposures = ExposureLog()
  /// What the vendor's snapshots and records say.
  private(set) var vendor = VendorProfile()
  private(set) var storeMessages = StoreMessageQueue()
  /// By the run's number in the timeline: its index here, nil until it has begun.
  private var runIndex: [Int?] = []
  private var runsOfFlow: [FlowMatcher.Key: Int] = [:]
  private var completions = 0
  /// Indices of runs that an attribute could see change, in the order in which they did.
  private var changes: [Int] = []
  private var flows: [FlowState]
  /// By attribute: the run that speaks for it, or with `latest_each` for each of its answers.
  private var speaking: [[SpeakingRun]]
  /// The first instant after the last evaluation at which time alone changes a fact that some rule
  /// reads.
  private var factBoundary: Instant?
  /// True until the values of facts that some rule reads are filled in.
  private(set) var isStale = true
  /// One value a fact, in the layout of the pipeline's slots.
  private(set) var slots: [Value]
  /// As of the last ``evaluate(_:)``.
  private(set) var attributes: [AttributeState]
  private(set) var isMember: [Bool]
  /// For each segment whose rule is unknown, why.
  private var unknownBecause: [AbsenceReason?]
  /// Scratch space of all rules of this profile.
  var evaluator = Evaluator()

  /// What rules can ask of a declared flow, kept up as runs go on: asking must not walk all runs.
  private struct FlowState {
    var runs = 0
    var firstStartedAt: Instant?
    var firstCompletedAt: Instant?
    var lastCompletedAt: Instant?
    /// Index of the latest run.
    var lastRun: Int?
  }

  init(_ pipeline: Pipeline) {
    self.pipeline = pipeline
    flows = pipeline.flows.map { _ in FlowState() }
    slots = [Value](repeating: .null, count: pipeline.slots.count)
    attributes = pipeline.attributes.map { _ in AttributeState(value: .absent(.notStarted)) }
    isMember = [Bool](repeating: false, count: pipeline.segments.count)
    unknownBecause = [AbsenceReason?](repeating: nil, count: pipeline.segments.count)
    speaking = pipeline.attributes.map(\.speakers)
  }

  // MARK: Events

  mutating func apply(
    _ entry: Timeline.Entry, of timeline: Timeline, _ primitives: Primitives
  ) {
    if entry.kind == .decisionForced {
      // Said about the person, not by their phone: its context is nobody's.
      if let (placement, force) = ForcedVariation.read(entry.event.params) {
        forced[placement] = force
      }
      return
    }
    adopt(entry.event)
    if entry.kind.isOfPurchase { isStale = true }
    let isExposed = exposures.note(entry) {
      pipeline.placement(ofAudienceVersion: $0, variation: $1)
    }
    if isExposed { isStale = true }
    if vendor.apply(entry.event, kind: entry.kind, at: entry.at) { isStale = true }
    if storeMessages.apply(
      entry.event, kind: entry.kind, at: entry.at, gap: pipeline.runSettings.gapWithoutSession)
    {
      isStale = true
    }
    guard let number = entry.run else { return }
    let index: Int
    if runIndex.isEmpty { runIndex = [Int?](repeating: nil, count: timeline.runs.count) }
    if let known = runIndex[number] {
      index = known
    } else {
      index = runs.count
      runIndex[number] = index
      runs.append(begin(timeline.runs[number], at: entry.at, primitives))
      changes.append(index)
      if let flow = runs[index].flow {
        flows[flow].runs += 1
        flows[flow].firstStartedAt = flows[flow].firstStartedAt ?? entry.at
        flows[flow].lastRun = index
      }
      isStale = true
    }
    if entry.resumes { runs[index].resume() }
    let change = runs[index].apply(
      entry.event, kind: entry.kind, at: entry.at, completions: &completions)
    if change.completed {
      if let flow = runs[index].flow {
        flows[flow].firstCompletedAt = flows[flow].firstCompletedAt ?? entry.at
        flows[flow].lastCompletedAt = entry.at
      }
    }
    let reads = pipeline.runReads
    let isAnswered = change.answered.map { reads.elements.contains($0) } ?? false
    // A run that no attribute may read yet changes nothing but where the flow stands.
    let isRead = reads.openRuns || runs[index].completionOrder != nil
    let isShown = entry.kind == .flowScreenShowed
    if change.completed || isRead && (isAnswered || isShown && reads.shownScreens) {
      changes.append(index)
      isStale = true
    } else if isShown, reads.lastScreens {
      isStale = true
    }
  }

  private mutating func begin(
    _ run: Timeline.Run, at: Instant, _ primitives: Primitives
  ) -> RunState {
    runsOfFlow[run.key, default: 0] += 1
    let flow: Int?
    let name: Bytes
    switch run.key {
    case .declared(let index): (flow, name) = (index, pipeline.flows[index])
    case .undeclared(let id): (flow, name) = (nil, id)
    case .none: (flow, name) = (nil, .empty)
    }
    var begun = FlowRun(
      runID: Self.runID(run.owner, run.first, primitives), sessionID: run.sessionID,
      number: runsOfFlow[run.key] ?? 1, flow: name, placementID: nil, flowID: nil,
      flowVersionID: nil, variationID: nil, platform: nil, appVersion: nil, country: nil,
      startedAt: at, endedAt: nil, lastEventAt: at, completedAt: nil, lastScreenID: nil,
      answers: [], path: [])
    if run.clockOffset != 0 { begun.clockAhead = -run.clockOffset }
    return RunState(
      begun,
      flow: flow, rules: flow.map { pipeline.flowRules[$0] } ?? .none)
  }

  /// 32 hex digits of SHA-256 over the profile id that the first event came under and the event's
  /// identity, length-prefixed: they stay as they are when ids turn out to be one person's.
  private static func runID(_ profileID: Bytes, _ first: Identity, _ primitives: Primitives)
    -> Bytes
  {
    var bytes: [UInt8] = [first.isFingerprint ? 1 : 0]
    bytes.appendField(profileID)
    bytes.appendField(first.bytes)
    return hex(primitives.sha256(bytes)[..<16])
  }

  private mutating func adopt(_ event: Event) {
    // Events of a session mostly share one context.
    guard event.context != adopted else { return }
    adopted = event.context
    for member in event.context.members {
      let value = member.derivedValue
      guard latest[member.key] != value else { continue }
      if member.key == .appVersion, latest[.appVersion] == nil { appVersionOnInstall = value }
      latest[member.key] = value
      isStale = true
    }
    if let version = event.context[.placementAudienceVersionID],
      let variation = event.context[.variationID]
    {
      observed[version] = ObservedVariation(
        variationID: variation, flowID: event.context[.flowID])
    }
  }

  /// A run by its number in the timeline.
  func run(_ number: Int) -> FlowRun? {
    runIndex.indices.contains(number) ? runIndex[number].map { runs[$0].run } : nil
  }

  // MARK: Facts

  /// Fills in the values of facts that some rule reads, as they are at an instant.
  private mutating func refreshFacts(at now: Instant) {
    isStale = false
    factBoundary = nil
    for (index, fact) in pipeline.slots.named.enumerated() {
      let slot = pipeline.slots.named(index)
      guard pipeline.isSlotRead[slot] else { continue }
      let (value, changesAt) = value(of: fact, at: now)
      slots[slot] = value
      factBoundary = earlier(factBoundary, changesAt)
    }
    for flow in pipeline.flows.indices { refresh(flow) }
    for (index, fact) in ProfileFact.all.enumerated() {
      let slot = pipeline.slots.profile(index)
      guard pipeline.isSlotRead[slot] else { continue }
      slots[slot] = value(of: fact)
    }
  }

  private mutating func refresh(_ flow: Int) {
    let state = flows[flow]
    for (index, fact) in FlowFact.all.enumerated() {
      let slot = pipeline.slots.flow(flow, factAt: index)
      guard pipeline.isSlotRead[slot] else { continue }
      slots[slot] =
        switch fact {
        case .completed:
          state.firstCompletedAt != nil ? .boolean(true) : isPastUnknown ? .null : .boolean(false)
        case .runs: .number(Double(state.runs))
        case .startedAt: state.firstStartedAt.map { .timestamp($0) } ?? .null
        case .completedAt: state.firstCompletedAt.map { .timestamp($0) } ?? .null
        case .daysSinceCompleted: state.lastCompletedAt.map { .timestamp($0) } ?? .null
        case .lastRunCompleted:
          state.lastRun.map { .boolean(runs[$0].run.completedAt != nil) } ?? .null
        case .lastScreen:
          state.lastRun.flatMap { runs[$0].run.lastScreenID }.map { .text($0) } ?? .null
        }
    }
  }

  /// A fact's value at an instant, and the first instant after it at which time alone changes it.
  private func value(of fact: NamedFact, at now: Instant) -> (Value, changesAt: Instant?) {
    switch fact {
    case .access(let level, let fact):
      return vendor.value(of: fact, of: level, at: now)
    case .subscriptionState:
      let (state, changesAt) = vendor.subscriptionState(at: now)
      return (state.map { .text(Bytes($0.rawValue)) } ?? .null, changesAt)
    case .custom(let key, let type): return (vendor.customValue(key, type), nil)
    case .storeMessageIsPending(let type): return (.boolean(storeMessages.isPending(type)), nil)
    case .purchases(let fact): return (commerce.value(of: fact, at: now), nil)
    case .exposedVariation(let placement):
      return (exposures.byPlacement[placement].map { .text($0.variationID) } ?? .null, nil)
    }
  }

  /// Installed before the history starts: what this person did before is told by no event.
  private var isPastUnknown: Bool {
    guard let starts = pipeline.historyStarts, let installed = installedAt else { return false }
    return installed < starts
  }

  private var installedAt: Instant? {
    latest[.installedAt].flatMap { Int64($0.string) }.map { Instant(microseconds: $0) }
  }

  /// The latest known value of a context member, from the vendor's profile where no envelope has it.
  private func known(_ key: ContextKey) -> Bytes? { latest[key] ?? vendor.latest(key) }

  /// All that is known of the person and the device.
  var standardAttributes: Context {
    Context(
      sorted: ProfileFact.members.compactMap { key in
        known(key).flatMap { $0.isEmpty ? nil : Context.Member(key, $0) }
      })
  }

  private func value(of fact: ProfileFact) -> Value {
    switch fact {
    case .latest(.isTestUser): known(.isTestUser).map { .boolean($0 == "true") } ?? .null
    case .latest(.installedAt): installedAt.map { .timestamp($0) } ?? .null
    case .latest(let key): known(key).map { .text($0) } ?? .null
    case .language:
      latest[.locale].map { .text(Bytes(NumberLocale.languageAndRegion($0).language)) } ?? .null
    case .appVersionOnInstall: appVersionOnInstall.map { .text($0) } ?? .null
    }
  }

  // MARK: Attributes and segments

  /// An attribute's state at one instant.
  struct AttributeState: Hashable {
    var value: AttributeOutcome.Value
    /// Run of the latest answer used.
    var runID: Bytes?
  }

  /// Evaluates all attributes and segments in the order of their dependencies.
  ///
  /// - Returns: the first instant after now at which the clock alone could change one of them.
  mutating func evaluate(_ context: RuleContext) -> Instant? {
    if isStale || factBoundary.map({ $0 <= context.now }) ?? false {
      refreshFacts(at: context.now)
    }
    var boundary = factBoundary
    for step in pipeline.order {
      switch step {
      case .attribute(let index):
        // Moved out and back: a copy that is shared would be copied at each change.
        var speakers = speaking[index]
        speaking[index] = []
        attributes[index] = attribute(pipeline.attributes[index], context, &speakers)
        speaking[index] = speakers
        slots[pipeline.slots.attribute(index)] = attributes[index].value.asRuleValue
        // Asked here, while the answers of this attribute fill their slots.
        boundary = earlier(boundary, nextFlip(of: pipeline.attributes[index].program, context))
      case .segment(let index):
        let value = evaluate(pipeline.segments[index].program, context)
        isMember[index] = value == .boolean(true)
        unknownBecause[index] = value == .null ? reason(evaluator.cause, [:]) : nil
        slots[pipeline.slots.segment(index)] = value
        boundary = earlier(boundary, nextFlip(of: pipeline.segments[index].program, context))
      }
    }
    return boundary
  }

  /// The value of a rule on the facts as they are.
  mutating func evaluate(_ program: Program, _ context: RuleContext) -> Value {
    program.evaluate(slots, in: context, using: &evaluator)
  }

  /// The first instant after now at which the clock alone could change a rule.
  mutating func nextFlip(of program: Program, _ context: RuleContext) -> Instant? {
    guard program.readsClock else { return nil }
    return program.nextFlip(slots, in: context, using: &evaluator)
  }

  /// The state of an attribute; leaves the answers that speak for it in their slots.
  mutating func attribute(
    _ definition: AttributeDefinition, _ context: RuleContext
  ) -> AttributeState {
    var speakers = definition.speakers
    return attribute(definition, context, &speakers)
  }

  private mutating func attribute(
    _ definition: AttributeDefinition, _ context: RuleContext, _ speakers: inout [SpeakingRun]
  ) -> AttributeState {
    let speaking = speakingAnswers(definition, &speakers)
    var reasons: [Int: AbsenceReason] = [:]
    for (answer, finding) in zip(definition.answers, speaking.answers) {
      let slot = pipeline.slots.answer(answer)
      switch finding {
      case .value(let value): slots[slot] = value
      case .absent(let reason):
        slots[slot] = .null
        reasons[slot] = reason
      }
    }
    switch evaluate(definition.program, context) {
    case .number(let number):
      if let plausible = definition.plausible, !plausible.contains(number) {
        return AttributeState(value: .absent(.implausible), runID: speaking.runID)
      }
      return AttributeState(value: .number(number), runID: speaking.runID)
    case .text(let text):
      // The vendor counts without blanks at the ends, and takes what is blank for a removal.
      let length = trimmed(text).slice.count { $0 & 0xC0 != 0x80 }
      guard (1...50).contains(length) else {
        return AttributeState(value: .absent(.limit), runID: speaking.runID)
      }
      return AttributeState(value: .text(text), runID: speaking.runID)
    case .null, .boolean, .timestamp, .date, .choice:
      return AttributeState(
        value: .absent(reason(evaluator.cause, reasons)), runID: speaking.runID)
    }
  }

  private func reason(_ cause: NullCause, _ reasons: [Int: AbsenceReason]) -> AbsenceReason {
    switch cause {
    case .operation(let reason): return reason
    case .missing(let slot):
      if let reason = reasons[slot] { return reason }
      switch pipeline.slots.fact(slot) {
      case .attribute(let index):
        if case .absent(let reason) = attributes[index].value { return reason }
      case .segment(let index):
        if let reason = unknownBecause[index] { return reason }
      case .answer, .flow, .profile, .named: break
      }
      return .noValue
    case .none: return .noValue
    }
  }

  /// What the runs that speak for an attribute answered, in the order of `definition.answers`.
  func speakingAnswers(_ definition: AttributeDefinition) -> (
    answers: [Reading<Value>], runID: Bytes?
  ) {
    var speakers = definition.speakers
    return speakingAnswers(definition, &speakers)
  }

  private func speakingAnswers(
    _ definition: AttributeDefinition, _ speakers: inout [SpeakingRun]
  ) -> (answers: [Reading<Value>], runID: Bytes?) {
    guard !definition.answers.isEmpty else { return ([], nil) }
    if definition.runs == .latestEach {
      var readings: [Reading<Value>] = []
      var used: [(order: Int, runID: Bytes)] = []
      for (place, index) in definition.answers.enumerated() {
        let (found, run) = speak(
          [index], pipeline.answers[index].allowedFlows, .latestEach, &speakers[place])
        readings += found
        if let run { used.append((run.completionOrder ?? 0, run.run.runID)) }
      }
      return (readings, used.max { $0.order < $1.order }?.runID)
    }
    let (readings, run) = speak(
      definition.answers, definition.flows, definition.runs, &speakers[0])
    return (readings, run?.run.runID)
  }

  /// The first candidate in which each of the answers was given or cleared speaks for all of them.
  ///
  /// - Parameter answers: indices.
  private func speak(
    _ answers: [Int], _ allowed: Set<Int>?, _ which: AttributeSource.Runs,
    _ speaker: inout SpeakingRun
  ) -> ([Reading<Value>], RunState?) {
    // Held by name: a function that captures `self` copies all of it, at each call.
    let (pipeline, locale) = (pipeline, latest[.locale])
    func readings(in run: RunState) -> [Reading<Value>] {
      answers.map {
        pipeline.answers[$0].reading(in: run.run, locale: locale, zones: pipeline.zones)
      }
    }
    speaker.catchUp(with: changes, of: runs, which, allowed) {
      !readings(in: $0).contains(.absent(.notAsked))
    }
    if let run = speaker.complete { return (readings(in: runs[run]), runs[run]) }
    if let run = speaker.first {
      let readings = readings(in: runs[run])
      // A rule may do without some of its answers (`coalesce`): then those of this run were used.
      let isUsed = readings.contains { if case .value = $0 { true } else { false } }
      return (readings, isUsed ? runs[run] : nil)
    }
    let hasStarted = allowed.map { $0.contains { flows[$0].runs > 0 } } ?? !runs.isEmpty
    let reason: AbsenceReason = hasStarted ? .notCompleted : .notStarted
    return (answers.map { _ in .absent(reason) }, nil)
  }
}

extension AttributeDefinition {
  /// One for all of its answers, or for each of them; nothing is found yet.
  fileprivate var speakers: [SpeakingRun] {
    [SpeakingRun](repeating: SpeakingRun(), count: runs == .latestEach ? answers.count : 1)
  }
}

/// The earlier of two instants, where there are any.
func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
  guard let left, let right else { return left ?? right }
  return min(left, right)
}

extension AttributeOutcome.Value {
  fileprivate var asRuleValue: Value {
    switch self {
    case .number(let number): .number(number)
    case .text(let text): .text(text)
    case .absent: .null
    }
  }
}
