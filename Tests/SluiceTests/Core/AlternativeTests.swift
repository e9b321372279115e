import Testing

@testable import Core
@testable import sluice

@Suite("Answers asked in more than one way")
struct AlternativeTests {
  private static let pipeline = """
    pipeline: p
    answers:
      height:
        quantity: length
        unit: cm
        plausible: [50, 280]
        first_of:
          - element: height_cm
          - element: height_m
            unit: m
          - sum:
              - { element: feet, unit: ft }
              - { element: inches, unit: in, default: 0, shown_on: scr_imperial }
    attributes: { height: { type: number, value: height } }
    """

  private func height(_ fill: (inout EventScript) -> Void) throws -> AttributeOutcome.Value? {
    var script = EventScript()
    script.appeared(0)
    fill(&script)
    script.screen(50, "scr_done", last: true)
    let pipeline = try PipelineFile.checked(Self.pipeline)
    return outcome(script, pipeline).attributes.first?.value
  }

  @Test("the first alternative that was given counts, each in its own unit")
  func firstGiven() throws {
    #expect(try height { $0.input(1, "height_cm", "181") } == .number(181))
    #expect(try height { $0.input(1, "height_m", "1.81") } == .number(181))
    #expect(
      try height {
        $0.input(1, "feet", "5")
        $0.input(2, "inches", "11")
      } == .number(180.34))
    #expect(
      try height {
        $0.input(1, "feet", "5")
        $0.input(2, "inches", "11")
        $0.input(3, "height_cm", "181")
      } == .number(181))
  }

  @Test("a cleared alternative leaves the word to the next one; all cleared is cleared")
  func cleared() throws {
    #expect(
      try height {
        $0.input(1, "height_cm", "")
        $0.input(2, "height_m", "1.7")
      } == .number(170))
    #expect(try height { $0.input(1, "height_cm", "") } == .absent(.cleared))
    #expect(try height { _ in } == .absent(.notAsked))
  }

  @Test("an unreadable or implausible alternative is not replaced by another one")
  func unreadable() throws {
    #expect(
      try height {
        $0.input(1, "height_cm", "tall")
        $0.input(2, "height_m", "1.7")
      } == .absent(.unreadable))
    #expect(try height { $0.input(1, "height_m", "170") } == .absent(.implausible))
  }

  @Test("a part of a sum that is missing is never taken for nothing, unless it has a default")
  func missingPart() throws {
    #expect(try height { $0.input(1, "feet", "5") } == .absent(.unreadable))
    #expect(try height { $0.input(1, "inches", "11") } == .absent(.unreadable))
    #expect(
      try height {
        $0.screen(1, "scr_imperial")
        $0.input(2, "feet", "5")
      } == .number(152.4))
    #expect(
      try height {
        $0.screen(1, "scr_imperial")
        $0.input(2, "feet", "5")
        $0.input(3, "inches", "")
      } == .absent(.cleared))
    #expect(try height { $0.screen(1, "scr_imperial") } == .absent(.notAsked))
  }

  @Test("units are exact: every inch of three to eight feet is the double nearest to it")
  func exact() {
    for inches in 36...96 {
      let terms = [
        UnitConversion.Term(Double(inches / 12), unit: "ft"),
        UnitConversion.Term(Double(inches % 12), unit: "in"),
      ]
      #expect(
        UnitConversion.sum(terms, in: Quantity(.length, unit: "cm")) == Double(inches * 254) / 100)
    }
    func sum(_ terms: [UnitConversion.Term], _ kind: Quantity.Kind, _ unit: Bytes) -> Double? {
      UnitConversion.sum(terms, in: Quantity(kind, unit: unit))
    }
    #expect(sum([.init(11, unit: "st"), .init(4, unit: "lb")], .mass, "lb") == 158)
    #expect(sum([.init(1, unit: "lb")], .mass, "kg") == 0.453_592_37)
    #expect(sum([.init(1.5, unit: "h")], .duration, "min") == 90)
    #expect(sum([.init(1e308, unit: "m")], .length, "mm") == nil)
    #expect(sum([.init(1, unit: "kg")], .length, "mm") == nil)
  }

  @Test("an input in another unit is converted as written: 1.15 m is 115 cm, and `118 cm` is 118")
  func exactInput() throws {
    #expect(try height { $0.input(1, "height_m", "1.15") } == .number(115))
    #expect(try height { $0.input(1, "height_m", "118 cm") } == .number(118))
  }

  private func goal(_ fill: (inout EventScript) -> Void) throws -> [AttributeOutcome.Value] {
    let pipeline = try PipelineFile.checked(
      """
      pipeline: p
      answers:
        goal: { element: goal, type: choice, default: lose, shown_on: [scr_goal, scr_goal_2] }
        news: { element: news, type: boolean, default: true, shown_on: scr_goal }
        diets: { element: diets, type: choices, default: [vegan, keto], shown_on: scr_goal }
      attributes:
        diets: { type: number, value: count(diets) }
        goal: { type: text, value: goal }
        news: { type: text, value: case when news then 'yes' else 'no' end }
      """)
    var script = EventScript()
    script.appeared(0)
    fill(&script)
    script.screen(50, "scr_done", last: true)
    return outcome(script, pipeline).attributes.map(\.value)
  }

  @Test("a default that the vendor never reports counts where its screen was shown")
  func defaults() throws {
    #expect(
      try goal { _ in } == [.absent(.notAsked), .absent(.notAsked), .text("no")])
    #expect(
      try goal { $0.screen(1, "scr_goal") } == [.number(2), .text("lose"), .text("yes")])
    #expect(try goal { $0.screen(1, "scr_goal_2") }[1] == .text("lose"))
  }

  @Test("what was reported wins over a default, even that nothing is selected")
  func reported() throws {
    let chosen = try goal {
      $0.screen(1, "scr_goal")
      $0.add(
        "flow_user_input", 2, #"{"element_id":"goal","instanceId":"scr_goal","item_ids":["gain"]}"#)
      $0.add("flow_user_input", 3, #"{"element_id":"diets","instanceId":"scr_goal","item_ids":[]}"#)
      $0.input(4, "news", json: "false", type: "toggle", screen: "scr_goal")
    }
    #expect(chosen == [.absent(.cleared), .text("gain"), .text("no")])
  }
}
