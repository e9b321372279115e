/// Which of a person's runs speaks for answers that are asked together, kept up as runs go on.
///
/// Asking looks only at the runs that changed since it was asked last. Nothing that was given or cleared
/// in a run becomes not asked again, so what was found stays found. Looking at all runs each time would
/// take time with the square of their number, for a person in whose many runs nobody answers everything.
struct SpeakingRun {
  /// The first candidate in which each answer was given or cleared; an index into the runs.
  private(set) var complete: Int?
  /// The candidate that is asked first, whatever it says.
  private(set) var first: Int?
  /// How many of the changes are looked at.
  private var seen = 0

  /// Takes note of what happened since it was asked last.
  ///
  /// - Parameters:
  ///   - changes: indices of runs that began, were answered, shown a screen of or completed, in the
  ///     order in which they were; only added to between calls.
  ///   - runs: as they are now.
  ///   - which: who is a candidate, and who is asked first.
  ///   - allowed: indices of flows; nil for any.
  ///   - isComplete: whether each answer was given or cleared in a run.
  mutating func catchUp(
    with changes: [Int], of runs: [RunState], _ which: AttributeSource.Runs, _ allowed: Set<Int>?,
    isComplete: (RunState) -> Bool
  ) {
    var last: Int?
    while seen < changes.count {
      let run = changes[seen]
      seen += 1
      // A run's events mostly follow each other: it is looked at once, as it is now.
      guard run != last else { continue }
      last = run
      guard let place = Self.place(of: run, in: runs, which) else { continue }
      if let allowed {
        guard let flow = runs[run].flow, allowed.contains(flow) else { continue }
      }
      func isBefore(_ other: Int?) -> Bool {
        guard let other, let known = Self.place(of: other, in: runs, which) else { return true }
        return which == .firstCompleted ? place < known : place > known
      }
      if isBefore(first) { first = run }
      if run != complete, isBefore(complete), isComplete(runs[run]) { complete = run }
    }
  }

  /// Where a run stands among the candidates; nil for a run that is none.
  private static func place(
    of run: Int, in runs: [RunState], _ which: AttributeSource.Runs
  ) -> Int? {
    switch which {
    case .oneCompleted, .latestEach, .firstCompleted: runs[run].completionOrder
    case .latestAny: run
    }
  }
}
