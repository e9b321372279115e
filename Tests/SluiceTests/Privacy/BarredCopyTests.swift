import Testing

@testable import Core
@testable import Store
@testable import sluice

/// SEMANTICS 2.3: a copy that is barred is no member of the set, whatever came first.
@Suite("Copies of one event of which some are barred")
struct BarredCopyTests {
  private var admission: Admission {
    var admission = Admission(privacy: PrivacyRules(elements: ["mail"]))
    admission.erased = ["cu:42", "gone"]
    admission.floor = Instant(microseconds: 2_000_000)
    return admission
  }

  /// Few ids, times, customers and params, so that copies differ in all that bars them.
  private func copies(_ source: inout RandomEvents) -> [Event] {
    (0..<9).map { _ in
      var event = source.event()
      event.identity = Identity(id: source.pick(["e1", "e2"]))
      event.occurredAt = Instant(microseconds: source.pick([1_000_000, 2_000_000, 3_000_000]))
      event.name = source.pick(["profile_merged", "flow_user_input"])
      event.params = source.pick([
        .empty, #"{"from":"gone","into":"p"}"#, #"{"from":"here","into":"p"}"#,
        #"{"from":"cu:41","into":"p"}"#, #"{"from":"cu:42","into":"p"}"#,
        #"{"element_id":"mail","value":"x"}"#, #"{"element_id":"name","value":"y"}"#,
      ])
      event.context = Context(
        [.customerUserID: source.pick(["41", "42"]), .country: source.pick(["DE", "US"])]
          .filter { _ in source.pick([true, false]) })
      return event
    }
  }

  @Test("the same set, whenever each copy, the erasure, the expiry and the drop come: 3,000 orders")
  func anyOrder() throws {
    var source = RandomEvents(seed: 11)
    var removals = 0
    for run in 1...1_000 {
      let copies = copies(&source)
      let whole = admission
      var sheet = JobSheet()
      let expected = EventSet(
        profileID: "p", events: whole.admitted(copies, of: "p", &sheet))
      for _ in 1...3 {
        var set = EventSet(profileID: "p")
        var now = Admission()
        let steps = (copies.map { Optional($0) } + [nil, nil, nil]).shuffled(using: &source.random)
        var bars: [(inout Admission) -> Void] = [
          { $0.erased = whole.erased }, { $0.floor = whole.floor },
          { $0.privacy = whole.privacy },
        ].shuffled(using: &source.random)
        for step in steps {
          if let copy = step {
            // What a pipeline drops never reaches the set: the reader filters it.
            let admitted = now.admitted([copy], of: "p", &sheet)
              .filter { !now.privacy.refuses($0) }
            var counts = EventSet.Counts()
            set.formUnion(admitted, counting: &counts)
          } else {
            bars.removeLast()(&now)
            removals += now.trim(&set)
          }
          set = try EventSet.decode(set.encoded(), profileID: "p")
        }
        let allowed = EventSet(
          profileID: "p", events: expected.copies.filter { !whole.privacy.refuses($0) })
        #expect(set == allowed, "seed 11, run \(run)")
        #expect(set.encoded() == allowed.encoded(), "seed 11, run \(run)")
      }
    }
    #expect(removals > 1_000)
  }

  @Test("any number of copies that differ in time are joined at once")
  func many() throws {
    let copies = (0..<20_000).map { storeEvent("1", minute: Int64($0)) }
    var set = EventSet(profileID: "p", events: copies)
    #expect(set.events == [copies.dropFirst().reduce(copies[0]) { $0.joined(with: $1) }])
    #expect(set.copyCount == 20_000)
    var counts = EventSet.Counts()
    set.formUnion(copies.reversed(), counting: &counts)
    #expect(counts.duplicate == 20_000 && counts.conflict == 0 && counts.accepted == 0)
    #expect(try EventSet.decode(set.encoded(), profileID: "p") == set)
  }

  @Test("an event stays as it would have been without the copy that expired, in the database too")
  func stored() throws {
    var early = storeEvent("1", minute: 10, params: "{}")
    early.context = Context([.country: "DE"])
    let late = storeEvent("1", minute: 60, params: #"{"value":"kept"}"#)
    var dumps: Set<[String]> = []
    for order in permutations([0, 1, 2]) {
      let database = try ScratchDatabase()
      let store = try database.store()
      for step in order {
        switch step {
        case 0: try store.loadParts([("p", [early])])
        case 1: try store.loadParts([("p", [late])])
        default:
          try store.loadParts([])
          try store.expire(before: at(minute: 50))
        }
      }
      try store.loadParts([])
      #expect(try store.fetchEvents(of: "p")?.events == [late])
      dumps.insert(try store.dumpLines(asOf: at(minute: 1000)))
    }
    #expect(dumps.count == 1)
  }

  @Test("copies that a person's export shows are all that are stored")
  func export() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.loadParts([
      (
        "p",
        [
          customerEvent("1", customer: "41", minute: 1),
          customerEvent("1", customer: "42", minute: 1),
        ]
      )
    ])
    let held = try #require(try store.everything(about: "p"))
    #expect(Set(held.events.compactMap { $0.event.context[.customerUserID] }) == ["41", "42"])
    _ = try store.erase(
      ErasureRequest(ids: ["cu:41"]), try store.exampleJob(), number: 900, resolve: exampleOutcome)
    #expect(try store.query("select customer_user_id from sluice.profiles").rows == [])
  }

  @Test("a profile of one event with more copies apart than events are let in is quarantined")
  func manyCopies() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    var people = PeopleRules()
    people.maximumEvents = 100
    let copies = (0..<101).map { storeEvent("1", minute: Int64($0)) }
    try store.loadParts([("p", Array(copies[..<100]))], people: people)
    #expect(try store.profiles() == ["p"])
    try store.loadParts([("p", [copies[100]])], people: people)
    #expect(try store.profiles() == [])
  }
}
