internal import Core
internal import Ingest
internal import Store

/// What is to be done in one shard.
struct ShardWork: Sendable {
  let shard: Shard
  var incoming: [Bytes: [Event]] = [:]
  var refold = Refold.none
}

/// Runs the units of one job.
struct UnitRunner: Sendable {
  let job: Job
  let connector: StoreConnector
  /// Connections that write at the same time, at most.
  let jobs: Int
  let people: PeopleRules
  let privacy: PrivacyRules
  let resolve: @Sendable (PersonEvents, Instant) -> Outcome
  let heartbeat: Heartbeat
  private let numbers = Counter()

  init(
    job: Job, connector: StoreConnector, jobs: Int, loaded: LoadedPipeline, primitives: Primitives,
    isExclusive: Bool = false
  ) {
    self.job = job
    self.connector = connector
    self.jobs = jobs
    people = loaded.pipeline.people
    privacy = loaded.pipeline.privacy
    resolve = loaded.resolver(primitives)
    heartbeat = Heartbeat(of: job, connector, isExclusive: isExclusive)
  }

  /// Does the work of all shards; a shard's units follow each other until nothing of it waits.
  ///
  /// - Parameters:
  ///   - work: by shard, ascending.
  ///   - store: does all of it where it is too little to be worth another connection.
  func run(_ work: [ShardWork], on store: Store) async throws -> UnitCounts {
    let next = Counter()
    let events = work.reduce(0) { $0 + $1.incoming.values.reduce(0) { $0 + $1.count } }
    let isSmall = events < 20_000 && work.allSatisfy { $0.refold != .all }
    guard jobs > 1, work.count > 1, !isSmall else { return try drain(work, next, on: store) }
    return try await withThrowingTaskGroup(of: UnitCounts.self) { group in
      for _ in 0..<min(jobs, work.count) {
        group.addTask { try drain(work, next, on: try connector.connectAgain()) }
      }
      var total = UnitCounts()
      for try await counts in group { total += counts }
      return total
    }
  }

  /// Takes shards until none is left.
  private func drain(_ work: [ShardWork], _ next: Counter, on store: Store) throws -> UnitCounts {
    var total = UnitCounts()
    while true {
      try Task.checkCancellation()
      let index = Int(next.take())
      guard index < work.count else { return total }
      var incoming = work[index].incoming
      while true {
        try Interruption.check()
        try heartbeat.check()
        let result = try store.runShard(
          job, shard: work[index].shard, incoming: incoming, refold: work[index].refold,
          people: people, privacy: privacy, number: { numbers.take() + 1 }, resolve: resolve)
        total += result.counts
        if result.foundNewerGeneration {
          throw Problem(
            .tryAgain, at: "job \(job.id)", "stopped",
            because: "another job brought in another pipeline file; the events are stored",
            next: "run again with the pipeline file that is to count")
        }
        if result.isRefoldComplete { break }
        incoming = [:]
      }
    }
  }
}
