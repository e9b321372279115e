/// Lets an unfinished run go on, fed with a profile's events in the profile's order.
///
/// Sessions are cut into runs first. Then, where a flow says `resume_within:`, a run that begins while
/// the flow's run touched last is not completed and had its last event less than that long ago is no
/// run of its own but goes on with that one, closed or not, in the same session or in another. Only
/// what lies before the first event in the profile's order decides, so nothing depends on the order in
/// which events arrived.
struct RunResumption {
  private struct Progress {
    var lastAt: Instant
    var isCompleted: Bool
  }

  private let rules: [FlowRules]
  /// By flow: its run that was touched last.
  private var latestRun: [Int: Int] = [:]
  private var progress: [Int: Progress] = [:]

  init(_ rules: [FlowRules]) { self.rules = rules }

  /// The run that goes on with an event that would begin one.
  func run(resumedBy key: FlowMatcher.Key, at: Instant) -> Int? {
    guard case .declared(let flow) = key, let limit = limit(of: flow), let run = latestRun[flow],
      let progress = progress[run], !progress.isCompleted,
      at.microseconds - progress.lastAt.microseconds < limit
    else { return nil }
    return run
  }

  /// Takes note of an event of a run.
  mutating func note(
    _ event: Event, kind: EventKind, of run: Int, _ key: FlowMatcher.Key, at: Instant
  ) {
    guard case .declared(let flow) = key, limit(of: flow) != nil else { return }
    let completes =
      kind == .flowScreenShowed && rules[flow].isLastScreen(FlowParams(event.params))
    let known = progress[run]
    progress[run] = Progress(
      lastAt: max(known?.lastAt ?? at, at), isCompleted: completes || known?.isCompleted ?? false)
    latestRun[flow] = run
  }

  private func limit(of flow: Int) -> Int64? {
    flow < rules.count ? rules[flow].resumeWithin : nil
  }
}
