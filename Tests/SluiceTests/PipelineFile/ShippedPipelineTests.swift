import Core
import Testing

@testable import sluice

@Suite("The pipeline files that come along")
struct ShippedPipelineTests {
  @Test("are read without a problem", arguments: ["bmi", "reference"])
  func reads(_ name: String) throws {
    let file = try PipelineFile(contentsOf: "pipelines/\(name).yaml")
    #expect(file.report() == "")
    #expect(file.source?.name.value.string == name)
    #expect(file.problems.isEmpty)
  }

  @Test("are read back from their canonical text", arguments: ["bmi", "reference"])
  func canonical(_ name: String) throws {
    let file = try PipelineFile(contentsOf: "pipelines/\(name).yaml")
    let again = PipelineFile(file.canonicalText.array, path: "canonical")
    #expect(again.report() == "")
    #expect(again.canonicalText == file.canonicalText)
    #expect(again.source.map(meaning) == file.source.map(meaning))
  }

  @Test("the reference shows every key")
  func everyKey() throws {
    let text = String(decoding: try fileBytes("pipelines/reference.yaml"), as: UTF8.self)
    let tables: [PipelineKeys] = [
      .pipeline, .runs, .people, .privacy, .limits, .dropped, .flow, .answer, .alternative, .part,
      .attribute,
      .reports, .placement,
      .audience, .variation, .tag, .next, .test, .expectation,
    ]
    for key in tables.flatMap(\.known) {
      #expect(text.contains("\(key):") || text.contains("`\(key)`"), "\(key)")
    }
  }
}
