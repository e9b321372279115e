import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

/// Random people: many ids, links of all kinds in all shapes, and events of most of them.
private struct RandomPeople {
  var random: SeededGenerator

  mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  /// Events of 90 ids: small groups, a chain, a cycle, a group around 40 ids, and junk.
  mutating func events() -> [(Bytes, Event)] {
    let ids = (0..<90).map { "p\($0)" }
    var events: [(Bytes, Event)] = []
    for (number, id) in ids.enumerated() where number % 9 != 0 {
      for event in 0..<(number % 4 + 1) {
        var event = storeEvent(
          "\(event)", minute: Int64(number + event * 7), session: "s\(event % 2)")
        if number % 5 == 0 {
          event.context = Context([.customerUserID: Bytes("c\(number % 15)"), .platform: "ios"])
        }
        events.append((Bytes(id), event))
      }
    }
    func merge(_ from: Int, _ into: Int, _ teller: String) {
      events.append((Bytes(teller), mergeEvent("p\(from)", "p\(into)", minute: 700)))
    }
    for _ in 0..<18 {
      let (from, into) = (
        Int.random(in: 0..<45, using: &random), Int.random(in: 0..<45, using: &random)
      )
      merge(
        from, into, pick(["p\(from)", "p\(into)", "p\(Int.random(in: 0..<90, using: &random))"]))
    }
    for number in 50..<88 { merge(number, pick([88, number + 1]), "p\(number)") }
    // Copies of one event that differ: the link of the one that loses must go again.
    for (into, other) in [(6, 60), (7, 12), (9, 33)] {
      for end in [into, other] {
        events.append(("p5", mergeEvent("p5", "p\(end)", minute: 5, id: "copy \(into)")))
        events.append(
          (Bytes("p\(into)"), customerEvent("copy", customer: "c\(end)", minute: 9)))
      }
    }
    merge(46, 47, "p46")
    merge(47, 48, "p1")
    merge(48, 46, "p48")
    events.append(("p3", mergeEvent("p3", "undefined", minute: 1)))
    events.append(("p4", mergeEvent("p4", "p4", minute: 1)))
    return events
  }
}

@Suite("The law, people included")
struct PeopleLawTests {
  private let asOf = at(minute: 1000)

  private func grouped(_ events: some Sequence<(Bytes, Event)>) -> [Bytes: [Event]] {
    Dictionary(grouping: events) { $0.0 }.mapValues { $0.map(\.1) }
  }

  @Test(
    "random merges in any order, split and overlap: one dump, and the people that a walk over all links finds",
    arguments: [
      Set<PeopleRules.External>(), [.customerUserID],
    ])
  func law(_ unitesBy: Set<PeopleRules.External>) throws {
    let rules = PeopleRules(unitesBy: unitesBy)
    for seed: UInt64 in [1, 2] {
      var source = RandomPeople(random: SeededGenerator(seed: seed))
      let events = source.events()
      let clean = try ScratchDatabase()
      let store = try clean.store()
      try store.load(grouped(events), store.exampleJob(), people: rules)
      let expected = try store.dumpLines(asOf: asOf)
      let sets = grouped(events).map { EventSet(profileID: $0, events: $1) }
      let people = people(of: sets, rules, asOf: asOf)
      #expect(try store.profiles() == people.map(\.profileID.string).sorted(), "seed \(seed)")
      #expect(people.contains { $0.aliases.count > 1 }, "seed \(seed)")
      #expect(try store.ids("select profile_id from sluice.ununited_profiles").count > 32)

      for round in 0..<2 {
        let other = try ScratchDatabase()
        let second = try other.store()
        let shuffled = events.shuffled(using: &source.random)
        for start in stride(from: 0, to: shuffled.count, by: 31) {
          let part = shuffled[max(0, start - 9)..<min(shuffled.count, start + 31)]
          try second.load(
            grouped(part), second.exampleJob(), people: rules, inTwoSteps: round == 1)
        }
        #expect(try second.dumpLines(asOf: asOf) == expected, "seed \(seed), round \(round)")
      }
    }
  }

  @Test("connections that merge across shards in opposite directions end in the dump of one")
  func opposite() async throws {
    var source = RandomPeople(random: SeededGenerator(seed: 9))
    let events = source.events()
    let clean = try ScratchDatabase()
    let alone = try clean.store()
    try alone.load(grouped(events), alone.exampleJob())
    let database = try ScratchDatabase()
    let setup = try database.store()
    let job = try setup.exampleJob()
    let address = database.address
    let parts = (0..<4).map { worker -> [(Bytes, Event)] in
      let mine =
        events.filter { _ in Bool.random() }
        + events.enumerated()
        .filter { $0.offset % 4 == worker }.map(\.element)
      return worker % 2 == 0 ? mine : mine.reversed()
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (worker, part) in parts.enumerated() {
        group.addTask {
          let store = try Store(
            address, schema: SchemaName("sluice", .system), sqlFolder: SQLFolder(),
            primitives: .system)
          for start in stride(from: 0, to: part.count, by: 8) {
            let some = part[start..<min(part.count, start + 8)]
            try store.load(
              Dictionary(grouping: some) { $0.0 }.mapValues { $0.map(\.1) }, job,
              from: Int64(worker * 100_000 + start * 100), inTwoSteps: worker < 2)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try setup.dumpLines(asOf: asOf) == alone.dumpLines(asOf: asOf))
  }

  @Test("events that a job of an older pipeline stored wait under their person's id")
  func olderJob() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts([
      ("a", [storeEvent("1", minute: 1), mergeEvent("a", "b", minute: 2)]),
      ("b", [storeEvent("1", minute: 1)]),
    ])
    let old = try store.exampleJob()
    let new = try store.exampleJob(.second)
    try store.settle(new)
    let result = try store.runUnit(
      old, number: 1, shard: Shard(of: "a", .system),
      incoming: ["a": [storeEvent("2", minute: 5)]], resolve: exampleOutcome)
    #expect(result.foundNewerGeneration)
    #expect(try store.profiles() == ["b"])
    try store.settle(new, from: 20_000)
    #expect(try store.query("select events from sluice.profiles").rows == [["4"]])
    #expect(
      try store.query("select count(*) from sluice.shard_state where min_review_at is not null")
        .rows == [["0"]])
  }
}
