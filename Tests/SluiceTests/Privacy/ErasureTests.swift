import Core
import Testing

@testable import Store
@testable import sluice

@Suite("Erasing people")
struct ErasureTests {
  private let uniting = PeopleRules(unitesBy: [.customerUserID, .integrationIDs])

  @discardableResult
  private func erase(
    _ ids: [Bytes], in store: Store, people: PeopleRules = PeopleRules(), number: Int64 = 900
  ) throws -> Erasure {
    let erasure = try store.erase(
      ErasureRequest(ids: ids), try store.exampleJob(), number: number, people: people,
      resolve: exampleOutcome)
    return erasure
  }

  private func dump(_ store: Store) throws -> [String] {
    try store.dumpLines(asOf: at(minute: 1000))
  }

  /// A person of three ids, one of them merged by an event under a stranger's, and two others.
  private var parts: [(Bytes, [Event])] {
    [
      ("anna-1", [storeEvent("1", minute: 1), storeEvent("2", minute: 2, session: "t")]),
      ("anna-2", [storeEvent("1", minute: 3), mergeEvent("anna-2", "anna-1", minute: 4)]),
      ("anna-3", [storeEvent("1", minute: 2000, params: #"{"secret":"marker"}"#)]),
      ("stranger", [mergeEvent("anna-3", "anna-1", minute: 5), storeEvent("1", minute: 6)]),
      (
        "bob", [storeEvent("1", minute: 7), storeEvent("2", minute: 8), storeEvent("3", minute: 9)]
      ),
    ]
  }

  /// The same without anything of the person.
  private var others: [(Bytes, [Event])] {
    [("stranger", [storeEvent("1", minute: 6)]), parts[4]]
  }

  @Test("leaves the database as if the person had never been, whichever of their ids is named")
  func whole() throws {
    let expectedDatabase = try ScratchDatabase()
    let expected = try expectedDatabase.store()
    try expected.loadParts(others)
    for id in ["anna-1", "anna-2", "anna-3"] {
      let database = try ScratchDatabase()
      let store = try database.store()
      try store.loadParts(parts)
      #expect(try store.profiles() == ["anna-1", "bob", "stranger"])
      let plan = try store.planErasure(ErasureRequest(ids: [Bytes(id)]))
      #expect(try store.profiles() == ["anna-1", "bob", "stranger"])
      let done = try erase([Bytes(id)], in: store)
      let difference = try Set(dump(store)).symmetricDifference(dump(expected))
      #expect(difference == [], "\(id)")
      #expect(plan.rows == done.rows)
      #expect(done.people == 1 && done.ids == 3 && done.events == 5 && done.mentions == 1)
      #expect(done.rows.contains(Erasure.Rows(table: "profile_events", rows: 3)))
      #expect(done.rows.contains(Erasure.Rows(table: "profile_aliases", rows: 2)))
      for trace in ["anna-", "marker"] {
        #expect(try database.traces(of: trace) == [], "\(id)")
      }
    }
  }

  @Test("what comes again stays out and is counted, whenever the erasure was")
  func again() throws {
    let expectedDatabase = try ScratchDatabase()
    let expected = try expectedDatabase.store()
    try expected.loadParts(others)
    for position in 0...parts.count {
      let database = try ScratchDatabase()
      let store = try database.store()
      try store.loadParts(Array(parts[..<position]))
      // All ids are named: what unites them may come later.
      try erase(["anna-1", "anna-2", "anna-3"], in: store)
      let rest = try store.loadParts(Array(parts[position...]))
      let all = try store.loadParts(parts.reversed())
      #expect(all.sheet.erased == 6 && all.sheet.accepted == 0 && all.sheet.duplicate == 4)
      #expect(rest.sheet.erased + rest.sheet.accepted == parts[position...].flatMap(\.1).count)
      #expect(try dump(store) == dump(expected), "after \(position) parts")
      #expect(try database.traces(of: "anna-") == [])
    }
  }

  @Test("erasing again, or somebody unknown, changes nothing and keeps them out")
  func unknown() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts(others)
    let before = try dump(store)
    let first = try erase(["nobody"], in: store)
    #expect(first.people == 0 && first.unknown == 1 && first.rows.isEmpty)
    #expect(try erase(["nobody"], in: store, number: 901) == first)
    #expect(try store.query("select count(*) from sluice.erasures").rows == [["1"]])
    let sums = try store.loadParts([("nobody", [storeEvent("1", minute: 1)])])
    #expect(sums.sheet.erased == 1)
    #expect(try dump(store) == before)
  }

  @Test("a living id that an erased one would merge into stays, without that event")
  func living() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts([("a", [storeEvent("1", minute: 1)]), ("b", [storeEvent("1", minute: 2)])])
    try erase(["a"], in: store)
    let sums = try store.loadParts([
      ("a", [mergeEvent("a", "b", minute: 3)]), ("b", [mergeEvent("a", "b", minute: 4)]),
    ])
    #expect(sums.sheet.erased == 2)
    #expect(try store.profiles() == ["b"])
    #expect(try store.aliases() == [])
    #expect(try store.query("select events from sluice.profiles").rows == [["1"]])
  }

  @Test(
    "a merge in the future of somebody else is found where the id stands in it",
    arguments: [0, 100])
  func ahead(others: Int) throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let name = #"quo"te\\é"#
    try store.loadParts([
      ("x", [storeEvent("1", minute: 1), mergeEvent("k", "b", minute: 5000)]),
      (
        "y",
        [
          storeEvent(
            "1", minute: 5000, name: "profile_merged",
            params: #"{"from":"quo\"te\\\\é","into":"z"}"#)
        ]
      ),
      // The bytes of the id as a text that is no id.
      ("w", [storeEvent("1", minute: 1, params: #"{"value":"k quo"}"#)]),
    ])
    let erasure = try erase(
      ["k", Bytes(name)] + (0..<others).map { Bytes("nobody \($0)") }, in: store)
    #expect(erasure.mentions == 2)
    #expect(try store.profiles() == ["w", "x"])
    #expect(try store.fetchEvents(of: "x")?.events.count == 1)
    #expect(try store.fetchEvents(of: "w")?.events.count == 1)
  }

  @Test(
    "by the app's own id: everybody it is the latest of goes, of others the events that carry it")
  func customer() throws {
    let parts: [(Bytes, [Event])] = [
      ("p1", [customerEvent("1", customer: "42", minute: 1)]),
      (
        "p2",
        [
          customerEvent("1", customer: "42", minute: 1),
          customerEvent("2", customer: "43", minute: 2), storeEvent("3", minute: 0),
        ]
      ),
      ("p3", [customerEvent("1", customer: "43", minute: 1)]),
    ]
    for position in 0...parts.count {
      let database = try ScratchDatabase()
      let store = try database.store()
      try store.loadParts(Array(parts[..<position]))
      try erase(["cu:42", "p1"], in: store)
      try store.loadParts(parts)
      #expect(try store.profiles() == ["p2", "p3"])
      #expect(try store.fetchEvents(of: "p2")?.events.count == 2)
      #expect(try store.query("select max(customer_user_id) from sluice.profiles").rows == [["43"]])
    }
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts(parts)
    let erasure = try erase(["cu:42"], in: store)
    #expect(erasure.people == 1 && erasure.unknown == 0 && erasure.mentions == 1)
    // Without the word for it, whoever shares the id stays.
    let other = try store.planErasure(ErasureRequest(ids: ["p3"]))
    #expect(other.sameCustomer == 1 && other.ids == 1)
  }

  @Test("an id of the app's that unites goes with the person, and brings nobody back")
  func united() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts(
      [
        ("p1", [customerEvent("1", customer: "42", minute: 1)]),
        ("p2", [customerEvent("1", customer: "42", minute: 2)]),
        ("p9", [storeEvent("1", minute: 1)]),
      ], people: uniting)
    #expect(try store.aliases() == ["cu:42>p1", "p2>p1"])
    #expect(try erase(["p2"], in: store, people: uniting).ids == 3)
    let sums = try store.loadParts(
      [("p7", [customerEvent("1", customer: "42", minute: 9), storeEvent("2", minute: 10)])],
      people: uniting)
    #expect(sums.sheet.erased == 1 && sums.sheet.accepted == 1)
    #expect(try store.profiles() == ["p7", "p9"])
    #expect(try store.aliases() == [])
    #expect(try database.traces(of: "cu:") == [])
  }

  @Test("of a group too large to be united one id goes, and the rest is united if it fits then")
  func large() throws {
    let names = (0..<Components.largest).map { Bytes("p" + String(100 + $0)) }
    func parts(_ names: [Bytes]) -> [(Bytes, [Event])] {
      names.map { ($0, [customerEvent("1", customer: "guest", minute: 1)]) }
    }
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts(parts(names), people: uniting)
    #expect(try store.aliases() == [])
    let erasure = try erase([names[0]], in: store, people: uniting)
    #expect(erasure.ids == 1)
    let expectedDatabase = try ScratchDatabase()
    let expected = try expectedDatabase.store()
    try expected.loadParts(parts(Array(names.dropFirst())), people: uniting)
    #expect(try expected.aliases().count == Components.largest - 1)
    #expect(try dump(store) == dump(expected))
  }

  @Test("a shard that is being derived anew forgets the id where it stands, and goes on")
  func cursor() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let shard = Shard(of: "p0", .system)
    let names = (0..<400).map { Bytes("p\($0)") }.filter { Shard(of: $0, .system) == shard }
    try store.loadParts(names.map { ($0, [storeEvent("1", minute: 1)]) })
    let job = try store.exampleJob(.second)
    let result = try store.runUnit(
      job, number: 1, shard: shard, incoming: [:], refold: .all, refoldLimit: 2,
      resolve: exampleOutcome)
    #expect(!result.isRefoldComplete)
    let cursor = try #require(
      try store.query(
        "select cursor from sluice.shard_state where shard = \(shard.number)"
      ).rows[0][0])
    _ = try store.erase(
      ErasureRequest(ids: [Bytes(cursor)]), job, number: 2, resolve: exampleOutcome)
    #expect(
      try store.query("select 1 from sluice.shard_state where cursor = $1", [cursor]).rows.isEmpty)
    try store.settle(job)
    #expect(try store.profiles().count == names.count - 1)
    #expect(try store.pendingWork(for: job).isEmpty)
  }

  @Test("a job by another pipeline is refused, and nothing is left half done")
  func otherGeneration() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let job = try store.exampleJob()
    try store.load(["a": [storeEvent("1", minute: 1)]], job)
    try store.startGeneration(.second, attributes: [], segments: [])
    let problem = try #require(throws: Problem.self) {
      try store.erase(ErasureRequest(ids: ["a"]), job, number: 9, resolve: exampleOutcome)
    }
    #expect(problem.exit == .tryAgain)
    #expect(try store.query("select count(*) from sluice.erasures").rows == [["0"]])
    #expect(try store.profiles() == ["a"])
  }

  @Test("runs beside jobs that bring the person in: whatever comes first, nobody stays")
  func concurrent() async throws {
    let database = try ScratchDatabase()
    let job = try database.store().exampleJob()
    let address = database.address
    func store() throws -> Store {
      try Store(
        address, schema: SchemaName("sluice", .system), sqlFolder: SQLFolder(), primitives: .system)
    }
    let names = (0..<12).map { Bytes("p\($0)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<3 {
        group.addTask {
          let store = try store()
          for (index, name) in names.enumerated() {
            _ = try store.load(
              [name: [storeEvent("\(worker)", minute: Int64(worker))]], job,
              from: Int64(worker * 100 + index))
          }
        }
      }
      group.addTask {
        let store = try store()
        for (index, name) in names.enumerated() where index % 2 == 0 {
          _ = try store.erase(
            ErasureRequest(ids: [name]), job, number: Int64(1000 + index), resolve: exampleOutcome)
        }
      }
      try await group.waitForAll()
    }
    let expected = names.enumerated().filter { $0.offset % 2 == 1 }.map(\.element.string).sorted()
    #expect(try database.store().profiles() == expected)
    #expect(
      try database.store().ids("select profile_id from sluice.profile_events order by 1")
        == expected)
  }

  @Test("two schemas hash one id differently")
  func keys() throws {
    let database = try ScratchDatabase()
    let first = try database.store()
    let second = try database.store(schema: "other")
    try second.migrate()
    for store in [first, second] { try store.keepOut(ErasureRequest(ids: ["a"])) }
    let hashes = try [first, second].map {
      try $0.query("select encode(id_hash, 'hex') from sluice.erasures").rows
    }
    #expect(hashes[0].count == 1 && hashes[0] != hashes[1])
  }
}
