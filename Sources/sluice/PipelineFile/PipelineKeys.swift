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
      "pipeline", "description", "include", "history_starts", "time_zone", "flows", "answers",
      "attributes",
      "segments", "reports", "placements", "next", "tests",
    ],
    later: ["publish", "privacy", "sources", "texts", "identities", "retention"])

  static let flow = PipelineKeys(
    what: "a flow", known: ["placements", "flows", "flow_ids", "screens", "description"],
    later: ["completed", "resume_within", "same_as"])

  static let answer = PipelineKeys(
    what: "an answer",
    known: [
      "flow", "element", "screen", "type", "quantity", "unit", "plausible", "description",
    ],
    later: [
      "first_of", "default", "shown_on", "same_as", "completed", "resume_within", "unit_from",
    ])

  static let attribute = PipelineKeys(
    what: "an attribute", known: ["type", "value", "runs", "plausible", "description"],
    later: ["publish", "texts"])

  static let reports = PipelineKeys(
    what: "the section `reports`", known: ["exclude"], later: ["split_by", "min_group", "revenue"])

  static let placement = PipelineKeys(
    what: "a placement", known: ["audiences", "tags", "description"], later: ["texts"])

  static let audience = PipelineKeys(
    what: "an audience", known: ["segment", "default", "audience_version", "show", "description"],
    later: ["from", "until", "nothing"])

  static let variation = PipelineKeys(
    what: "a variation", known: ["flow", "variation", "weight"],
    later: ["nothing", "from", "until"])

  static let tag = PipelineKeys(
    what: "a tag", known: ["value", "fraction_digits", "initial", "description"],
    later: ["texts"])

  static let next = PipelineKeys(
    what: "a next rule",
    known: ["when", "placement", "nothing", "because", "store_messages", "description"],
    later: ["from", "until"])

  static let test = PipelineKeys(
    what: "a test",
    known: ["name", "description", "answers", "events", "completed", "profile", "expect"],
    later: ["as_of"])

  static let expectation = PipelineKeys(
    what: "what a test expects",
    known: [
      "attributes", "absent", "segments", "next", "flow", "variation", "tags", "because",
    ],
    later: ["placements", "store_messages", "texts"])
}
