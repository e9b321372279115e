import Testing

@testable import Core
@testable import sluice

@Suite("Tags and texts")
struct TagTests {
  private static let pipeline = """
    pipeline: p
    default_language: de
    answers:
      weight: { element: weight, type: number }
      goal: { element: goal, type: choice }
    attributes:
      weight: { type: number, value: weight, runs: latest_any }
      goal: { type: text, value: goal, runs: latest_any }
    placements:
      paywall:
        audiences: [{ default: true, show: { flow: f } }]
        tags:
          user.weight: { value: weight, fraction_digits: 1, initial: "—" }
          user.Weight: { value: weight * 2 }
          goal:
            value: goal
            initial: fit
            texts:
              en: { lose: lose weight, stay: "", gain: gain weight }
              de: { lose: abnehmen, sleep: besser schlafen }
              pt-BR: { lose: emagrecer }
        texts:
          - "{goal}: {user.weight} kg {{now}}"
          - "{user.weight}|{user.Weight}"
          - no tags
    """

  private func decision(_ locale: Bytes?, goal: String?, weight: String?) throws
    -> PlacementDecision
  {
    var script = EventScript()
    script.context[.locale] = locale
    script.appeared(0)
    if let weight { script.input(1, "weight", weight) }
    if let goal {
      script.add("flow_user_input", 2, Bytes(#"{"element_id":"goal","item_ids":["\#(goal)"]}"#))
    }
    let pipeline = try PipelineFile.checked(Self.pipeline)
    return try #require(outcome(script, pipeline).decisions.first)
  }

  private func tags(_ locale: Bytes?, goal: String?, weight: String?) throws -> [Bytes: Bytes] {
    Dictionary(
      uniqueKeysWithValues: try decision(locale, goal: goal, weight: weight).tags.map {
        ($0.name, $0.value)
      })
  }

  @Test("names are full and case-sensitive; numbers have the locale's marks and their digits")
  func names() throws {
    #expect(
      try tags("de_DE", goal: "lose", weight: "1234.5") == [
        "user.weight": "1.234,5", "user.Weight": "2.469", "goal": "abnehmen",
      ])
  }

  @Test("a tag without a value has its initial one, and none without it")
  func initial() throws {
    #expect(try tags("en", goal: nil, weight: nil) == ["user.weight": "—", "goal": "fit"])
  }

  @Test(
    "a choice is shown in the person's language, else in the default one",
    arguments: [
      ("en_GB", "lose", "lose weight"), ("pt_BR", "lose", "emagrecer"),
      ("pt-br", "lose", "emagrecer"), ("pt_PT", "lose", "abnehmen"), ("de_AT", "lose", "abnehmen"),
      ("fr", "lose", "abnehmen"), ("en", "sleep", "besser schlafen"), ("en", "other", "fit"),
      ("en", "stay", ""), ("en_US@calendar=x", "gain", "gain weight"),
    ] as [(Bytes, String, Bytes)])
  func languages(locale: Bytes, goal: String, expected: Bytes) throws {
    #expect(try tags(locale, goal: goal, weight: nil)["goal"] == expected)
  }

  @Test("without a default language it is English, else the first in byte order")
  func defaultLanguage() {
    let texts: [Bytes: [Bytes: Bytes]] = ["fr": ["a": "F"], "en": ["a": "E"], "de": ["a": "D"]]
    #expect(LanguageTexts(texts, defaultLanguage: nil).text(of: "a", locale: "it") == "E")
    #expect(LanguageTexts(texts, defaultLanguage: "fr").text(of: "a", locale: nil) == "F")
    #expect(
      LanguageTexts(["fr": ["a": "F"], "de": ["a": "D"]], defaultLanguage: "en")
        .text(of: "a", locale: "it") == "D")
    #expect(
      LanguageTexts(["zh_Hant": ["a": "T"], "zh": ["a": "S"]], defaultLanguage: nil)
        .text(of: "a", locale: "zh-Hant-TW") == "T")
  }

  @Test("one tag without a value makes every tag of that text show its initial value")
  func previews() throws {
    #expect(
      try decision("en", goal: "lose", weight: "80").texts
        == ["lose weight: 80.0 kg {now}", "80.0|160", "no tags"])
    #expect(
      try decision("en", goal: "lose", weight: nil).texts == ["fit: — kg {now}", "—|", "no tags"])
    #expect(
      try decision("en", goal: nil, weight: "80").texts
        == ["fit: — kg {now}", "80.0|160", "no tags"])
  }

  @Test("an empty text is a value: it shows nothing and leaves the others alone")
  func emptyValue() throws {
    #expect(try decision("en", goal: "stay", weight: "80").texts[0] == ": 80.0 kg {now}")
  }

  @Test("braces that do not pair and tags that are not declared are refused")
  func mistakes() {
    func mistake(_ text: Bytes) -> TextPreview.Mistake? {
      do {
        _ = try TextPreview(text, tags: ["a", "b.c"])
        return nil
      } catch { return error }
    }
    #expect(mistake("{a}{b.c}{{a}}") == nil)
    #expect(mistake("{a") == .unclosed)
    #expect(mistake("a}") == .stray)
    #expect(mistake("{A}") == .unknownTag("A"))
    #expect(mistake("{}") == .unknownTag(""))
  }
}
