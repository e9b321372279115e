/// Flows, screens and answers: what decides how events become runs and runs become answers.
extension PipelineChecker {
  mutating func checkedFlowRules() -> [FlowRules] {
    source.flows.map { flow in
      var renamed: [Bytes: Bytes] = [:]
      let formers = Set(flow.renamedScreens.map(\.former.value))
      for screen in flow.renamedScreens {
        if formers.contains(screen.current.value) {
          report(
            screen.current.position,
            "`\(screen.current.value.string)` is renamed itself; name the id that it has today")
        }
        renamed[screen.former.value] = screen.current.value
      }
      checkCurrent(flow.completingScreens, renamed)
      return FlowRules(
        completingScreens: Set(flow.completingScreens.map(\.value)), renamedScreens: renamed,
        resumeWithin: flow.resumeWithin)
    }
  }

  /// Screens that recognise a flow do so by their former ids, too.
  mutating func withFormerIDs(_ byScreen: [Bytes: Int]) -> [Bytes: Int] {
    var result = byScreen
    for (index, flow) in source.flows.enumerated() {
      for screen in flow.renamedScreens where byScreen[screen.current.value] == index {
        if let other = result[screen.former.value], other != index {
          report(
            screen.former.position,
            "the screen `\(screen.former.value.string)` already belongs to the flow "
              + "`\(source.flows[other].name.value.string)`: an event must fit one flow; remove it from one of them"
          )
        }
        result[screen.former.value] = index
      }
    }
    return result
  }

  mutating func answerDefinition(_ source: AnswerSource) -> AnswerDefinition {
    let flows = flowIndices(source.flows)
    var alternatives: [AnswerDefinition.Alternative] = []
    for alternative in source.alternatives {
      switch alternative {
      case .input(let input):
        alternatives.append(.input(inputDefinition(input, flows, countedAs: source.reading)))
      case .sum(let parts):
        alternatives.append(
          .sum(parts.map { inputDefinition($0, flows, countedAs: $0.reading) }))
      }
    }
    return inputDefinition(source, flows, countedAs: source.reading, alternatives: alternatives)
  }

  /// An input, whose numbers are typed in a unit of its own and counted in `reading`'s.
  private mutating func inputDefinition(
    _ source: AnswerSource, _ flows: [Int], countedAs reading: AnswerReading,
    alternatives: [AnswerDefinition.Alternative] = []
  ) -> AnswerDefinition {
    for flow in flows.isEmpty ? Array(self.source.flows.indices) : flows {
      let renamed = Dictionary(
        self.source.flows[flow].renamedScreens.map { ($0.former.value, $0.current.value) },
        uniquingKeysWith: { first, _ in first })
      checkCurrent(source.screens + (source.fallback?.screens ?? []), renamed)
    }
    var choice = source.unitBy.flatMap { unitChoice($0, for: source) }
    if source.reading != reading, case .number(let own) = source.reading {
      choice = choice ?? UnitChoice(elements: [], screens: [], units: [:])
      choice?.otherwise = MeasureUnit.named(own.unit, own.kind)
    }
    return AnswerDefinition(
      name: source.name.value, flows: flows, elements: source.elements.map(\.value),
      screens: source.screens.map(\.value), reading: reading, plausible: source.plausible?.value,
      unitChoice: choice, alternatives: alternatives,
      fallback: source.fallback.map {
        AnswerDefinition.Fallback($0.value.value, shownOn: $0.screens.map(\.value))
      })
  }

  /// A former id names no screen any more: runs hold the current ones.
  private mutating func checkCurrent(_ screens: [Located<Bytes>], _ renamed: [Bytes: Bytes]) {
    for screen in screens {
      guard let current = renamed[screen.value] else { continue }
      report(
        screen.position,
        "the screen `\(screen.value.string)` is called `\(current.string)` by `same_as`; name that")
    }
  }
}
