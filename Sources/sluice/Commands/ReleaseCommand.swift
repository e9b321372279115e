internal import Core
internal import Store

extension Sluice {
  /// Has a quarantined profile count again.
  func release(_ options: ReleaseOptions) async throws -> ExitCode {
    let connector = try connector(options.database)
    let store = try connector.connect()
    try store.requireSchema()
    try store.migrate()
    let loaded = try load(nil, else: store)
    let id = Bytes(options.profile)
    guard let (reason, _) = try store.quarantine(of: id) else {
      throw Problem(
        .noInput, at: "profile \(options.profile)", "is not quarantined",
        next: "`sluice report quarantine` lists who is")
    }
    // At the instant that is in force: releasing someone moves nobody else's clock.
    let job = try store.startJob(
      command: "release", asOf: try store.asOfInForce(), isForced: true,
      generation: loaded.generation)
    try await recording(job, on: store) {
      let numbers = Counter()
      _ = try store.release(
        id, job, people: loaded.pipeline.people, privacy: loaded.pipeline.privacy,
        number: { numbers.take() + 1 },
        resolve: loaded.resolver(primitives))
      try store.finish(job, exit: .done)
    }
    if let (again, _) = try store.quarantine(of: id) {
      throw Problem(
        .tryAgain, at: "profile \(options.profile)", "is quarantined again (\(again))",
        because: "what is stored of it is still wrong",
        next: again == QuarantineReason.unreadable.word
          ? "restore its row of profile_events"
          : "use a program or a pipeline file that can take it")
    }
    if !options.isQuiet {
      let kept =
        reason == QuarantineReason.tooManyEvents.word
        ? "none of its events is left" : "what came meanwhile is not stored"
      console.say("released: \(kept); `sluice run --reread` with their files brings them")
    }
    return .done
  }

  /// The person of an id for whoever shows them.
  ///
  /// - Throws: a ``Problem`` where nothing is stored of the id, or it is quarantined.
  func person(of profile: String, on store: Store) throws -> PersonEvents {
    let id = Bytes(profile)
    if let person = try store.fetchPerson(of: id) { return person }
    guard let (reason, sqlState) = try store.quarantine(of: id) else {
      throw unknownProfile(profile)
    }
    throw Problem(
      .noInput, at: "profile \(profile)", "is quarantined",
      because: reason + (sqlState.map { " (SQLSTATE \($0))" } ?? ""),
      next: "`sluice release PROFILE` has it count again")
  }
}
