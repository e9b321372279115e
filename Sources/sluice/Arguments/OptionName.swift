/// The options, each the same for every command that has it.
enum OptionName: String, CaseIterable, Hashable, Sendable {
  case pipeline
  case source
  case activate
  case database
  case schema
  case sql
  case asOf = "as-of"
  case force
  case jobs
  case memory
  case dryRun = "dry-run"
  case reread
  case exclusive
  case maxRecordBytes = "max-record-bytes"
  case limits
  case maxRejects = "max-rejects"
  case maxFuture = "max-future"
  case rejects
  case keepRejects = "keep-rejects"
  case rewind
  case reason
  case job
  case limit
  case schemaJSON = "schema-json"
  case data
  case sample
  case replay
  case placement
  case variation
  case file
  case customerUserID = "customer-user-id"
  case olderThan = "older-than"
  case plan
  case lift
  case listHashes = "list-hashes"
  case apply
  case minGroup = "min-group"
  case roles
  case since
  case until
  case zone
  case splitBy = "split-by"
  case format
  case quiet
  case help

  var word: String { "--" + rawValue }

  /// What stands for the value in help; nil for an option that takes none.
  var placeholder: String? {
    switch self {
    case .olderThan: "Nd|TIME"
    case .minGroup: "N"
    case .pipeline, .file, .rejects, .apply: "FILE"
    case .keepRejects: "DIR"
    case .limits: "LIST"
    case .maxFuture: "Nd|Nh"
    case .reason: "NAME"
    case .job, .limit: "N"
    case .placement, .variation, .customerUserID: "ID"
    case .database: "URL"
    case .schema: "NAME"
    case .sql: "DIR"
    case .asOf: "TIME"
    case .jobs: "N"
    case .memory, .maxRecordBytes: "SIZE"
    case .maxRejects: "N|P%"
    case .source: "NAME|FILE"
    case .sample: "N|FILE"
    case .replay: "Nd"
    case .since, .until: "DAY"
    case .zone: "ZONE"
    case .splitBy: "NAME"
    case .format: "NAME"
    case .activate, .force, .dryRun, .reread, .exclusive, .rewind, .schemaJSON, .data, .plan,
      .lift, .listHashes, .roles, .quiet, .help:
      nil
    }
  }

  var summary: String {
    switch self {
    case .pipeline: "the pipeline file"
    case .source: "whose envelope the events have; default: as the first records show"
    case .activate: "bring back a pipeline file that a later one replaced"
    case .database: "a PostgreSQL URL; default: SLUICE_DATABASE or PG…, else a private server"
    case .schema: "its schema; default: sluice"
    case .sql: "the folder of migrations and views; default: next to the program"
    case .asOf: "a time that counts as now; a day is its midnight in UTC; default: now"
    case .force: "accept an --as-of more than a day ahead"
    case .jobs: "parse workers and connections, 1 to 256; default: the number of cores"
    case .memory: "what the job may use, at least 64MiB; default: 512MiB"
    case .dryRun: "do everything but write to the database"
    case .reread: "read files again that were read before"
    case .exclusive: "do nothing and end with 75 where another job is at work"
    case .maxRecordBytes: "a longer record is rejected; default: 1MiB"
    case .limits:
      "over the file's; default answer=64KiB,params=256KiB,depth=32,members=1000"
    case .maxFuture: "an event further ahead of the as-of ends the job with 65; told from 1d"
    case .rejects: "write rejects, by place and without their text, to FILE as NDJSON"
    case .keepRejects: "write them with their text to a private file in DIR, kept 30 days"
    case .rewind: "go back to an earlier --as-of, and derive everything for it"
    case .reason: "only rejects for this reason, e.g. invalid_time"
    case .job: "only rejects that this job met last"
    case .limit: "at most so many; default: 100 in a table, else all"
    case .maxRejects: "more rejects, e.g. 100 or 0.5%, end the job with 65; default: 5%"
    case .schemaJSON: "print a JSON Schema of pipeline files, for editors"
    case .data: "also say what it reads that nobody in the database has"
    case .sample:
      "plan: up to N profile ids of each group, at most 1000; check: events to show"
    case .replay: "compare at every moment of the last N days too, e.g. 30d"
    case .placement: "a placement of the pipeline"
    case .variation: "a variation of its audiences"
    case .file:
      "force: append to it; rejects: of this input; erase: ids, one a line, or -"
    case .customerUserID: "whoever carries this id of the app's own"
    case .olderThan: "what goes: events of before the last N days, or before a day or time"
    case .plan: "tell what would go, writing nothing"
    case .lift: "let erased ids in again; what was erased comes back with its files alone"
    case .listHashes: "print who was erased, as hashes, for a database restored from a backup"
    case .apply: "erase whoever such a list is about, and keep them out"
    case .minGroup: "leave out groups of fewer than N people, and other counts so small"
    case .roles: "also create or renew the roles of sql/roles.sql"
    case .since: "the first day, e.g. 2026-06-01; default: from the beginning"
    case .until:
      "until when: a day, which no longer counts, or for force a time"
    case .zone: "whose days, e.g. Europe/Berlin; default: the pipeline's"
    case .splitBy: "split each line by this"
    case .format: "how to print; default: for people"
    case .quiet: "no words about what went well"
    case .help: "this text"
    }
  }
}
