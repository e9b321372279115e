import Testing

@testable import Core
@testable import sluice

/// The vendor's own example (`custom-tags-and-bmi`), step by step: an onboarding asks weight and
/// height, the app computes, a paywall shows the number.
@Suite("The vendor's BMI example")
struct BodyMassExampleTests {
  private static func pipeline() throws -> Pipeline {
    try Pipeline.checked(
      yaml: """
        pipeline: example
        flows:
          onboarding: { placements: [onboarding] }
          paywall: { placements: [bmi_paywall] }
        answers:
          weight: { flow: onboarding, element: weight, quantity: mass, unit: kg }
          height: { flow: onboarding, element: height, quantity: length, unit: cm }
        attributes:
          bmi: { type: number, value: weight / (height / 100) ^ 2 }
        placements:
          bmi_paywall:
            audiences: [{ default: true, show: { flow: offer } }]
            tags: { bmi: { value: bmi, fraction_digits: 1, initial: "—" } }
            texts: ["Your BMI: {bmi}"]
        next:
          - { when: onboarding.completed, placement: bmi_paywall }
          - { placement: onboarding }
        """)
  }

  private func state(_ script: EventScript) throws -> (
    bmi: AttributeOutcome.Value?, text: String?, next: Bytes?
  ) {
    let outcome = try Self.pipeline().outcome(script)
    return (
      outcome.attributes.first?.value, outcome.decisions.first?.texts.first?.string,
      outcome.profile.next.placementID
    )
  }

  @Test("from the two flows' events to the text of the tag, in English and in German")
  func steps() throws {
    for (locale, text) in [("en_US", "Your BMI: 22.7"), ("de_DE", "Your BMI: 22,7")] {
      var script = EventScript()
      script.context = [.placementID: "onboarding", .locale: Bytes(locale)]
      // The app starts: nothing is known, the onboarding is next.
      #expect(try state(script).next == "onboarding")
      script.appeared(0)
      script.screen(1, "scr_body", order: 1)
      #expect(try state(script).bmi == .absent(.notCompleted))
      #expect(try state(script).text == "Your BMI: —")
      // Number inputs send their values as strings, when they lose their focus.
      script.input(5, "weight", "70")
      script.input(8, "height", "175.5")
      #expect(try state(script).bmi == .absent(.notCompleted), "not before the last screen")
      script.input(9, "height", "175.5")
      script.input(10, "weight", "70")
      script.input(11, "height", "176")
      script.input(12, "weight", "70.3")
      #expect(try state(script).next == "onboarding")
      // The last screen has no input; its button closes the flow.
      script.screen(20, "scr_done", last: true, order: 2)
      script.disappeared(22)
      let bmi = 70.3 / (1.76 * 1.76)
      var found = try state(script)
      #expect(found.bmi == .number(bmi), "a double, not a text")
      #expect(found.text == text)
      #expect(found.next == "bmi_paywall")
      // The paywall in the same session, and all that it reports.
      script.context[.placementID] = "bmi_paywall"
      script.appeared(23)
      script.screen(24, "scr_offer", last: true, order: 1)
      try script.add("didSelectProduct", 25, fixture: "flow-events/product_selected")
      try script.add("didStartPurchase", 26, fixture: "flow-events/purchase_started")
      try script.add("didFinishPurchase", 30, fixture: "flow-events/purchase_finished_cancelled")
      try script.add("didStartPurchase", 31, fixture: "flow-events/purchase_started")
      try script.add("didFinishPurchase", 40, fixture: "flow-events/purchase_finished_success")
      script.disappeared(41)
      // Stragglers of the paywall, one without its placement.
      try script.add("didFailRestoreWith", 42, fixture: "flow-events/restore_failed")
      script.context[.placementID] = nil
      try script.add("didReceiveError", 43, fixture: "bridge/error_received")
      found = try state(script)
      #expect(found.bmi == .number(bmi), "closing the paywall computes nothing anew")
      #expect(found.text == text)
      #expect(found.next == "bmi_paywall")
      let outcome = try Self.pipeline().outcome(script)
      let runs = outcome.runs.sorted { $0.startedAt < $1.startedAt }
      #expect(runs.map(\.flow) == ["onboarding", "paywall"], "nothing is opened again")
      #expect(runs.map(\.endedAt) == [EventScript.at(22), EventScript.at(41)])
      #expect(runs[0].lastEventAt == EventScript.at(22))
      #expect(runs[1].answers.isEmpty, "the paywall does not see the onboarding's answers")
      let purchases = outcome.purchases.sorted {
        ($0.startedAt ?? EventScript.at(0)) < ($1.startedAt ?? EventScript.at(0))
      }
      #expect(purchases.map(\.outcome) == [.cancelled, .success])
      #expect(purchases.map(\.scene.runID) == [runs[1].runID, runs[1].runID])
      #expect(outcome.restores.map(\.scene.runID) == [nil])
      #expect(outcome.flowErrors.map(\.scene.runID) == [nil, nil])
      #expect(outcome.flowErrors.contains { $0.code == "4105" && $0.scene.placementID == nil })
    }
  }

  @Test(
    "70.5 and 70,5 are one weight wherever they are typed; what could be two numbers is none",
    arguments: [
      ("70.5", "en_US", 70.5), ("70,5", "en_US", 70.5), ("70.5", "de_DE", 70.5),
      ("70,5", "de_DE", 70.5), ("70", "de_DE", 70), ("70.500", "de_DE", nil),
      ("70,500", "en_US", nil),
    ] as [(String, Bytes, Double?)])
  func decimals(_ typed: String, _ locale: Bytes, _ kilograms: Double?) throws {
    var script = EventScript()
    script.context[.locale] = locale
    script.onboarding(0, weight: typed, height: "200")
    let expected: AttributeOutcome.Value =
      kilograms.map { .number($0 / 4) } ?? .absent(.ambiguousNumber)
    #expect(try state(script).bmi == expected)
  }

  @Test("whoever closes before the last screen, or gave no height, is shown the initial value")
  func incomplete() throws {
    var left = EventScript()
    left.appeared(0)
    left.input(1, "weight", "70")
    left.input(2, "height", "176")
    left.disappeared(3)
    #expect(try state(left).text == "Your BMI: —")
    #expect(try state(left).next == "onboarding")
    for height in ["", "0", "tall"] {
      var script = EventScript()
      script.onboarding(0, weight: "70", height: height)
      #expect(try state(script).text == "Your BMI: —", "\(height)")
      #expect(try state(script).next == "bmi_paywall")
    }
  }
}
