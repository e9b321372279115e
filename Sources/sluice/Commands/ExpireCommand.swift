internal import Core
internal import Store

extension Sluice {
  /// Puts a retention floor in force, and derives anew whoever had older events.
  func expire(_ options: ExpireOptions) async throws -> ExitCode {
    let connector = try connector(options.database)
    let store = try connector.connect()
    if options.isPlan { try store.requireSchema() } else { try store.migrate() }
    let loaded = try load(nil, else: store)
    let floor = floor(options.olderThan, in: loaded.pipeline.zone)
    guard floor <= now else {
      throw Problem(
        .usage, at: "--older-than", "lies ahead", because: "no event could be stored until then",
        next: "name an instant that has passed")
    }
    let expiry = try store.planExpiry(before: floor)
    if options.isPlan {
      console.say(words(expiry, floor))
      return .done
    }
    try bringIn(loaded, on: store)
    let job = try store.startJob(
      command: "expire", asOf: try store.asOfInForce(), isForced: true,
      generation: loaded.generation)
    return try await recording(job, on: store) {
      let inForce = try store.expire(before: floor)
      let runner = UnitRunner(
        job: job, connector: connector, jobs: options.jobs ?? coreCount, loaded: loaded,
        primitives: primitives)
      var summary = JobSummary()
      // Also what an expiry that was stopped left over.
      summary.units = try await catchUp(job, store, runner)
      try store.finish(job, exit: .done)
      guard !options.isQuiet else { return .done }
      if inForce > floor { console.say(words(expiry, floor)) }
      console.say("events of before \(inForce.iso8601) are out")
      summary.lines(title: "job \(job.id)").forEach(console.say)
      return .done
    }
  }

  private func floor(_ age: ExpireOptions.Age, in zone: Zone) -> Instant {
    switch age {
    case .moment(let moment): moment.instant(in: zone)
    // From the start of a day on, so that the same command means the same all day.
    case .days(let days): zone.start(of: Day(days: zone.day(of: now).days - Int32(days)))
    }
  }

  private func words(_ expiry: Expiry, _ floor: Instant) -> String {
    if let inForce = expiry.inForce, inForce >= floor {
      return
        "nothing to expire before \(floor.iso8601): events of before \(inForce.iso8601) are out already"
    }
    return "before \(floor.iso8601): \(counted(expiry.events, "event")) would go; "
      + "\(counted(expiry.emptied, "id")) would keep none, \(counted(expiry.shortened, "id")) some"
  }
}
