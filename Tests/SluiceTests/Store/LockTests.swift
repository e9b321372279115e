import Core
import Foundation
import Synchronization
import Testing

@testable import Store
@testable import sluice

/// Work on a thread of its own, started while a unit is in the middle of its transaction.
private final class Sideways: Sendable {
  private let failure = Mutex<(any Error)?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  func start(_ body: @escaping @Sendable () throws -> Void) {
    Thread.detachNewThread {
      do { try body() } catch { self.failure.withLock { $0 = error } }
      self.isDone.signal()
    }
  }

  /// True while the work has not ended.
  var isRunning: Bool {
    guard isDone.wait(timeout: .now()) == .success else { return true }
    isDone.signal()
    return false
  }

  func join() throws {
    #expect(isDone.wait(timeout: .now() + 20) == .success)
    if let error = failure.withLock({ $0 }) { throw error }
  }
}

@Suite("Locks")
struct LockTests {
  /// Waits until someone else waits for a lock of the schema: 0–63 are shards, -1 is the schema's.
  private func isWaitedFor(_ number: Int32, _ eye: Connection) throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(5)
    while ContinuousClock.now < deadline {
      let rows = try eye.execute(
        """
        select 1 from pg_locks
        where locktype = 'advisory' and not granted and objid::bigint = $1
          and database = (select oid from pg_database where datname = current_database())
        """, [.int8(Int64(UInt32(bitPattern: number)))])
      if rows.count > 0 { return true }
      usleep(2000)
    }
    return false
  }

  private func store(_ address: DatabaseAddress, _ folder: SQLFolder? = nil) throws -> Store {
    try Store(
      address, schema: SchemaName("sluice", .system), sqlFolder: folder ?? SQLFolder(),
      primitives: .system)
  }

  @Test(
    "a unit waits for another one on its shard, and reads what that one wrote",
    arguments: [false, true])
  func shard(isKnown: Bool) throws {
    let database = try ScratchDatabase()
    let first = try database.store()
    let job = try first.exampleJob()
    if isKnown { try first.load(["a": [storeEvent("0", minute: 0)]], job) }
    let (eye, address, shard) = (
      try database.connection(), database.address, Shard(of: "a", .system)
    )
    let second = Sideways()
    var wasWaitedFor = false
    _ = try first.runUnit(
      job, number: 101, shard: shard, incoming: ["a": [storeEvent("1", minute: 1)]]
    ) { set, asOf in
      second.start {
        _ = try store(address).runUnit(
          job, number: 102, shard: shard, incoming: ["a": [storeEvent("2", minute: 2)]],
          resolve: exampleOutcome)
      }
      wasWaitedFor = (try? isWaitedFor(Int32(shard.number), eye)) == true
      return exampleOutcome(set, asOf)
    }
    try second.join()
    #expect(wasWaitedFor)
    let ids = try first.fetchEvents(of: "a")?.events.map { $0.identity.bytes.string }
    #expect(ids == (isKnown ? ["0", "1", "2"] : ["1", "2"]))
    #expect(
      try first.query("select events from sluice.profiles").rows == [[isKnown ? "3" : "2"]])
  }

  @Test("a unit does not wait for another shard's")
  func otherShard() throws {
    let database = try ScratchDatabase()
    let first = try database.store()
    let job = try first.exampleJob()
    let address = database.address
    let names = (0..<50).map { Bytes("p\($0)") }
    let other = try #require(names.first { Shard(of: $0, .system) != Shard(of: "a", .system) })
    let second = Sideways()
    var ended = false
    _ = try first.runUnit(
      job, number: 1, shard: Shard(of: "a", .system),
      incoming: ["a": [storeEvent("1", minute: 1)]]
    ) { set, asOf in
      second.start {
        _ = try store(address).runUnit(
          job, number: 2, shard: Shard(of: other, .system),
          incoming: [other: [storeEvent("1", minute: 1)]], resolve: exampleOutcome)
      }
      ended = (try? second.join()) != nil
      return exampleOutcome(set, asOf)
    }
    #expect(ended)
  }

  @Test("an update names the digest it read: a set that moved meanwhile is read and joined again")
  func digest() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let job = try store.exampleJob()
    let (one, two, hidden) = (
      storeEvent("1", minute: 1), storeEvent("2", minute: 2), storeEvent("9", minute: 9)
    )
    try store.load(["a": [one]], job)
    let moved = EventSet(profileID: "a", events: [one, hidden])
    let other = try database.connection()
    var calls = 0
    let sums = try store.load(["a": [two]], job, from: 100) { set, asOf in
      calls += 1
      if calls == 1 {
        // Someone writes without the lock, after the set was read.
        _ = try? other.execute(
          "update sluice.profile_events set events = $1, n = 2, digest = $2 where profile_id = 'a'",
          [.bytea(moved.encoded()), .bytea(moved.digest(.system))])
      }
      return exampleOutcome(set, asOf)
    }
    #expect(calls == 2)
    #expect(sums.sheet.accepted == 1)
    #expect(try store.fetchEvents(of: "a") == EventSet(profileID: "a", events: [one, two, hidden]))
    let alone = try ScratchDatabase()
    let expected = try alone.store()
    try expected.load(["a": [one, two, hidden]], expected.exampleJob())
    #expect(
      try store.dumpLines(asOf: at(minute: 1000)) == expected.dumpLines(asOf: at(minute: 1000)))
  }

  @Test("the start of a generation waits for a unit that is in the middle of its work")
  func generation() throws {
    try waits { address in
      try store(address).startGeneration(.second, attributes: [], segments: [])
    } afterwards: { store in
      let current = try store.currentGeneration()
      #expect(current?.hash == Generation.second.hash)
    }
  }

  @Test("deriving everything anew waits for a unit that is in the middle of its work")
  func refold() throws {
    try waits { address in
      try store(address).refoldEverything(by: .example)
    } afterwards: { store in
      let marked = try store.query("select cursor from sluice.shard_state where cursor = ''").rows
      #expect(marked == [[""]])
    }
  }

  @Test("a migration waits for a unit that is in the middle of its work")
  func migration() throws {
    let copy = try ScratchFolder()
    let path = copy.path + "/sql"
    try FileManager.default.copyItem(atPath: SQLFolder().path, toPath: path)
    let view = try String(contentsOfFile: path + "/views/answers.sql", encoding: .utf8)
    try copy.write("sql/views/answers.sql", view + "\n-- Another text.\n")
    let folder = try SQLFolder(named: path)
    try waits { address in
      let applied = try store(address, folder).migrate()
      #expect(applied == ["views/answers.sql"])
    }
  }

  private func waits(
    _ body: @escaping @Sendable (DatabaseAddress) throws -> Void,
    afterwards: (Store) throws -> Void = { _ in }
  ) throws {
    let database = try ScratchDatabase()
    let unit = try database.store()
    let job = try unit.exampleJob()
    let (eye, address) = (try database.connection(), database.address)
    let other = Sideways()
    var wasWaitedFor = false
    var stillWaits = false
    let sums = try unit.load(["a": [storeEvent("1", minute: 1)]], job) { set, asOf in
      other.start { try body(address) }
      wasWaitedFor = (try? isWaitedFor(-1, eye)) == true
      stillWaits = other.isRunning
      return exampleOutcome(set, asOf)
    }
    try other.join()
    #expect(wasWaitedFor && stillWaits)
    // The unit worked by the generation it began with: its profile is derived.
    #expect(sums.profiles == 1)
    #expect(try unit.query("select events from sluice.profiles").rows == [["1"]])
    try afterwards(unit)
  }
}
