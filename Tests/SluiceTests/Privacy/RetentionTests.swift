import Core
import Testing

@testable import Store
@testable import sluice

@Suite("Expiring events")
struct RetentionTests {
  private let floor = at(minute: 50)

  private var parts: [(Bytes, [Event])] {
    [
      ("old", [storeEvent("1", minute: 1), storeEvent("2", minute: 49)]),
      (
        "mixed",
        [
          storeEvent("1", minute: 10), storeEvent("2", minute: 50), storeEvent("3", minute: 51),
          storeEvent("4", minute: 20), storeEvent("5", minute: 60),
        ]
      ),
      ("new", [storeEvent("1", minute: 70), storeEvent("2", minute: 2000)]),
      // United by what expires, and by what stays.
      ("a", [storeEvent("1", minute: 60), mergeEvent("a", "b", minute: 30)]),
      ("b", [storeEvent("1", minute: 61), mergeEvent("b", "c", minute: 62)]),
      ("c", [storeEvent("1", minute: 3)]),
    ]
  }

  /// The same events without those of before the floor.
  private var kept: [(Bytes, [Event])] {
    parts.map { id, events in (id, events.filter { $0.occurredAt >= floor }) }
      .filter { !$0.1.isEmpty }
  }

  private func dump(_ store: Store) throws -> [String] {
    try store.dumpLines(asOf: at(minute: 1000))
  }

  @Test("is the same whenever it comes: only the events from the floor on are there")
  func law() throws {
    let expectedDatabase = try ScratchDatabase()
    let expected = try expectedDatabase.store()
    try expected.loadParts(kept)
    let whole = try dump(expected)
    for position in 0...parts.count {
      let database = try ScratchDatabase()
      let store = try database.store()
      try store.loadParts(Array(parts[..<position]))
      try store.expire(before: floor)
      let rest = try store.loadParts(Array(parts[position...]))
      let late = parts[position...].flatMap(\.1).count { $0.occurredAt < floor }
      #expect(rest.sheet.expired == late)
      #expect(try dump(store) == whole, "after \(position) parts")
      let again = try store.loadParts(parts.reversed())
      #expect(again.sheet.expired == 6 && again.sheet.accepted == 0)
      #expect(try dump(store) == whole)
    }
  }

  @Test("tells beforehand how much goes, and counts the events that went")
  func plan() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts(parts)
    let plan = try store.planExpiry(before: floor)
    #expect(
      plan
        == { () -> Expiry in
          var expiry = Expiry()
          expiry.events = 6
          expiry.emptied = 2
          expiry.shortened = 2
          return expiry
        }())
    try store.expire(before: floor)
    let sums = try store.settle(try store.exampleJob())
    #expect(sums.removedEvents == 6)
    let after = try store.planExpiry(before: floor)
    #expect(after.events == 0 && after.inForce == floor)
  }

  @Test("stopped half-way, anybody's next job does the rest")
  func resumes() throws {
    let expectedDatabase = try ScratchDatabase()
    let expected = try expectedDatabase.store()
    try expected.loadParts(kept)
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts(parts)
    try store.expire(before: floor)
    let job = try store.exampleJob()
    let pending = try store.pendingWork(for: job)
    #expect(pending.count > 2)
    _ = try store.runUnit(
      job, number: 1, shard: pending[0].shard, incoming: [:], refold: pending[0].refold,
      resolve: exampleOutcome)
    // Said again by somebody who does not know that it was.
    #expect(try store.expire(before: floor) == floor)
    try store.loadParts([])
    #expect(try dump(store) == dump(expected))
  }

  @Test("an earlier instant changes nothing, a later one takes more")
  func greatest() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts(parts)
    #expect(try store.expire(before: floor) == floor)
    #expect(try store.expire(before: at(minute: 5)) == floor)
    #expect(try store.query("select count(*) from sluice.retention_floors").rows == [["1"]])
    #expect(try store.expire(before: at(minute: 3000)) == at(minute: 3000))
    try store.settle(try store.exampleJob())
    #expect(try store.profiles() == [])
    #expect(try dump(store).isEmpty)
    try store.loadParts([("old", [storeEvent("9", minute: 3001)])])
    #expect(try store.profiles() == ["old"])
  }

  @Test("beside a pipeline file that has just come into force nothing waits for ever")
  func refold() throws {
    let expectedDatabase = try ScratchDatabase()
    let expected = try expectedDatabase.store()
    try expected.loadParts(kept, .second)
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts(parts)
    let old = try store.exampleJob()
    let job = try store.exampleJob(.second)
    try store.expire(before: floor)
    // A job by the old file stores events, and leaves what follows from them to the new one.
    let result = try store.runUnit(
      old, number: 1, shard: Shard(of: "old", .system),
      incoming: [
        "old": [storeEvent("1", minute: 1)]
      ], resolve: exampleOutcome)
    #expect(result.foundNewerGeneration && result.counts.sheet.expired == 1)
    try store.settle(job)
    #expect(try store.pendingWork(for: job).isEmpty)
    #expect(try dump(store) == dump(expected))
  }
}
