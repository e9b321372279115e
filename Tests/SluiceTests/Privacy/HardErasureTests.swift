import Core
import Testing

@testable import Store
@testable import sluice

/// Spellings, damage, and what stands outside of the sets.
@Suite("Erasing people, the hard cases")
struct HardErasureTests {
  private static let mixed = "AbCdEf01-00aF-4a00-8000-00000000000B"
  private static let lower = "abcdef01-00af-4a00-8000-00000000000b"

  @discardableResult
  private func erase(_ ids: [Bytes], in store: Store, number: Int64 = 900) throws -> Erasure {
    try store.erase(
      ErasureRequest(ids: ids), try store.exampleJob(), number: number, resolve: exampleOutcome)
  }

  private func integration(_ params: String, _ id: String) -> Event {
    storeEvent(id, minute: 3, name: "profile_updated", params: params)
  }

  /// Each says in a spelling of its own that it belongs to an id.
  private var parts: [(Bytes, [Event])] {
    [
      ("a", [customerEvent("1", customer: Self.mixed, minute: 1), storeEvent("2", minute: 0)]),
      (
        "b",
        [
          integration(#"{"integration_ids":{"amplitude_device_id":"\#(Self.mixed)"}}"#, "1"),
          storeEvent("2", minute: 2),
        ]
      ),
      (
        "c",
        [
          integration(
            #"{"integration_ids":"{\"mixpanel_user_id\":\"caf\\u00e9 \\u0022x\\u0022\"}"}"#, "1"),
          storeEvent("2", minute: 2),
        ]
      ),
      (
        "d",
        [
          mergeEvent(Self.mixed.uppercased(), "d", minute: 5000), storeEvent("2", minute: 2),
        ]
      ),
      ("amplitude:\(Self.mixed)".bytes, [storeEvent("1", minute: 1)]),
      ("e", [storeEvent("1", minute: 1, params: #"{"value":"\#(Self.mixed) is a text"}"#)]),
    ]
  }

  @Test(
    "each spelling that is stored goes, of few ids and of many, whenever the erasure comes",
    arguments: [0, 100])
  func spellings(others: Int) throws {
    let whom: [Bytes] = [
      "cu:\(Self.mixed)".bytes, "amplitude:\(Self.mixed.uppercased())".bytes,
      #"mixpanel:café "x""#, Self.lower.bytes,
    ]
    for position in [0, 3, parts.count] {
      let database = try ScratchDatabase()
      let store = try database.store()
      try store.loadParts(Array(parts[..<position]))
      try erase(whom + (0..<others).map { Bytes("nobody \($0)") }, in: store)
      try store.loadParts(parts)
      // Of a, the id is the latest of the person, who goes as a whole where it was there to be found.
      let left = try store.profiles()
      #expect(Set(left).subtracting(["a"]) == ["b", "c", "d", "e"], "after \(position) parts")
      #expect(left.contains("a") == (position == 0))
      for id in ["b", "c", "d"] {
        #expect(
          try store.fetchEvents(of: Bytes(id))?.events.map(\.identity.bytes) == ["2"], "\(id)")
      }
      #expect(try store.fetchEvents(of: "e")?.events.count == 1)
    }
  }

  @Test(
    "damaged events of others hinder no erasure; those with bytes of the id are set aside and told",
    arguments: [0, 100])
  func damaged(others: Int) throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts([
      ("gone-for-good", [storeEvent("1", minute: 1), mergeEvent("gone-2", "gone-for-good")]),
      ("gone-2", [storeEvent("1", minute: 1)]), ("near", [storeEvent("1", minute: 1)]),
      ("far", [storeEvent("1", minute: 1)]), ("well", [mergeEvent("gone-2", "gone-for-good")]),
    ])
    let connection = try database.connection()
    for (id, bytes) in [("near", "x gone-for-good x"), ("far", "x"), ("gone-2", "x")] {
      try connection.execute(
        "update sluice.profile_events set events = convert_to($2, 'UTF8') where profile_id = $1",
        [.text(id), .text("\u{1}" + bytes)])
    }
    let erasure = try erase(
      ["gone-for-good"] + (0..<others).map { Bytes("nobody \($0)") }, in: store)
    #expect(erasure.people == 1 && erasure.events == 3 && erasure.mentions == 1)
    #expect(erasure.damaged == 1)
    #expect(try store.profiles() == ["far"])
    #expect(
      try store.query("select profile_id, reason from sluice.quarantined_profiles").rows
        == [["near", "unreadable"]])
    // What nobody can read is erased by its own id.
    #expect(try erase(["near"], in: store, number: 901).ids == 1)
    #expect(try database.traces(of: "gone-for-good") == [])
  }

  @Test(
    "whom a payload names is erased with it and stays out: a snapshot's customer, who shares a level",
    arguments: [
      ("profile_updated", #"{"customerUserId":"carl-4242","accessLevels":{}}"#),
      ("profile_updated", #"{"profile":{"customer_user_id":"carl-4242","access_levels":{}}}"#),
      ("purchase_finished", #"{"result":{"profile":{"customerUserId":"carl-4242"}}}"#),
      ("access_level_updated", #"{"user_attributes":"{\"customer_user_id\":\"carl-4242\"}"}"#),
      (
        "access_level_updated",
        #"{"profiles_sharing_access_level":[{"profile_id":"x","customer_user_id":"carl-4242"}]}"#
      ),
    ])
  func namedInPayload(name: String, params: String) throws {
    var event = storeEvent("1", minute: 1)
    event.name = Bytes(name)
    event.params = Bytes(params)
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts([("n1", [event, storeEvent("2", minute: 2)])])
    #expect(try erase(["cu:carl-4242"], in: store).mentions == 1)
    #expect(try database.traces(of: "carl-4242") == [])
    let again = try store.loadParts([("n1", [event]), ("n2", [event, storeEvent("3", minute: 3)])])
    #expect(again.sheet.erased == 2 && again.sheet.accepted == 1)
    #expect(try database.traces(of: "carl-4242") == [])
    // Who is named beside a level is no customer, but a person's profile.
    if params.contains("sharing") {
      #expect(try erase(["x"], in: store, number: 901).unknown == 1)
      #expect(try store.loadParts([("n3", [event])]).sheet.erased == 1)
    }
  }

  @Test("an erasure that is lifted lets the id in again, and no other")
  func lift() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try erase(["a", "b", "cu:\(Self.mixed)".bytes], in: store)
    #expect(try store.liftErasure(of: ErasureRequest(ids: ["a", "nobody"])) == 1)
    #expect(try store.liftErasure(of: ErasureRequest(ids: ["a"])) == 0)
    let parts: [(Bytes, [Event])] = [
      ("a", [storeEvent("1", minute: 1), customerEvent("2", customer: Self.lower, minute: 2)]),
      ("b", [storeEvent("1", minute: 1)]),
    ]
    #expect(try store.loadParts(parts).sheet.erased == 2)
    #expect(try store.profiles() == ["a"])
    #expect(try store.liftErasure(of: ErasureRequest(ids: ["cu:\(Self.lower)".bytes])) == 1)
    #expect(try store.loadParts(parts).sheet.erased == 1)
  }

  @Test("the list of who was erased erases them in a backup, their merges and mentions too")
  func backup() throws {
    let parts: [(Bytes, [Event])] = [
      ("p1", [storeEvent("1", minute: 1)]), ("p2", [mergeEvent("p2", "p1", minute: 2)]),
      ("p3", [customerEvent("1", customer: Self.mixed, minute: 1), storeEvent("2", minute: 0)]),
      ("p4", [storeEvent("1", minute: 1)]),
    ]
    let first = try ScratchDatabase()
    let store = try first.store()
    try store.loadParts(parts)
    try erase(["p2", "cu:\(Self.lower)".bytes, "never-seen"], in: store)
    let text = try store.erasedHashes().text
    #expect(text.split(separator: "\n").count == 1 + 5 + 1)
    let list = try #require(ErasedHashes(text: text))
    #expect(try list == store.erasedHashes())
    #expect(ErasedHashes(text: text.dropLast(2) + "\n") == nil && ErasedHashes(text: "x") == nil)
    // Cut behind a line, it would leave people in who were erased.
    var lines = text.split(separator: "\n").map(String.init)
    lines.removeLast()
    #expect(ErasedHashes(text: lines.joined(separator: "\n") + "\n") == nil)
    let old = lines.joined(separator: "\n").replacing("erasures 2", with: "erasures 1")
    #expect(ErasedHashes(text: old) == list)

    // A backup has the key, and nothing of the erasure.
    let second = try ScratchDatabase()
    let restored = try second.store()
    let key = try first.connection().execute("select key from sluice.erasure_key").array(0, 0)
    try second.connection().execute("update sluice.erasure_key set key = $1", [.bytea(key)])
    try restored.loadParts(parts)
    #expect(try restored.planErasure(ErasureRequest(list)).people == 2)
    let done = try restored.erase(
      ErasureRequest(list), try restored.exampleJob(), number: 900, resolve: exampleOutcome)
    #expect(done.people == 2 && done.ids == 4)
    #expect(
      try restored.dumpLines(asOf: at(minute: 1000)) == store.dumpLines(asOf: at(minute: 1000)))
    #expect(try restored.erasedHashes() == list)
    #expect(
      try restored.loadParts([("never-seen", [storeEvent("1", minute: 1)])]).sheet.erased == 1)
  }

  @Test("names that are an erased id, or hold a long one, count on without a name")
  func names() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let job = try store.exampleJob()
    func names(_ names: [String]) -> UnknownNames {
      names.reduce(into: UnknownNames()) { $0.add(UnknownName(.event, Bytes($1)), 2) }
    }
    try store.addUnknownNames(
      names(["p1", "p1 tapped", "user-12345678 tapped", "USER-12345678", "tapped"]),
      from: "canonical", job)
    try store.recordSources(#"{"canonical":["flow_appeared","p1"],"segment":["p1"]}"#, job)
    #expect(try erase(["p1", "user-12345678"], in: store).names == 3)
    #expect(
      try store.query("select name, n from sluice.unknown_names order by name").rows
        == [["", "6"], ["p1 tapped", "2"], ["tapped", "2"]])
    #expect(try store.erasedNames(among: ["p1", "P1", "other"]) == ["p1"])
    #expect(
      try store.query(
        "select sources::text from sluice.job_runs where job_id::text = $1", [String(job.id)]
      ).rows == [[#"{"segment": [], "canonical": ["flow_appeared"]}"#]])
  }

  @Test("10,000 ids are erased in one go")
  func many() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let job = try store.exampleJob()
    let ids = (0..<300).map { Bytes("p\($0)") }
    try store.load(
      Dictionary(uniqueKeysWithValues: ids.map { ($0, [storeEvent("1", minute: 1)]) }), job)
    let erasure = try erase((100..<10_100).map { Bytes("p\($0)") }, in: store)
    #expect(erasure.people == 200 && erasure.unknown == 9_800)
    #expect(try store.profiles().count == 100)
  }

  @Test("what is kept of a quarantined profile loses what a new pipeline drops at once")
  func quarantinedDrop() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let job = try store.exampleJob()
    try store.load(
      [
        "p": [
          storeEvent("1", minute: 1, params: #"{"element_id":"mail","value":"marker@x"}"#),
          storeEvent("2", minute: 2),
        ]
      ], job)
    try database.connection().execute(
      "insert into sluice.quarantined_profiles (profile_id, reason, job_id) values ('p', 'refused', 1)"
    )
    try store.startGeneration(
      .second, attributes: [], segments: [], privacy: PrivacyRules(elements: ["Mail"]))
    #expect(try database.traces(of: "marker@").filter { $0.hasPrefix("profile_events") } == [])
    #expect(
      try store.query("select n from sluice.profile_events where profile_id = 'p'").rows == [["1"]])
  }
}

extension String {
  fileprivate var bytes: Bytes { Bytes(self) }
}
