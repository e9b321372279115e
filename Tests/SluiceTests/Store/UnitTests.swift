import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

@Suite("Units")
struct UnitTests {
  private let three: [Bytes: [Event]] = [
    "a": [storeEvent("1", minute: 1), storeEvent("2", minute: 2), storeEvent("3", minute: 3)],
    "b": [storeEvent("1", minute: 1, params: #"{"v":"a \"b\""}"#)],
    "c": [storeEvent("1", minute: 5), storeEvent("2", minute: 6)],
  ]

  private func counts(_ store: Store, _ table: String) throws -> String? {
    try store.query("select count(*) from sluice.\(table)").rows[0][0]
  }

  @Test("events and what follows from them are stored, and counted")
  func first() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let job = try store.exampleJob()
    let sums = try store.load(three, job)
    #expect(sums.sheet.accepted == 6)
    #expect(sums.profiles == 3)
    #expect(sums.newProfiles == 3)
    #expect(sums.inserted["flow_runs"] == 3)
    #expect(sums.entered == ["many": 1])
    #expect(try counts(store, "profile_events") == "3")
    #expect(try counts(store, "profiles") == "3")
    #expect(try counts(store, "attribute_history") == "3")
    #expect(try store.fetchEvents(of: "a") == EventSet(profileID: "a", events: three["a"] ?? []))
    #expect(try store.fetchEvents(of: "z") == nil)
    let sheet = try store.finish(job, exit: .done)
    #expect(sheet.accepted == 6)
    #expect(sheet.events == 6)
    #expect(
      try store.query("select state, counts ->> 'accepted' from sluice.job_runs").rows
        == [["done", "6"]])
    #expect(
      try store.query(
        "select is_test_user, installed_at, platform from sluice.profiles where profile_id = 'a'"
      ).rows == [["t", "2026-03-01 10:00:00+00", "ios"]])
  }

  @Test("the same events again write no row")
  func again() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.load(three, store.exampleJob())
    let before = try store.rowVersions()
    let job = try store.exampleJob()
    #expect(try store.pendingWork(for: job).isEmpty)
    let sums = try store.load(three, job)
    #expect(sums.sheet.duplicate == 6)
    #expect(sums.sheet.accepted == 0)
    #expect(sums.profiles == 0)
    #expect(try store.rowVersions() == before)
  }

  @Test("deriving everything anew writes no row where nothing differs")
  func refoldNothing() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.load(three, store.exampleJob())
    let isSame = "tableoid <> 'sluice.shard_state'::regclass"
    let before = try store.rowVersions(where: isSame)
    try store.refoldEverything(by: .example)
    let sums = try store.settle(store.exampleJob())
    #expect(sums.profiles == 3)
    #expect(try store.rowVersions(where: isSame) == before)
  }

  @Test("a late event touches only rows of its profile that differ")
  func late() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.load(three, store.exampleJob())
    let others = try store.rowVersions(where: "profile_id <> 'c'")
    let firstInterval = """
      select xmin::text from sluice.attribute_history where profile_id = 'c' order by from_at limit 1
      """
    let decisionBefore = try store.query(firstInterval).rows
    let sums = try store.load(["c": [storeEvent("3", minute: 7)]], store.exampleJob())
    #expect(sums.sheet.accepted == 1)
    #expect(sums.inserted["attribute_history"] == 1)
    #expect(sums.deleted["attribute_history"] == nil)
    #expect(sums.nextPlacementChanges == 1)
    #expect(sums.entered == ["many": 1])
    #expect(try store.rowVersions(where: "profile_id <> 'c'") == others)
    #expect(try store.query(firstInterval).rows == decisionBefore)
  }

  @Test("rows that no longer hold are retracted")
  func retracted() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.load(three, store.exampleJob())
    try store.refoldEverything(by: .example)
    let sums = try store.settle(store.exampleJob()) { set, asOf in
      var outcome = exampleOutcome(set, asOf)
      outcome.segments = []
      outcome.runs = []
      return outcome
    }
    #expect(sums.left == ["many": 1])
    #expect(try counts(store, "flow_runs") == "0")
    #expect(try counts(store, "segment_members") == "0")
  }

  @Test("any order, split and overlap of the same events gives the same dump")
  func law() throws {
    let all = (0..<40).flatMap { profile in
      (0..<(profile % 7 + 1)).map { number in
        (
          Bytes("p\(profile)"),
          storeEvent("\(number)", minute: Int64(number * 3 + profile), session: "s\(number % 2)")
        )
      }
    }
    func grouped(_ events: some Sequence<(Bytes, Event)>) -> [Bytes: [Event]] {
      Dictionary(grouping: events) { $0.0 }.mapValues { $0.map(\.1) }
    }
    let one = try ScratchDatabase()
    let store = try one.store()
    try store.load(grouped(all), store.exampleJob())
    let expected = try store.dumpLines(asOf: at(minute: 1000))
    #expect(expected.count > 200)

    var random = SystemRandomNumberGenerator()
    let other = try ScratchDatabase()
    let second = try other.store()
    let shuffled = all.shuffled(using: &random)
    for start in stride(from: 0, to: shuffled.count, by: 23) {
      let part = shuffled[max(0, start - 9)..<min(shuffled.count, start + 23)]
      try second.load(grouped(part), second.exampleJob())
    }
    #expect(try second.dumpLines(asOf: at(minute: 1000)) == expected)
  }

  @Test("two connections that write one shard at once end with both their events")
  func together() async throws {
    let database = try ScratchDatabase()
    let setup = try database.store()
    let job = try setup.exampleJob()
    let address = database.address
    let shard = Shard(of: "a", .system)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          let store = try Store(
            address, schema: SchemaName("sluice", .system), sqlFolder: SQLFolder(),
            primitives: .system)
          for number in 0..<10 {
            let event = storeEvent("\(worker)-\(number)", minute: Int64(worker * 10 + number))
            _ = try store.runUnit(
              job, number: Int64(worker * 10 + number), shard: shard, incoming: ["a": [event]],
              resolve: exampleOutcome)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try setup.fetchEvents(of: "a")?.events.count == 40)
    let one = try ScratchDatabase()
    let alone = try one.store()
    let events = (0..<40).map { storeEvent("\($0 / 10)-\($0 % 10)", minute: Int64($0)) }
    try alone.load(["a": events], alone.exampleJob())
    #expect(
      try setup.dumpLines(asOf: at(minute: 1000)) == alone.dumpLines(asOf: at(minute: 1000)))
  }

  @Test(
    "a value that the database refuses ends in 70, named by shard and SQLSTATE, and leaves nothing")
  func dataError() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let job = try store.exampleJob()
    let problem = try #require(throws: Problem.self) {
      try store.load(["a": [storeEvent("1", minute: 1)]], job) { set, asOf in
        var outcome = exampleOutcome(set, asOf)
        outcome.profile.next.because = Bytes([0xFF, 0x41])
        return outcome
      }
    }
    #expect(problem.exit == .bug)
    #expect(problem.place == "shard \(Shard(of: "a", .system).number)")
    #expect(problem.message.contains("22021"))
    #expect(try store.fetchEvents(of: "a") == nil)
    #expect(try counts(store, "job_units") == "0")
    try store.load(three, job)
  }

  @Test("a unit whose connection is killed is done again")
  func killed() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let other = try database.connection()
    let job = try store.exampleJob()
    var isKilled = false
    let sums = try store.load(three, job) { set, asOf in
      if !isKilled {
        isKilled = true
        let pid = store.backendPID
        _ = try? other.execute("select pg_terminate_backend($1, 5000)", [.int4(pid)])
      }
      return exampleOutcome(set, asOf)
    }
    #expect(isKilled)
    #expect(sums.sheet.accepted == 6)
    #expect(try store.finish(job, exit: .done).accepted == 6)
    #expect(try counts(store, "profiles") == "3")
  }

  @Test("a commit whose answer is lost counts once", .enabled(if: ScratchServer.isPrivate))
  func lostCommit() throws {
    let database = try ScratchDatabase()
    let job = try database.store().exampleJob()
    let proxy = try CommitEatingProxy(before: database)
    let store = try Store(
      proxy.address, schema: SchemaName("sluice", .system), sqlFolder: SQLFolder(),
      primitives: .system)
    var calls = 0
    let result = try store.runUnit(
      job, number: 7, shard: Shard(of: "a", .system), incoming: ["a": three["a"] ?? []]
    ) { set, asOf in
      calls += 1
      return exampleOutcome(set, asOf)
    }
    #expect(proxy.eaten == 1)
    #expect(calls == 1)
    #expect(result.counts.sheet.accepted == 3)
    #expect(try counts(store, "job_units") == "1")
    #expect(try store.finish(job, exit: .done).accepted == 3)
  }

  @Test("a server that stays away is told as 75")
  func away() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let job = try store.exampleJob()
    let other = try database.connection()
    let problem = try #require(throws: Problem.self) {
      try store.load(three, job) { set, asOf in
        _ = try? other.execute("select pg_terminate_backend($1, 5000)", [.int4(store.backendPID)])
        return exampleOutcome(set, asOf)
      }
    }
    #expect(problem.exit == .tryAgain)
  }

  @Test("events of another shard are refused")
  func otherShard() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let job = try store.exampleJob()
    let other = Shard(number: Shard(of: "a", .system).number ^ 1)
    let problem = try #require(throws: Problem.self) {
      try store.runUnit(job, number: 0, shard: other, incoming: three, resolve: exampleOutcome)
    }
    #expect(problem.exit == .bug)
  }

  @Test("shard(text) agrees with the program")
  func shards() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let ids = (0..<200).map { "é\($0)" }
    let rows = try store.query(
      "select sluice.shard(id) from unnest(string_to_array($1, ',')) with ordinality as t(id, n) order by n",
      [ids.joined(separator: ",")]
    ).rows
    #expect(rows.map { $0[0] } == ids.map { String(Shard(of: Bytes($0), .system).number) })
  }
}
