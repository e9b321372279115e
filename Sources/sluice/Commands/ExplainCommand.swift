internal import Core
internal import Report
internal import Store

extension Sluice {
  /// One person: what was derived, since when, and why.
  func explain(_ options: ExplainOptions) throws -> ExitCode {
    let named = try options.pipeline.map { try load($0) }
    let store = try connector(options.database).connect()
    try store.requireSchema()
    let pipeline = try (named ?? load(nil, else: store)).pipeline
    guard let set = try store.fetchEvents(of: Bytes(options.profile)) else {
      throw unknownProfile(options.profile)
    }
    let asOf = try options.asOf ?? store.asOfInForce() ?? now
    let table = explanation(of: resolve(set, pipeline, asOf: asOf, primitives), pipeline, asOf)
    switch options.format {
    case .table: try console.write(TableText.text(table))
    case .csv: try console.write(CSVText.text(table))
    case .json: try console.write(JSONLinesText.text(table))
    }
    return .done
  }

  private func explanation(of outcome: Outcome, _ pipeline: Pipeline, _ asOf: Instant)
    -> ReportTable
  {
    var rows: [[String?]] = []
    func row(_ part: String, _ name: Bytes, _ value: String?, _ since: Instant?, _ why: String?) {
      rows.append([part, name.string, value, since?.iso8601, why])
    }
    let profile = outcome.profile
    row("profile", "events", String(profile.events), profile.firstEventAt, nil)
    if profile.eventsAhead > 0 {
      row("profile", "events ahead", String(profile.eventsAhead), nil, "after \(asOf.iso8601)")
    }
    for member in profile.latest.members {
      row("profile", member.key.name, shown(member), nil, nil)
    }
    for run in outcome.runs.sorted(by: { ($0.startedAt, $0.runID) < ($1.startedAt, $1.runID) }) {
      let state = run.completedAt == nil ? "not completed" : "completed"
      let end = run.lastScreenID.map { "last screen \($0.string), " } ?? ""
      let flow = run.flow.isEmpty ? "(no flow)" : run.flow.string
      row(
        "run", Bytes("\(flow) \(run.number)"), state, run.startedAt,
        end + counted(run.answers.count, "answer"))
    }
    for attribute in outcome.attributes {
      let rule = pipeline.attributes.first { $0.key == attribute.key }?.rule.string
      switch attribute.value {
      case .number(let number):
        row("attribute", attribute.key, shortestText(of: number), attribute.setAt, rule)
      case .text(let text): row("attribute", attribute.key, text.string, attribute.setAt, rule)
      case .absent(let reason):
        row("attribute", attribute.key, nil, attribute.setAt, "absent: \(reason.rawValue)")
      }
    }
    for segment in pipeline.segments {
      let since = outcome.segments.first { $0.segment == segment.name }?.since
      row("segment", segment.name, since == nil ? "no" : "yes", since, segment.rule.string)
    }
    for decision in outcome.decisions {
      let source = decision.variationSource?.rawValue ?? decision.variationReason?.string ?? ""
      row(
        "placement", decision.placementID,
        decision.flowID?.string ?? (decision.variationSource == nil ? nil : "(nothing)"), nil,
        "audience \(decision.audience.string), "
          + (decision.variationID.map { "variation \($0.string) " } ?? "") + source)
      for tag in decision.tags {
        row(
          "tag", Bytes("\(decision.placementID.string) \(tag.name.string)"), tag.value.string, nil,
          nil)
      }
      for text in decision.texts { row("text", decision.placementID, text.string, nil, nil) }
    }
    row(
      "next", profile.next.placementID ?? "(nothing)", nil, nil, profile.next.because.string)
    if let review = profile.nextReviewAt {
      row("next", "review", nil, review, "time alone can change something then")
    }
    return ReportTable(
      columns: [
        .init("part", .text), .init("name", .text), .init("value", .text),
        .init("since", .timestamp),
        .init("why", .text),
      ], rows: rows)
  }

  private func shown(_ member: Context.Member) -> String {
    guard member.key == .installedAt, let microseconds = Int64(member.value.string) else {
      return member.value.string
    }
    return Instant(microseconds: microseconds).iso8601
  }
}
