internal import Core
internal import Ingest

extension Sluice {
  /// Runs the tests that a pipeline file holds, without a database.
  func test(_ options: PipelineOptions) throws -> ExitCode {
    let loaded = try load(options.pipeline)
    guard !loaded.tests.isEmpty else {
      console.say("\(options.pipeline): holds no tests")
      return .done
    }
    var failed = 0
    for test in loaded.tests {
      let differences = differences(test, loaded.pipeline)
      if differences.isEmpty {
        if !options.isQuiet { try console.write("passed  \(printable(test.name.value.string))\n") }
        continue
      }
      failed += 1
      try console.write(
        "FAILED  \(printable(test.name.value.string))"
          + " (\(options.pipeline):\(test.name.position.line))\n")
      for difference in differences { try console.write("        \(printable(difference))\n") }
    }
    try console.write("\(loaded.tests.count - failed) passed, \(failed) failed\n")
    return failed == 0 ? .done : .pipelineWrong
  }

  /// Expected and got, value by value; empty for a test that passes.
  func differences(_ test: PipelineTest, _ pipeline: Pipeline) -> [String] {
    let events: [ProfileEvent]
    if test.events.isEmpty {
      events =
        ScriptedPerson(
          test, pipeline,
          context: TestEvents(primitives, ReadLimits(pipeline.limits)).context(of: test.profile)
        ).events
    } else {
      let (read, refused) = TestEvents(primitives, ReadLimits(pipeline.limits)).read(test.events)
      guard refused.isEmpty else {
        return refused.map { "its event \($0.index + 1) is refused: \($0.reason)" }
      }
      events = read
    }
    guard let last = events.map(\.event.occurredAt).max() else { return ["it has no events"] }
    let asOf = test.asOf?.value.instant(in: pipeline.zone) ?? last
    let sets = Dictionary(grouping: events, by: \.profileID).map { id, events in
      EventSet(profileID: id, events: events.map(\.event))
    }
    let people = people(of: sets, pipeline.people, asOf: asOf)
    guard people.count == 1, let person = people.first else {
      return ["its events are of several people: a test is of one, whose ids a merge unites"]
    }
    return test.expected.differences(from: resolve(person, pipeline, asOf: asOf, primitives))
  }
}
