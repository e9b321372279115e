import Core
import Testing

@testable import sluice

@Suite("The section `privacy` of a pipeline")
struct PrivacyRulesTests {
  private func rules(_ drop: String) throws -> PrivacyRules {
    try PipelineFile.checked("pipeline: p\nprivacy: { drop: \(drop) }").privacy
  }

  @Test("names types of inputs, and elements by their ids")
  func reads() throws {
    #expect(
      try rules("[email_input, phone_input, element: surname]")
        == PrivacyRules(elementTypes: ["email_input", "phone_input"], elements: ["surname"]))
    #expect(try rules("email_input") == PrivacyRules(elementTypes: ["email_input"]))
    #expect(try rules("{ element: a }") == PrivacyRules(elements: ["a"]))
    #expect(try PipelineFile.checked("pipeline: p").privacy.isEmpty)
  }

  @Test(
    "refuses what it does not know",
    arguments: [
      ("[email]", "there is no type of input `email`"),
      ("[emial_input]", "did you mean `email_input`?"),
      ("[]", "the list is empty; remove the key"),
      ("[email_input, email_input]", "`email_input` is in this list twice"),
      ("[element: a, element: a]", "`a` is in this list twice"),
      ("[{ elemnt: a }]", "has no key `elemnt`; did you mean `element`?"),
    ])
  func refuses(_ drop: String, _ words: String) {
    let report = PipelineFile("pipeline: p\nprivacy: { drop: \(drop) }").report()
    #expect(report.contains(words), "\(report)")
  }

  @Test("warns of an answer that never has a value then")
  func warns() throws {
    let pipeline = try PipelineFile.checked(
      """
      pipeline: p
      privacy: { drop: [element: name] }
      answers: { called: { element: [nick, name], type: text } }
      """)
    #expect(
      pipeline.warnings.map(\.message) == [
        "the answer `called` never has a value from the element `name`: `privacy` drops it"
      ])
  }

  @Test("is a part of what names a generation, and of the text that is read back")
  func canonical() throws {
    let file = PipelineFile(
      "pipeline: p\nprivacy:\n  drop:\n    - email_input\n    - element: a, b\n")
    #expect(
      file.canonicalText
        == #"{"pipeline": "p", "privacy": {"drop": ["email_input", {"element": "a, b"}]}}"#)
    #expect(
      PipelineFile(file.canonicalText.array, path: "stored").source?.privacy
        == PrivacyRules(elementTypes: ["email_input"], elements: ["a, b"]))
  }

  @Test("refuses an event by its params, plain or within the callback's envelope")
  func events() {
    let rules = PrivacyRules(elementTypes: ["email_input"], elements: ["surname"])
    func refuses(_ params: Bytes) -> Bool {
      rules.refuses(storeEvent("1", minute: 0, name: "x", params: params.string))
    }
    #expect(refuses(#"{"element_id":"e","element_type":"email_input","value":"v"}"#))
    #expect(refuses(#"{"element_id":"surname","element_type":"text_input","value":"v"}"#))
    #expect(refuses(#"{"name":"flow_user_input","params":{"element_id":"surname"}}"#))
    #expect(refuses(#"{"name":"flow_user_input","params":"{\"element_type\":\"email_input\"}"}"#))
    #expect(!refuses(#"{"element_id":"e","element_type":"text_input","value":"email_input"}"#))
    #expect(!refuses(""))
  }
}
