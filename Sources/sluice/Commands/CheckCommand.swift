internal import Core
internal import Store

extension Sluice {
  /// Says whether a pipeline file is right, or everything that is wrong with it.
  func check(_ options: CheckOptions) throws -> ExitCode {
    guard !options.printsSchema else {
      try console.write(PipelineSchema.text)
      return .done
    }
    guard options.source == nil && options.sample == nil else { return try checkSource(options) }
    let loaded = try load(options.pipeline)
    let pipeline = loaded.pipeline
    if !loaded.warnings.isEmpty { console.say(String(loaded.warnings.dropLast())) }
    let warnings = try options.database.map { try self.warnings(pipeline, $0) } ?? []
    for warning in warnings { console.say("\(options.pipeline): warning: \(warning)") }
    guard !options.isQuiet else { return .done }
    let parts = [
      (pipeline.flows.count, "flow"), (pipeline.answers.count, "answer"),
      (pipeline.attributes.count, "attribute"), (pipeline.segments.count, "segment"),
      (pipeline.placements.count, "placement"), (pipeline.next.count, "next rule"),
    ]
    let list = parts.filter { $0.0 > 0 }.map { counted($0.0, $0.1) }.joined(separator: ", ")
    console.say("\(options.pipeline): right: \(list)")
    return .done
  }

  /// What the pipeline reads that no stored profile has.
  private func warnings(_ pipeline: Pipeline, _ database: DatabaseOptions) throws -> [String] {
    let store = try connector(database).connect()
    try store.requireSchema()
    let asOf = try store.asOfInForce() ?? now
    var coverage = DataCoverage(pipeline)
    var last: Bytes?
    while true {
      let people = try store.people(after: last)
      guard let end = people.last else { break }
      for person in people { coverage.add(resolve(person, pipeline, asOf: asOf, primitives)) }
      last = end.profileID
    }
    guard coverage.profiles > 0 else { return ["the database holds no profile to look at"] }
    return coverage.missing.map { words(for: $0, of: coverage.profiles) }
  }

  private func words(for thing: DataCoverage.Thing, of profiles: Int) -> String {
    let nobody = "nobody of \(counted(profiles, "profile"))"
    return switch thing {
    case .flow(let name): "the flow `\(name.string)` was shown to \(nobody)"
    case .completion(let name):
      "the flow `\(name.string)` was completed by \(nobody): no screen came with `is_last_screen` true, "
        + "and `completed:` names none that was shown"
    case .element(let answer, let element):
      "the answer `\(answer.string)`: \(nobody) was asked the element `\(element.string)`"
    case .screen(let answer, let screen):
      "the answer `\(answer.string)`: \(nobody) answered on the screen `\(screen.string)`"
    case .profile(let name): "`profile.\(name.string)` is read, and \(nobody) has it"
    case .accessLevel(let level):
      "`access.\(level.string)` is read, and \(nobody) has or had that access level: "
        + "without the vendor's profiles or records it counts as not active"
    case .subscriptionState:
      "`subscription_state` is read, and \(nobody) has a profile or record of the vendor that tells it"
    case .attribute(let key): "\(nobody) has the attribute `\(key.string)`"
    case .purchases: "`purchases` are read, and \(nobody) has bought anything"
    case .exposure(let placement):
      "`exposed.\(placement.string).variation` is read, and \(nobody) was seen with a variation of "
        + "that placement"
    case .segment(let name): "\(nobody) is in the segment `\(name.string)`"
    }
  }
}

/// `1 profile`, `2 profiles`, `1,234 profiles`.
func counted(_ count: Int, _ noun: String) -> String {
  "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
}

/// A whole number with its thousands apart.
func grouped(_ number: Int) -> String {
  numberText(Double(number), fractionDigits: 0, in: .english)
}
