import Core
import Testing

@testable import sluice

@Suite("Pipeline files")
struct PipelineFileTests {
  @Test("says what is unknown, misspelt, not supported yet and out of range, all at once, in order")
  func report() {
    let file = PipelineFile(
      """
      pipeline: ' fitness'
      history_starts: 2026-02-30
      answers:
        weight: { flow: onboarding, element: weight, quantity: mass, unit: kilo, plausable: [1, 2] }
        feet: { first_of: [a, b], quantity: length, unit: ft }
      \tsegments
      """)
    #expect(
      file.report() == """
        p.yaml:1:11: a stray space at the start or the end; remove it
          pipeline: ' fitness'
                    ^
        p.yaml:2:17: a day is written like 2026-06-01 and must exist
          history_starts: 2026-02-30
                          ^
        p.yaml:4:70: `unit` cannot be `kilo`; it is one of kg, g, lb, st
            weight: { flow: onboarding, element: weight, quantity: mass, unit: kilo, plausable: [1, 2] }
                                                                               ^
        p.yaml:4:76: an answer has no key `plausable`; did you mean `plausible`?
            weight: { flow: onboarding, element: weight, quantity: mass, unit: kilo, plausable: [1, 2] }
                                                                                     ^
        p.yaml:5:22: an alternative is written as `key: value` lines; this is one value
            feet: { first_of: [a, b], quantity: length, unit: ft }
                               ^
        p.yaml:5:25: an alternative is written as `key: value` lines; this is one value
            feet: { first_of: [a, b], quantity: length, unit: ft }
                                  ^
        p.yaml:6:1: YAML is not indented with tabs; use spaces
            segments
          ^

        """)
    let other = PipelineFile(
      """
      pipeline: ' fitness'
      history_starts: 2026-02-30
      answers:
        weight: { flow: onboarding, element: weight, quantity: mass, unit: kilo, plausable: [1, 2] }
        feet: { first_of: [a, b], quantity: length, unit: ft }
      publish: {}
      wat: 1
      """)
    #expect(
      other.report() == """
        p.yaml:1:11: a stray space at the start or the end; remove it
          pipeline: ' fitness'
                    ^
        p.yaml:2:17: a day is written like 2026-06-01 and must exist
          history_starts: 2026-02-30
                          ^
        p.yaml:4:70: `unit` cannot be `kilo`; it is one of kg, g, lb, st
            weight: { flow: onboarding, element: weight, quantity: mass, unit: kilo, plausable: [1, 2] }
                                                                               ^
        p.yaml:4:76: an answer has no key `plausable`; did you mean `plausible`?
            weight: { flow: onboarding, element: weight, quantity: mass, unit: kilo, plausable: [1, 2] }
                                                                                     ^
        p.yaml:5:22: an alternative is written as `key: value` lines; this is one value
            feet: { first_of: [a, b], quantity: length, unit: ft }
                               ^
        p.yaml:5:25: an alternative is written as `key: value` lines; this is one value
            feet: { first_of: [a, b], quantity: length, unit: ft }
                                  ^
        p.yaml:6:1: `publish` is not supported yet
          publish: {}
          ^
        p.yaml:7:1: a pipeline has no key `wat`; known are pipeline, description, include, \
        history_starts, time_zone, default_language, runs, people, privacy, limits, flows, answers, custom, \
        attributes, segments, reports, placements, next, tests
          wat: 1
          ^

        """)
  }

  @Test("puts the caret under wide characters, tabs and escapes, and cuts a long line")
  func carets() {
    func caret(_ line: String, _ column: Int) -> String {
      let problem = PipelineProblem(at: SourcePosition(line: 1, column: column), "wrong")
      return PipelineReport.text(
        [problem], in: SourceFiles(SourceLines(Array(line.utf8)), path: "p"))
    }
    #expect(caret("体重: x", 5) == "p:1:5: wrong\n  体重: x\n        ^\n")
    #expect(caret("e\u{301}: x", 5) == "p:1:5: wrong\n  e\u{301}: x\n     ^\n")
    #expect(caret("a:\tx", 4) == "p:1:4: wrong\n  a:  x\n      ^\n")
    #expect(caret("a\u{1B}[: x", 6) == "p:1:6: wrong\n  a\\u{1b}[: x\n            ^\n")
    #expect(caret("", 1) == "p:1:1: wrong\n")
    #expect(caret("ab", 3) == "p:1:3: wrong\n  ab\n    ^\n")
    let long = caret(
      String(repeating: "a", count: 500) + "!" + String(repeating: "b", count: 500), 501)
    #expect(long.split(separator: "\n").map(\.count) == [14, 104, 76])
    #expect(PipelineReport.text([], in: SourceFiles(SourceLines([]), path: "p")) == "")
  }

  struct Wrong: CustomTestStringConvertible {
    let yaml: String
    let problems: [String]
    var testDescription: String { yaml }

    init(_ yaml: String, _ problems: String...) {
      self.yaml = yaml
      self.problems = problems
    }
  }

  @Test(
    "refuses what has the wrong form, says where and what would be right",
    arguments: [
      Wrong("", "1:1 the file holds no pipeline"),
      Wrong("- a", "1:1 a pipeline is written as `key: value` lines; this is a list"),
      Wrong("flows: {}", "1:1 a pipeline needs `pipeline`"),
      Wrong("pipeline:", "1:10 the name is missing: write it after the key"),
      Wrong("pipeline: true", "1:11 the name is a word; quote it to mean the text"),
      Wrong("pipeline: ''", "1:11 a name cannot be empty; write one"),
      Wrong(
        "pipeline: p\ntime_zone: +02:00", "2:12 a time zone is a name like Europe/Berlin or UTC"),
      Wrong("pipeline: p\nflows: []", "2:8 `flows` is written as `name: …` lines; this is a list"),
      Wrong(
        "pipeline: p\nflows:\n  a: {}",
        "3:3 nothing recognises the flow `a`; give it `placements`, `flows` or `screens`"),
      Wrong("pipeline: p\nflows: { a: { screens: [] } }", "2:24 the list is empty; remove the key"),
      Wrong(
        "pipeline: p\nflows: { a: { screens: [x, x] } }",
        "2:28 `x` is in this list twice; remove one"),
      Wrong(
        "pipeline: p\nflows: { a: { flows: x, flow_ids: y } }",
        "2:35 `flows` and `flow_ids` mean the same; keep one of them"),
      Wrong(
        "pipeline: p\nsources: {}", "2:1 `sources` is not supported yet"),
      Wrong("pipeline: p\nanswers: { a: {} }", "2:12 `a` needs `element`, the id of its input"),
      Wrong(
        "pipeline: p\nanswers: { a: { element: x, type: numbr } }",
        "2:35 `type` cannot be `numbr`; did you mean `number`?"),
      Wrong(
        "pipeline: p\nanswers: { a: { element: x, unit: kg } }",
        "2:35 a unit needs its `quantity`, such as mass or length"),
      Wrong(
        "pipeline: p\nanswers: { a: { element: x, quantity: mass } }",
        "2:39 say the unit it is counted in, for instance `unit: kg`"),
      Wrong(
        "pipeline: p\nanswers: { a: { element: x, quantity: money, unit: euro } }",
        "2:52 a currency is three capital letters, such as USD"),
      Wrong(
        "pipeline: p\nanswers: { a: { element: x, quantity: number, unit: kg } }",
        "2:53 a plain number has no unit; remove it"),
      Wrong(
        "pipeline: p\nanswers: { a: { element: x, quantity: mass, unit: kg, type: text } }",
        "2:61 a `quantity` is a number; remove `type`"),
      Wrong(
        "pipeline: p\nanswers: { a: { element: x, plausible: [1, 2] } }",
        "2:40 only a number has plausible bounds; add `type: number`"),
      Wrong(
        "pipeline: p\nanswers: { a: { element: x, type: number, plausible: [2, 1] } }",
        "2:54 the lowest bound comes first: write [lowest, highest]"),
      Wrong(
        "pipeline: p\nanswers: { a: { element: x, type: number, plausible: [.5, 1] } }",
        "2:55 not a number; write it like 70, 0.5 or -3, without quotes"),
      Wrong(
        "pipeline: p\nanswers: { a: { element: x, type: number, plausible: [0, 1e999] } }",
        "2:58 the number is too large: at most 1.8e308"),
      Wrong(
        "pipeline: p\nanswers: { a: { element: x, type: number, plausible: 5 } }",
        "2:54 write the bounds as [lowest, highest]"),
      Wrong(
        "pipeline: p\nattributes: { a: { type: boolean } }",
        "2:18 an attribute needs `value`",
        "2:26 an attribute's type is `number` or `text`: the vendor has no other"),
      Wrong(
        "pipeline: p\nattributes: { a: { type: text, value: x, plausible: [1, 2] } }",
        "2:53 only a number has plausible bounds"),
      Wrong(
        "pipeline: p\nattributes: { a: { type: text, value: x, runs: latest } }",
        "2:48 `runs` cannot be `latest`; it is one of one_completed, latest_each, first_completed, latest_any"
      ),
      Wrong(
        "pipeline: p\nattributes: { a: { type: text, value: coalesce(b, c) } }",
        "2:51 an attribute has no key `c)`; between { and } a comma ends a value: quote a rule or text "
          + "that holds one"),
      Wrong(
        "pipeline: p\nanswers: { a: { element: x, quantity: mas, plausible: [1, 2] } }",
        "2:39 `quantity` cannot be `mas`; did you mean `mass`?"),
      Wrong(
        "pipeline: p\nsegments: { default: a }",
        "2:13 `default` is what the last audience is called; take another name"),
      Wrong("pipeline: p\nsegments: { a: ~ }", "2:16 the rule is missing: write it after the key"),
      Wrong(
        "pipeline: p\nsegments: { a: [x] }",
        "2:16 a rule is one text; quote it or use | where it begins with `[` or `{` or holds `: `"),
      Wrong(
        "pipeline: p\nreports: { exclud: x }",
        "2:12 the section `reports` has no key `exclud`; did you mean `exclude`?"),
      Wrong("pipeline: p\nplacements: { a: {} }", "2:18 a placement needs `audiences`"),
      Wrong(
        "pipeline: p\nplacements: { a: { audiences: [] } }",
        "2:31 a placement has 1 to 200 audiences; here are 0"),
      Wrong(
        "pipeline: p\nplacements: { a: { audiences: [{ segment: s, show: { flow: f } }] } }",
        "2:31 `a` needs a last audience with `default: true` for everyone else"),
      Wrong(
        "pipeline: p\nplacements:\n  a:\n    audiences:\n"
          + "      - { default: true, show: { flow: f } }\n"
          + "      - { default: true, show: { flow: f } }\n      - { segment: s, show: { flow: f } }",
        "5:9 a second default; only the last audience is one: give this one a `segment`",
        "6:9 the default audience must be the last one; move it to the end"),
      Wrong(
        "pipeline: p\nplacements:\n  a:\n    audiences:\n"
          + "      - { segment: s, show: { flow: f } }\n      - { segment: s, show: { flow: f } }\n"
          + "      - { segment: t, default: true }",
        "6:20 nobody gets here: `s` is an audience on line 5 already; remove one of them",
        "7:9 an audience has a `segment`, or is `default: true`: exactly one of them",
        "7:9 an audience needs `show`"),
      Wrong(
        "pipeline: p\nplacements:\n  a:\n    audiences:\n      - default: true\n        show:\n"
          + "          - { flow: f, variation: v, weight: 50 }\n"
          + "          - { flow: g, variation: v, weight: 49 }",
        "7:11 the weights are 50 + 49 = 99; they must sum to 100",
        "8:35 this audience has the variation `v` already; each has an id of its own"),
      Wrong(
        "pipeline: p\nplacements:\n  a:\n    audiences:\n      - default: true\n        show:\n"
          + "          - { flow: f, variation: v, weight: 12.5 }\n          - { flow: g }",
        "7:46 a weight is a whole number from 0 to 100",
        "8:13 with several variations, each needs a `weight` in percent",
        "8:13 with several variations, each needs its id in `variation`"),
      Wrong(
        "pipeline: p\nplacements: { a: { audiences: [{ default: true, show: { flow: f, weight: 50 } }] } }",
        "2:74 the only variation has weight 100; remove the weight"),
      Wrong(
        "pipeline: p\nplacements: { a: { audiences: [{ default: true, show: { flow: 'f ' } }], tags: { t: { fraction_digits: 16 } } } }",
        "2:63 a stray space at the start or the end; remove it", "2:85 a tag needs `value`",
        "2:104 `fraction_digits` is a whole number from 0 to 15"),
      Wrong(
        "pipeline: p\nnext:\n  - { placement: a, nothing: true }\n  - { because: b }\n",
        "3:5 a next rule has a `placement`, or `nothing: true`: exactly one of them",
        "4:5 a next rule has a `placement`, or `nothing: true`: exactly one of them",
        "4:5 never reached: the rule on line 3 has no `when`; move that rule to the end"),
      Wrong(
        "pipeline: p\nnext:\n  - { nothing: false }",
        "3:16 `nothing` is `true`, or the key is not there: remove it"),
      Wrong("pipeline: p\nnext:\n  - { nothing: yes }", "3:16 write true or false, without quotes"),
      Wrong(
        "pipeline: p\nnext:\n  - { placement: a, from: 2026-01-01T10:00 }",
        "3:27 write a day like 2026-06-01 or a time with its zone like 2026-06-01T12:00:00Z"),
      Wrong("pipeline: p\ntests: [{ name: t }]", "2:9 a test needs `expect`"),
      Wrong(
        "pipeline: p\ntests:\n  - name: t\n    answers: { a: b }\n    completed: f\n    events: [1]\n"
          + "    expect: { next: ~ }",
        "4:14 a test has `answers` or `events`, not both; remove one of them",
        "5:16 the events say what was completed; remove it",
        "6:14 an event is a mapping: the members of its envelope"),
      Wrong(
        "pipeline: p\ntests:\n  - name: t\n    profile: { lokale: de }\n"
          + "    expect: { absent: { a: notcompleted }, attributes: { b: null } }",
        "4:16 an event has no member `lokale` that describes a person; did you mean `locale`?",
        "5:28 `reason` cannot be `notcompleted`; did you mean `not_completed`?",
        "5:61 say why there is none: `absent: { b: not_completed }`"),
    ])
  func refuses(_ wrong: Wrong) {
    let file = PipelineFile(wrong.yaml)
    let problems = file.problems.sorted { ($0.position, $0.message) < ($1.position, $1.message) }
    #expect(problems.map(\.words) == wrong.problems)
  }

  @Test("reads tests with answers, members and expectations")
  func tests() throws {
    let file = PipelineFile(
      """
      pipeline: p
      tests:
        - name: first
          answers: { weight: 82.50, reminders: true, goal: [a, b], height: }
          profile: { locale: de_DE, is_test_user: true }
          completed: onboarding
          expect:
            attributes: { bmi: 25.0, goal: "25.0" }
            segments: []
            next: ~
            tags: { bmi: 25.0, empty: "" }
        - name: second
          events: [{ event_name: x, params: { b: 1.0, a: [true, "1", null] } }]
          expect: { next: a }
      """)
    try #require(file.report() == "")
    let first = file.tests[0]
    #expect(first.answers.map(\.name.value) == ["goal", "height", "reminders", "weight"])
    #expect(
      first.answers.map(\.given) == [.items(["a", "b"]), .cleared, .text("true"), .text("82.50")])
    #expect(first.profile.map(\.text) == ["true", "de_DE"])
    #expect(first.completed.map(\.value) == ["onboarding"])
    #expect(first.expected.attributes.map(\.value) == [.number("25.0"), .text("25.0")])
    #expect(first.expected.segments?.value.isEmpty == true)
    #expect(first.expected.tags.map(\.text) == ["25.0", ""])
    guard case .nothing(SourcePosition(line: 10, column: 13)) = first.expected.next else {
      Issue.record("expected nothing to be next")
      return
    }
    let json = #"{"event_name": "x", "params": {"a": [true, "1", null], "b": 1.0}}"#
    #expect(file.tests[1].events.map(\.value) == [Bytes(json)])
    guard case .placement(let placement) = file.tests[1].expected.next else {
      Issue.record("expected a placement to be next")
      return
    }
    #expect(placement.value == "a")
  }

  @Test("a bare number or boolean is a rule, and a number is an id as it is written")
  func bareScalars() throws {
    let file = PipelineFile(
      "pipeline: 1.10\nsegments: { a: true, b: 5, c: null }\nflows: { 7: { screens: 0 } }")
    let source = try #require(file.source)
    #expect(file.report() == "")
    #expect(source.name.value == "1.10")
    #expect(source.segments.map(\.rule.text) == ["true", "5", "null"])
    #expect(source.flows.map(\.name.value) == ["7"])
  }

  @Test("what the core finds in a folded or literal rule is shown where it stands")
  func placesOfRules() throws {
    let file = PipelineFile(
      """
      pipeline: p
      segments:
        a: >
          profile.country = 'DE'
          and nobody
        b: |
          profile.country = 'DE'
            and nothing
      """)
    let source = try #require(file.source)
    let problems = #expect(throws: PipelineProblems.self) { try PipelineChecker.check(source) }
    let report = file.report(try #require(problems).list).split(separator: "\n")
    #expect(report[0].hasPrefix("p.yaml:5:9: ") && report[2] == "          ^")
    #expect(report[3].hasPrefix("p.yaml:8:11: ") && report[5] == "            ^")
  }

  @Test("a file that is missing is no input, and so is a directory")
  func missing() {
    #expect(throws: Problem.self) { try PipelineFile(contentsOf: "/nowhere/p.yaml") }
    #expect(throws: Problem.self) { try PipelineFile(contentsOf: "/") }
    do {
      _ = try PipelineFile(contentsOf: "/nowhere/p.yaml")
    } catch {
      #expect(error.exit == .noInput)
      #expect(
        error.message
          == "/nowhere/p.yaml: cannot read the pipeline file: No such file or directory; check the path"
      )
    }
  }
}

extension PipelineFile {
  init(_ text: String) { self.init(Array(text.utf8), path: "p.yaml") }
}
