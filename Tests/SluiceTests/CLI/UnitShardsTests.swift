import Store
import Testing

@testable import Core
@testable import sluice

@Suite("What is put into one unit")
struct UnitShardsTests {
  /// Work of one profile in a shard.
  private func work(_ number: UInt8, events: Int, _ refold: Refold = .none) -> ShardWork {
    let id = Bytes("p\(number)")
    let all = (0..<events).map { index in
      Event(
        identity: Identity(id: Bytes("\(number)-\(index)")), name: "flow_appeared",
        occurredAt: Instant(microseconds: Int64(index)))
    }
    return ShardWork(
      shard: Shard(number: number), incoming: events > 0 ? [id: all] : [:], refold: refold)
  }

  @Test("little work of all shards is one unit, with all events, and asks for who is due")
  func little() {
    var all = Shard.all.map { work($0.number, events: 3) }
    all[7].refold = .due
    let units = UnitShards.grouped(all, jobs: 2)
    #expect(units.map(\.shards) == [Shard.all])
    #expect(units[0].incoming.count == 64)
    #expect(units[0].incoming.values.allSatisfy { $0.count == 3 })
    #expect(units[0].refold == .due)
  }

  @Test("a shard that is derived anew as a whole stands alone, and parts its neighbours")
  func refolded() {
    let units = UnitShards.grouped(
      [work(1, events: 1), work(2, events: 1, .all), work(3, events: 0, .due), work(9, events: 1)],
      jobs: 2)
    #expect(units.map { $0.shards.map(\.number) } == [[1], [2], [3, 9]])
    #expect(units.map(\.refold) == [.none, .all, .due])
  }

  @Test("much work is as many units as keep all connections busy, none beyond its bound")
  func much() {
    for jobs in [1, 2, 4] {
      let units = UnitShards.grouped(Shard.all.map { work($0.number, events: 400) }, jobs: jobs)
      #expect(units.flatMap(\.shards) == Shard.all)
      #expect(units.count >= 2 * jobs)
      for unit in units {
        #expect(unit.incoming.values.reduce(0) { $0 + $1.count } <= max(1000, 25_600 / (2 * jobs)))
      }
    }
    let large = UnitShards.grouped([work(0, events: 30_000), work(1, events: 30_000)], jobs: 1)
    #expect(large.map { $0.shards.map(\.number) } == [[0], [1]])
  }
}
