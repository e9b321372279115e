/// What a pipeline's rules can see of runs: events that show nothing of it need no evaluation.
struct RunReads: Sendable {
  /// Elements that some answer is read from: no rule sees what is entered in another one.
  let elements: Set<Bytes>
  /// True where an attribute takes answers of runs that are not completed.
  let openRuns: Bool
  /// True where an answer counts because a screen was shown.
  let shownScreens: Bool
  /// True where a rule reads the last screen of a flow's latest run.
  let lastScreens: Bool

  init(
    _ answers: [AnswerDefinition], _ attributes: [AttributeDefinition], _ slots: SlotLayout,
    isSlotRead: [Bool]
  ) {
    elements = Set(answers.flatMap(\.inputs).flatMap(\.elements))
    openRuns = attributes.contains { $0.runs == .latestAny }
    shownScreens = answers.contains { answer in
      answer.fallback != nil || answer.inputs.contains { $0.fallback != nil }
    }
    lastScreens = (0..<slots.flows).contains { isSlotRead[slots.flow($0, .lastScreen)] }
  }
}
