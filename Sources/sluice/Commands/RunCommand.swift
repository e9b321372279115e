internal import Core
internal import Glibc
internal import Ingest
internal import Store

extension Sluice {
  /// The main job: events in, derived rows out.
  func runEvents(_ options: RunOptions) async throws -> ExitCode {
    // What is wrong with the arguments is told before a database is touched.
    let named = try options.pipeline.map { try load($0) }
    let paths = try InputPaths(arguments: options.inputs)
    let sources = try sourceChoice(options.source, options.database)
    let jobs = options.resolve.jobs ?? coreCount
    func reader(for pipeline: Pipeline, asOf: Instant) -> EventReader {
      var reader = EventReader(
        paths, sources: sources, limits: options.limits(of: pipeline),
        chunkBytes: options.chunkBytes, memory: options.resolve.memoryInBytes, jobs: jobs,
        primitives: primitives, say: { if !options.isQuiet { console.say($0) } })
      obey(pipeline.privacy, &reader, options)
      reader.farAhead = farAhead(options, asOf)
      return reader
    }
    if options.isDry {
      guard let named else {
        throw Problem(
          .usage, at: "--dry-run", "needs --pipeline", because: "it asks no database",
          next: "name a pipeline file")
      }
      try requirePassingTests(named)
      let asOf = options.resolve.asOf ?? now
      var reader = reader(for: named.pipeline, asOf: asOf)
      return try await dryRun(options, named, &reader, asOf: asOf)
    }

    let connector = try connector(options.database)
    let store = try connector.connect()
    if !options.isQuiet { console.say(connector.address.words) }
    try store.migrate()
    let loaded = try named ?? load(nil, else: store)
    try bringIn(loaded, on: store, isActivating: options.isActivating)
    let job = try store.startJob(
      command: "run", asOf: options.resolve.asOf, isForced: options.resolve.isForced,
      generation: loaded.generation, isExclusive: options.isExclusive)
    try dropKeptTexts(loaded.pipeline.privacy, store, options)
    var reader = reader(for: loaded.pipeline, asOf: job.asOf)
    let revision = try readerRevision(
      options.limits(of: loaded.pipeline), sources, loaded.pipeline.privacy)
    let known = options.readsAgain ? [:] : try store.knownFiles(paths.inputs.compactMap(realPath))
    // Asked where this job has kinds to compare with, and before it writes its own down.
    var earlier: [Bytes: Set<String>]?
    let runner = UnitRunner(
      job: job, connector: connector, jobs: jobs, loaded: loaded, primitives: primitives,
      isExclusive: options.isExclusive)

    var summary = JobSummary()
    return try await recording(job, on: store) {
      let rejects = try RejectFiles(options, job: "job-\(job.id)", now: now)
      if let path = rejects.textsPath { try store.noteKeptRejects(ledgerName(path), job) }
      try await reader.read(
        skip: { known[ledgerName($0.path)]?.covers($0, readerRevision: revision) ?? false },
        flush: { batch, sheets, isLast in
          let work = try self.work(&batch, job, store, includingRefolds: isLast)
          summary.units += try await runner.run(work, on: store)
          if earlier == nil, sheets.contains(where: { !$0.kindsOfSource.isEmpty }) {
            earlier = try store.sourcesOfKinds()
          }
          try self.writeDown(&sheets, job, store, revision, rejects)
        })
      summary.units += try await catchUp(job, store, runner)
      return try finish(options, job, store, reader, &summary, earlier: earlier ?? [:])
    }
  }

  /// Tells the reader what is not kept: nobody can look into what could not be read, so of that no text is
  /// kept either.
  private func obey(_ privacy: PrivacyRules, _ reader: inout EventReader, _ options: RunOptions) {
    reader.privacy = privacy
    reader.keepsRejectedText = options.rejectsFolder != nil && privacy.isEmpty
    if options.rejectsFolder != nil, !privacy.isEmpty, !options.isQuiet {
      console.say("no texts of rejects are kept: they could hold what `privacy` drops")
    }
  }

  /// Removes the texts of rejects that were kept before something was dropped, as far as this machine has
  /// them.
  private func dropKeptTexts(
    _ privacy: PrivacyRules, _ store: Store, _ options: RunOptions
  ) throws {
    guard !privacy.isEmpty else { return }
    let removed = KeptRejects.removeAll(try store.keptRejects())
    if removed > 0 {
      console.say(
        "\(counted(removed, "file")) of --keep-rejects removed: they could hold what `privacy` drops"
      )
    }
  }

  /// Derives who became due by a job beside this one, which had an earlier instant when it read them.
  func catchUp(_ job: Job, _ store: Store, _ runner: UnitRunner) async throws -> UnitCounts {
    var total = UnitCounts()
    while true {
      let work = try store.pendingWork(for: job).map {
        ShardWork(shard: $0.shard, refold: $0.refold)
      }
      guard !work.isEmpty else { return total }
      total += try await runner.run(work, on: store)
    }
  }

  /// Shards with events, and on the last flush those where the clock or the pipeline asks for more.
  private func work(
    _ batch: inout EventBatch, _ job: Job, _ store: Store, includingRefolds: Bool
  ) throws -> [ShardWork] {
    var work = Dictionary(uniqueKeysWithValues: batch.takeShards().map { ($0.shard, $0) })
    if includingRefolds {
      for (shard, refold) in try store.pendingWork(for: job) {
        work[shard, default: ShardWork(shard: shard)].refold = refold
      }
    }
    return work.values.sorted { $0.shard < $1.shard }
  }

  /// Lists rejects, then files that are read to their end, whose events are all stored by now.
  private func writeDown(
    _ sheets: inout [FileSheet], _ job: Job, _ store: Store, _ revision: Bytes,
    _ files: RejectFiles
  ) throws {
    for index in sheets.indices where !sheets[index].isRecorded {
      for (file, rejected) in sheets[index].takeRejections(of: "job \(job.id)") {
        try store.addRejects(rejected.map(\.rejection), file: file, job)
        try files.add(rejected, file: file, erased: store.erasedNames(among:))
      }
      guard sheets[index].isReadToEnd else { continue }
      sheets[index].forget(names: try erased(among: sheets[index].foreignNames, store))
      for (source, names) in sheets[index].unknown {
        try store.addUnknownNames(names, from: Bytes(source), job)
      }
      if sheets[index].isComplete {
        try store.forgetEarlierRejects(of: sheets[index].name, job)
      }
      if let record = sheets[index].record(readerRevision: revision) {
        try store.recordFile(record, job)
      } else {
        try store.recordSources(sheets[index].sourcesJSON, job)
      }
      sheets[index].isRecorded = true
    }
  }

  /// Those of names that are an erased id, or have one as a word of theirs.
  private func erased(among names: Set<Bytes>, _ store: Store) throws -> Set<Bytes> {
    let names = Array(names)
    let holdErased = try RecordWords.holdErased(names.map(\.array), store.erasedNames(among:))
    return Set(names.indices.filter { holdErased[$0] }.map { names[$0] })
  }

  private func finish(
    _ options: RunOptions, _ job: Job, _ store: Store, _ reader: EventReader,
    _ summary: inout JobSummary, earlier: [Bytes: Set<String>]
  ) throws -> ExitCode {
    summary.add(reader)
    let ahead =
      try reader.likelyAhead.profiles.map {
        try store.countEvents(of: $0, after: farAhead(options, job.asOf))
      } ?? reader.likelyAhead.events
    let code = exitCode(options, reader, summary.counts, ahead: ahead)
    let sheet = try store.finish(
      job, exit: code, reading: (summary.counts.json, summary.counts.events))
    guard summary.counts.isBalanced, summary.counts.events == sheet.events else {
      throw Problem(
        .bug, at: "job \(job.id)", "its two sheets do not add up",
        because: "\(summary.counts.events) events were read, \(sheet.events) are accounted for",
        next: "please report it; what is stored is consistent")
    }
    try store.analyze(grownBy: summary.units.inserted)
    if !options.isQuiet { summary.lines(title: "job \(job.id)").forEach(console.say) }
    return say(
      reader, code, options, summary.counts, ahead: ahead, summary.quarantined, earlier: earlier)
  }

  /// Everything but the database: what would be derived, from these files alone.
  private func dryRun(
    _ options: RunOptions, _ loaded: LoadedPipeline, _ reader: inout EventReader, asOf: Instant
  ) async throws -> ExitCode {
    let resolver = DryResolver(
      pipeline: loaded.pipeline, asOf: asOf, farAhead: farAhead(options, asOf),
      jobs: options.resolve.jobs ?? coreCount,
      primitives: primitives)
    var totals = DryTotals()
    let files = try RejectFiles(options, job: "dry-run", now: now)
    try await reader.read(
      skip: { _ in false },
      flush: { batch, sheets, _ in
        totals += try await resolver.run(batch.takeShards())
        for index in sheets.indices {
          for (file, rejected) in sheets[index].takeRejections(of: "dry run") {
            try files.add(rejected, file: file) { _ in [] }
          }
        }
      })
    var summary = JobSummary()
    summary.units.sheet = totals.sheet
    summary.add(reader)
    let code = exitCode(options, reader, summary.counts, ahead: totals.eventsFarAhead)
    if !options.isQuiet {
      let lines = summary.lines(title: "dry run").dropLast()
      (Array(lines) + totals.lines(loaded.pipeline)).forEach(console.say)
    }
    return say(reader, code, options, summary.counts, ahead: totals.eventsFarAhead)
  }

  private func exitCode(
    _ options: RunOptions, _ reader: EventReader, _ counts: ReadCounts, ahead: Int
  ) -> ExitCode {
    // An input that is to be read again says more than the rejects of its first part.
    guard reader.failures.isEmpty else { return .noInput }
    if exceeds(options.maximumRejects ?? .share(0.05), counts) { return .tooManyRejects }
    if options.maximumFuture != nil, ahead > 0 { return .tooManyRejects }
    return .done
  }

  private func exceeds(_ limit: RejectLimit, _ counts: ReadCounts) -> Bool {
    switch limit {
    case .count(let most): counts.rejectedInAll > most
    case .share(let most):
      Double(counts.rejectedInAll) > most * Double(counts.read - counts.blank)
    }
  }

  private func say(
    _ reader: EventReader, _ code: ExitCode, _ options: RunOptions, _ counts: ReadCounts,
    ahead: Int, _ quarantined: [String] = [], earlier: [Bytes: Set<String>] = [:]
  ) -> ExitCode {
    for words in quarantined { console.say("sluice: " + words) }
    for warning in reader.warnings(earlier) { console.say("sluice: " + warning) }
    for problem in reader.failures { console.say("sluice: " + problem.message) }
    if ahead > 0 {
      let lead = options.maximumFuture ?? Self.likelyLead
      console.say(
        "sluice: \(options.maximumFuture == nil ? "" : "--max-future: ")\(counted(ahead, "event")) more than "
          + "\(lead % Instant.microsecondsPerDay == 0 ? counted(Int(lead / Instant.microsecondsPerDay), "day") : "\(lead / 3_600_000_000) hours")"
          + " ahead of the as-of: stored, and they count once that time has come; is a clock wrong?"
      )
    }
    if exceeds(options.maximumRejects ?? .share(0.05), counts) {
      console.say(
        "sluice: too many rejects: \(grouped(counts.rejectedInAll)) of \(counted(counts.read, "record"))"
          + (options.isDry
            ? "; raise --max-rejects if that is meant"
            : "; the good ones are kept. See `sluice rejects list`, or raise --max-rejects"))
    }
    return code
  }

  private func farAhead(_ options: RunOptions, _ asOf: Instant) -> Instant {
    asOf.adding(microseconds: options.maximumFuture ?? Self.likelyLead)
  }

  /// How far ahead of the as-of an event may lie without a word, in microseconds: the world's days
  /// differ by one.
  static let likelyLead = Instant.microsecondsPerDay

  var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  var coreCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// The name of everything that decides how bytes become events: changing it has files read again.
  private func readerRevision(
    _ limits: ReadLimits, _ sources: SourceChoice, _ privacy: PrivacyRules
  ) throws(Problem) -> Bytes {
    let sources = try sources.revision(primitives).string
    let text =
      "reader 5, record \(limits.recordBytes), depth \(limits.depth), "
      + "answer \(limits.answerBytes), params \(limits.paramsBytes), "
      + "nested \(limits.paramsDepth), members \(limits.members), sources \(sources)"
      + (privacy.isEmpty ? "" : ", drop \(privacy.text)")
    return hex(primitives.sha256(Array(text.utf8))[..<16])
  }

  /// The source that was named, or those among which each input's is looked for.
  func sourceChoice(_ source: String?, _ database: DatabaseOptions) throws -> SourceChoice {
    let folder = SourcesFolder(besideSQL: database.sqlFolder)
    return try source.map { .chosen(try folder.mapping($0)) } ?? .recognised(folder)
  }

  private func realPath(_ input: Input) -> Bytes? {
    guard case .file(let path) = input, let real = realpath(path.string, nil) else { return nil }
    defer { free(real) }
    return Bytes(String(cString: real))
  }
}

extension RunOptions {
  /// What was said to this run counts before what the pipeline file says.
  fileprivate func limits(of pipeline: Pipeline) -> ReadLimits {
    ReadLimits(pipeline.limits.overridden(by: limits))
  }
}

extension JobSummary {
  fileprivate mutating func add(_ reader: EventReader) {
    readsFiles = true
    passedOver = reader.paths.skipped
    repeated = reader.paths.repeated
    for sheet in reader.sheets {
      counts += sheet.counts
      passedOver += sheet.passedOver
      readings.merge(sheet.readings, uniquingKeysWith: +)
      for names in sheet.unknown.values { unknown += names }
      if sheet.strayBytes > 0 { strays.append((sheet.name, sheet.strayBytes)) }
      if sheet.isSkipped { skippedFiles += 1 } else { files += 1 }
    }
  }
}
