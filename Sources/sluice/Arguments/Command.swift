internal import Core
internal import Ingest

/// What the program was asked to do, every value read and checked.
enum Command: Hashable, Sendable {
  case run(RunOptions)
  case check(CheckOptions)
  case test(PipelineOptions)
  case explain(ExplainOptions)
  case plan(PlanOptions)
  case force(ForceOptions)
  case release(ReleaseOptions)
  case report(ReportOptions)
  case recompute(RecomputeOptions)
  case migrate(MigrateOptions)
  case database(DatabaseCommand)
  case export(ExportOptions)
  case erase(EraseOptions)
  case expire(ExpireOptions)
  case rejects(RejectsOptions)
  case version
  /// Help on one command, or on all of them.
  case help(CommandName?)
  /// What rules may use.
  case helpOfRules
}

/// Which database, and which schema of it.
struct DatabaseOptions: Hashable, Sendable {
  /// nil: what the environment names, else the private server.
  var url: String?
  var schema = "sluice"
  /// nil: next to the program.
  var sqlFolder: String?
}

/// When is now, and how much of the machine may be used.
struct ResolveOptions: Hashable, Sendable {
  /// nil: the clock's.
  var asOf: Instant?
  /// Accept an as-of that lies more than a day ahead.
  var isForced = false
  /// nil: as many as there are cores.
  var jobs: Int?
  var memoryInBytes = 512 << 20
}

struct RunOptions: Hashable, Sendable {
  /// Files, directories, globs, and `-` for standard input; at least one.
  var inputs: [String] = []
  /// nil: the pipeline that the database holds.
  var pipeline: String?
  /// A source by name, or its file; nil: as each input's first records show.
  var source: String?
  var database = DatabaseOptions()
  var resolve = ResolveOptions()
  /// Everything but the database.
  var isDry = false
  /// Bring back a pipeline that was replaced earlier.
  var isActivating = false
  /// Read files again that were read already.
  var readsAgain = false
  /// Do nothing beside another job.
  var isExclusive = false
  /// What was said of them; the pipeline file's hold for the others.
  var limits = RecordLimits()
  /// How much is read and decoded in one go; no result depends on it, as the tests show.
  var chunkBytes = ChunkReader.usualChunkBytes
  /// nil: 5 % of the records.
  var maximumRejects: RejectLimit?
  /// Microseconds ahead of the as-of beyond which an event ends the job with 65; nil: none does.
  var maximumFuture: Int64?
  /// Where rejects are written by place.
  var rejectsFile: String?
  /// The folder where they are written with their text.
  var rejectsFolder: String?
  var isQuiet = false
}

/// How many records may be rejected before the job counts as failed.
enum RejectLimit: Hashable, Sendable {
  case count(Int)
  /// 0–1 of all records.
  case share(Double)
}

struct CheckOptions: Hashable, Sendable {
  /// Empty where only the schema or a source is asked for.
  var pipeline: String
  /// A source to check instead, by name or file.
  var source: String?
  /// Events to show as a source reads them: the one named, or the one they are recognised as.
  var sample: String?
  /// Of the sample.
  var format = OutputFormat.table
  /// Print the JSON Schema of pipeline files instead of checking one.
  var printsSchema = false
  /// Also look at what is stored; nil for the file alone.
  var database: DatabaseOptions?
  var isQuiet = false
}

/// Of `test`.
struct PipelineOptions: Hashable, Sendable {
  var pipeline: String
  var isQuiet = false
}

struct ExplainOptions: Hashable, Sendable {
  var profile: String
  var pipeline: String?
  var database = DatabaseOptions()
  var asOf: Instant?
  var format = OutputFormat.table
}

struct PlanOptions: Hashable, Sendable {
  /// The changed file.
  var pipeline: String
  var database = DatabaseOptions()
  /// nil: the one in force, else now.
  var asOf: Instant?
  /// How many ids are shown of each group.
  var sample = 0
  /// Compare the segments at the starts of so many days.
  var replayDays: Int?
  /// nil: as many as there are cores.
  var jobs: Int?
  var format = PlanFormat.text
}

enum PlanFormat: String, CaseIterable, Hashable, Sendable { case text, json, markdown }

struct ForceOptions: Hashable, Sendable {
  var profile: String
  var placement: String
  var variation: String
  /// The first instant at which it no longer counts; one in the past lifts an earlier force.
  var until: Moment
  var pipeline: String?
  var database = DatabaseOptions()
  /// When it is said; nil: now.
  var asOf: Instant?
  /// Where the event is appended, besides being printed.
  var file: String?
  var isQuiet = false
}

struct ReleaseOptions: Hashable, Sendable {
  var profile: String
  var database = DatabaseOptions()
  var isQuiet = false
}

enum OutputFormat: String, CaseIterable, Hashable, Sendable { case table, csv, json }

struct ReportOptions: Hashable, Sendable {
  /// A name of the catalogue.
  var name: String
  var database = DatabaseOptions()
  /// The first day.
  var since: Day?
  /// The first day that is not part of it.
  var until: Day?
  /// nil: the pipeline's.
  var zone: String?
  var splitBy: String?
  /// People that a group must have to be shown; nil: any group is.
  var minGroup: Int?
  var format = OutputFormat.table
}

struct RecomputeOptions: Hashable, Sendable {
  /// nil: the pipeline that the database holds.
  var pipeline: String?
  /// Bring back a pipeline that was replaced earlier.
  var isActivating = false
  var database = DatabaseOptions()
  var resolve = ResolveOptions()
  /// Set the instant in force back to the one that is named.
  var isRewinding = false
  var isQuiet = false
}

struct EraseOptions: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    case erase
    /// Let ids in again.
    case lift
    case listHashes
    /// Erase whoever a list of hashes is about.
    case apply(String)
  }

  var action = Action.erase
  /// By any of their ids.
  var profiles: [String] = []
  /// The app's own id of a person.
  var customer: String?
  /// With an id a line; `-` is the standard input.
  var file: String?
  var isPlan = false
  var database = DatabaseOptions()
  /// Of the counts.
  var format = OutputFormat.table
  var isQuiet = false
}

struct ExpireOptions: Hashable, Sendable {
  enum Age: Hashable, Sendable {
    /// Whole days in the pipeline's zone, today not counted.
    case days(Int)
    case moment(Moment)
  }

  var olderThan: Age
  var isPlan = false
  var database = DatabaseOptions()
  /// nil: as many as there are cores.
  var jobs: Int?
  var isQuiet = false
}

struct RejectsOptions: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    case list
    /// Read the files again; of these options, its inputs follow from the rejects.
    case replay(RunOptions)
  }

  var action: Action
  /// As the user names it.
  var file: String?
  var reason: Rejection.Reason?
  var job: Int64?
  /// nil: as many as suit the format.
  var limit: Int?
  var format = OutputFormat.table
  var database = DatabaseOptions()
}

struct MigrateOptions: Hashable, Sendable {
  /// Also create or renew the roles for those who only read.
  var appliesRoles = false
  var database = DatabaseOptions()
  var isQuiet = false
}

struct DatabaseCommand: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    case url, start, stop, status
    /// With arguments for psql itself.
    case psql([String])
  }

  var action: Action
  var database = DatabaseOptions()
}

struct ExportOptions: Hashable, Sendable {
  enum What: Hashable, Sendable {
    /// All derived rows, for comparing two databases.
    case dump
    /// The stored events of one profile.
    case events(profile: String)
    /// Everything that is stored about one person.
    case person(String)
  }

  var what: What
  var database = DatabaseOptions()
  /// Of a dump; nil: the one in force.
  var asOf: Instant?
}
