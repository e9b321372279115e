import Testing

@testable import Core
@testable import sluice

@Suite("The set of events")
struct EventSetTests {
  private func set(_ events: [Event]) -> EventSet { EventSet(profileID: "p", events: events) }

  @Test("union is associative, commutative and idempotent, for 2,000 random triples of sets")
  func laws() {
    var source = RandomEvents(seed: 1)
    for run in 1...2_000 {
      let (a, b, c) = (source.events(5), source.events(4), source.events(3))
      #expect(set(a + b) == set(b + a), "seed 1, run \(run)")
      #expect(set(a + a) == set(a), "seed 1, run \(run)")
      let left = set(set(a + b).copies + c)
      let right = set(a + set(b + c).copies)
      #expect(left == right, "seed 1, run \(run)")
      #expect(left == set((a + b + c).shuffled(using: &source.random)), "seed 1, run \(run)")
    }
  }

  @Test("decoding what was encoded gives the same set, and equal sets have equal digests")
  func codec() throws {
    var source = RandomEvents(seed: 2)
    for run in 1...2_000 {
      let original = set(source.events(Int.random(in: 0...12, using: &source.random)))
      let decoded = try EventSet.decode(original.encoded(), profileID: "p")
      #expect(decoded == original, "seed 2, run \(run)")
      #expect(decoded.digest(.system) == original.digest(.system), "seed 2, run \(run)")
    }
  }

  @Test("damaged bytes are refused or read as some set, and never end the program")
  func damage() {
    var source = RandomEvents(seed: 3)
    for _ in 1...3_000 {
      var bytes = set(source.events(6)).encoded()
      for _ in 0...2 {
        bytes[Int.random(in: 0..<bytes.count, using: &source.random)] = .random(
          in: 0...255, using: &source.random)
      }
      if Bool.random(using: &source.random) { bytes.removeLast(min(bytes.count, 9)) }
      _ = try? EventSet.decode(bytes, profileID: "p")
    }
    #expect(throws: CodecProblem.unknownCodec(9)) {
      try EventSet.decode([9, 0], profileID: "p")
    }
    #expect(throws: CodecProblem.damaged) { try EventSet.decode([], profileID: "p") }
  }

  @Test("the encoding of a known set never changes")
  func frozenEncoding() {
    let known = set([
      Event(
        identity: Identity(id: "0b8f35d2-3b0a-4f5e-8a55-2f3f7c5d1e9a"), name: "flow_appeared",
        sessionID: "s", occurredAt: Instant(microseconds: 1_000_000), counter: 1,
        context: Context([.locale: "en_US"])),
      Event(
        identity: Identity(id: "b"), name: "flow_user_input", sessionID: "s",
        occurredAt: Instant(microseconds: 2_000_000), params: "{}",
        context: Context([.locale: "en_US"]), sentAt: Instant(microseconds: 2_000_001)),
    ])
    #expect(
      hex(known.encoded()).string
        == "01020e0b8f35d23b0a4f5e8a552f3f7c5d1e9a000d666c6f775f61707065617265640001738089"
        + "7a0200010d0005656e5f555334016200"
        + "0f666c6f775f757365725f696e7075740280897a01027b7d02")
  }

  @Test("a richer copy is not hidden by a poorer one, and a higher revision replaces both")
  func joining() {
    let time = Instant(microseconds: 5)
    let poor = Event(identity: Identity(id: "e"), name: "n", occurredAt: time)
    var rich = poor
    rich.context = Context([.country: "DE"])
    #expect(poor.joined(with: rich).context[.country] == "DE")
    var corrected = poor
    corrected.name = "z"
    corrected.revision = 1
    #expect(rich.joined(with: corrected) == corrected)
  }

  @Test("the union counts what is new, what is a copy and what contradicts")
  func counting() {
    let event = Event(
      identity: Identity(id: "e"), name: "n", occurredAt: Instant(microseconds: 5))
    var other = event
    other.name = "m"
    var known = set([])
    var counts = EventSet.Counts()
    known.formUnion([event, event, other], counting: &counts)
    #expect((counts.accepted, counts.duplicate, counts.conflict) == (1, 1, 1))
  }
}

@Suite("Fingerprints")
struct FingerprintTests {
  private let event = Event(
    identity: Identity(id: ""), name: "flow_user_input", sessionID: "s",
    occurredAt: Instant(microseconds: 1_772_359_200_000_000), counter: 3,
    params: #"{"element_id":"birthday","value":645408000000}"#,
    context: Context([.placementID: "onboarding", .locale: "en_US"]))

  private func fingerprint(_ event: Event) -> Bytes {
    Fingerprint.v1(profileID: "p", event: event, primitives: .system)
  }

  @Test("the vector of version 1 never changes")
  func vector() {
    #expect(hex(fingerprint(event).slice).string == "031db8a5f7c4a8bb4e65ab2e0816a03a")
  }

  @Test("the spellings of one number by two platforms are one event")
  func spelling() {
    var android = event
    android.params = #"{"element_id":"birthday","value":6.45408E11}"#
    #expect(fingerprint(android) == fingerprint(event))
  }

  @Test("a number inside a string keeps its spelling")
  func textKept() {
    var (a, b) = (event, event)
    a.params = #"{"value":"1.0"}"#
    b.params = #"{"value":"1"}"#
    #expect(fingerprint(a) != fingerprint(b))
  }

  @Test("transport times and descriptive context do not count; placement and counter do")
  func scope() {
    var other = event
    other.sentAt = Instant(microseconds: 1)
    other.context = Context([.placementID: "onboarding", .locale: "de_DE"])
    #expect(fingerprint(other) == fingerprint(event))
    other.counter = 4
    #expect(fingerprint(other) != fingerprint(event))
  }
}

@Suite("Shards")
struct ShardTests {
  @Test(
    "the shard of a profile never changes",
    arguments: [("p", 3), ("ae40a677-8ab9-525f-991b-f98aae8cd047", 45), ("é", 38)]
      as [(String, Int)])
  func vectors(profile: String, shard: Int) {
    #expect(Int(Shard(of: Bytes(profile), .system).number) == shard)
  }
}
