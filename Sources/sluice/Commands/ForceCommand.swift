internal import Core
internal import Glibc
internal import Ingest
internal import Store

extension Sluice {
  /// Has one person shown a variation until an instant, by an event like any other.
  ///
  /// The event goes into the database by the way of every event, and is printed (and appended to
  /// `--file`), so that a database that is built anew from the files knows it too.
  func force(_ options: ForceOptions) async throws -> ExitCode {
    let named = try options.pipeline.map { try load($0) }
    let connector = try connector(options.database)
    let store = try connector.connect()
    try store.migrate()
    let loaded = try named ?? load(nil, else: store)
    let now = options.asOf ?? now
    let event = try event(options, loaded.pipeline, at: now)
    try refuseTie(of: event.event, with: try person(of: options.profile, on: store), options)
    // A file that cannot be written is told before anything is stored.
    let file = try options.file.map { try AppendedFile($0) }
    try bringIn(loaded, on: store)
    try await storeEvent(event, options, loaded, connector, store)
    let line = event.envelope + [0x0A]
    try file?.append(line)
    try console.write(line)
    if !options.isQuiet {
      say(options, isOver: options.until.instant(in: loaded.pipeline.zone) <= now)
    }
    return .done
  }

  private func event(_ options: ForceOptions, _ pipeline: Pipeline, at now: Instant) throws
    -> ProfileEvent
  {
    let placementID = Bytes(options.placement)
    let variationID = Bytes(options.variation).withLowercaseUUID
    guard let placement = pipeline.placements.first(where: { $0.id == placementID }) else {
      throw unknownName("--placement", options.placement, among: pipeline.placements.map(\.id))
    }
    let ids = placement.audiences.flatMap(\.variations).compactMap(\.variationID)
    guard ids.contains(variationID) else {
      throw unknownName("--variation", options.variation, among: ids)
    }
    let profileID = Bytes(options.profile)
    let force = ForcedVariation(
      variationID: variationID, flowID: nil, until: options.until.instant(in: pipeline.zone))
    return ProfileEvent(
      profileID: profileID,
      event: force.event(of: profileID, placement: placementID, at: now, primitives))
  }

  /// Of two forces of one instant nothing tells which was said last.
  private func refuseTie(
    of event: Event, with person: PersonEvents, _ options: ForceOptions
  ) throws(Problem) {
    let isTie = person.events.contains {
      $0.kind == .decisionForced && $0.occurredAt == event.occurredAt
        && $0.identity != event.identity
        && ForcedVariation.placement(in: $0.params) == Bytes(options.placement)
    }
    guard isTie else { return }
    throw Problem(
      .usage, at: "--as-of", "is the instant of another force of this placement",
      because: "the latest one counts, and neither is later", next: "give a later --as-of, or none")
  }

  private func unknownName(_ option: String, _ name: String, among known: [Bytes]) -> Problem {
    let names = Set(known.map(\.string)).sorted()
    return Problem(
      .usage, at: "sluice force", "the pipeline has no `\(name)` for \(option)",
      next: nearest(to: name, among: names).map { "did you mean `\($0)`?" }
        ?? (names.isEmpty ? "it declares none" : "there is " + names.joined(separator: ", ")))
  }

  private func storeEvent(
    _ event: ProfileEvent, _ options: ForceOptions, _ loaded: LoadedPipeline,
    _ connector: StoreConnector, _ store: Store
  ) async throws {
    let job = try store.startJob(
      command: "force", asOf: options.asOf, generation: loaded.generation)
    try await recording(job, on: store) {
      let shard = Shard(of: event.profileID, primitives)
      var work = [
        shard: ShardWork(shard: shard, incoming: [event.profileID: [event.event]])
      ]
      // The job moves the instant in force on, so what waits for the clock is done as well.
      for (shard, refold) in try store.pendingWork(for: job) {
        work[shard, default: ShardWork(shard: shard)].refold = refold
      }
      let runner = UnitRunner(
        job: job, connector: connector, jobs: coreCount, loaded: loaded, primitives: primitives)
      _ = try await runner.run(work.values.sorted { $0.shard < $1.shard }, on: store)
      try store.finish(job, exit: .done)
    }
  }

  private func say(_ options: ForceOptions, isOver: Bool) {
    let kept =
      options.file.map { "appended to \($0)" } ?? "keep the printed line with the app's events"
    console.say(
      (isOver ? "lifted what was forced" : "forced \(options.variation)")
        + " in \(options.placement); \(kept), so that a rebuild knows it")
  }
}

/// A file that lines are added to.
private final class AppendedFile {
  private let path: String
  private let descriptor: Int32

  init(_ path: String) throws(Problem) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Problem(
        .cannotCreate, at: path, "cannot be opened", because: String(cString: strerror(errno)))
    }
  }

  deinit { close(descriptor) }

  func append(_ bytes: [UInt8]) throws(Problem) {
    // One call: a line is whole or not there, whoever else appends.
    let count = written(bytes)
    guard count == bytes.count else {
      throw Problem(
        .cannotWrite, at: path, "the event is stored but not appended",
        because: count < 0 ? String(cString: strerror(errno)) : "the disk is full",
        next: "`sluice export events PROFILE` prints it")
    }
  }

  private func written(_ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }
}
