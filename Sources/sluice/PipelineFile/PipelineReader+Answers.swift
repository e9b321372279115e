internal import Core

/// How answers are declared: where they are asked, and what they are read as.
extension PipelineReader {
  mutating func answer(_ name: Located<Bytes>, _ node: YAMLNode) -> AnswerSource? {
    guard let section = section(node, .answer) else { return nil }
    var answer = AnswerSource(name: name)
    answer.flows = names(section["flow"])
    answer.elements = names(section["element"])
    answer.screens = names(section["screen"])
    if section["element"] == nil, section["first_of"] == nil {
      report(at: name.position, "`\(name.value.string)` needs `element`, the id of its input")
    }
    let reading = section["first_of"] == nil ? reading(section) : alternatives(section, &answer)
    answer.reading = reading ?? .text
    answer.fallback = fallback(section, reading)
    if section["first_of"] == nil {
      answer.unitBy = section["unit_by"].flatMap { unitBy($0, of: reading) }
    }
    answer.plausible = section["plausible"].flatMap { bounds($0) }
    if let plausible = section["plausible"], let reading, !reading.isNumber {
      report(at: plausible.position, "only a number has plausible bounds; add `type: number`")
    }
    return answer
  }

  mutating func reading(_ section: PipelineSection) -> AnswerReading? {
    let kinds = ["number", "text", "boolean", "date", "choice", "choices"]
    let type = section["type"].flatMap { choice($0, "type", kinds) }
    guard let quantityNode = section["quantity"] else {
      if let unit = section["unit"] {
        report(at: unit.position, "a unit needs its `quantity`, such as mass or length")
      }
      return type == nil && section["type"] != nil ? nil : plainReading(type)
    }
    if let type, type != "number", let typeNode = section["type"] {
      report(at: typeNode.position, "a `quantity` is a number; remove `type`")
    }
    guard let kind = choice(quantityNode, "quantity", Quantity.Kind.self) else { return nil }
    let unit = self.unit(section["unit"], of: kind, at: quantityNode.position)
    return .number(Quantity(kind, unit: unit))
  }

  private func plainReading(_ type: String?) -> AnswerReading {
    switch type {
    case "number": .number(Quantity(.number, unit: .empty))
    case "boolean": .boolean
    case "date": .date
    case "choice": .choice
    case "choices": .choices
    default: .text
    }
  }

  mutating func unit(
    _ node: YAMLNode?, of kind: Quantity.Kind, at quantity: SourcePosition
  ) -> Bytes {
    guard let node else {
      if let example = kind.units.first {
        report(
          at: quantity, "say the unit it is counted in, for instance `unit: \(example)`")
      } else if kind == .money {
        report(at: quantity, "say the currency, for instance `unit: USD`")
      }
      return .empty
    }
    guard kind != .number else {
      if let word = word(node, "the unit"), word.value == "%" { return word.value }
      report(at: node.position, "a plain number has no unit; remove it")
      return .empty
    }
    guard kind == .money else {
      return choice(node, "unit", kind.units).map { Bytes($0) } ?? .empty
    }
    guard let word = word(node, "the currency") else { return .empty }
    guard word.value.count == 3, word.value.slice.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      report(at: node.position, "a currency is three capital letters, such as USD")
      return .empty
    }
    return word.value
  }

  mutating func unitBy(_ node: YAMLNode, of reading: AnswerReading?) -> UnitBySource? {
    guard let section = section(node, .unitBy) else { return nil }
    var known: [String] = []
    if case .number(let quantity) = reading { known = quantity.kind.units }
    guard reading == nil || !known.isEmpty else {
      report(
        at: node.position,
        "only a mass, a length or a duration has units to choose from; add its `quantity`")
      return nil
    }
    let answer = section.required("answer", by: &self) { $0.name($1) }
    let units = section.required("units", by: &self) { reader, units in
      reader.named(units, "units") { reader, id, unit -> UnitBySource.Option? in
        guard !known.isEmpty, let name = reader.choice(unit, "unit", known) else { return nil }
        return UnitBySource.Option(id: id, unit: Located(Bytes(name), at: unit.position))
      }
    }
    guard let answer, let units else { return nil }
    if units.isEmpty, known.isEmpty == false, section["units"]?.isEmptyMapping ?? false {
      report(at: node.position, "say what each option means: `units: { OPTION: \(known[0]) }`")
    }
    return UnitBySource(answer: answer, options: units)
  }
}

extension YAMLNode {
  fileprivate var isEmptyMapping: Bool {
    if case .mapping(let entries) = content { entries.isEmpty } else { isNull }
  }
}

extension AnswerReading {
  var isNumber: Bool {
    if case .number = self { true } else { false }
  }
}
