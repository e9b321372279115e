@testable import Core
@testable import sluice

/// Any bytes as a stored event set, or, behind an `e`, as a script that makes one.
enum CodecInput {
  static func read(_ bytes: [UInt8]) {
    guard bytes.first == UInt8(ascii: "e") else { return readStored(bytes) }
    var script = Script(rest: bytes.dropFirst())
    var events: [Event] = []
    while !script.rest.isEmpty, events.count < 20 { events.append(script.event()) }
    let set = EventSet(profileID: "p", events: events)
    checkRoundTrip(set)
    let reversed = EventSet(profileID: "p", events: events.reversed())
    demand(reversed == set && reversed.encoded() == set.encoded(), "order changes nothing")
  }

  private static func readStored(_ bytes: [UInt8]) {
    guard let set = try? EventSet.decode(bytes, profileID: "p") else { return }
    checkRoundTrip(set)
  }

  private static func checkRoundTrip(_ set: EventSet) {
    let encoded = set.encoded()
    let decoded = try? EventSet.decode(encoded, profileID: "p")
    demand(decoded == set, "what was encoded is decoded as it was")
    demand(decoded?.encoded() == encoded, "equal sets have equal bytes")
    demand(decoded?.digest(.system) == set.digest(.system), "equal sets have equal digests")
  }
}

/// Bytes that say what to make next; zeros where they end.
private struct Script {
  var rest: ArraySlice<UInt8>

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func number() -> Int64 {
    let width = Int(byte() % 9)
    return (0..<width).reduce(0) { number, _ in number << 8 | Int64(byte()) }
  }

  /// Any that a reader accepts.
  mutating func time() -> Instant {
    Instant(microseconds: Int64(number().magnitude % UInt64(Instant.end.microseconds)))
  }

  mutating func text() -> Bytes {
    let count = Int(byte() % 40)
    let text = Array(rest.prefix(count))
    rest = rest.dropFirst(count)
    return Bytes(text)
  }

  mutating func optional<Part>(_ part: (inout Self) -> Part) -> Part? {
    byte() & 1 == 0 ? nil : part(&self)
  }

  mutating func event() -> Event {
    let identity =
      byte() & 1 == 0
      ? Identity(id: text())
      : Identity(fingerprint: Bytes([UInt8](repeating: byte(), count: 16)))
    var context: [ContextKey: Bytes] = [:]
    for key in ContextKey.allCases.prefix(Int(byte() % 8)) {
      if let value = optional({ $0.text() }), !value.isEmpty { context[key] = value }
    }
    return Event(
      identity: identity, name: text(),
      sessionID: optional { $0.text() }.flatMap { $0.isEmpty ? nil : $0 },
      occurredAt: time(), counter: optional { $0.number() },
      params: text(), context: Context(context),
      sentAt: optional { $0.time() }, receivedAt: optional { $0.time() },
      revision: optional { $0.number() } ?? 0)
  }
}
