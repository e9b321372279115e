internal import Core
internal import Ingest
internal import Store

/// What is to be done in one shard.
struct ShardWork: Sendable {
  let shard: Shard
  var incoming: [Bytes: [Event]] = [:]
  var refold = Refold.none
}

/// What one unit does in one shard or in several.
///
/// A transaction and its statements cost as much as deriving some dozens of people, so little work of
/// many shards is done at once; much work is not, or two connections would wait for each other's locks.
struct UnitShards: Sendable {
  private(set) var shards: [Shard]
  private(set) var incoming: [Bytes: [Event]]
  private(set) var refold: Refold
  /// Events, and what profiles that are to be derived anew are counted as.
  private var size: Int

  private init(_ work: ShardWork, size: Int) {
    shards = [work.shard]
    incoming = work.incoming
    refold = work.refold
    self.size = size
  }

  /// Puts neighbours together.
  ///
  /// - Parameters:
  ///   - work: by shard, ascending.
  ///   - jobs: how many of the result can be done at the same time.
  static func grouped(_ work: [ShardWork], jobs: Int) -> [UnitShards] {
    let sized = work.map { part in
      // How many wait there is not known: more than a few at most.
      (part, size: part.incoming.values.reduce(part.refold == .none ? 0 : 250) { $0 + $1.count })
    }
    let total = sized.reduce(0) { $0 + $1.size }
    let most = min(20_000, max(1000, total / (2 * max(jobs, 1))))
    var units: [UnitShards] = []
    for (part, size) in sized {
      // A shard that is derived anew as a whole goes on from where it stands.
      if part.refold != .all, let last = units.last, last.refold != .all, last.size + size <= most {
        units[units.count - 1].add(part, size: size)
      } else {
        units.append(UnitShards(part, size: size))
      }
    }
    return units
  }

  private mutating func add(_ work: ShardWork, size: Int) {
    shards.append(work.shard)
    incoming.merge(work.incoming) { $0 + $1 }
    if work.refold == .due { refold = .due }
    self.size += size
  }
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

  /// Does the work of all shards; units of the same shards follow each other until nothing there waits.
  ///
  /// - Parameters:
  ///   - work: by shard, ascending.
  ///   - store: does all of it where one unit is enough.
  func run(_ work: [ShardWork], on store: Store) async throws -> UnitCounts {
    let next = Counter()
    let units = UnitShards.grouped(work, jobs: jobs)
    guard jobs > 1, units.count > 1 else { return try drain(units, next, on: store) }
    return try await withThrowingTaskGroup(of: UnitCounts.self) { group in
      for _ in 0..<min(jobs, units.count) {
        group.addTask { try drain(units, next, on: try connector.connectAgain()) }
      }
      var total = UnitCounts()
      for try await counts in group { total += counts }
      return total
    }
  }

  /// Takes work until none is left.
  private func drain(_ work: [UnitShards], _ next: Counter, on store: Store) throws -> UnitCounts {
    var total = UnitCounts()
    while true {
      try Task.checkCancellation()
      let index = Int(next.take())
      guard index < work.count else { return total }
      var incoming = work[index].incoming
      while true {
        try Interruption.check()
        try heartbeat.check()
        let result = try store.runShards(
          job, shards: work[index].shards, incoming: incoming, refold: work[index].refold,
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
