/// An answer that says which unit another one was typed in.
struct UnitChoice: Sendable {
  let elements: [Bytes]
  let screens: [Bytes]
  /// By option id, or by the text of a text or a switch.
  let units: [Bytes: MeasureUnit]
  /// Of an input whose unit is not the one that its answer is counted in.
  var otherwise: MeasureUnit?

  /// The unit that was chosen last in a run, or why it is not known; nil for the unit that is counted in.
  func unit(in run: [Answer]) -> Reading<MeasureUnit>? {
    let option: Bytes
    switch AnswerDefinition.find(elements, on: screens, in: run) {
    case .notAsked: return otherwise.map { .value($0) }
    case .ambiguous: return .absent(.ambiguousElement)
    case .found(let answer):
      switch answer.value {
      case .cleared: return otherwise.map { .value($0) }
      case .items(let items):
        guard items.count == 1 else { return .absent(.wrongType) }
        option = items[0].id
      case .text(let text): option = trimmed(text)
      case .number(let text): option = text
      case .boolean(let isOn): option = isOn ? "true" : "false"
      }
    }
    // An option that the pipeline does not know may mean any unit.
    return units[option].map { .value($0) } ?? .absent(.unreadable)
  }
}
