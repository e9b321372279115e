import Testing

@testable import Core
@testable import sluice

extension Pipeline {
  /// A checked pipeline from the text of its file.
  static func checked(yaml: String) throws -> Pipeline {
    let file = PipelineFile(Array(yaml.utf8), path: "test")
    try #require(file.report() == "")
    return try PipelineChecker.check(try #require(file.source))
  }

  /// What follows from a script's events, seen at an instant in the script's seconds.
  func outcome(
    _ script: EventScript, at seconds: Double = 1e8, of profile: Bytes = "p"
  ) -> Outcome {
    resolve(
      EventSet(profileID: profile, events: script.events), self, asOf: EventScript.at(seconds),
      .system)
  }
}

extension EventScript {
  /// The events as lines of the canonical envelope, each with its line end.
  func lines(of profile: Bytes) -> [String] {
    events.map {
      String(decoding: ProfileEvent(profileID: profile, event: $0).envelope, as: UTF8.self) + "\n"
    }
  }
}
