import Foundation
import Testing

@testable import Core
@testable import sluice

@Suite("Profiles of very many runs")
struct ManyRunsTests {
  private func pipeline() throws -> Pipeline {
    try Pipeline.checked(
      yaml: String(contentsOfFile: Checkout.pipeline, encoding: .utf8)
        + "\nlimits: { flow_runs: 10000 }\n")
  }

  /// Nobody answers everything, so no run ever speaks, and each has to be asked.
  @Test("are resolved in one go")
  func many() throws {
    let pipeline = try pipeline()
    var script = EventScript()
    for run in 0..<4000 {
      let start = Double(run) * 100
      script.appeared(start)
      script.input(start + 1, "weight", "80")
      script.screen(start + 2, "scr_done", last: true)
    }
    let outcome = pipeline.outcome(script)
    #expect(outcome.runs.count == 4000)
    #expect(outcome.attributes.first?.value == .absent(.notAsked))
  }

  @Test("so are those of very many flows in one session")
  func flows() throws {
    let pipeline = try pipeline()
    var script = EventScript()
    for run in 0..<6000 {
      script.context = [.placementID: Bytes("placement-\(run)")]
      script.appeared(Double(run))
      script.context = [:]
      script.screen(Double(run) + 0.5, "scr_body")
    }
    #expect(pipeline.outcome(script).runs.count == 6000)
  }

  @Test("an answer given again replaces the one before, among few and among very many")
  func answers() throws {
    let pipeline = try pipeline()
    var script = EventScript()
    for round in 0..<2 {
      for number in 0..<300 {
        script.input(Double(round * 300 + number), "element-\(number)", "\(round)")
      }
    }
    let answers = try #require(pipeline.outcome(script).runs.first?.answers)
    #expect(answers.count == 300)
    #expect(answers.allSatisfy { $0.value == .text("1") })
  }
}
