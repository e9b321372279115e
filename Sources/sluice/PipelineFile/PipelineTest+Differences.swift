internal import Core

extension PipelineTest.Expectation {
  /// Expected and got, for each thing that is looked at and differs.
  func differences(from outcome: Outcome) -> [String] {
    var result: [String] = []
    func compare(_ what: String, _ expected: String, _ got: String) {
      if expected != got { result.append("\(what): expected \(expected), got \(got)") }
    }
    for attribute in attributes {
      let name = "attribute \(attribute.key.value.string)"
      let got = outcome.attributes.first { $0.key == attribute.key.value }?.value
      switch attribute.value {
      case .number(let written): compare(name, written.string, shown(got, as: written))
      case .text(let text): compare(name, text.string, shown(got, as: nil))
      }
    }
    for absence in absent {
      let got = outcome.attributes.first { $0.key == absence.key.value }?.value
      compare(
        "attribute \(absence.key.value.string)", "absent: \(absence.reason.rawValue)",
        shown(got, as: nil))
    }
    if let segments {
      compare(
        "segments", list(segments.value.map(\.value)), list(outcome.segments.map(\.segment)))
    }
    let placement = outcome.profile.next.placementID
    switch next {
    case .placement(let id): compare("next", id.value.string, placement?.string ?? "nothing")
    case .nothing: compare("next", "nothing", placement?.string ?? "nothing")
    case nil: break
    }
    if let because {
      compare("because", because.value.string, outcome.profile.next.because.string)
    }
    let decision = outcome.decisions.first { $0.placementID == placement }
    if let storeMessages {
      compare(
        "store_messages",
        "[" + storeMessages.value.map(\.value.string).joined(separator: ", ") + "]",
        "[" + outcome.profile.next.storeMessages.map(\.string).joined(separator: ", ") + "]")
    }
    if let flow { compare("flow", flow.shown, decision?.flowID?.string ?? "none") }
    if let variation {
      compare("variation", variation.shown, decision?.variationID?.string ?? "none")
    }
    for expected in placements {
      let id = expected.placement.value
      let got = outcome.decisions.first { $0.placementID == id }
      func compare(_ what: String, _ expected: PipelineTest.Expectation.Name?, _ got: Bytes?) {
        guard let expected, expected.shown != got?.string ?? "none" else { return }
        result.append(
          "placement \(id.string), \(what): expected \(expected.shown), got \(got?.string ?? "none")"
        )
      }
      compare("audience", expected.audience, got?.audience)
      compare("flow", expected.flow, got?.flowID)
      compare("variation", expected.variation, got?.variationID)
    }
    if let texts {
      func list(_ texts: [Bytes]) -> String {
        "[" + texts.map { "\"\($0.string)\"" }.joined(separator: ", ") + "]"
      }
      compare("texts", list(texts.value), list(decision?.texts ?? []))
    }
    for tag in tags {
      let got = decision?.tags.first { $0.name == tag.name.value }?.value.string
      compare("tag \(tag.name.value.string)", tag.text.string, got ?? "none")
    }
    return result
  }

  /// A value as the expectation writes it: numbers at the decimals that are written.
  private func shown(_ value: AttributeOutcome.Value?, as written: Bytes?) -> String {
    switch value {
    case .number(let number):
      let decimals = written.flatMap { text in
        text.string.firstIndex(of: ".").map {
          text.string.distance(from: $0, to: text.string.endIndex) - 1
        }
      }
      guard let written else { return shortestText(of: number) }
      // `5e0` or `-0`: another way to write the same number.
      if Double(written.string) == number,
        !written.string.allSatisfy({ "0123456789.".contains($0) })
      {
        return written.string
      }
      return plainText(number, decimals: decimals ?? 0)
    case .text(let text): return text.string
    case .absent(let reason): return "absent: \(reason.rawValue)"
    case nil: return "no such attribute"
    }
  }

  private func plainText(_ number: Double, decimals: Int) -> String {
    numberText(number, fractionDigits: decimals, in: .english).filter { $0 != "," }
  }

  private func list(_ names: [Bytes]) -> String {
    "[" + names.sorted().map(\.string).joined(separator: ", ") + "]"
  }
}

extension PipelineTest.Expectation.Name {
  fileprivate var shown: String {
    switch self {
    case .nothing: "none"
    case .name(let name): name.value.withLowercaseUUID.string
    }
  }
}
