internal import Core
internal import Store

extension Sluice {
  /// Derives everything anew from the stored events, without reading any file.
  func recompute(_ options: RecomputeOptions) async throws -> ExitCode {
    let named = try options.pipeline.map { try load($0) }
    let connector = try connector(options.database)
    let store = try connector.connect()
    if !options.isQuiet { console.say(connector.address.words) }
    try store.migrate()
    let loaded = try named ?? load(nil, else: store)
    let isNew = try bringIn(loaded, on: store, isActivating: options.isActivating)
    let job: Job
    if options.isRewinding, let instant = options.resolve.asOf {
      job = try store.rewind(command: "recompute", to: instant, generation: loaded.generation)
    } else {
      if !isNew { try store.refoldEverything(by: loaded.generation) }
      job = try store.startJob(
        command: "recompute", asOf: options.resolve.asOf, isForced: options.resolve.isForced,
        generation: loaded.generation)
    }
    let runner = UnitRunner(
      job: job, connector: connector, jobs: options.resolve.jobs ?? coreCount, loaded: loaded,
      primitives: primitives)
    return try await recording(job, on: store) {
      let work = try store.pendingWork(for: job).map {
        ShardWork(shard: $0.shard, refold: $0.refold)
      }
      var summary = JobSummary()
      summary.units = try await runner.run(work, on: store)
      try store.finish(job, exit: .done)
      for words in summary.quarantined { console.say("sluice: " + words) }
      if !options.isQuiet { summary.lines(title: "job \(job.id)").forEach(console.say) }
      return .done
    }
  }
}
