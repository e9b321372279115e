import Testing

@testable import Core
@testable import sluice

@Suite("Names of platforms")
struct PlatformNameTests {
  @Test(
    "are spelled one way, whoever writes them; others stay as they are",
    arguments: [
      ("android", "Android"), ("ANDROID", "Android"), ("Android", "Android"), ("ios", "iOS"),
      ("IOS", "iOS"), (" iOS ", "iOS"), ("ipados", "iPadOS"), ("macos", "macOS"),
      ("tvOS", "tvOS"), ("VisionOS", "visionOS"), ("WEB", "Web"), ("Roku", "Roku"), ("", ""),
    ] as [(Bytes, Bytes)])
  func canonical(_ name: Bytes, _ expected: Bytes) {
    #expect(PlatformName.canonical(name) == expected)
  }

  @Test("all that is derived has one spelling, and the event keeps its own")
  func derived() throws {
    var script = EventScript()
    script.context = [.placementID: "paywall", .platform: "ANDROID"]
    script.appeared(0)
    script.add("purchase_started", 1, #"{"product":{"vendorProductId":"m"}}"#)
    script.add("purchase_failed", 2, #"{"error":{"adapty_code":2002}}"#)
    script.context[.platform] = "android"
    script.add("flow_screen_showed", 3, #"{"instanceId":"s"}"#)
    let outcome = try Pipeline.checked(
      yaml: """
        pipeline: p
        segments:
          google: profile.platform = 'Android'
        """
    ).outcome(script)
    #expect(outcome.profile.latest[.platform] == "Android")
    #expect(outcome.runs.map(\.platform) == ["Android"])
    #expect(outcome.purchases.map(\.scene.platform) == ["Android"])
    #expect(outcome.flowErrors.map(\.scene.platform) == ["Android"])
    #expect(outcome.flowErrors.map(\.name) == ["AUTHENTICATION_ERROR"])
    #expect(outcome.segments.map(\.segment) == ["google"])
    #expect(script.events.map { $0.context[.platform] }.contains("ANDROID"))
  }
}
