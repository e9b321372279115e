import Core
import Testing

@testable import sluice

@Suite("Keys of runs, answers, placements and texts")
struct RunKeyTests {
  struct Wrong: CustomTestStringConvertible {
    let yaml: String
    let problems: [String]
    var testDescription: String { yaml }

    init(_ yaml: String, _ problems: String...) {
      self.yaml = "pipeline: p\n" + yaml
      self.problems = problems
    }
  }

  /// All problems of the file and, where its form is right, of the core.
  private func problems(_ yaml: String) -> [String] {
    let file = PipelineFile(yaml)
    var found = file.problems
    if let source = file.source {
      do { _ = try PipelineChecker.check(source) } catch { found += error.list }
    }
    return found.sorted { ($0.position, $0.message) < ($1.position, $1.message) }
      .map { "\($0.position.line):\($0.position.column) \($0.message)" }
  }

  private static let duration =
    "is a duration like 10 s, 30 min, 2 h or 7 days, at most 3650 days"

  @Test(
    "are refused with what would be right",
    arguments: [
      Wrong("runs: { late_input: 2 }", "2:21 `late_input` \(duration)"),
      Wrong("runs: { late_input: 2 weeks }", "2:21 `late_input` \(duration)"),
      Wrong("runs: { late_input: -2 s }", "2:21 `late_input` \(duration)"),
      Wrong("runs: { late_input: 1.5 h }", "2:21 `late_input` \(duration)"),
      Wrong("runs: { late_input: 9999999 h }", "2:21 `late_input` \(duration)"),
      Wrong("runs: { late_input: 99999999999999999999 s }", "2:21 `late_input` \(duration)"),
      Wrong(
        "runs: { gap_within_session: 0 s }",
        "2:29 `gap_within_session` must be longer than nothing"),
      Wrong(
        "runs: { gap: 1 s }",
        "2:9 the section `runs` has no key `gap`; known are gap_without_session, gap_within_session, "
          + "late_appearance, late_input"),
      Wrong(
        "flows: { a: { screens: x, resume_within: 0 min } }",
        "2:42 nothing goes on within no time; remove the key"),
      Wrong(
        "flows: { a: { screens: x, same_as: [x] } }",
        "2:36 `same_as` is written as `name: …` lines; this is a list"),
      Wrong(
        "flows: { a: { screens: x, same_as: { y: x, z: y }, completed: y } }",
        "2:47 `y` is renamed itself; name the id that it has today",
        "2:63 the screen `y` is called `x` by `same_as`; name that"),
      Wrong(
        "flows: { a: { screens: x, same_as: { b: x } }, c: { screens: b } }",
        "2:38 the screen `b` already belongs to the flow `c`: an event must fit one flow; remove it from one of them"
      ),
      Wrong(
        "flows: { a: { screens: x, same_as: { y: x } } }\n"
          + "answers: { w: { element: e, screen: y } }",
        "3:37 the screen `y` is called `x` by `same_as`; name that"),
      Wrong(
        "answers: { w: { element: e, default: a } }",
        "2:38 say in `shown_on` on which screen it is selected"),
      Wrong(
        "answers: { w: { element: e, shown_on: a } }",
        "2:39 say in `default` what is selected there"
      ),
      Wrong(
        "answers: { w: { element: e, type: number, default: a, shown_on: s } }",
        "2:52 not a number; write it like 70, 0.5 or -3, without quotes"),
      Wrong(
        "answers: { w: { element: e, type: boolean, default: no, shown_on: s } }",
        "2:53 write true or false, without quotes"),
      Wrong("answers: { w: { first_of: [] } }", "2:27 the list is empty; remove the key"),
      Wrong(
        "answers: { w: { element: e, first_of: [{ element: e }] } }",
        "2:26 `element` stands in each alternative of `first_of`; move it there"),
      Wrong(
        "answers: { w: { first_of: [{ unit: kg }] } }",
        "2:28 an alternative needs `element`, the id of its input",
        "2:36 a unit needs its `quantity`, such as mass or length"),
      Wrong(
        "answers: { w: { quantity: length, unit: cm, first_of: [{ element: e, unit: kg }] } }",
        "2:76 `unit` cannot be `kg`; it is one of cm, m, mm, ft, in"),
      Wrong(
        "answers: { w: { first_of: [{ element: e }, { sum: [{ element: a }, { element: b }] }] } }",
        "2:51 only numbers are added up; add a `quantity` or `type: number`"),
      Wrong(
        "answers: { w: { type: number, first_of: [{ sum: [{ element: a }] }] } }",
        "2:49 a sum has two parts or more"),
      Wrong(
        "answers: { w: { first_of: [{ element: e, quantity: mass, unit: kg }, "
          + "{ element: f, quantity: length, unit: m }] } }",
        "2:94 all alternatives of an answer are read as the same; give it to the answer itself"),
      Wrong(
        "answers: { w: { quantity: money, unit: USD, first_of: [{ element: e, unit: EUR }] } }",
        "2:76 no rate turns one currency into another; name the answer's"),
    ])
  func refusesRuns(_ wrong: Wrong) {
    #expect(problems(wrong.yaml) == wrong.problems)
  }

  private static func placement(_ audience: String, _ more: String = "") -> String {
    "segments: { s: \"true\" }\nplacements:\n  a:\n    audiences:\n      - \(audience)\n"
      + "      - { default: true, show: { flow: f } }\n\(more)"
  }

  @Test(
    "of placements are refused with what would be right",
    arguments: [
      Wrong(
        placement("{ segment: s, from: tomorrow, show: { flow: f } }"),
        "6:29 write a day like 2026-06-01 or a time with its zone like 2026-06-01T12:00:00Z"),
      Wrong(
        placement("{ segment: s, from: 2026-06-01, until: 2026-06-01, show: { flow: f } }"),
        "6:48 `until` must be later than `from`: it is the first instant left out"),
      Wrong(
        "placements: { a: { audiences: [{ default: true, from: 2026-06-01, show: { flow: f } }] } }",
        "2:55 the default audience is for everyone at all times; remove this"),
      Wrong(
        placement(
          "{ segment: s, show: { flow: f } }\n      - { segment: s, until: 2026-06-01, show: { flow: g } }"
        ), "7:20 nobody gets here: `s` is an audience on line 6 already; remove one of them"),
      Wrong(
        placement("{ segment: s, show: { flow: f, nothing: true } }"),
        "6:37 a variation has a `flow`, or `nothing: true`; remove one of them"),
      Wrong(placement("{ segment: s, show: {} }"), "6:29 a variation needs `flow`"),
      Wrong(
        placement("{ segment: s, show: { nothing: false } }"),
        "6:40 `nothing` is `true`, or the key is not there: remove it"
      ),
      Wrong(
        placement(
          "{ segment: s, show: [{ nothing: true, weight: 50 }, { nothing: true, weight: 50 }] }"),
        "6:61 with several variations, each needs its id in `variation`"),
      Wrong(
        placement("{ segment: s, show: [{ nothing: true, weight: 50 }, { flow: f, weight: 50 }] }"),
        "6:61 with several variations, each needs its id in `variation`"),
      Wrong(
        placement(
          "{ segment: s, show: [{ nothing: true, weight: 9 }, { flow: f, variation: v, weight: 90 }] }"
        ), "6:29 the weights are 9 + 90 = 99; they must sum to 100"),
      Wrong(
        placement(
          "{ segment: s, show: { flow: f } }",
          "    tags: { b: { value: \"'x'\", texts: { english: { x: y } } } }"),
        "8:39 write the texts by language: `{ en: { lose: lose weight } }`",
        "8:41 a language is a code like en, pt-BR or zh-Hant"),
      Wrong(
        placement(
          "{ segment: s, show: { flow: f } }",
          "    tags: { b: { value: \"'x'\", texts: { pt-BR: {}, pt_br: {} } } }"),
        "8:52 this language is here twice, in two spellings"),
      Wrong(
        placement(
          "{ segment: s, show: { flow: f } }",
          "    tags: { b: { value: 1 + 1, texts: { en: { x: y } } } }"),
        "8:39 `texts` are for the values of a text, this rule gives a number"),
      Wrong(
        placement(
          "{ segment: s, show: { flow: f } }",
          "    tags: { b: \"'x'\", C: \"'y'\" }\n    texts: [\"{B}\", \"{b\", \"c}\", \"{C} {b}\"]"),
        "9:13 unknown tag `B`: did you mean `b`, `C`?",
        "9:20 a `{` without its `}`; write `{{` for a brace",
        "9:26 a `}` without its `{`; write `}}` for a brace"),
      Wrong("default_language: german", "2:19 a language is a code like en, pt-BR or zh-Hant"),
      Wrong(
        "next:\n  - { nothing: true, from: 2026-06-02, until: 2026-06-01 }",
        "3:47 `until` must be later than `from`: it is the first instant left out"),
    ])
  func refusesPlacements(_ wrong: Wrong) {
    #expect(problems(wrong.yaml) == wrong.problems)
  }

  @Test("durations are read in each spelling")
  func durations() throws {
    let spellings: [(String, Int64)] = [
      ("10 s", 10), ("10s", 10), ("1 second", 1), ("30 min", 1_800), ("1 minute", 60),
      ("2 h", 7_200),
      ("2 hours", 7_200), ("7 days", 604_800), ("1 d", 86_400), ("3650 days", 315_360_000),
    ]
    for (text, seconds) in spellings {
      let source = PipelineFile("pipeline: p\nflows: { a: { screens: x, resume_within: \(text) } }")
        .source
      #expect(source?.flows.first?.resumeWithin == seconds * 1_000_000, "\(text)")
    }
  }

  @Test("an alternative may say the quantity that its answer leaves out")
  func quantityOfAlternative() throws {
    let file = PipelineFile(
      """
      pipeline: p
      answers:
        height:
          first_of:
            - { element: height_cm, quantity: length, unit: cm }
            - sum: [{ element: feet, unit: ft }, { element: inches, unit: in }]
      """)
    #expect(file.report() == "")
    let answer = try #require(file.source?.answers.first)
    #expect(answer.reading == .number(Quantity(.length, unit: "cm")))
    guard case .sum(let parts) = answer.alternatives[1] else {
      Issue.record("expected a sum")
      return
    }
    #expect(parts.map(\.reading) == ["ft", "in"].map { .number(Quantity(.length, unit: $0)) })
  }
}
