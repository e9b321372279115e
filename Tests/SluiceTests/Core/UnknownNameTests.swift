import Testing

@testable import Core

@Suite("Names that mean nothing")
struct UnknownNameTests {
  @Test("a name that may be a value, or is too long, is not kept")
  func names() {
    #expect(UnknownName(.column, "Some column (2)").name == "")
    #expect(UnknownName(.column, "$os.version/2").name == "$os.version/2")
    for text in ["jane@example.com", "a\nb", "ä", String(repeating: "a", count: 101)] {
      #expect(UnknownName(.purchaseResult, Bytes(text)).name == "", "\(text)")
    }
    #expect(UnknownName(.event, "Überblick gezeigt").name == "Überblick gezeigt")
    #expect(UnknownName(.event, "a\u{1B}[31m").name == "")
  }

  @Test("however many names there are, so many are kept, and the rest is counted")
  func bound() {
    var names = UnknownNames()
    for number in 0..<3000 { names.add(UnknownName(.event, Bytes("e\(number)"))) }
    #expect(names.counts.count == UnknownNames.most + 1)
    #expect(names.counts.values.reduce(0, +) == 3000)
    #expect(names.counts[UnknownName(.event, "")] == 2000)
    names.add(UnknownName(.event, "e7"), 4)
    #expect(names.counts[UnknownName(.event, "e7")] == 5)
  }

  @Test("a callback is known by its whole selector")
  func selectors() {
    let kinds: [(Bytes, EventKind)] = [
      ("flowController(_:didFinishPurchase:purchaseResult:)", .purchaseFinished),
      ("flowController(_:didFailPurchase:error:)", .purchaseFailed),
      ("flowController(_:didPerform:)", .actionPerformed),
      ("flowController(_:didFinishRestoreWith:)", .restoreFinished),
      ("flowController(_:didFinishWebPaymentNavigation:error:)", .webPaymentFinished),
      ("flowController(_:didReceiveAnalyticEvent:params:)", .analyticEvent),
      ("flowControllerDidAppear(_:)", .flowAppeared),
      ("paywallController(_:didFailRenderingWith:)", .renderingFailed),
      ("paywallControllerDidStartRestore(_:)", .restoreStarted),
      ("didLoadLatestProfile(_:)", .profileUpdated),
      ("flowController(_:didSomething:)", .other), ("f(onError)", .other), ("()", .other),
      (")", .other), ("(", .other), ("f(:)", .other), ("flow_appeared()", .flowAppeared),
    ]
    for (name, kind) in kinds { #expect(EventKind(name: name) == kind, "\(name.string)") }
  }
}
