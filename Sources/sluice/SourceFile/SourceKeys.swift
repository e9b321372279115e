internal import Ingest

/// The keys of a source file.
extension PipelineKeys {
  static let source = PipelineKeys(
    what: "a source",
    known: [
      "source", "description", "like", "recognised_by", "records", "time_zone", "revision",
      "canonical_members", "leave_out_without", "leave_out_empty", "columns", "known_names",
      "envelope", "names", "params",
    ])

  static let shape = PipelineKeys(what: "`recognised_by`", known: ["has", "lacks", "is"])

  static let records = PipelineKeys(what: "`records`", known: ["list", "inside", "base64"])

  static let envelope = PipelineKeys(what: "the envelope", known: SourceMapping.memberNames)

  static let reading = PipelineKeys(
    what: "a reading",
    known: [
      "path", "value", "tuple", "when", "not", "prefix", "map", "unit", "zone", "local", "each",
      "last_of", "date", "json",
    ])

  static let params = PipelineKeys(
    what: "the section `params`",
    known: ["from", "set", "rename", "drop", "drop_empty", "repeat"])
}
