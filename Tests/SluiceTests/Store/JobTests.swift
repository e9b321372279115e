import Core
import Testing

@testable import Store
@testable import sluice

@Suite("Jobs and generations")
struct JobTests {
  private let two: [Bytes: [Event]] = [
    "a": [storeEvent("1", minute: 1), storeEvent("2", minute: 2)],
    "b": [storeEvent("1", minute: 1), storeEvent("2", minute: 90)],
  ]

  private func exit(_ body: () throws -> Void) -> ExitCode? {
    do { try body() } catch { return (error as? Problem)?.exit }
    return nil
  }

  @Test("an earlier instant is refused, a far one needs --force, the default is now")
  func asOf() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.startGeneration(.example, attributes: [], segments: [])
    let now = try store.startJob(command: "run", asOf: nil, generation: .example).asOf
    #expect(
      exit {
        _ = try store.startJob(
          command: "run", asOf: now.adding(days: -1), generation: .example)
      } == .usage)
    #expect(
      exit {
        _ = try store.startJob(command: "run", asOf: now.adding(days: 3), generation: .example)
      } == .usage)
    let forced = try store.startJob(
      command: "run", asOf: now.adding(days: 3), isForced: true, generation: .example)
    #expect(try store.startJob(command: "run", asOf: nil, generation: .example).asOf == forced.asOf)
  }

  @Test("a unit derives for the instant in force, not for its job's older one")
  func inForce() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let early = try store.exampleJob(asOf: at(minute: 10))
    _ = try store.exampleJob(asOf: at(minute: 100))
    try store.load(two, early)
    #expect(
      try store.query("select events_ahead from sluice.profiles order by 1").rows == [["0"], ["0"]])
  }

  @Test("time alone makes a profile due, at its instant and for nobody else")
  func due() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.load(two, store.exampleJob(asOf: at(minute: 10)))
    #expect(try store.pendingWork(for: store.exampleJob(asOf: at(minute: 89))).isEmpty)
    let before = try store.rowVersions(where: "profile_id = 'a'")
    let job = try store.exampleJob(asOf: at(minute: 90))
    let pending = try store.pendingWork(for: job)
    #expect(pending.map(\.shard) == [Shard(of: "b", .system)])
    #expect(pending.map(\.refold) == [.due])
    #expect(try store.settle(job).profiles == 1)
    #expect(try store.pendingWork(for: job).isEmpty)
    #expect(try store.rowVersions(where: "profile_id = 'a'") == before)
    let once = try ScratchDatabase()
    let fresh = try once.store()
    try fresh.load(two, fresh.exampleJob(asOf: at(minute: 90)))
    #expect(
      try store.dumpLines(asOf: at(minute: 90)) == fresh.dumpLines(asOf: at(minute: 90)))
  }

  @Test("a dump is refused at another instant, and while profiles wait")
  func dumpInstant() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.load(two, store.exampleJob(asOf: at(minute: 10)))
    #expect(exit { _ = try store.dumpLines(asOf: at(minute: 90)) } == .usage)
    _ = try store.exampleJob(asOf: at(minute: 90))
    #expect(exit { _ = try store.dumpLines(asOf: at(minute: 90)) } == .tryAgain)
  }

  @Test("a generation starts once, and is refused once it was replaced")
  func generations() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    #expect(try store.currentGeneration() == nil)
    #expect(try store.startGeneration(.example, attributes: [], segments: []))
    #expect(try !store.startGeneration(.example, attributes: [], segments: []))
    #expect(try store.startGeneration(.second, attributes: [], segments: []))
    #expect(try store.currentGeneration() == .second)
    #expect(
      exit { try store.startGeneration(.example, attributes: [], segments: []) } == .pipelineWrong)
    #expect(
      exit { _ = try store.startJob(command: "run", asOf: nil, generation: .example) } == .tryAgain)
  }

  @Test("a generation that was replaced comes back where that is said, and says how when it is not")
  func activate() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.startGeneration(.example, attributes: [], segments: [])
    try store.startGeneration(.second, attributes: [], segments: [])
    let problem = #expect(throws: Problem.self) {
      try store.startGeneration(.example, attributes: [], segments: [])
    }
    #expect(problem?.exit == .pipelineWrong)
    #expect(problem?.message.contains("--activate") == true)
    #expect(
      try store.startGeneration(.example, attributes: [], segments: [], isActivating: true))
    #expect(try store.currentGeneration() == .example)
    #expect(
      try store.query("select count(*) from sluice.generations where is_current").rows == [["1"]])
    // What is in force already needs no word, and a new one takes the word without harm.
    #expect(
      try !store.startGeneration(.example, attributes: [], segments: [], isActivating: true))
    #expect(
      exit { try store.startGeneration(.second, attributes: [], segments: []) } == .pipelineWrong)
  }

  @Test("another pipeline and an older program are refused")
  func owners() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.startGeneration(
      Generation(hash: "x", pipeline: "mine", text: "", resolverVersion: 5, codec: 1),
      attributes: [], segments: [])
    for (name, version) in [("other", Int32(5)), ("mine", 4)] {
      let refused = Generation(
        hash: "y", pipeline: name, text: "", resolverVersion: version, codec: 1)
      #expect(
        exit { try store.startGeneration(refused, attributes: [], segments: []) } == .pipelineWrong)
    }
  }

  @Test("a new generation derives every profile once, in steps that can be interrupted")
  func refold() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let ids = (0..<300).map { Bytes("p\($0)") }
    let events = Dictionary(uniqueKeysWithValues: ids.map { ($0, [storeEvent("1", minute: 1)]) })
    try store.load(events, store.exampleJob())
    let job = try store.exampleJob(.second)
    #expect(try store.pendingWork(for: job).allSatisfy { $0.refold == .all })

    var derived: [Bytes: Int] = [:]
    let first = Shard(of: ids[0], .system)
    let step = try store.runUnit(
      job, number: 0, shard: first, incoming: [:], refold: .all, refoldLimit: 1
    ) { set, asOf in
      derived[set.profileID, default: 0] += 1
      return exampleOutcome(set, asOf)
    }
    #expect(!step.isRefoldComplete)
    // Another program goes on where that one stopped.
    let next = try database.store()
    try next.settle(job, from: 1, limit: 2) { set, asOf in
      derived[set.profileID, default: 0] += 1
      return exampleOutcome(set, asOf)
    }
    #expect(derived.count == 300)
    #expect(derived.values.allSatisfy { $0 == 1 })
  }

  @Test("a job that a newer generation overtook stores its events and leaves the rest to it")
  func overtaken() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let old = try store.exampleJob()
    try store.load(["a": [storeEvent("1", minute: 1)]], old)
    let other = try database.store()
    let new = try other.exampleJob(.second)
    try other.settle(new)
    for (id, number) in [(Bytes("a"), Int64(10)), ("new", 11)] {
      let result = try store.runUnit(
        old, number: number, shard: Shard(of: id, .system),
        incoming: [id: [storeEvent("2", minute: 2)]], resolve: exampleOutcome)
      #expect(result.foundNewerGeneration)
      #expect(result.counts.sheet.accepted == 1)
    }
    #expect(exit { _ = try other.dumpLines(asOf: at(minute: 1000)) } == .tryAgain)
    #expect(try other.settle(new, from: 100).profiles == 2)

    let once = try ScratchDatabase()
    let fresh = try once.store()
    try fresh.load(
      [
        "a": [storeEvent("1", minute: 1), storeEvent("2", minute: 2)],
        "new": [storeEvent("2", minute: 2)],
      ], fresh.exampleJob())
    #expect(
      try other.dumpLines(asOf: at(minute: 1000)) == fresh.dumpLines(asOf: at(minute: 1000)))
  }

  @Test("profiles_wide has a column for each attribute and follows the pipeline")
  func wide() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.load(two, store.exampleJob())
    #expect(
      try store.query("select profile_id, n from sluice.profiles_wide order by 1").rows
        == [["a", "2"], ["b", "2"]])
    try store.startGeneration(
      .second,
      attributes: [
        DeclaredAttribute(key: "a.b-c", isNumber: false),
        DeclaredAttribute(key: "country", isNumber: false),
        DeclaredAttribute(key: "n", isNumber: true),
      ], segments: [])
    #expect(
      try store.query(
        "select n, \"a.b-c\", country, platform from sluice.profiles_wide where profile_id = 'a'"
      ).rows == [["2", nil, nil, "ios"]])
  }

  @Test("a view that depends on profiles_wide is named, and kept")
  func dependents() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    _ = try store.exampleJob()
    try database.connection().executeScript(
      "create view public.mine as select n from sluice.profiles_wide")
    let problem = try #require(throws: Problem.self) {
      try store.startGeneration(.second, attributes: [], segments: [])
    }
    #expect(problem.exit == .pipelineWrong)
    #expect(problem.message.contains("public.mine") || problem.message.contains("mine"))
    #expect(try store.currentGeneration() == .example)
  }

  @Test("the ledger gives back what was recorded, and rejects are listed once")
  func ledger() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let job = try store.exampleJob()
    var file = FileRecord(
      path: "/in/ä.ndjson", device: 1, inode: 2, size: 3, mtimeNanoseconds: 4, ctimeNanoseconds: 5,
      bytesDone: 6, linesDone: 7, headHash: [1, 2], tailHash: [], readerRevision: "r",
      isDone: false, isTruncated: true, counts: #"{"events": 1}"#,
      sources: #"{"segment": ["flow_appeared"]}"#)
    try store.recordFile(file, job)
    #expect(try store.knownFiles([file.path, "/other"]) == [file.path: file])
    file.isDone = true
    try store.recordFile(file, job)
    #expect(try store.knownFiles([file.path]) == [file.path: file])

    let rejections = (0..<12_000).map {
      Rejection(.invalidTime, field: "occurred_at", line: $0, byteOffset: $0 * 10, length: 10)
    }
    try store.addRejects(rejections, file: file.path, job)
    try store.addRejects(rejections, file: file.path, job)
    #expect(
      try store.query("select count(*), max(line) from sluice.rejects").rows == [
        ["12000", "11999"]
      ])
  }
}
