@testable import Core

/// Small random events over few ids, times and values, so that copies, ties and conflicts abound.
struct RandomEvents {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  mutating func event() -> Event {
    var context: [ContextKey: Bytes] = [:]
    for key in [ContextKey.placementID, .locale, .platform, .appVersion] where pick([true, false]) {
      context[key] = pick(["a", "b", "onboarding"])
    }
    let identity =
      pick([true, true, true, false])
      ? Identity(id: pick(["e1", "e2", "e3", "0b8f35d2-3b0a-4f5e-8a55-2f3f7c5d1e9a", "E4"]))
      : Identity(fingerprint: Bytes([UInt8](repeating: pick([1, 2]), count: 16)))
    return Event(
      identity: identity,
      name: pick(["flow_appeared", "flow_screen_showed", "flow_user_input", "x"]),
      sessionID: pick([nil, "s1", "s2"]),
      occurredAt: Instant(microseconds: pick([0, 1_000_000, 2_500_000, 1_772_359_200_000_000])),
      counter: pick([nil, 0, 1, -7, .max]),
      params: pick([.empty, "{}", #"{"value":"80"}"#, #"{"value":"é"}"#]),
      context: Context(context),
      sentAt: pick([nil, Instant(microseconds: 5), Instant(microseconds: 9)]),
      receivedAt: pick([nil, Instant(microseconds: 7)]),
      revision: pick([0, 0, 0, 1, 2]))
  }

  mutating func events(_ count: Int) -> [Event] { (0..<count).map { _ in event() } }
}
