internal import Core
internal import Report

/// An explanation as lines for people and scripts: each thing, then what led to it.
struct ExplanationTable {
  private var rows: [[String?]] = []

  static func table(_ explanation: Explanation, _ pipeline: Pipeline, asOf: Instant) -> ReportTable
  {
    var table = ExplanationTable()
    table.add(explanation.outcome.profile, asOf)
    for alias in explanation.aliases {
      table.row("profile", "also known as", alias.string, nil, nil)
    }
    table.addAccess(explanation.outcome)
    table.add(explanation.outcome.runs)
    let attributes = Dictionary(explanation.attributes.map { ($0.key, $0) }) { first, _ in first }
    for attribute in explanation.outcome.attributes {
      table.add(attribute, attributes[attribute.key])
    }
    let members = Dictionary(explanation.outcome.segments.map { ($0.segment, $0.since) }) {
      first, _ in first
    }
    for segment in explanation.segments {
      let since = members[segment.name]
      let isUnknown = segment.value == .null
      table.row(
        "segment", segment.name.string, since != nil ? "yes" : isUnknown ? "unknown" : "no", since,
        nil)
      table.add(segment.clauses)
    }
    let decisions = Dictionary(explanation.outcome.decisions.map { ($0.placementID, $0) }) {
      first, _ in first
    }
    for placement in explanation.placements { table.add(placement, decisions[placement.id]) }
    table.add(explanation.next, explanation.outcome.profile)
    return ReportTable(
      columns: [
        .init("part", .text), .init("name", .text), .init("value", .text),
        .init("since", .timestamp), .init("why", .text),
      ], rows: table.rows)
  }

  private mutating func row(
    _ part: String, _ name: String, _ value: String?, _ since: Instant?, _ why: String?
  ) {
    rows.append([part, name, value, since?.iso8601, why])
  }

  private mutating func add(_ profile: ProfileSummary, _ asOf: Instant) {
    row("profile", "events", String(profile.events), profile.firstEventAt, nil)
    if profile.eventsAhead > 0 {
      row(
        "profile", "events ahead", String(profile.eventsAhead), nil, "after \(asOf.iso8601)")
    }
    for session in profile.overfullSessions {
      row(
        "session", session.sessionID.string, "quarantined", nil,
        "\(counted(session.runs, "flow run")), more than `limits: flow_runs` allows; none is derived"
      )
    }
    for member in profile.latest.members {
      row("profile", member.key.name.string, shown(member), nil, nil)
    }
  }

  /// What the vendor said of access, and the store's messages.
  private mutating func addAccess(_ outcome: Outcome) {
    if let subscription = outcome.subscription {
      row(
        "profile", "subscription_state", subscription.state?.rawValue ?? "unknown", nil, nil)
    }
    for level in outcome.accessLevels {
      var why: [String] = []
      if let isActive = level.terms.isActive {
        why.append(isActive ? "said active" : "said inactive")
      }
      if level.terms.isLifetime == true { why.append("for ever") }
      if level.terms.isInGracePeriod == true { why.append("in a grace period") }
      if let end = level.terms.expiresAt { why.append("expires \(end.iso8601)") }
      if let willRenew = level.terms.willRenew {
        why.append(willRenew ? "renews" : "does not renew")
      }
      row(
        "access level", level.level.string, level.isActive.map { $0 ? "yes" : "no" } ?? "unknown",
        level.version, why.joined(separator: ", "))
    }
    for message in outcome.storeMessages {
      let fate =
        message.isPending
        ? "waits" : message.shownAt != nil ? "shown" : "ended with its app session"
      var why = message.failedAttempts > 0 ? counted(Int(message.failedAttempts), "failure") : ""
      if let error = message.lastError { why += ", the last: \(error.string)" }
      row(
        "message", message.type.string, fate, message.queuedAt, why.isEmpty ? nil : why)
    }
  }

  private func shown(_ member: Context.Member) -> String {
    guard member.key == .installedAt, let microseconds = Int64(member.value.string) else {
      return member.value.string
    }
    return Instant(microseconds: microseconds).iso8601
  }

  private mutating func add(_ runs: [FlowRun]) {
    for run in runs.sorted(by: { ($0.startedAt, $0.runID) < ($1.startedAt, $1.runID) }) {
      let end = run.lastScreenID.map { "last screen \($0.string), " } ?? ""
      row(
        "run", words(for: run), run.completedAt == nil ? "not completed" : "completed",
        run.startedAt, end + counted(run.answers.count, "answer"))
    }
  }

  private func words(for run: FlowRun) -> String {
    "\(run.flow.isEmpty ? "(no flow)" : run.flow.string) \(run.number)"
  }

  // MARK: Attributes

  private mutating func add(
    _ outcome: AttributeOutcome, _ explanation: Explanation.Attribute?
  ) {
    switch outcome.value {
    case .number(let number):
      row("attribute", outcome.key.string, shortestText(of: number), outcome.setAt, nil)
    case .text(let text): row("attribute", outcome.key.string, text.string, outcome.setAt, nil)
    case .absent(let reason):
      row(
        "attribute", outcome.key.string, nil, outcome.setAt, "absent: \(reason.rawValue)")
    }
    guard let explanation else { return }
    add(explanation.clauses)
    for source in explanation.sources { add(source) }
  }

  private mutating func add(_ source: Explanation.Source) {
    var why: [String] = []
    if let run = source.run { why.append("run \(words(for: run))") }
    for (given, event) in zip(source.given, source.events) {
      why.append("screen \(given.screen.string), element \(given.element.string)")
      why.append("given \(given.value.words)")
      if let event { why.append("event \(event.words)") }
    }
    if source.isDefault { why.append("not reported: its default, as its screen was shown") }
    let value: String?
    switch source.reading {
    case .value(let read): value = read.plainText
    case .absent(let reason):
      value = nil
      why.insert("absent: \(reason.rawValue)", at: 0)
    }
    row(
      "  answer", source.answer.string, value, source.given.map(\.at).max(),
      why.joined(separator: "; "))
  }

  // MARK: Rules

  private mutating func add(_ clauses: [Clause]) {
    for clause in clauses {
      let indent = String(repeating: "  ", count: clause.depth)
      row("  clause", indent + clause.text.string, clause.value.truth, nil, clause.shown?.string)
    }
  }

  private mutating func add(_ placement: Explanation.Placement, _ decision: PlacementDecision?) {
    var why = decision.map { "audience \($0.audience.string)" } ?? "no audience"
    if let variation = decision?.variationID { why += ", variation \(variation.string)" }
    if let source = decision?.variationSource {
      why += ", \(source.rawValue)"
    } else if let reason = decision?.variationReason {
      why += ", \(reason.string)"
    }
    row(
      "placement", placement.id.string,
      decision?.flowID?.string ?? (decision?.variationSource == nil ? nil : "(nothing)"), nil, why)
    for audience in placement.audiences {
      row(
        "  audience", audience.name.string, audience.value.truth, nil, audience.fate.rawValue)
    }
    if let draw = placement.draw {
      let buckets = draw.buckets.map { bucket in
        let numbers =
          bucket.numbers.isEmpty
          ? "none" : "\(bucket.numbers.lowerBound)–\(bucket.numbers.upperBound - 1)"
        let flow = bucket.flowID?.string ?? "(nothing)"
        // Those who see nothing may be without an id.
        return "\(numbers) \(flow)"
          + (bucket.variationID.isEmpty ? "" : " (\(bucket.variationID.string))")
      }
      row("  draw", "number", String(draw.number), nil, buckets.joined(separator: ", "))
    }
    for tag in decision?.tags ?? [] {
      row("  tag", tag.name.string, tag.value.string, nil, nil)
    }
    for text in decision?.texts ?? [] {
      row("  text", placement.id.string, text.string, nil, nil)
    }
  }

  private mutating func add(_ rules: [Explanation.NextRule], _ profile: ProfileSummary) {
    row(
      "next", profile.next.placementID?.string ?? "(nothing)", nil, nil,
      profile.next.because.string)
    for rule in rules {
      row(
        "  rule", rule.placementID?.string ?? "(nothing)", rule.fate.rawValue, nil,
        rule.because.string)
      add(rule.clauses)
    }
    if let review = profile.nextReviewAt {
      row("next", "review", nil, review, "time alone can change something then")
    }
  }
}

extension Value {
  /// What a clause says: a truth in words, or the value itself.
  fileprivate var truth: String {
    switch self {
    case .boolean(let isTrue): isTrue ? "yes" : "no"
    case .null: "unknown"
    default: plainText
    }
  }

  fileprivate var plainText: String {
    if case .text(let text) = self { text.string } else { ruleText.string }
  }
}

extension Identity {
  /// The source's id, or the digits of the fingerprint that stands for one.
  fileprivate var words: String {
    isFingerprint ? "without an id, fingerprint \(hex(bytes.slice).string)" : bytes.string
  }
}

extension Answer.Value {
  /// What was sent, as it was sent.
  fileprivate var words: String {
    switch self {
    case .text(let text): "“\(text.string)”"
    case .number(let text): text.string
    case .boolean(let value): value ? "true" : "false"
    case .items(let items): items.map(\.id.string).joined(separator: ", ")
    case .cleared: "nothing (cleared)"
    }
  }
}
