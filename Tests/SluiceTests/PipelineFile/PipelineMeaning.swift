import Core

/// What a pipeline says, without the places: equal for two files that say the same.
func meaning(_ source: PipelineSource) -> [String] {
  func text(_ name: Located<Bytes>?) -> String { name?.value.string ?? "none" }
  func all(_ names: [Located<Bytes>]) -> String { names.map(text).joined(separator: ",") }
  func bounds(_ range: Located<ClosedRange<Double>>?) -> String { "\(range?.value as Any)" }
  var lines = [
    "\(text(source.name)) \(source.historyStarts?.value.iso8601 ?? "") \(text(source.timeZone))",
    text(source.excludedFromReports),
  ]
  for flow in source.flows {
    lines.append(
      "\(text(flow.name)): \(all(flow.placements)); \(all(flow.flowIDs)); \(all(flow.screens))")
  }
  for answer in source.answers {
    lines.append(
      "\(text(answer.name)): \(all(answer.flows)); \(all(answer.elements)); \(all(answer.screens)) "
        + "\(answer.reading) \(bounds(answer.plausible))")
  }
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
      lines.append("- \(text(audience.segment)) \(text(audience.audienceVersionID))")
      for show in audience.variations {
        lines.append("  \(text(show.flow)) \(text(show.variation)) \(show.weight?.value ?? -1)")
      }
    }
    for tag in placement.tags {
      lines.append(
        "# \(text(tag.name)) \(tag.value.text.string) \(tag.fractionDigits ?? -1) "
          + "\(tag.initial?.string ?? "none")")
    }
  }
  for next in source.next {
    lines.append(
      "> \(next.when?.text.string ?? "always") \(text(next.placement)) "
        + "\(all(next.storeMessages)) \(next.because?.string ?? "none")")
  }
  return lines
}
