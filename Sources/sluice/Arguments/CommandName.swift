/// The commands, in the order in which help lists them.
enum CommandName: String, CaseIterable, Hashable, Sendable {
  case run, check, test, plan, explain, force, release, report, recompute, export, rejects, erase
  case expire, migrate, db, version, help

  /// Commands of later versions: refused with other words than a typing error.
  static let later = [
    "doctor", "ingest", "init", "load", "resolve",
    "verify",
  ]

  var options: [OptionName] {
    switch self {
    case .run:
      [.pipeline, .source, .activate] + Self.database + Self.resolve
        + [.dryRun, .reread, .exclusive] + Self.reading + [.rejects, .keepRejects, .quiet]
    case .rejects:
      [.file, .reason, .job, .limit, .format, .pipeline, .source] + Self.database + Self.resolve
        + Self.reading + [.quiet]
    case .check:
      [.pipeline, .source, .sample, .format, .schemaJSON, .data] + Self.database + [.quiet]
    case .test: [.pipeline, .quiet]
    case .plan: [.pipeline] + Self.database + [.asOf, .jobs, .sample, .replay, .format]
    case .explain: [.pipeline] + Self.database + [.asOf, .format]
    case .force:
      [.placement, .variation, .until, .pipeline] + Self.database + [.asOf, .file, .quiet]
    case .report: Self.database + [.since, .until, .zone, .splitBy, .minGroup, .format]
    case .recompute: [.pipeline, .activate] + Self.database + Self.resolve + [.rewind, .quiet]
    case .release: Self.database + [.quiet]
    case .export: Self.database + [.asOf]
    case .erase:
      [.customerUserID, .file, .plan, .lift, .listHashes, .apply] + Self.database + [
        .format, .quiet,
      ]
    case .expire: [.olderThan, .plan] + Self.database + [.jobs, .quiet]
    case .migrate: [.roles] + Self.database + [.quiet]
    case .db: Self.database
    case .version, .help: []
    }
  }

  /// True for commands that write what follows from events, and end in good order when they are asked to.
  var isJob: Bool {
    switch self {
    case .run, .rejects, .force, .release, .recompute, .erase, .expire: true
    case .check, .test, .plan, .explain, .report, .export, .migrate, .db, .version, .help: false
    }
  }

  private static let database: [OptionName] = [.database, .schema, .sql]
  private static let reading: [OptionName] = [.maxRecordBytes, .limits, .maxRejects, .maxFuture]
  private static let resolve: [OptionName] = [.asOf, .force, .jobs, .memory]
}
