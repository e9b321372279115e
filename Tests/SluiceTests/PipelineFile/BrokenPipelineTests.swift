import Core
import Foundation
import Testing

@testable import sluice

@Suite("Broken pipelines")
struct BrokenPipelineTests {
  private static let folder = "Tests/SluiceTests/Golden/broken/"
  private static let environment = [
    "AUDIENCE": "5f0e0a52-0000-4a00-8000-0000000000aa", "NESTED": "${AUDIENCE}", "EMPTY": "",
    "BLANK": " x",
  ]

  static var names: [String] {
    let files =
      (try? FileManager.default.contentsOfDirectory(atPath: Golden.folder + "broken")) ?? []
    return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
  }

  @Test("there are at least 40 of them")
  func count() {
    #expect(Self.names.count >= 40)
  }

  @Test("each is told by its exact report")
  func reports() throws {
    let sluice = Sluice(console: Console(), environment: Self.environment)
    for name in Self.names {
      let path = Self.folder + name + ".yaml"
      do {
        _ = try sluice.load(path)
        Issue.record("\(path) is not broken")
      } catch let wrong as PipelineFileProblem {
        let report = wrong.report.replacingOccurrences(of: Self.folder, with: "")
        #expect(report.split(separator: "\n").allSatisfy { $0.utf8.count < 400 }, "\(name)")
        try Golden.expect(report, "broken/\(name).txt")
      }
    }
  }
}
