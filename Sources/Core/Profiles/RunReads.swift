/// What a pipeline's rules can see of runs: events that show nothing of it need no evaluation.
struct RunReads {
  /// True where an attribute takes answers of runs that are not completed.
  let openRuns: Bool
  /// True where an answer counts because a screen was shown.
  let shownScreens: Bool
  /// True where a rule reads the last screen of a flow's latest run.
  let lastScreens: Bool

  init(_ pipeline: Pipeline) {
    openRuns = pipeline.attributes.contains { $0.runs == .latestAny }
    shownScreens = pipeline.answers.contains { answer in
      answer.fallback != nil || answer.inputs.contains { $0.fallback != nil }
    }
    lastScreens = pipeline.flows.indices.contains {
      pipeline.isSlotRead[pipeline.slots.flow($0, .lastScreen)]
    }
  }
}
