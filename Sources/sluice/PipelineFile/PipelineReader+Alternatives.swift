internal import Core

/// Answers that can be asked in more than one way, and selections that nothing reports.
extension PipelineReader {
  /// Reads `first_of:` into an answer.
  ///
  /// - Returns: what the answer is read as: what it says itself, else what its first alternative says.
  mutating func alternatives(_ section: PipelineSection, _ answer: inout AnswerSource)
    -> AnswerReading?
  {
    for key in ["element", "screen", "unit_by"] {
      guard let node = section[key] else { continue }
      report(at: node.position, "`\(key)` stands in each alternative of `first_of`; move it there")
    }
    guard let node = section["first_of"], let items = items(node, "`first_of`") else { return nil }
    guard !items.isEmpty else {
      report(at: node.position, "the list is empty; remove the key")
      return nil
    }
    let sections = items.compactMap { self.section($0, .alternative) }
    let saysItself = section["type"] != nil || section["quantity"] != nil
    guard let first = sections.first else { return nil }
    let answered = reading(saysItself ? section : first)
    guard let answered else { return nil }
    answer.alternatives = sections.compactMap { alternative($0, of: answer.name, answered) }
    return answered
  }

  private mutating func alternative(
    _ section: PipelineSection, of name: Located<Bytes>, _ answered: AnswerReading
  ) -> AlternativeSource? {
    guard let sum = section["sum"] else {
      return input(section, of: name, answered).map { .input($0) }
    }
    for key in ["element", "screen", "unit", "unit_by"] {
      guard let node = section[key] else { continue }
      report(at: node.position, "`\(key)` stands in each part of `sum`; move it there")
    }
    guard answered.isNumber else {
      report(at: sum.position, "only numbers are added up; add a `quantity` or `type: number`")
      return nil
    }
    guard let items = items(sum, "`sum`") else { return nil }
    guard items.count >= 2 else {
      report(at: sum.position, "a sum has two parts or more")
      return nil
    }
    let parts = items.compactMap { item -> AnswerSource? in
      guard let part = self.section(item, .part) else { return nil }
      return input(part, of: name, answered)
    }
    return .sum(parts)
  }

  private mutating func input(
    _ section: PipelineSection, of name: Located<Bytes>, _ answered: AnswerReading
  ) -> AnswerSource? {
    guard section["element"] != nil else {
      report(at: section.position, "\(section.what) needs `element`, the id of its input")
      return nil
    }
    var input = AnswerSource(name: name)
    input.elements = names(section["element"])
    input.screens = names(section["screen"])
    input.reading = inputReading(section, answered)
    input.unitBy = section["unit_by"].flatMap { unitBy($0, of: input.reading) }
    input.fallback = fallback(section, input.reading)
    return input
  }

  /// An input is read as the answer is, its number in a unit of its own where it has one.
  private mutating func inputReading(_ section: PipelineSection, _ answered: AnswerReading)
    -> AnswerReading
  {
    if section["quantity"] != nil || section["type"] != nil {
      guard let own = reading(section) else { return answered }
      if !own.isSameKind(as: answered) {
        report(
          at: (section["quantity"] ?? section["type"])?.position ?? section.position,
          "all alternatives of an answer are read as the same; give it to the answer itself")
      }
      return own
    }
    guard let node = section["unit"] else { return answered }
    guard case .number(let quantity) = answered else {
      report(at: node.position, "a unit needs its `quantity`, such as mass or length")
      return answered
    }
    let own = unit(node, of: quantity.kind, at: node.position)
    if quantity.kind == .money, own != quantity.unit {
      report(at: node.position, "no rate turns one currency into another; name the answer's")
    }
    return .number(Quantity(quantity.kind, unit: own))
  }

  /// `default:` with the screens that must have been shown for it.
  mutating func fallback(_ section: PipelineSection, _ reading: AnswerReading?)
    -> FallbackSource?
  {
    let (valueNode, screensNode) = (section["default"], section["shown_on"])
    guard let valueNode, let screensNode else {
      if let node = valueNode {
        report(at: node.position, "say in `shown_on` on which screen it is selected")
      } else if let node = screensNode {
        report(at: node.position, "say in `default` what is selected there")
      }
      return nil
    }
    let screens = names(screensNode)
    guard let reading, let value = value(valueNode, as: reading) else { return nil }
    return FallbackSource(value: Located(value, at: valueNode.position), screens: screens)
  }

  private mutating func value(_ node: YAMLNode, as reading: AnswerReading) -> Value? {
    switch reading {
    case .number: number(node).map { .number($0) }
    case .text: freeText(node, "`default`").map { .text($0) }
    case .boolean: boolean(node).map { .boolean($0) }
    case .date: day(node).map { .date($0.value) }
    case .choice: name(node).map { .text($0.value) }
    case .choices: .choice(names(node).map(\.value))
    }
  }
}

extension AnswerReading {
  /// Numbers of one kind of quantity, in whatever unit, or the same type.
  fileprivate func isSameKind(as other: AnswerReading) -> Bool {
    if case .number(let mine) = self, case .number(let its) = other {
      return mine.kind == its.kind && (mine.kind != .money || mine.unit == its.unit)
    }
    return self == other
  }
}
