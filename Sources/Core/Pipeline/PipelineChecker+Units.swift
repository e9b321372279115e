/// Answers that choose the unit of another one.
extension PipelineChecker {
  mutating func unitChoice(_ unitBy: UnitBySource, for source: AnswerSource) -> UnitChoice? {
    guard case .number(let quantity) = source.reading else {
      report(unitBy.answer.position, "only a number has a unit; give it a `quantity`")
      return nil
    }
    guard let chooser = answerSources.first(where: { $0.name.value == unitBy.answer.value }) else {
      if !self.source.unread.mayDeclare(unitBy.answer.value, in: .answers) {
        report(unitBy.answer.position, knownAnswers.unknown("answer", unitBy.answer.value))
      }
      return nil
    }
    let name = chooser.name.value.string
    if !chooser.alternatives.isEmpty {
      report(unitBy.answer.position, "`\(name)` cannot choose a unit: it has no one `element`")
    }
    switch chooser.reading {
    case .choice, .text, .boolean: break
    case .number, .date, .choices:
      report(
        unitBy.answer.position,
        "`\(name)` cannot choose a unit: give it `type: choice`, `text` or `boolean`")
    }
    let flows = Set(source.flows.map(\.value))
    if !flows.isEmpty, !chooser.flows.isEmpty, flows.isDisjoint(with: chooser.flows.map(\.value)) {
      report(
        unitBy.answer.position,
        "`\(name)` is asked in no flow of `\(source.name.value.string)`: "
          + "a unit is chosen in the run that its number is typed in")
    }
    var units: [Bytes: MeasureUnit] = [:]
    for option in unitBy.options {
      if let unit = MeasureUnit.named(option.unit.value, quantity.kind) {
        units[option.id.value] = unit
      } else {
        let known = quantity.kind.units
        report(
          option.unit.position,
          "`\(option.unit.value.string)` is no unit of \(quantity.kind.rawValue)"
            + (known.isEmpty ? "" : "; it is one of " + known.joined(separator: ", ")))
      }
    }
    return UnitChoice(
      elements: chooser.elements.map(\.value), screens: chooser.screens.map(\.value), units: units)
  }
}
