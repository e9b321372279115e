import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

/// Ids of one shard, so that one unit has them all.
private func ids(
  _ count: Int, from prefix: String = "p", in shard: Shard = Shard(of: "a", .system)
) -> [Bytes] {
  Array(
    (0...).lazy.map { Bytes("\(prefix)\($0)") }.filter { Shard(of: $0, .system) == shard }
      .prefix(count))
}

/// The example's outcome, but for one id a value that no database takes.
private func refusing(_ bad: Set<Bytes>) -> (PersonEvents, Instant) -> Outcome {
  { person, asOf in
    var outcome = exampleOutcome(person, asOf)
    if bad.contains(person.profileID) || !bad.isDisjoint(with: person.aliases) {
      outcome.profile.next.because = Bytes([0xFF, 0x41])
    }
    return outcome
  }
}

extension Store {
  fileprivate func shard(
    _ events: [Bytes: [Event]], _ job: Job, refold: Refold = .none,
    in shards: [Shard] = [Shard(of: "a", .system)],
    resolve: @escaping (PersonEvents, Instant) -> Outcome = exampleOutcome
  ) throws -> UnitCounts {
    // Numbers of all calls differ, so that units of one job never meet.
    let base = Int64.random(in: 1...1_000_000_000) << 20
    var number = base
    return try runShards(
      job, shards: shards, incoming: events, refold: refold,
      people: PeopleRules(),
      number: {
        number += 1
        return number
      }, resolve: resolve
    ).counts
  }

  fileprivate func quarantined() throws -> [[String?]] {
    try query(
      "select profile_id, reason, sqlstate from sluice.quarantined_profiles order by profile_id"
    ).rows
  }
}

/// Cases 46, 48 and 69: one bad row costs itself, and is not met for ever.
@Suite("Quarantine of refused and unreadable profiles")
struct QuarantinedProfileTests {
  private let asOf = at(minute: 1000)

  private func events(_ ids: [Bytes]) -> [Bytes: [Event]] {
    Dictionary(
      uniqueKeysWithValues: ids.map {
        ($0, [storeEvent("1", minute: 1), storeEvent("2", minute: 2)])
      })
  }

  @Test("one profile that the database refuses is set aside, all others of its unit land")
  func halving() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let job = try store.exampleJob()
    let all = ids(101)
    let bad = all[37]
    let counts = try store.shard(events(all), job, resolve: refusing([bad]))
    #expect(counts.sheet.accepted == 200)
    #expect(counts.sheet.quarantined == 2)
    #expect(counts.quarantinedProfiles == ["refused": 1])
    #expect(try store.quarantined() == [[bad.string, "refused", "22021"]])
    #expect(try store.query("select count(*) from sluice.profiles").rows == [["100"]])
    #expect(try store.finish(job, exit: .done).events == 202)
    // Later events of it are counted, and nothing else happens.
    let again = try store.exampleJob()
    let later = try store.shard(
      [bad: [storeEvent("3", minute: 3)]], again, resolve: refusing([bad]))
    #expect(later.sheet.quarantined == 1 && later.sheet.events == 1)
    #expect(later.inserted.isEmpty && later.deleted.isEmpty)

    let clean = try ScratchDatabase()
    let other = try clean.store()
    _ = try other.shard(events(all.filter { $0 != bad }), other.exampleJob())
    let dump = try store.dumpLines(asOf: asOf)
    #expect(
      dump.filter { $0 != "quarantined_profiles\t\(bad.string)\n" }
        == (try other.dumpLines(asOf: asOf)))
    #expect(dump.count == (try other.dumpLines(asOf: asOf)).count + 1)
  }

  @Test("who is refused when everything is derived anew is set aside, its rows are retracted")
  func refold() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let all = ids(30)
    _ = try store.shard(events(all), store.exampleJob())
    try store.refoldEverything(by: .example)
    let job = try store.exampleJob()
    let counts = try store.shard([:], job, refold: .all, resolve: refusing([all[3], all[20]]))
    #expect(counts.quarantinedProfiles == ["refused": 2])
    #expect(try store.pendingWork(for: job).isEmpty)
    #expect(try store.query("select count(*) from sluice.profiles").rows == [["28"]])
    #expect(
      try store.query(
        "select count(*) from sluice.flow_runs where profile_id = $1", [all[3].string]
      )
      .rows == [["0"]])
  }

  @Test("a released profile counts again with all that is stored of it")
  func release() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let all = ids(3)
    _ = try store.shard(events(all), store.exampleJob())
    let expected = try store.dumpLines(asOf: asOf)
    _ = try store.shard(
      [all[1]: [storeEvent("9", minute: 9)]], store.exampleJob(), resolve: refusing([all[1]]))
    #expect(try store.quarantined().count == 1)
    let job = try store.exampleJob()
    let number = Counter()
    func release(_ resolve: @escaping (PersonEvents, Instant) -> Outcome) throws -> Bool {
      try store.release(
        all[1], job, people: PeopleRules(), number: { number.take() }, resolve: resolve)
    }
    // What is still wrong is set aside again.
    #expect(try release(refusing([all[1]])))
    #expect(try store.quarantined().count == 1)
    #expect(try release(exampleOutcome))
    #expect(try store.quarantined().isEmpty)
    #expect(try store.dumpLines(asOf: asOf) == expected)
    #expect(try !release(exampleOutcome))
  }

  /// Their events count for nothing, and are stored all the same.
  @Test("erasure, retention, and export know what is kept of quarantined profiles")
  func privacy() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let all = ids(3)
    let (erased, aside, other) = (all[0], all[1], all[2])
    var stored = events(all)
    stored[aside]?.append(
      storeEvent(
        "m", minute: 3, name: "profile_merged",
        params: #"{"from":"\#(aside.string)","into":"\#(erased.string)"}"#))
    _ = try store.shard(stored, store.exampleJob())
    _ = try store.shard(
      [aside: [storeEvent("9", minute: 9)], other: [storeEvent("9", minute: 9)]],
      store.exampleJob(), resolve: refusing([aside, other]))
    #expect(try store.quarantined().map { $0[0] } == [aside.string, other.string].sorted())
    func kept(_ id: Bytes) throws -> [[String?]] {
      try store.query(
        "select n::text from sluice.profile_events where profile_id = $1", [id.string]
      ).rows
    }
    #expect(try kept(aside) == [["3"]] && kept(other) == [["2"]])

    _ = try store.expire(before: at(minute: 2))
    #expect(try kept(other) == [["1"]])
    #expect(try store.everything(about: other)?.events.count == 1)

    let done = try store.erase(
      ErasureRequest(ids: [erased]), store.exampleJob(), number: 1, resolve: exampleOutcome)
    #expect(done.ids == 2 && done.mentions == 0)
    #expect(try kept(aside).isEmpty && kept(erased).isEmpty && kept(other) == [["1"]])
    #expect(try store.quarantined().map { $0[0] } == [other.string])
  }

  @Test("a stored set that does not decode sets its profile aside, and hurts nobody else")
  func unreadable() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let all = ids(5)
    _ = try store.shard(events(all), store.exampleJob())
    try database.connection().execute(
      "update sluice.profile_events set events = '\\x01ff' where profile_id = $1",
      [.text(all[2])])
    let job = try store.exampleJob()
    let counts = try store.shard(
      Dictionary(uniqueKeysWithValues: all.map { ($0, [storeEvent("7", minute: 7)]) }), job)
    #expect(counts.sheet.accepted == 4)
    #expect(counts.sheet.quarantined == 1)
    #expect(try store.quarantined() == [[all[2].string, "unreadable", nil]])
    #expect(try store.fetchPerson(of: all[2]) == nil)
    #expect(try store.dumpLines(asOf: asOf).contains("quarantined_profiles\t\(all[2].string)\n"))
  }

  @Test("of a person of several ids, the one whose events are damaged is set aside, not the other")
  func damagedOfPerson() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let two = ids(2)
    let merge = storeEvent(
      "m", minute: 3, name: "profile_merged",
      params: #"{"from":"\#(two[1].string)","into":"\#(two[0].string)"}"#)
    _ = try store.shard(
      [two[0]: [storeEvent("1", minute: 1), merge], two[1]: [storeEvent("2", minute: 2)]],
      store.exampleJob())
    #expect(try store.query("select count(*) from sluice.profiles").rows == [["1"]])
    try database.connection().execute(
      "update sluice.profile_events set events = '\\x01ff' where profile_id = $1",
      [.text(two[1])])
    let counts = try store.shard([two[0]: [storeEvent("7", minute: 7)]], store.exampleJob())
    #expect(counts.sheet.accepted == 1)
    #expect(try store.quarantined() == [[two[1].string, "unreadable", nil]])
    #expect(try store.query("select events from sluice.profiles").rows == [["3"]])
  }

  @Test("a whole person is set aside where the rest of them is refused without the one")
  func person() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let two = ids(2)
    let merge = storeEvent(
      "m", minute: 3, name: "profile_merged",
      params: #"{"from":"\#(two[1].string)","into":"\#(two[0].string)"}"#)
    _ = try store.shard(
      [two[0]: [storeEvent("1", minute: 1), merge], two[1]: [storeEvent("2", minute: 2)]],
      store.exampleJob())
    let counts = try store.shard(
      [two[1]: [storeEvent("7", minute: 7)]], store.exampleJob(), resolve: refusing(Set(two)))
    #expect(counts.quarantinedProfiles == ["refused": 2])
    #expect(try store.query("select count(*) from sluice.profiles").rows == [["0"]])
    #expect(try store.query("select count(*) from sluice.profile_aliases").rows == [["0"]])
  }

  @Test("a fault that is nobody's own ends the job with 70 and its SQLSTATE")
  func everyone() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let job = try store.exampleJob()
    try database.connection().executeScript(
      "alter table sluice.profiles add constraint never check (false) not valid")
    let problem = try #require(throws: Problem.self) {
      try store.shard(events(ids(60)), job)
    }
    #expect(problem.exit == .bug)
    #expect(problem.message.contains("23514") && problem.message.contains("never"))
    #expect(try store.quarantined().count <= 21)
  }

  @Test("a unit of two shards sets aside as many as two units would")
  func severalShards() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let shards = [Shard(number: 3), Shard(number: 40)]
    let all = shards.flatMap { ids(20, in: $0) }
    let bad = Set(all[0..<15] + all[20..<35])
    let counts = try store.shard(
      events(all), store.exampleJob(), in: shards, resolve: refusing(bad))
    #expect(counts.sheet.accepted == 20)
    #expect(try Set(store.quarantined().compactMap { $0[0] }) == Set(bad.map(\.string)))
  }

  @Test("a constraint that one profile breaks sets that one aside")
  func constraint() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let all = ids(20)
    try database.connection().executeScript(
      "alter table sluice.profiles add constraint not_him check (profile_id <> '\(all[7].string)')")
    let counts = try store.shard(events(all), store.exampleJob())
    #expect(counts.sheet.accepted == 38)
    #expect(try store.quarantined() == [[all[7].string, "refused", "23514"]])
  }
}
