/// A run as far as its events have been replayed.
struct RunState {
  private(set) var run: FlowRun
  /// Index in `flows:`; nil for an undeclared flow.
  let flow: Int?
  private let rules: FlowRules
  /// Where the run stands among all completions of the profile; nil until it is completed.
  private(set) var completionOrder: Int?
  /// The context of the event before.
  private var adopted = Context.empty
  /// The view that no later screen and no end has closed yet.
  private var openView: (step: Int, since: Instant)?
  /// Milliseconds of the closed views of each step, in microseconds to keep sums exact.
  private var spent: [Int64] = []
  private var steps = PlaceIndex<Bytes>()
  private var answers = PlaceIndex<AnsweredInput>()

  init(_ run: FlowRun, flow: Int?, rules: FlowRules) {
    self.run = run
    self.flow = flow
    self.rules = rules
  }

  /// Goes on after a pause: the run is open again, and nobody looked at its last screen all the time.
  mutating func resume() {
    run.endedAt = nil
    openView = nil
  }

  /// What an event changed that an attribute or a segment could see.
  struct Change {
    /// The element that was answered to.
    var answered: Bytes?
    var completed = false
  }

  /// Replays the run's next event.
  ///
  /// - Parameter completions: completions of the profile so far, counted up here.
  mutating func apply(_ event: Event, kind: EventKind, at: Instant, completions: inout Int)
    -> Change
  {
    run.lastEventAt = max(run.lastEventAt, at)
    adopt(event.context)
    var change = Change()
    switch kind {
    case .flowScreenShowed:
      let params = FlowParams(event.params)
      if let screen = rules.screen(params) { view(screen, params, at) }
      if rules.isLastScreen(params), run.completedAt == nil {
        run.completedAt = at
        completionOrder = completions
        completions += 1
        change.completed = true
      }
    case .flowUserInput:
      let params = FlowParams(event.params)
      guard let element = params.element, let value = params.answer else { break }
      answer(
        Answer(
          screen: rules.screen(params) ?? .empty, element: element, type: params.elementType,
          value: value, at: at, zone: event.context[.timeZone]))
      change.answered = element
    case .flowDisappeared:
      closeView(at)
      run.endedAt = run.endedAt ?? at
    default: break
    }
    return change
  }

  private mutating func adopt(_ context: Context) {
    // Events of a run mostly share one context.
    guard context != adopted else { return }
    adopted = context
    for member in context.members {
      switch member.key {
      case .placementID: run.placementID = run.placementID ?? member.value
      case .flowID: run.flowID = run.flowID ?? member.value
      case .flowVersionID: run.flowVersionID = run.flowVersionID ?? member.value
      case .variationID: run.variationID = run.variationID ?? member.value
      case .audienceName: run.audienceName = run.audienceName ?? member.value
      case .placementAudienceVersionID:
        run.audienceVersionID = run.audienceVersionID ?? member.value
      case .platform: run.platform = run.platform ?? member.derivedValue
      case .appVersion: run.appVersion = run.appVersion ?? member.value
      case .country: run.country = run.country ?? member.value
      default: break
      }
    }
  }

  private mutating func view(_ screen: Bytes, _ params: FlowParams, _ at: Instant) {
    closeView(at)
    let isLast = rules.isLastScreen(params)
    if let step = steps.place(of: screen, in: run.path, by: \.screen) {
      run.path[step].views += 1
      run.path[step].isLast = run.path[step].isLast || isLast
      run.path[step].order = run.path[step].order ?? params.screenOrder
      run.path[step].spentMilliseconds = nil
      openView = (step, at)
      return
    }
    openView = (run.path.count, at)
    spent.append(0)
    run.path.append(
      PathStep(
        screen: screen, order: params.screenOrder, isLast: isLast, firstAt: at,
        views: 1, spentMilliseconds: nil))
    run.lastScreenID = screen
  }

  private mutating func closeView(_ at: Instant) {
    guard let (step, since) = openView else { return }
    spent[step] += at.microseconds - since.microseconds
    run.path[step].spentMilliseconds = spent[step] / 1000
    openView = nil
  }

  private mutating func answer(_ answer: Answer) {
    let input = AnsweredInput(answer)
    if let known = answers.place(of: input, in: run.answers, by: AnsweredInput.init) {
      run.answers[known] = answer
    } else {
      run.answers.append(answer)
    }
  }
}
