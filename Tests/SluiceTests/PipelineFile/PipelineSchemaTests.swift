import Core
import Foundation
import Testing

@testable import sluice

@Suite("The JSON Schema of pipeline files")
struct PipelineSchemaTests {
  private func problems(_ yaml: String) throws -> [String] {
    let schema = try JSONSerialization.jsonObject(with: Data(PipelineSchema.text.utf8))
    let root = try #require(YAMLDocument(yaml).root)
    return SchemaCheck.problems(root, try #require(schema as? [String: Any]), at: "")
  }

  @Test("the shipped pipelines fit it", arguments: ["bmi", "reference", "shared/testers"])
  func shipped(_ name: String) throws {
    let text = String(decoding: try fileBytes("pipelines/\(name).yaml"), as: UTF8.self)
    #expect(try problems(text) == [])
  }

  @Test("a key that the reader does not know does not fit, wherever it stands")
  func unknownKeys() throws {
    #expect(try problems("pipeline: p\nwat: 1") == ["wat: not allowed"])
    #expect(try problems("pipeline: p\nflows: { a: { wat: 1 } }") == ["flows.a.wat: not allowed"])
    #expect(
      try problems("pipeline: p\nanswers: { a: { element: e, quantity: weight } }")
        == ["answers.a.quantity: not one of the words"])
    #expect(
      try problems("pipeline: p\nattributes: { a: { type: number } }")
        == ["attributes.a: value is missing"])
    #expect(
      try problems("pipeline: p\nplacements: { a: { audiences: [] } }")
        == ["placements.a.audiences: too few"])
    #expect(try problems("pipeline: p\nnext: { a: 1 }") == ["next: none of the forms"])
    #expect(
      try problems("pipeline: p\npeople: { unite_by: [device] }")
        == ["people.unite_by: none of the forms"])
    #expect(
      try problems("pipeline: p\nprivacy: { drop: [email] }") == ["privacy.drop: none of the forms"]
    )
  }

  @Test("every key that the reader knows has a form of its own")
  func forms() {
    let tables: [PipelineKeys] = [
      .pipeline, .runs, .people, .privacy, .limits, .dropped, .flow, .answer, .alternative, .part,
      .unitBy,
      .attribute, .reports,
      .placement, .audience, .variation, .tag, .next, .test, .expectation,
    ]
    for key in tables.flatMap(\.known) {
      #expect(!PipelineSchema.text.contains("\"\(key)\": true"), "\(key)")
    }
  }

  @Test("check --schema-json prints it, and needs neither a file nor a database")
  func command() async throws {
    let done = try await CommandRun(["check", "--schema-json"])
    #expect(done.code == .done && done.output == PipelineSchema.text && done.words == "")
    #expect(
      done.output.hasPrefix("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\""))
  }
}

/// As much of JSON Schema as the pipeline's schema uses.
private enum SchemaCheck {
  static func problems(_ node: YAMLNode, _ schema: [String: Any], at path: String) -> [String] {
    var problems: [String] = []
    if let forms = schema["anyOf"] as? [[String: Any]] {
      let fits = forms.contains { self.problems(node, $0, at: path).isEmpty }
      if !fits { problems.append("\(path): none of the forms") }
    }
    if let words = schema["enum"] as? [String], !words.contains(node.scalar?.text.string ?? "") {
      problems.append("\(path): not one of the words")
    }
    if schema["const"] != nil, node.scalar?.meaning != .boolean(true) {
      problems.append("\(path): not true")
    }
    if let types = (schema["type"] as? [String]) ?? (schema["type"] as? String).map({ [$0] }),
      !types.contains(where: { isOf($0, node) })
    {
      return problems + ["\(path): not of type \(types.joined(separator: " or "))"]
    }
    switch node.content {
    case .scalar: break
    case .sequence(let items):
      if let least = schema["minItems"] as? Int, items.count < least {
        problems.append("\(path): too few")
      }
      if let most = schema["maxItems"] as? Int, items.count > most {
        problems.append("\(path): too many")
      }
      for (index, item) in items.enumerated() {
        problems += self.problems(
          item, schema["items"] as? [String: Any] ?? [:], at: "\(path)[\(index)]")
      }
    case .mapping(let entries):
      for name in schema["required"] as? [String] ?? []
      where !entries.contains(where: { $0.key.value.string == name }) {
        problems.append("\(path): \(name) is missing")
      }
      for entry in entries { problems += self.problems(entry, schema, in: path) }
    }
    return problems
  }

  private static func problems(_ entry: YAMLEntry, _ schema: [String: Any], in path: String)
    -> [String]
  {
    let name = entry.key.value.string
    let place = path.isEmpty ? name : path + "." + name
    if let form = (schema["properties"] as? [String: Any])?[name] {
      return problems(entry.value, form as? [String: Any] ?? [:], at: place)
    }
    switch schema["additionalProperties"] {
    case let form as [String: Any]: return problems(entry.value, form, at: place)
    case let isAllowed as Bool where !isAllowed: return ["\(place): not allowed"]
    default: return []
    }
  }

  private static func isOf(_ type: String, _ node: YAMLNode) -> Bool {
    switch node.content {
    case .mapping: return type == "object"
    case .sequence: return type == "array"
    case .scalar(let scalar):
      switch scalar.meaning {
      case .null: return type == "null"
      case .boolean: return type == "boolean"
      case .number: return type == "number" || (type == "integer" && Int(scalar.text.string) != nil)
      case .text: return type == "string"
      }
    }
  }
}
