/// A named answer of a pipeline: which inputs it is, and what they are read as.
package struct AnswerDefinition: Sendable {
  package let name: Bytes
  /// Indices into `flows:`; empty means any flow.
  package let flows: [Int]
  package let elements: [Bytes]
  /// Empty means any screen, and an element on two of them is ambiguous.
  package let screens: [Bytes]
  package let reading: AnswerReading
  package let plausible: ClosedRange<Double>?
  /// Where the unit of a number without one was chosen; nil for the declared unit.
  let unitChoice: UnitChoice?
  /// The first of them that was given is the answer; empty where `elements` are.
  package let alternatives: [Alternative]
  /// What counts where one of its screens was shown and nothing was reported.
  package let fallback: Fallback?
  /// ``flows`` as a set; nil for any flow.
  let allowedFlows: Set<Int>?
  /// nil for what is no number.
  private let measure: Measure?

  init(
    name: Bytes, flows: [Int], elements: [Bytes], screens: [Bytes], reading: AnswerReading,
    plausible: ClosedRange<Double>?, unitChoice: UnitChoice? = nil,
    alternatives: [Alternative] = [], fallback: Fallback? = nil
  ) {
    self.name = name
    self.flows = flows
    self.elements = elements
    self.screens = screens
    self.reading = reading
    self.plausible = plausible
    self.alternatives = alternatives
    self.fallback = fallback
    self.unitChoice = unitChoice
    allowedFlows = flows.isEmpty ? nil : Set(flows)
    measure = if case .number(let quantity) = reading { Measure(quantity) } else { nil }
  }

  /// What a run holds of this answer.
  enum Finding {
    case notAsked
    /// One element on several screens, and no `screen:` to tell which one is meant.
    case ambiguous
    case found(Answer)
  }

  /// The answer in a run: the latest of the named elements, given or cleared.
  func find(in answers: [Answer]) -> Finding {
    Self.find(elements, on: screens, in: answers)
  }

  static func find(_ elements: [Bytes], on screens: [Bytes], in answers: [Answer]) -> Finding {
    var found: Answer?
    for (index, answer) in answers.enumerated()
    where elements.contains(answer.element) && (screens.isEmpty || screens.contains(answer.screen))
    {
      // Each pair of screen and element is there once: the same element means another screen.
      if screens.isEmpty, answers[..<index].contains(where: { $0.element == answer.element }) {
        return .ambiguous
      }
      if let known = found, answer.at < known.at { continue }
      found = answer
    }
    return found.map { .found($0) } ?? .notAsked
  }

  /// The answer as a value of the rule language, or why there is none.
  ///
  /// - Parameters:
  ///   - run: all answers of its run, one of which may have chosen the unit.
  ///   - locale: of the person, whose decimal mark the number was typed with.
  ///   - zones: the zone of a name.
  func read(
    _ answer: Answer, in run: [Answer], locale: Bytes?, zones: (Bytes) -> Zone?
  ) -> Reading<Value> {
    if answer.value == .cleared { return .absent(.cleared) }
    switch (reading, answer.value) {
    case (.number, .text(let text)):
      guard let measure else { return .absent(.unreadable) }
      return number(
        readMeasure(text, as: measure, in: unitChoice?.unit(in: run), locale: locale))
    case (.number, .number(let text)):
      guard let measure else { return .absent(.unreadable) }
      return number(readMeasure(json: text, as: measure, in: unitChoice?.unit(in: run)))
    case (.text, .text(let text)): return .value(.text(text))
    case (.boolean, .boolean(let value)): return .value(.boolean(value))
    case (.boolean, .number(let text)): return boolean(JSONText(text))
    case (.boolean, .text(let text)): return boolean(JSONText(text))
    case (.date, .number(let text)), (.date, .text(let text)):
      let day = readDay(text, zone: answer.zone, zones: zones)
      return day.map { .value(.date($0)) } ?? .absent(.unreadable)
    case (.choice, .items(let items)) where items.count == 1: return .value(.text(items[0].id))
    case (.choices, .items(let items)): return .value(.choice(items.map(\.id)))
    default: return .absent(.wrongType)
    }
  }

  private func number(_ reading: Reading<Double>) -> Reading<Value> {
    switch reading {
    case .absent(let reason): return .absent(reason)
    case .value(let number):
      if let plausible, !plausible.contains(number) { return .absent(.implausible) }
      return .value(.number(number))
    }
  }

  private func boolean(_ value: JSONText) -> Reading<Value> {
    lenientBoolean(value).map { .value(.boolean($0)) } ?? .absent(.unreadable)
  }
}
