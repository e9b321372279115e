import Core

@testable import sluice

extension PipelineFile {
  /// A pipeline from its text, checked; a test that writes a wrong one fails with the report.
  static func checked(_ yaml: String, zone: Zone = .utc) throws -> Pipeline {
    let file = PipelineFile(yaml)
    guard let source = file.source, file.problems.isEmpty else {
      throw PipelineFileProblem(report: file.report(), count: file.problems.count)
    }
    return try PipelineChecker.check(source, zone: zone)
  }
}

/// What follows from a script, for the profile `p`.
func outcome(_ script: EventScript, _ pipeline: Pipeline, asOf: Double = 1e6) -> Outcome {
  resolve(
    EventSet(profileID: "p", events: script.events), pipeline, asOf: EventScript.at(asOf), .system)
}
