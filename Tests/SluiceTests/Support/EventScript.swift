@testable import Core

/// Writes a profile's events down in few words, for tests of the fold.
///
/// Times are seconds after 2026-03-01T10:00:00Z; ids count up, so that a script is the same set each time.
struct EventScript {
  static let start = Instant(microseconds: 1_772_359_200_000_000)

  private(set) var events: [Event] = []
  var session: Bytes? = "s1"
  var context: [ContextKey: Bytes] = [.placementID: "onboarding", .locale: "en_US"]
  /// Counters are given only where a test is about them.
  var counter: Int64?

  static func at(_ seconds: Double) -> Instant {
    start.adding(microseconds: Int64(seconds * 1_000_000))
  }

  mutating func add(_ name: Bytes, _ seconds: Double, _ params: Bytes = .empty, id: Bytes? = nil) {
    let number = String(events.count)
    let padded = String(repeating: "0", count: max(0, 4 - number.utf8.count)) + number
    events.append(
      Event(
        identity: Identity(id: id ?? Bytes("e" + padded)), name: name, sessionID: session,
        occurredAt: Self.at(seconds), counter: counter, params: params, context: Context(context)))
    if let counter { self.counter = counter + 1 }
  }

  mutating func appeared(_ seconds: Double) { add("flow_appeared", seconds) }
  mutating func disappeared(_ seconds: Double) { add("flow_disappeared", seconds) }

  mutating func screen(_ seconds: Double, _ id: String, last: Bool = false, order: Int? = nil) {
    let order = order.map { #","screen_order":\#($0)"# } ?? ""
    add(
      "flow_screen_showed", seconds,
      Bytes(#"{"instanceId":"\#(id)","is_last_screen":\#(last)\#(order)}"#))
  }

  mutating func input(
    _ seconds: Double, _ element: String, _ value: String, type: String = "number_input",
    screen: String = "scr_body"
  ) {
    input(seconds, element, json: "\"\(value)\"", type: type, screen: screen)
  }

  mutating func input(
    _ seconds: Double, _ element: String, json: String, type: String = "number_input",
    screen: String = "scr_body"
  ) {
    add(
      "flow_user_input", seconds,
      Bytes(
        #"{"element_id":"\#(element)","element_type":"\#(type)","instanceId":"\#(screen)","value":\#(json)}"#
      ))
  }

  /// A whole onboarding: weight and height answered, the last screen reached, the flow closed.
  mutating func onboarding(_ seconds: Double, weight: String, height: String) {
    appeared(seconds)
    screen(seconds + 1, "scr_body")
    input(seconds + 2, "weight", weight)
    input(seconds + 3, "height", height)
    screen(seconds + 4, "scr_done", last: true)
    disappeared(seconds + 5)
  }
}

extension PipelineSource {
  /// A pipeline with flows alone: name → placement ids.
  static func flowsOnly(_ flows: [(Bytes, [Bytes])]) -> PipelineSource {
    let here = SourcePosition(line: 1, column: 1)
    var source = PipelineSource(name: Located("test", at: here))
    for (name, placements) in flows {
      var flow = FlowSource(name: Located(name, at: here))
      flow.placements = placements.map { Located($0, at: here) }
      source.flows.append(flow)
    }
    return source
  }
}
