import Testing

@testable import Core
@testable import sluice

@Suite("Units chosen in another answer")
struct UnitChoiceTests {
  private static let here = SourcePosition(line: 1, column: 1)

  /// Weight in kg and height in cm, their units chosen by `units`, and the BMI of both.
  private static var source: PipelineSource {
    func located(_ name: Bytes) -> Located<Bytes> { Located(name, at: here) }
    func measured(
      _ name: Bytes, _ kind: Quantity.Kind, _ unit: Bytes, _ other: Bytes
    ) -> AnswerSource {
      var answer = AnswerSource(name: located(name))
      answer.elements = [located(name)]
      answer.reading = .number(Quantity(kind, unit: unit))
      answer.unitBy = UnitBySource(
        answer: located("units"),
        options: [
          UnitBySource.Option(id: located("metric"), unit: located(unit)),
          UnitBySource.Option(id: located("imperial"), unit: located(other)),
        ])
      return answer
    }
    var source = PipelineSource.flowsOnly([("onboarding", ["onboarding"])])
    var units = AnswerSource(name: located("units"))
    units.elements = [located("units")]
    units.reading = .choice
    source.answers = [
      measured("weight", .mass, "kg", "lb"), measured("height", .length, "cm", "in"), units,
    ]
    source.answers[0].plausible = Located(20...500, at: here)
    var bmi = AttributeSource(
      name: located("bmi"), type: Located(.number, at: here),
      value: RuleText("round(weight / (height / 100) ^ 2, 1)"))
    bmi.runs = .latestAny
    source.attributes = [bmi]
    return source
  }

  private func bmi(_ script: EventScript) throws -> [AttributeOutcome.Value] {
    let pipeline = try PipelineChecker.check(Self.source)
    let set = EventSet(profileID: "p", events: script.events)
    let outcome = resolve(set, pipeline, asOf: EventScript.at(1e6), .system)
    return outcome.attributeHistory.map(\.value) + outcome.attributes.map(\.value)
  }

  private func script(weight: String, height: String, units: String?...) -> EventScript {
    var script = EventScript()
    script.input(0, "weight", weight)
    script.input(1, "height", height.replacing("\"", with: "\\\""))
    for (index, unit) in units.enumerated() {
      let ids = unit.map { "[\"\($0)\"]" } ?? "[]"
      script.add(
        "flow_user_input", 2 + Double(index),
        Bytes(#"{"element_id":"units","element_type":"single_choice","item_ids":\#(ids)}"#))
    }
    return script
  }

  @Test("a later unit in the same run computes the value anew; history keeps the old one")
  func laterUnit() throws {
    #expect(try bmi(script(weight: "150", height: "170 cm")) == [.number(51.9)])
    #expect(
      try bmi(script(weight: "150", height: "170 cm", units: "imperial"))
        == [.number(51.9), .number(23.5)])
    #expect(
      try bmi(script(weight: "150", height: "170 cm", units: "imperial", "metric"))
        == [.number(51.9), .number(23.5), .number(51.9)])
    #expect(
      try bmi(script(weight: "150", height: "170 cm", units: "imperial", nil))
        == [.number(51.9), .number(23.5), .number(51.9)])
    #expect(try bmi(script(weight: "11 st 4", height: "5'11\"")) == [.number(22)])
    #expect(try bmi(script(weight: "150 lb", height: "5′ 7″", units: "metric")) == [.number(23.5)])
    #expect(
      try bmi(script(weight: "158", height: "71", units: "imperial")).last == .number(22))
  }

  @Test("an option that the pipeline does not know leaves a number without a unit unreadable")
  func unknownOption() throws {
    #expect(
      try bmi(script(weight: "80", height: "180 cm", units: "stones")).last
        == .absent(.unreadable))
    #expect(
      try bmi(script(weight: "80 kg", height: "180 cm", units: "stones")).last == .number(24.7))
  }

  @Test(
    "bounds are in the declared unit, whatever was typed",
    arguments: [
      ("44 lb", AbsenceReason.implausible), ("44.1 lb", nil), ("20", nil), ("19.99", .implausible),
      ("500", nil), ("500.01", .implausible), ("1103 lb", .implausible),
    ])
  func plausible(weight: String, reason: AbsenceReason?) throws {
    let value = try #require(try bmi(script(weight: weight, height: "180")).last)
    #expect((value == .absent(.implausible)) == (reason != nil))
  }

  @Test("what was typed is stored as it was typed")
  func rawAnswer() throws {
    let pipeline = try PipelineChecker.check(Self.source)
    let set = EventSet(profileID: "p", events: script(weight: "11 st 4", height: "1,80 m").events)
    let outcome = resolve(set, pipeline, asOf: EventScript.at(10), .system)
    #expect(outcome.runs.first?.answers.map(\.value) == [.text("11 st 4"), .text("1,80 m")])
  }

  @Test("a date is read in the zone of its own event")
  func dates() throws {
    var source = PipelineSource.flowsOnly([("onboarding", ["onboarding"])])
    var birthday = AnswerSource(name: Located("birthday", at: Self.here))
    birthday.elements = [Located("birthday", at: Self.here)]
    birthday.reading = .date
    source.answers = [birthday]
    var known = AttributeSource(
      name: Located("known", at: Self.here), type: Located(.text, at: Self.here),
      value: RuleText("case when birthday = '1990-06-15' then 'yes' else 'no' end"))
    known.runs = .latestAny
    source.attributes = [known]
    func value(_ zone: Bytes?, _ pipeline: Pipeline) -> AttributeOutcome.Value? {
      var script = EventScript()
      script.context[.timeZone] = zone
      // Midnight 14 hours east of UTC: nearest to it is another day.
      script.input(0, "birthday", json: "6.453576E11")
      // An event after the answer says nothing about it.
      script.context[.timeZone] = "UTC"
      script.screen(1, "next")
      let set = EventSet(profileID: "p", events: script.events)
      return resolve(set, pipeline, asOf: EventScript.at(10), .system).attributes.first?.value
    }
    let pipeline = try PipelineChecker.check(source)
    #expect(value("Pacific/Kiritimati", pipeline) == .text("no"))
    #expect(value("+14:00", pipeline) == .text("yes"))
    let traveled = try PipelineChecker.check(
      source,
      zones: {
        $0 == "Pacific/Kiritimati" ? Zone(name: $0, firstOffset: 50_400, changes: []) : nil
      })
    #expect(value("Pacific/Kiritimati", traveled) == .text("yes"))
  }

  @Test("the checker refuses a choice that no run could answer")
  func checking() throws {
    func problems(_ change: (inout PipelineSource) -> Void) -> [String] {
      var source = Self.source
      change(&source)
      do {
        _ = try PipelineChecker.check(source)
        return []
      } catch { return error.list.map(\.message) }
    }
    #expect(problems { _ in } == [])
    #expect(
      problems { $0.answers[0].unitBy?.answer = Located("unit", at: Self.here) }
        == ["unknown answer `unit`: did you mean `units`?"])
    #expect(
      problems { $0.answers[2].reading = .choices }
        == [String](
          repeating: "`units` cannot choose a unit: give it `type: choice`, `text` or `boolean`",
          count: 2))
    #expect(
      problems { $0.answers[0].unitBy?.options[1].unit = Located("cm", at: Self.here) }
        == ["`cm` is no unit of mass; it is one of kg, g, lb, st"])
    #expect(
      problems { source in
        source.flows += PipelineSource.flowsOnly([("checkin", ["weekly"])]).flows
        source.answers[0].flows = [Located("checkin", at: Self.here)]
        source.answers[2].flows = [Located("onboarding", at: Self.here)]
      }
        == [
          "`units` is asked in no flow of `weight`: a unit is chosen in the run that its number is typed in"
        ])
  }
}

@Suite("Units in a pipeline file")
struct UnitFileTests {
  private func problems(_ answer: String) -> [String] {
    let file = PipelineFile(
      Array(
        "pipeline: p\nanswers:\n  a: { element: a, \(answer) }\n  u: { element: u, type: choice }\n"
          .utf8),
      path: "p.yaml")
    return file.problems.map(\.message)
  }

  @Test("`unit_by` is read, and comes back from the canonical text")
  func reads() throws {
    let file = PipelineFile(
      Array(
        """
        pipeline: p
        answers:
          a:
            { element: a, quantity: mass, unit: kg, unit_by: { answer: u, units: { b: lb, k: kg } } }
          u: { element: u, type: choice }
        """.utf8), path: "p.yaml")
    #expect(file.report() == "")
    let again = PipelineFile(file.canonicalText.array, path: "canonical")
    for read in [file, again] {
      let unitBy = try #require(read.source?.answers.first?.unitBy)
      #expect(unitBy.answer.value == "u")
      #expect(unitBy.options.map(\.id.value) == ["b", "k"])
      #expect(unitBy.options.map(\.unit.value) == ["lb", "kg"])
    }
  }

  @Test(
    "a unit that does not fit is refused with those that do",
    arguments: [
      ("quantity: mass, unit: cm", "`unit` cannot be `cm`; it is one of kg, g, lb, st"),
      (
        "quantity: length, unit: cm, unit_by: { answer: u, units: { x: kg } }",
        "`unit` cannot be `kg`; it is one of cm, m, mm, ft, in"
      ),
      (
        "quantity: length, unit: cm, unit_by: { answer: u, units: {} }",
        "say what each option means: `units: { OPTION: cm }`"
      ),
      ("quantity: length, unit: cm, unit_by: { answer: u }", "`unit_by` needs `units`"),
      ("quantity: length, unit: cm, unit_by: { units: { x: m } }", "`unit_by` needs `answer`"),
      (
        "type: text, unit_by: { answer: u, units: { x: kg } }",
        "only a mass, a length or a duration has units to choose from; add its `quantity`"
      ),
      ("quantity: number, unit: kg", "a plain number has no unit; remove it"),
    ])
  func refuses(answer: String, problem: String) { #expect(problems(answer) == [problem]) }

  @Test("a plain number may be counted in percent")
  func percent() { #expect(problems("quantity: number, unit: '%'") == []) }

  @Test("zones that events name are read from the system, once, and unknown ones are none")
  func zones() {
    let zones = ZoneCache()
    for _ in 0..<2 {
      #expect(zones.zone(named: "Pacific/Auckland")?.name == "Pacific/Auckland")
      #expect(zones.zone(named: "Nowhere/Here") == nil)
    }
  }
}
