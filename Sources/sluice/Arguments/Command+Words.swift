internal import Core
internal import Ingest
internal import Report

extension Command {
  /// Reads the words after the program's name.
  ///
  /// - Throws: ``Problem`` with exit code 64 at the first thing that is wrong.
  init(_ arguments: [String]) throws(Problem) {
    if arguments == ["--version"] {
      self = .version
      return
    }
    let words = try CommandLineWords(arguments)
    if words.flags.contains(.help) {
      self = .help(words.command == .help ? nil : words.command)
      return
    }
    switch words.command {
    case .run: self = .run(try RunOptions(words))
    case .check: self = .check(try CheckOptions(words))
    case .test: self = .test(try PipelineOptions(words))
    case .plan: self = .plan(try PlanOptions(words))
    case .explain: self = .explain(try ExplainOptions(words))
    case .force: self = .force(try ForceOptions(words))
    case .release: self = .release(try ReleaseOptions(words))
    case .report: self = .report(try ReportOptions(words))
    case .recompute: self = .recompute(try RecomputeOptions(words))
    case .migrate: self = .migrate(try MigrateOptions(words))
    case .db: self = .database(try DatabaseCommand(words))
    case .export: self = .export(try ExportOptions(words))
    case .erase: self = .erase(try EraseOptions(words))
    case .expire: self = .expire(try ExpireOptions(words))
    case .rejects: self = .rejects(try RejectsOptions(words))
    case .version:
      try words.takeNoMore(than: 0)
      self = .version
    case .help where words.operands == ["rules"]: self = .helpOfRules
    case .help: self = .help(try words.topic())
    }
  }
}

extension CommandLineWords {
  fileprivate func topic() throws(Problem) -> CommandName? {
    try takeNoMore(than: 1)
    guard let word = operands.first else { return nil }
    if let command = CommandName(rawValue: word) { return command }
    let near = nearest(to: word, among: CommandName.allCases.map(\.rawValue))
    throw usage(
      place, "unknown command `\(word)`",
      next: near.map { "did you mean `\($0)`?" } ?? "`sluice help` lists the commands")
  }

  fileprivate func takeNoMore(than count: Int) throws(Problem) {
    guard operands.count > count else { return }
    throw usage(
      place, "does not know what to do with `\(operands[count])`",
      next: "`\(place) --help` shows how it is used")
  }

  fileprivate func one(_ what: String) throws(Problem) -> String {
    try takeNoMore(than: 1)
    guard let word = operands.first, !word.isEmpty else {
      throw usage(place, "needs \(what)", next: "`\(place) --help` shows how it is used")
    }
    return word
  }

  fileprivate func needed(_ option: OptionName) throws(Problem) -> String {
    guard let value = values[option] else {
      throw usage(
        place, "needs \(option.word)", next: "write \(option.word) \(option.placeholder ?? "")")
    }
    return value
  }

  /// The file may be named by itself or by `--pipeline`.
  fileprivate func pipelineFile() throws(Problem) -> String {
    guard let named = values[.pipeline] else { return try one("a pipeline file") }
    try takeNoMore(than: 0)
    return named
  }

  fileprivate func value<Value>(
    _ option: OptionName, _ expected: String, _ read: (String) -> Value?
  ) throws(Problem) -> Value? {
    guard let word = values[option] else { return nil }
    guard let value = read(word) else {
      throw usage(place, "cannot read `\(option.word) \(word)`", because: "it is \(expected)")
    }
    return value
  }

  fileprivate func database() throws(Problem) -> DatabaseOptions {
    // A URL can hold a password: it is never repeated in words.
    var options = DatabaseOptions(url: values[.database], sqlFolder: values[.sql])
    options.schema =
      try value(
        .schema, "a name of a-z, 0-9 and _, at most 51, that does not begin with a digit or pg_"
      ) { isSchemaName($0) ? $0 : nil } ?? options.schema
    return options
  }

  fileprivate func asOf() throws(Problem) -> Instant? {
    try value(
      .asOf, "a day, or a time with its zone such as 2026-06-01T12:00:00Z, from 1970 to 2100"
    ) { text in
      Instant(iso8601: text).flatMap { $0.microseconds >= 0 && $0 < .end ? $0 : nil }
    }
  }

  fileprivate func jobs() throws(Problem) -> Int? {
    try value(.jobs, "a whole number from 1 to 256") { text in
      wholeNumber(text).flatMap { (1...256).contains($0) ? $0 : nil }
    }
  }

  fileprivate func resolve() throws(Problem) -> ResolveOptions {
    var options = ResolveOptions(asOf: try asOf(), isForced: flags.contains(.force))
    options.jobs = try jobs()
    options.memoryInBytes =
      try value(.memory, "a size such as 512MiB, at least 64MiB") { text in
        byteCount(text).flatMap { $0 >= 64 << 20 ? $0 : nil }
      } ?? options.memoryInBytes
    return options
  }

  fileprivate func format() throws(Problem) -> OutputFormat {
    let list = OutputFormat.allCases.map(\.rawValue).joined(separator: " or ")
    return try value(.format, list) { OutputFormat(rawValue: $0) } ?? .table
  }
}

extension RunOptions {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    guard !words.operands.isEmpty else {
      throw usage(
        words.place, "needs events", next: "name files, directories or globs, or - for stdin")
    }
    inputs = words.operands
    try take(words)
    isActivating = words.flags.contains(.activate)
    isDry = words.flags.contains(.dryRun)
    readsAgain = words.flags.contains(.reread)
    isExclusive = words.flags.contains(.exclusive)
    rejectsFile = words.values[.rejects]
    rejectsFolder = words.values[.keepRejects]
  }

  /// What reading files anew for their rejects can be told too.
  fileprivate mutating func take(_ words: CommandLineWords) throws(Problem) {
    pipeline = words.values[.pipeline]
    source = words.values[.source]
    database = try words.database()
    resolve = try words.resolve()
    limits =
      try words.value(
        .limits,
        "a list of record=SIZE, answer=SIZE, params=SIZE, depth=N (1 to 512) and members=N, with commas between",
        recordLimits) ?? limits
    let record = try words.value(.maxRecordBytes, "a size such as 1MiB, from 1KiB to 1GiB") {
      byteCount($0).flatMap { RecordLimit.record.range.contains($0) ? $0 : nil }
    }
    if let record, !limits.set(.record, to: record) {
      throw usage(
        words.place, "`--max-record-bytes` and `record` in `--limits` are the same",
        next: "keep one of them")
    }
    maximumFuture = try words.value(.maxFuture, "a time such as 2d or 36h, at least 1h", lead)
    maximumRejects = try words.value(
      .maxRejects, "a number such as 100 or a share such as 0.5%", rejectLimit)
    isQuiet = words.flags.contains(.quiet)
  }
}

extension PipelineOptions {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    pipeline = try words.pipelineFile()
    isQuiet = words.flags.contains(.quiet)
  }
}

extension CheckOptions {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    printsSchema = words.flags.contains(.schemaJSON)
    isQuiet = words.flags.contains(.quiet)
    guard !printsSchema else {
      try words.takeNoMore(than: 0)
      pipeline = ""
      return
    }
    source = words.values[.source]
    sample = words.values[.sample]
    guard source == nil && sample == nil else {
      try words.takeNoMore(than: 0)
      let other = [OptionName.pipeline, .data, .database, .schema].first {
        words.values[$0] != nil || words.flags.contains($0)
      }
      if let other {
        throw usage(
          words.place, "`\(other.word)` is of pipelines, `--source` and `--sample` are of events",
          next: "check one at a time")
      }
      pipeline = ""
      format = try words.format()
      database = words.values[.sql].map { DatabaseOptions(sqlFolder: $0) }
      return
    }
    if words.values[.format] != nil {
      throw usage(words.place, "`--format` belongs to `--sample`", next: "add --sample FILE")
    }
    pipeline = try words.pipelineFile()
    database = words.flags.contains(.data) ? try words.database() : nil
    let given = [OptionName.database, .schema, .sql].first { words.values[$0] != nil }
    if database == nil, let given {
      throw usage(
        words.place, "`\(given.word)` belongs to `--data`",
        because: "without it no database is asked", next: "add --data")
    }
  }
}

extension PlanOptions {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    pipeline = try words.pipelineFile()
    database = try words.database()
    asOf = try words.asOf()
    jobs = try words.jobs()
    sample =
      try words.value(.sample, "a whole number from 0 to 1000") { text in
        wholeNumber(text).flatMap { (0...1000).contains($0) ? $0 : nil }
      } ?? sample
    replayDays = try words.value(.replay, "a number of days from 1d to 366d") { text in
      guard text.hasSuffix("d") else { return nil }
      return wholeNumber(String(text.dropLast())).flatMap { (1...366).contains($0) ? $0 : nil }
    }
    let names = PlanFormat.allCases.map(\.rawValue).joined(separator: " or ")
    format = try words.value(.format, names) { PlanFormat(rawValue: $0) } ?? format
  }
}

extension ExplainOptions {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    profile = try words.one("a profile id")
    pipeline = words.values[.pipeline]
    database = try words.database()
    asOf = try words.asOf()
    format = try words.format()
  }
}

extension ForceOptions {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    profile = try words.one("a profile id")
    placement = try words.needed(.placement)
    variation = try words.needed(.variation)
    guard
      let until = try words.value(
        .until, "a day, or a time with its zone such as 2026-06-01T12:00:00Z",
        { Moment(iso8601: $0) })
    else {
      throw usage(
        words.place, "needs --until", because: "nobody is shown a forced variation for ever",
        next: "write --until 2026-06-01")
    }
    self.until = until
    pipeline = words.values[.pipeline]
    database = try words.database()
    asOf = try words.asOf()
    file = words.values[.file]
    isQuiet = words.flags.contains(.quiet)
  }
}

extension ReleaseOptions {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    profile = try words.one("a profile id")
    database = try words.database()
    isQuiet = words.flags.contains(.quiet)
  }
}

extension ReportOptions {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    let names = ReportCatalogue.reports.map(\.name)
    name = try words.one("the name of a report: " + names.joined(separator: " or "))
    guard names.contains(name) else {
      throw usage(
        words.place, "there is no report `\(name)`",
        next: nearest(to: name, among: names).map { "did you mean `\($0)`?" }
          ?? "there is " + names.joined(separator: " and "))
    }
    database = try words.database()
    since = try words.value(.since, "a day such as 2026-06-01") { Day(iso8601: $0) }
    until = try words.value(.until, "a day such as 2026-06-01") { Day(iso8601: $0) }
    if let since, let until, since >= until {
      throw usage(
        words.place, "--until must be later than --since", because: "it is the first day left out")
    }
    zone = try words.value(.zone, "a name such as Europe/Berlin or UTC") { text in
      isTimeZoneName(text) ? text : nil
    }
    splitBy = words.values[.splitBy]
    minGroup = try words.value(.minGroup, "a whole number from 1 to 1000000") { text in
      wholeNumber(text).flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    }
    format = try words.format()
  }
}

extension RecomputeOptions {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    try words.takeNoMore(than: 0)
    pipeline = words.values[.pipeline]
    isActivating = words.flags.contains(.activate)
    database = try words.database()
    resolve = try words.resolve()
    isRewinding = words.flags.contains(.rewind)
    if isRewinding, resolve.asOf == nil {
      throw usage(
        words.place, "`--rewind` needs `--as-of`", next: "write --as-of 2026-06-01T12:00:00Z")
    }
    isQuiet = words.flags.contains(.quiet)
  }
}

extension EraseOptions {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    profiles = words.operands
    customer = words.values[.customerUserID]
    file = words.values[.file]
    isPlan = words.flags.contains(.plan)
    try readAction(words)
    let namesSomebody = !profiles.isEmpty || customer != nil || file != nil
    switch action {
    case .erase, .lift:
      guard namesSomebody else {
        throw usage(
          words.place, "needs to know whom",
          next: "name profiles, --customer-user-id ID, or --file FILE with an id a line")
      }
    case .listHashes, .apply:
      guard !namesSomebody else {
        throw usage(words.place, "takes no ids with --list-hashes and --apply")
      }
    }
    database = try words.database()
    format = try words.format()
    isQuiet = words.flags.contains(.quiet)
  }
}

extension EraseOptions {
  private mutating func readAction(_ words: CommandLineWords) throws(Problem) {
    let actions =
      [OptionName.lift, .listHashes].filter { words.flags.contains($0) }
      + (words.values[.apply] == nil ? [] : [.apply])
    guard actions.count <= 1 else {
      throw usage(words.place, "does one thing", next: "leave `\(actions[1].word)` away")
    }
    switch actions.first {
    case .lift: action = .lift
    case .listHashes: action = .listHashes
    default: action = words.values[.apply].map { .apply($0) } ?? .erase
    }
    if isPlan, action == .lift || action == .listHashes {
      throw usage(words.place, "has no plan for this", next: "leave --plan away")
    }
  }
}

extension ExpireOptions {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    try words.takeNoMore(than: 0)
    _ = try words.needed(.olderThan)
    guard
      let age = try words.value(
        .olderThan, "a number of days from 1d to 36500d, a day, or a time with its zone",
        { Age(text: $0) })
    else { throw usage(words.place, "needs --older-than") }
    olderThan = age
    isPlan = words.flags.contains(.plan)
    database = try words.database()
    jobs = try words.jobs()
    isQuiet = words.flags.contains(.quiet)
  }
}

extension ExpireOptions.Age {
  fileprivate init?(text: String) {
    if text.hasSuffix("d"), let days = wholeNumber(String(text.dropLast())),
      (1...36_500).contains(days)
    {
      self = .days(days)
    } else if let moment = Moment(iso8601: text) {
      self = .moment(moment)
    } else {
      return nil
    }
  }
}

extension RejectsOptions {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    try words.takeNoMore(than: 1)
    let actions = ["list", "replay"]
    switch words.operands.first {
    case "list":
      action = .list
      let listing: [OptionName] = [
        .file, .reason, .job, .limit, .format, .database, .schema, .sql, .quiet,
      ]
      let other = CommandName.rejects.options.first {
        !listing.contains($0) && (words.values[$0] != nil || words.flags.contains($0))
      }
      if let other {
        throw usage(words.place, "`\(other.word)` belongs to `sluice rejects replay`")
      }
    case "replay":
      if let other = [OptionName.limit, .format].first(where: { words.values[$0] != nil }) {
        throw usage(
          words.place, "`\(other.word)` belongs to `sluice rejects list`",
          because: "files are read again as a whole")
      }
      var run = RunOptions()
      try run.take(words)
      run.readsAgain = true
      action = .replay(run)
    case let word?:
      throw usage(
        words.place, "does not know `\(word)`",
        next: nearest(to: word, among: actions).map { "did you mean `\($0)`?" }
          ?? "say list or replay")
    case nil: throw usage(words.place, "needs an action", next: "say list or replay")
    }
    file = words.values[.file]
    let reasons = Rejection.Reason.allCases.map(\.rawValue)
    reason = try words.value(.reason, "one of " + reasons.joined(separator: ", ")) {
      Rejection.Reason(rawValue: $0)
    }
    job = try words.value(.job, "the number of a job") { wholeNumber($0).map { Int64($0) } }
    limit = try words.value(.limit, "a whole number from 1") { text in
      wholeNumber(text).flatMap { $0 > 0 ? $0 : nil }
    }
    format = try words.format()
    database = try words.database()
  }
}

extension MigrateOptions {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    try words.takeNoMore(than: 0)
    appliesRoles = words.flags.contains(.roles)
    database = try words.database()
    isQuiet = words.flags.contains(.quiet)
  }
}

extension DatabaseCommand {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    let actions = ["url", "psql", "start", "stop", "status"]
    switch words.operands.first {
    case "url": action = .url
    case "psql": action = .psql(Array(words.operands.dropFirst()))
    case "start": action = .start
    case "stop": action = .stop
    case "status": action = .status
    case let word?:
      throw usage(
        words.place, "does not know `\(word)`",
        next: nearest(to: word, among: actions).map { "did you mean `\($0)`?" }
          ?? "say " + actions.joined(separator: ", "))
    case nil:
      throw usage(words.place, "needs an action", next: "say " + actions.joined(separator: ", "))
    }
    if words.operands.first != "psql" { try words.takeNoMore(than: 1) }
    database = try words.database()
  }
}

extension ExportOptions {
  fileprivate init(_ words: CommandLineWords) throws(Problem) {
    switch words.operands.first {
    case "dump":
      try words.takeNoMore(than: 1)
      what = .dump
    case "events":
      try words.takeNoMore(than: 2)
      guard words.operands.count == 2, !words.operands[1].isEmpty else {
        throw usage(words.place, "needs a profile id", next: "write sluice export events PROFILE")
      }
      what = .events(profile: words.operands[1])
      guard words.values[.asOf] == nil else {
        throw usage(words.place, "`--as-of` belongs to a dump", because: "events are what they are")
      }
    case "profile" where words.operands.count == 2:
      what = .person(words.operands[1])
    case let profile? where !profile.isEmpty:
      try words.takeNoMore(than: 1)
      what = .person(profile)
    default:
      throw usage(
        words.place, "needs to know what", next: "say dump, events PROFILE, or a profile id")
    }
    if case .person = what, words.values[.asOf] != nil {
      throw usage(
        words.place, "`--as-of` belongs to a dump", because: "what is stored is what it is")
    }
    database = try words.database()
    asOf = try words.asOf()
  }
}
