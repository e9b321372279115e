extension AnswerDefinition {
  /// One way to have been asked: an input, or several inputs that are added up.
  package enum Alternative: Sendable {
    case input(AnswerDefinition)
    case sum([AnswerDefinition])

    /// The definitions of its inputs; at least one.
    package var inputs: [AnswerDefinition] {
      switch self {
      case .input(let input): [input]
      case .sum(let parts): parts
      }
    }
  }

  /// A selection that the vendor never reports, such as an option that is set by default.
  package struct Fallback: Hashable, Sendable {
    package let value: Value
    /// Screens that must have been shown, any of them.
    package let screens: [Bytes]

    package init(_ value: Value, shownOn screens: [Bytes]) {
      self.value = value
      self.screens = screens
    }
  }

  /// Every input that may be the answer or a part of it.
  package var inputs: [AnswerDefinition] {
    alternatives.isEmpty ? [self] : alternatives.flatMap(\.inputs)
  }

  /// The input that stands for the answer where one is enough.
  package var firstInput: AnswerDefinition { alternatives.first?.inputs.first ?? self }

  /// What a run says of this answer; `not_asked` where it was neither given nor cleared.
  ///
  /// - Parameters:
  ///   - locale: of the person, whose decimal mark numbers were typed with.
  ///   - zones: the zone of a name.
  func reading(in run: FlowRun, locale: Bytes?, zones: (Bytes) -> Zone?) -> Reading<Value> {
    let said =
      alternatives.isEmpty
      ? reported(in: run, locale, zones) : firstGiven(in: run, locale, zones)
    guard said == .absent(.notAsked), let fallback,
      run.path.contains(where: { fallback.screens.contains($0.screen) })
    else { return said }
    return .value(fallback.value)
  }

  /// The answers of a run that the reading came from: those of the alternative that counted, one for
  /// each part of a sum, given or cleared; none where a selection counted that nothing reports.
  func given(in run: FlowRun) -> [Answer] {
    guard !alternatives.isEmpty else { return found(in: run).map { [$0] } ?? [] }
    var cleared: [Answer] = []
    for alternative in alternatives {
      let answers = alternative.inputs.compactMap { $0.found(in: run) }
      let isAmbiguous = alternative.inputs.contains {
        if case .ambiguous = $0.find(in: run.answers) { true } else { false }
      }
      if answers.isEmpty, !isAmbiguous { continue }
      guard answers.contains(where: { $0.value == .cleared }) else { return answers }
      if cleared.isEmpty { cleared = answers }
    }
    return cleared
  }

  private func found(in run: FlowRun) -> Answer? {
    if case .found(let answer) = find(in: run.answers) { answer } else { nil }
  }

  private func reported(in run: FlowRun, _ locale: Bytes?, _ zones: (Bytes) -> Zone?)
    -> Reading<Value>
  {
    switch find(in: run.answers) {
    case .notAsked: .absent(.notAsked)
    case .ambiguous: .absent(.ambiguousElement)
    case .found(let answer): read(answer, in: run.answers, locale: locale, zones: zones)
    }
  }

  /// The first alternative that was given, readable or not: an answer is never taken from another
  /// input because this one cannot be read.
  private func firstGiven(in run: FlowRun, _ locale: Bytes?, _ zones: (Bytes) -> Zone?)
    -> Reading<Value>
  {
    var isCleared = false
    for alternative in alternatives {
      let said =
        switch alternative {
        case .input(let input): input.reported(in: run, locale, zones)
        case .sum(let parts): sum(of: parts, in: run, locale, zones)
        }
      switch said {
      case .absent(.notAsked): continue
      case .absent(.cleared): isCleared = true
      case .value(.number(let number)):
        if let plausible, !plausible.contains(number) { return .absent(.implausible) }
        return said
      case .value, .absent: return said
      }
    }
    return .absent(isCleared ? .cleared : .notAsked)
  }

  /// Feet and inches, for instance.
  ///
  /// Every part counts: five feet and an unknown number of inches are no height. A part that may be
  /// left alone has a `default:` of its own.
  private func sum(
    of parts: [AnswerDefinition], in run: FlowRun, _ locale: Bytes?, _ zones: (Bytes) -> Zone?
  ) -> Reading<Value> {
    let isBegun = parts.contains { $0.reported(in: run, locale, zones) != .absent(.notAsked) }
    guard isBegun, case .number(let quantity) = reading else { return .absent(.notAsked) }
    var terms: [UnitConversion.Term] = []
    var reason: AbsenceReason?
    for part in parts {
      switch part.reading(in: run, locale: locale, zones: zones) {
      case .value(.number(let number)):
        terms.append(UnitConversion.Term(number, unit: part.unit))
      case .value: reason = reason ?? .wrongType
      case .absent(.cleared): return .absent(.cleared)
      // The person began to answer: no older run is asked.
      case .absent(.notAsked): reason = reason ?? .unreadable
      case .absent(let other): reason = reason ?? other
      }
    }
    if let reason { return .absent(reason) }
    return UnitConversion.sum(terms, in: quantity).map { .value(.number($0)) }
      ?? .absent(.unreadable)
  }

  private var unit: Bytes {
    guard case .number(let quantity) = reading else { return .empty }
    return quantity.unit
  }
}
