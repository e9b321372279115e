internal import Core

/// The keys that one kind of mapping in a pipeline file may have.
struct PipelineKeys {
  /// What such a mapping is, for words: `an answer`.
  let what: String
  let known: [String]
  /// Keys that a later version reads; today they are refused with other words than a typing error.
  var later: [String] = []

  static let pipeline = PipelineKeys(
    what: "a pipeline",
    known: [
      "pipeline", "description", "include", "history_starts", "time_zone", "default_language",
      "runs", "people", "privacy", "limits", "flows", "answers", "custom", "attributes", "segments",
      "reports",
      "placements", "next", "tests",
    ],
    later: ["publish", "sources", "texts", "identities", "retention"])

  static let runs = PipelineKeys(
    what: "the section `runs`",
    known: ["gap_without_session", "gap_within_session", "late_appearance", "late_input"])

  static let people = PipelineKeys(
    what: "the section `people`", known: ["unite_by", "max_events"])

  static let privacy = PipelineKeys(what: "the section `privacy`", known: ["drop"])

  static let limits = PipelineKeys(
    what: "the section `limits`", known: RecordLimit.allCases.map(\.rawValue) + ["flow_runs"])

  static let dropped = PipelineKeys(what: "something dropped", known: ["element"])

  static let flow = PipelineKeys(
    what: "a flow",
    known: [
      "placements", "flows", "flow_ids", "screens", "completed", "same_as", "resume_within",
      "description",
    ])

  static let answer = PipelineKeys(
    what: "an answer",
    known: [
      "flow", "element", "screen", "first_of", "type", "quantity", "unit", "unit_by", "plausible",
      "default", "shown_on", "description",
    ])

  static let alternative = PipelineKeys(
    what: "an alternative",
    known: ["element", "screen", "sum", "type", "quantity", "unit", "unit_by"])

  static let part = PipelineKeys(
    what: "a part of a sum", known: ["element", "screen", "unit", "default", "shown_on"])

  static let unitBy = PipelineKeys(what: "`unit_by`", known: ["answer", "units"])

  static let attribute = PipelineKeys(
    what: "an attribute", known: ["type", "value", "runs", "plausible", "description"],
    later: ["publish", "texts"])

  static let reports = PipelineKeys(
    what: "the section `reports`", known: ["exclude"], later: ["split_by", "min_group", "revenue"])

  static let placement = PipelineKeys(
    what: "a placement", known: ["audiences", "tags", "texts", "description"])

  static let audience = PipelineKeys(
    what: "an audience",
    known: ["segment", "default", "audience_version", "from", "until", "show", "description"],
    later: ["nothing"])

  static let variation = PipelineKeys(
    what: "a variation", known: ["flow", "nothing", "variation", "weight"])

  static let tag = PipelineKeys(
    what: "a tag", known: ["value", "fraction_digits", "initial", "texts", "description"])

  static let next = PipelineKeys(
    what: "a next rule",
    known: [
      "when", "from", "until", "placement", "nothing", "because", "store_messages", "description",
    ])

  static let test = PipelineKeys(
    what: "a test",
    known: [
      "name", "description", "answers", "answered_at", "events", "completed", "profile", "as_of",
      "expect",
    ])

  static let expectation = PipelineKeys(
    what: "what a test expects",
    known: [
      "attributes", "absent", "segments", "next", "flow", "variation", "tags", "texts", "because",
      "store_messages", "placements",
    ])

  static let expectedDecision = PipelineKeys(
    what: "what a test expects of a placement", known: ["audience", "flow", "variation"])
}
