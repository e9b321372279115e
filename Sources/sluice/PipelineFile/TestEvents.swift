internal import Core
internal import Ingest

/// What the reader of events makes of a test's events and of the members of its profile.
///
/// Each is read by the decoder that reads everyone's events: what it refuses there, a test has not.
struct TestEvents {
  private let primitives: Primitives
  private let limits: ReadLimits

  init(_ primitives: Primitives, _ limits: ReadLimits) {
    self.primitives = primitives
    self.limits = limits
  }

  /// The events of canonical envelopes, and which of them are refused and why.
  func read(
    _ texts: [Located<Bytes>]
  ) -> (events: [ProfileEvent], refused: [(index: Int, reason: String)]) {
    let lines = Array(texts.map { $0.value.array }.joined(separator: [0x0A]))
    var reader = ChunkReader(MemorySource(lines, name: "events"), limits: limits)
    var events: [ProfileEvent] = []
    var refused: [(index: Int, reason: String)] = []
    while let chunk = try? reader.next() {
      let decoded = decode(chunk: chunk, limits: limits, primitives: primitives)
      events += decoded.events
      refused += decoded.rejections.map { rejection in
        let field = rejection.field.isEmpty ? "" : " " + rejection.field
        return (Int(rejection.line) - 1, rejection.reason.rawValue + field)
      }
    }
    return (events, refused)
  }

  /// A person's members as an event would have them; those that cannot be read are not in it.
  func context(of members: [PipelineTest.Member]) -> [ContextKey: Bytes] {
    members.reduce(into: [:]) { known, member in
      let text = Bytes(
        #"{"event_name":"app_opened","occurred_at":"2026-01-01T00:00:00Z","profile_id":"p","#
          + jsonText(member.name.value) + ":" + jsonText(member.text) + "}")
      let event = read([Located(text, at: member.name.position)]).events.first?.event
      for key in ContextKey.allCases where key.name == member.name.value {
        known[key] = event?.context[key]
      }
    }
  }

  /// All of it that cannot be read, in some tests.
  func problems(of tests: [PipelineTest]) -> [PipelineProblem] {
    tests.flatMap { test in
      let refused = read(test.events).refused.map { index, reason in
        PipelineProblem(
          at: test.events[min(max(index, 0), test.events.count - 1)].position,
          "this event is refused: \(reason)")
      }
      let known = context(of: test.profile)
      let unread = test.profile.filter { member in
        guard let key = ContextKey.allCases.first(where: { $0.name == member.name.value }) else {
          return false
        }
        return known[key] == nil
      }
      return refused
        + unread.map {
          PipelineProblem(
            at: $0.name.position,
            "`\($0.name.value.string)` cannot be read from this: an event that says so would lack it"
          )
        }
    }
  }
}
