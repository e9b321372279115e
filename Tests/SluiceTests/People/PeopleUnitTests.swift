import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

@Suite("People of several ids")
struct PeopleUnitTests {
  private func dump(_ parts: [(Bytes, [Event])], people: PeopleRules = PeopleRules()) throws
    -> [String]
  {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts(parts, people: people)
    return try store.dumpLines(asOf: at(minute: 1000))
  }

  @Test("a merge puts all rows under one id, and the other is its alias")
  func merge() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts([
      ("a", [storeEvent("1", minute: 1, session: "one")]),
      (
        "b",
        [storeEvent("1", minute: 2, session: "two"), storeEvent("2", minute: 3, session: "two")]
      ),
    ])
    #expect(try store.profiles() == ["a", "b"])
    let sums = try store.loadParts([("a", [mergeEvent("a", "b", minute: 4)])])
    #expect(sums.sheet.accepted == 1)
    #expect(try store.profiles() == ["b"])
    #expect(try store.aliases() == ["a>b"])
    #expect(
      try store.query("select events, shard from sluice.profiles").rows
        == [["4", String(Shard(of: "b", .system).number)]])
    for table in ["flow_runs", "custom_attributes", "segment_members", "placement_decisions"] {
      #expect(
        try store.ids("select distinct profile_id from sluice.\(table)") == ["b"], "\(table)")
    }
    #expect(try store.ids("select profile_id from sluice.profile_events order by 1") == ["a", "b"])
    #expect(try store.fetchEvents(of: "a")?.events.count == 2)
    for id in ["a", "b"] {
      #expect(
        try store.query("select sluice.next_placement($1) ->> 'because'", [id]).rows == [["many"]])
      #expect(try store.fetchPerson(of: Bytes(id))?.events.count == 4)
    }
    #expect(try store.query("select sluice.next_placement('c')").rows == [[nil]])
  }

  @Test("a chain of two merges gives one dump in all orders of arrival, whoever reports it")
  func chain() throws {
    let parts: [(Bytes, [Event])] = [
      ("a", [storeEvent("1", minute: 1), mergeEvent("a", "b", minute: 10)]),
      ("b", [storeEvent("1", minute: 2), mergeEvent("b", "c", minute: 11)]),
      ("c", [storeEvent("1", minute: 3, session: "t")]),
    ]
    let expected = try dump(parts)
    #expect(expected.contains("profile_aliases\ta\tc\n"))
    #expect(expected.contains("profile_aliases\tb\tc\n"))
    #expect(expected.contains { $0.hasPrefix("profiles\tc\t") })
    #expect(!expected.contains { $0.hasPrefix("profiles\ta\t") })
    for order in permutations(parts) {
      #expect(try dump(order) == expected, "\(order.map(\.0.string))")
    }
    // Each event by itself, the merges before anything they are about.
    let single = parts.flatMap { id, events in events.map { (id, [$0]) } }.reversed()
    #expect(try dump(Array(single)) == expected)
  }

  @Test("three events of a chain reported by a stranger: 6 orders, one dump, the stranger apart")
  func stranger() throws {
    let parts: [(Bytes, [Event])] = [
      ("x", [mergeEvent("a", "b", minute: 1)]), ("y", [mergeEvent("b", "c", minute: 2)]),
      ("b", [storeEvent("1", minute: 3)]),
    ]
    let expected = try dump(parts)
    #expect(expected.contains { $0.hasPrefix("profiles\tc\t") })
    #expect(expected.contains { $0.hasPrefix("profiles\tx\t") })
    #expect(
      expected.filter { $0.hasPrefix("profile_aliases") } == [
        "profile_aliases\ta\tc\n", "profile_aliases\tb\tc\n",
      ])
    for order in permutations(parts) { #expect(try dump(order) == expected) }
  }

  @Test("a cycle of merges is one person under the smallest id")
  func cycle() throws {
    let parts: [(Bytes, [Event])] = [
      ("c", [storeEvent("1", minute: 1), mergeEvent("c", "a", minute: 4)]),
      ("a", [storeEvent("1", minute: 2), mergeEvent("a", "b", minute: 5)]),
      ("b", [storeEvent("1", minute: 3), mergeEvent("b", "c", minute: 6)]),
    ]
    let expected = try dump(parts)
    #expect(
      expected.filter { $0.hasPrefix("profile_aliases") } == [
        "profile_aliases\tb\ta\n", "profile_aliases\tc\ta\n",
      ])
    for order in permutations(parts) { #expect(try dump(order) == expected) }
  }

  @Test("links to ids that never had an event make aliases, and no rows of anybody else")
  func unseen() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts([("x", [mergeEvent("n", "m", minute: 1)])])
    #expect(try store.aliases() == ["n>m"])
    #expect(try store.profiles() == ["x"])
    #expect(try store.fetchPerson(of: "n") == nil)
    // An event under the one that was given up stands under the other, which never had one.
    try store.loadParts([("n", [storeEvent("1", minute: 2)])])
    #expect(try store.profiles() == ["m", "x"])
    #expect(try store.fetchPerson(of: "m")?.events.count == 1)
  }

  @Test("a merge of junk ids is kept as an event and counted, and unites nobody")
  func junk() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let sums = try store.loadParts([
      ("a", [mergeEvent("a", "null", minute: 1), mergeEvent("a", "a", minute: 2)]),
      ("b", [storeEvent("1", minute: 1, name: "profile_merged"), mergeEvent("a", "b", minute: 3)]),
    ])
    #expect(sums.sheet.accepted == 4)
    #expect(sums.refusedMerges == 3)
    #expect(try store.aliases() == ["a>b"])
    #expect(
      try store.query(
        "select sum((counts ->> 'refused_merges')::int) from sluice.job_units"
      ).rows == [["3"]])
  }

  @Test("uniting two people writes no row of a third")
  func othersUntouched() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts(
      (0..<40).map { ("p\($0)" as String, $0) }.map { name, number in
        (Bytes(name), [storeEvent("1", minute: Int64(number)), storeEvent("2", minute: 500)])
      } + [("q", [mergeEvent("p8", "p9", minute: 1)])])
    let third = "profile_id not in ('p1', 'p2')"
    let before = try store.rowVersions(where: third)
    #expect(before.count > 200)
    try store.loadParts([("p1", [mergeEvent("p1", "p2", minute: 600)])])
    #expect(try store.aliases() == ["p1>p2", "p8>p9"])
    #expect(try store.rowVersions(where: third) == before)
    // Events of one of them leave the alias as it is.
    let aliases = try store.query("select xmin::text from sluice.profile_aliases").rows
    try store.loadParts([("p1", [storeEvent("9", minute: 700)])])
    #expect(try store.query("select xmin::text from sluice.profile_aliases").rows == aliases)
    #expect(try store.rowVersions(where: third) == before)
  }

  @Test("the same events again write no row of people either")
  func again() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let parts: [(Bytes, [Event])] = [
      ("a", [storeEvent("1", minute: 1), mergeEvent("a", "b", minute: 2)]),
      ("b", [storeEvent("1", minute: 1)]),
    ]
    try store.loadParts(parts)
    let before = try store.rowVersions()
    let sums = try store.loadParts(parts)
    #expect(sums.sheet.duplicate == 3)
    #expect(sums.profiles == 0)
    #expect(try store.rowVersions() == before)
    try store.refoldEverything(by: .example)
    #expect(try store.settle(store.exampleJob()).profiles == 1)
    #expect(
      try store.rowVersions(where: "tableoid <> 'sluice.shard_state'::regclass")
        == before.filter { $0[0] != "shard_state" })
  }

  @Test("people of one id cost one statement a unit, however many others have several")
  func cost() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let shard = Shard(of: "a", .system)
    let names = (0..<2000).map { Bytes("p\($0)") }.filter { Shard(of: $0, .system) == shard }
    func statements(_ ids: ArraySlice<Bytes>, _ number: Int64) throws -> Int {
      let job = try store.exampleJob()
      let before = store.connection.statements
      _ = try store.runUnit(
        job, number: number, shard: shard,
        incoming: Dictionary(uniqueKeysWithValues: ids.map { ($0, [storeEvent("1", minute: 1)]) }),
        resolve: exampleOutcome)
      return store.connection.statements - before
    }
    // Begin, locks, what the schema says, who and what stays out, whose ids they are, their sets, the
    // shard's state, the unit's record, commit.
    #expect(try statements(names[..<10], 1) == 9)
    try store.loadParts([("x", (0..<50).map { mergeEvent("m\($0)", "n\($0)", minute: 1) })])
    #expect(try statements(names[10..<20], 2) == 9)
  }

  @Test(
    "a unit that stays in its shard leaves those alone who reach out, and waits for nobody's lock")
  func staysInShard() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let shard = Shard(of: "a", .system)
    let names = (0..<2000).map { Bytes("p\($0)") }
    let home = names.filter { Shard(of: $0, .system) == shard }
    let far = try #require(names.first { Shard(of: $0, .system) != shard })
    let job = try store.exampleJob()
    try store.load(
      [home[0]: [mergeEvent(home[0].string, far.string, minute: 1)]], job, from: 100)
    // Someone holds the other shard all the while.
    let hand = try database.connection()
    try hand.executeScript("begin")
    try hand.execute(
      "select pg_advisory_xact_lock($1, $2)",
      [.int4(store.schema.lockKey), .int4(Int32(Shard(of: far, .system).number))])
    let incoming: [Bytes: [Event]] = [
      home[0]: [storeEvent("1", minute: 1)], home[1]: [storeEvent("1", minute: 1)],
      home[2]: [mergeEvent(home[2].string, home[3].string, minute: 2)],
      home[4]: [mergeEvent(home[4].string, far.string, minute: 3)],
      home[5]: [mergeEvent(far.string, home[6].string, minute: 4)],
    ]
    let result = try store.runUnit(
      job, number: 1, shard: shard, incoming: incoming, staysInShard: true, resolve: exampleOutcome)
    #expect(result.left == [home[0], home[4], home[5]])
    #expect(result.counts.sheet.accepted == 2)
    #expect(try store.aliases().contains("\(home[2].string)>\(home[3].string)"))
    try hand.executeScript("rollback")
    let rest = try store.runUnit(
      job, number: 2, shard: shard, incoming: incoming.filter { result.left.contains($0.key) },
      resolve: exampleOutcome)
    #expect(rest.left == [])
    #expect(rest.counts.sheet.accepted == 3)

    // Deriving all anew goes on behind a slice only when nothing of it is left.
    try store.refoldEverything(by: .example)
    func cursor() throws -> [String] {
      try store.ids("select cursor from sluice.shard_state where shard = \(shard.number)")
    }
    let local = try store.runUnit(
      job, number: 3, shard: shard, incoming: [:], refold: .all, staysInShard: true,
      resolve: exampleOutcome)
    #expect(!local.left.isEmpty && !local.done.isEmpty)
    #expect(try cursor() == [""])
    let all = try store.runUnit(
      job, number: 4, shard: shard, incoming: [:], refold: .all, done: local.done,
      resolve: exampleOutcome)
    #expect(all.isRefoldComplete && all.done == local.left)
    #expect(try cursor() == [])
  }

  @Test("a review that is due derives a person whose ids lie in several shards, once")
  func due() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    #expect(Set(["a", "b", "c"].map { Shard(of: $0, .system) }).count == 3)
    let parts: [(Bytes, [Event])] = [
      ("a", [mergeEvent("a", "b", minute: 1), storeEvent("2", minute: 2000)]),
      ("c", [mergeEvent("c", "b", minute: 1), storeEvent("3", minute: 3000)]),
      ("b", [storeEvent("1", minute: 1)]),
    ]
    try store.loadParts(parts)
    #expect(
      try store.query("select events, events_ahead from sluice.profiles").rows == [["3", "2"]])
    for minute: Int64 in [2000, 3000] {
      let sums = try store.loadParts([], asOf: at(minute: minute))
      #expect(sums.profiles == 1)
      let otherDatabase = try ScratchDatabase()
      let other = try otherDatabase.store()
      try other.loadParts(parts, asOf: at(minute: minute))
      #expect(
        try store.dumpLines(asOf: at(minute: minute)) == other.dumpLines(asOf: at(minute: minute)))
    }
  }

  @Test("a merge that lies ahead unites when its time has come")
  func ahead() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let parts: [(Bytes, [Event])] = [
      ("a", [storeEvent("1", minute: 1)]), ("b", [storeEvent("1", minute: 1)]),
      ("x", [storeEvent("1", minute: 1), mergeEvent("a", "b", minute: 2000)]),
    ]
    try store.loadParts(parts)
    #expect(try store.aliases() == [])
    try store.loadParts([], asOf: at(minute: 2000))
    #expect(try store.aliases() == ["a>b"])
    let other = try ScratchDatabase()
    let fresh = try other.store()
    try fresh.loadParts(parts, asOf: at(minute: 2000))
    #expect(
      try store.dumpLines(asOf: at(minute: 2000)) == fresh.dumpLines(asOf: at(minute: 2000)))
  }
}

@Suite("Too many ids for one person")
struct QuarantineTests {
  /// A star of merges: `n` ids given up for one.
  private func star(_ count: Int) -> [(Bytes, [Event])] {
    (0..<count).map { number in
      let id = "p\(number)"
      return (
        Bytes(id),
        [
          storeEvent("1", minute: Int64(number), session: "s\(number)"),
          mergeEvent(id, "hub", minute: 600),
        ]
      )
    } + [("hub", [storeEvent("1", minute: 1)])]
  }

  @Test("32 ids are one person; 33 are 33 people, whichever came last")
  func boundary() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts(star(31))
    #expect(try store.profiles() == ["hub"])
    #expect(try store.aliases().count == 31)
    #expect(try store.ids("select profile_id from sluice.quarantined_links") == [])
    let sums = try store.loadParts([("late", [mergeEvent("late", "p3", minute: 700)])])
    #expect(sums.inserted["ununited_profiles"] == 33)
    #expect(try store.aliases() == [])
    #expect(try store.profiles().count == 33)
    #expect(try store.ids("select from_id from sluice.quarantined_links").count == 32)
    let freshDatabase = try ScratchDatabase()
    let fresh = try freshDatabase.store()
    try fresh.loadParts([("late", [mergeEvent("late", "p3", minute: 700)])] + star(31).reversed())
    #expect(
      try fresh.dumpLines(asOf: at(minute: 1000)) == store.dumpLines(asOf: at(minute: 1000)))
  }

  @Test("40 ids stay apart and listed in any order, and a person who joins them falls apart too")
  func fortyIDs() throws {
    var random = SeededGenerator(seed: 4)
    let pair: [(Bytes, [Event])] = [
      ("q1", [storeEvent("1", minute: 1), mergeEvent("q1", "q2", minute: 2)]),
      ("q2", [storeEvent("1", minute: 3)]),
    ]
    let bridge: [(Bytes, [Event])] = [("q2", [mergeEvent("q2", "p7", minute: 800)])]
    var expected: [String]?
    for order in 0..<4 {
      let database = try ScratchDatabase()
      let store = try database.store()
      var parts = star(39) + pair + bridge
      if order > 0 { parts.shuffle(using: &random) }
      try store.loadParts(parts)
      #expect(try store.aliases() == [])
      #expect(try store.ids("select profile_id from sluice.ununited_profiles").count == 42)
      #expect(try store.ids("select from_id from sluice.quarantined_links").count == 41)
      let dump = try store.dumpLines(asOf: at(minute: 1000))
      #expect(dump == expected ?? dump, "order \(order)")
      expected = dump
      let again = try store.loadParts([("q1", [mergeEvent("q1", "hub", minute: 900)])])
      #expect(again.inserted["ununited_profiles"] == nil)
      #expect(try store.aliases() == [])
    }
  }

  @Test("a link that goes again lets those it kept apart come together")
  func released() throws {
    // Of two copies of an event the one with the smaller bytes counts.
    let wide = mergeEvent("q", "p3", minute: 700, id: "x")
    let narrow = mergeEvent("q", "r", minute: 700, id: "x")
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts(star(31) + [("q", [wide])])
    #expect(try store.ids("select profile_id from sluice.ununited_profiles").count == 33)
    let sums = try store.loadParts([("q", [narrow])])
    #expect(sums.sheet.conflict == 1)
    #expect(try store.ids("select profile_id from sluice.ununited_profiles") == [])
    #expect(try store.profiles() == ["hub", "r"])
    let freshDatabase = try ScratchDatabase()
    let fresh = try freshDatabase.store()
    try fresh.loadParts([("q", [narrow, wide])] + star(31))
    #expect(
      try fresh.dumpLines(asOf: at(minute: 1000)) == store.dumpLines(asOf: at(minute: 1000)))
  }

  @Test("an id that very many share costs no walk through all of them")
  func hub() throws {
    let rules = PeopleRules(unitesBy: [.customerUserID])
    let database = try ScratchDatabase()
    let store = try database.store()
    let job = try store.exampleJob()
    let crowd = Dictionary(
      uniqueKeysWithValues: (0..<600).map {
        (Bytes("p\($0)"), [customerEvent("1", customer: "guest", minute: 1)])
      })
    try store.load(crowd, job, people: rules)
    #expect(try store.ids("select profile_id from sluice.ununited_profiles").count == 601)
    let before = store.connection.statements
    try store.load(
      ["late": [customerEvent("1", customer: "guest", minute: 1)]], job, from: 1000, people: rules)
    #expect(store.connection.statements - before < 40)
    #expect(try store.ids("select profile_id from sluice.ununited_profiles").count == 602)
  }

  @Test("who is united by the owner's ids no more stands alone again, the quarantine included")
  func changedPipeline() throws {
    let rules = PeopleRules(unitesBy: [.customerUserID])
    let parts: [(Bytes, [Event])] =
      (0..<36).map {
        (Bytes("p\($0)"), [customerEvent("1", customer: $0 < 34 ? "guest" : "jane", minute: 1)])
      } + [("p0", [mergeEvent("p0", "p1", minute: 2)])]
    let asOf = at(minute: 1000)
    let aloneDatabase = try ScratchDatabase()
    let alone = try aloneDatabase.store()
    try alone.loadParts(parts)
    #expect(try alone.aliases() == ["p0>p1"])
    let unitedDatabase = try ScratchDatabase()
    let united = try unitedDatabase.store()
    try united.loadParts(parts, people: rules)
    #expect(try united.aliases() == ["cu:jane>p34", "p35>p34"])
    #expect(try united.ids("select profile_id from sluice.ununited_profiles").count == 35)

    let changedDatabase = try ScratchDatabase()
    let changed = try changedDatabase.store()
    try changed.loadParts(parts)
    try changed.loadParts([], people: rules, .second)
    #expect(try changed.dumpLines(asOf: asOf) == united.dumpLines(asOf: asOf))
    let third = Generation(
      hash: "g3", pipeline: "example", text: "pipeline: example # 3", resolverVersion: 1, codec: 1)
    try changed.loadParts([], third)
    #expect(try changed.dumpLines(asOf: asOf) == alone.dumpLines(asOf: asOf))
  }
}
