import Core

/// What a pipeline says, without the places: equal for two files that say the same.
func meaning(_ source: PipelineSource) -> [String] {
  func text(_ name: Located<Bytes>?) -> String { name?.value.string ?? "none" }
  func all(_ names: [Located<Bytes>]) -> String { names.map(text).joined(separator: ",") }
  func bounds(_ range: Located<ClosedRange<Double>>?) -> String { "\(range?.value as Any)" }
  var lines = [
    "\(text(source.name)) \(source.historyStarts?.value.iso8601 ?? "") \(text(source.timeZone))",
    text(source.excludedFromReports), "\(source.runSettings) \(text(source.defaultLanguage))",
    source.people.unitesBy.map(\.rawValue).sorted().joined(separator: ","), source.privacy.text,
    RecordLimit.allCases.map { "\($0.rawValue) \(source.limits[$0])" }.joined(separator: ","),
  ]
  for flow in source.flows {
    lines.append(
      "\(text(flow.name)): \(all(flow.placements)); \(all(flow.flowIDs)); \(all(flow.screens)); "
        + "\(all(flow.completingScreens)) \(flow.resumeWithin ?? 0) "
        + flow.renamedScreens.map { "\(text($0.former))=\(text($0.current))" }.joined(
          separator: ","))
  }
  func input(_ answer: AnswerSource) -> String {
    "\(all(answer.elements)) \(all(answer.screens)) \(answer.reading) "
      + (answer.fallback.map { "\($0.value.value) on \(all($0.screens))" } ?? "")
  }
  for answer in source.answers {
    for alternative in answer.alternatives {
      switch alternative {
      case .input(let one): lines.append(input(one))
      case .sum(let parts): lines.append(parts.map(input).joined(separator: " + "))
      }
    }
    lines.append(input(answer))
    lines.append(
      "\(text(answer.name)): \(all(answer.flows)); \(all(answer.elements)); \(all(answer.screens)) "
        + "\(answer.reading) \(bounds(answer.plausible))")
  }
  for custom in source.custom { lines.append("custom \(text(custom.key)) \(custom.type)") }
  for attribute in source.attributes {
    lines.append(
      "\(text(attribute.name)): \(attribute.type.value) \(attribute.value.text.string) "
        + "\(attribute.runs) \(bounds(attribute.plausible))")
  }
  for segment in source.segments {
    lines.append("\(text(segment.name)): \(segment.rule.text.string)")
  }
  for placement in source.placements {
    lines.append(text(placement.id))
    for audience in placement.audiences {
      lines.append(
        "- \(text(audience.segment)) \(text(audience.audienceVersionID)) "
          + "\(audience.window.from?.value as Any) \(audience.window.until?.value as Any)")
      for show in audience.variations {
        lines.append("  \(text(show.flow)) \(text(show.variation)) \(show.weight?.value ?? -1)")
      }
    }
    lines.append(all(placement.texts))
    for tag in placement.tags {
      for (language, texts) in (tag.texts?.value ?? [:]).sorted(by: { $0.key < $1.key }) {
        lines.append("\(language.string): \(texts.sorted { $0.key < $1.key })")
      }
      lines.append(
        "# \(text(tag.name)) \(tag.value.text.string) \(tag.fractionDigits?.value ?? -1) "
          + "\(tag.initial?.string ?? "none")")
    }
  }
  for next in source.next {
    lines.append(
      "> \(next.when?.text.string ?? "always") \(text(next.placement)) "
        + "\(next.window.from?.value as Any) \(next.window.until?.value as Any) "
        + "\(all(next.storeMessages)) \(next.because?.string ?? "none")")
  }
  return lines
}
