import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

@Suite("Access levels and store messages in the database")
struct SubscriptionStoreTests {
  private static let pipeline = """
    pipeline: subscriptions
    custom: { plan: text }
    segments:
      premium: access.premium.is_active is not false
      lapsed: access.premium.is_active is false and access.premium.expires_at is not null
      gold: custom.plan = 'gold'
    next:
      - { when: store_message.billing_issue.is_pending, nothing: true, store_messages: [billing_issue], because: billing first }
      - { when: premium, nothing: true, because: pays already }
      - { placement: paywall }
    """

  /// One person a line of the table in the tests below.
  private static var people: [(id: Bytes, script: EventScript)] {
    var renewing = EventScript()
    renewing.add(
      "didLoadLatestProfile", 0,
      Bytes(
        #"{"profile":{"timestamp":\#(EventScript.milliseconds(0)),"isTestUser":false,"#
          + #""customAttributes":{"plan":"gold"},"accessLevels":{"premium":{"isActive":true,"#
          + #""willRenew":true,"vendorProductId":"m","store":"app_store","#
          + #"\#(EventScript.expires(100))}},"subscriptions":[]}}"#))
    var lapsed = EventScript()
    lapsed.snapshot(
      0, timestamp: EventScript.milliseconds(0),
      #""isActive":true,"willRenew":false,\#(EventScript.expires(100))"#)
    lapsed.snapshot(
      50, timestamp: EventScript.milliseconds(-50), #""isActive":true,"isLifetime":true"#)
    var waiting = EventScript()
    waiting.add("store_message_queued", 0, #"{"types":["billing_issue","storekit_9"]}"#)
    waiting.add("store_message_failed", 1, #"{"type":"billing_issue","code":3202}"#)
    waiting.add("store_message_shown", 2, #"{"type":"storekit_9"}"#)
    var paying = EventScript()
    paying.session = nil
    paying.add(
      "access_level_updated", 0,
      #"{"access_level_id":"premium","is_active":true,"will_renew":true,"expires_at":"2030-01-01T00:00:00.000000+0000"}"#
    )
    paying.add("access_level_updated", 10, #"{"access_level_id":"sports","is_active":false}"#)
    return [("lapsed", lapsed), ("paying", paying), ("renewing", renewing), ("waiting", waiting)]
  }

  /// A database that a job filled; it is dropped with the last reference.
  private final class Filled {
    let database: ScratchDatabase
    let store: Store

    init(_ database: ScratchDatabase) throws {
      self.database = database
      store = try database.store()
    }

    /// Written out while the database is sure to be there.
    func dump(asOf seconds: Double) throws -> [String] {
      try store.dumpLines(asOf: EventScript.at(seconds))
    }
  }

  private func run(_ lines: [String], asOf: Double) async throws -> Filled {
    let folder = try ScratchFolder()
    let file = try folder.write(lines.joined(), as: "events.ndjson")
    let pipeline = try folder.write(Self.pipeline, as: "p.yaml")
    let database = try ScratchDatabase()
    let run = try await CommandRun(
      [
        "run", "--quiet", "--pipeline", pipeline, "--as-of", EventScript.at(asOf).iso8601, file,
      ], on: database)
    #expect(run.code == .done, "\(run.words)")
    return try Filled(database)
  }

  @Test("rows say what levels, states and messages are at the job's instant")
  func rows() async throws {
    let lines = Self.people.flatMap { $0.script.lines(of: $0.id) }
    let filled = try await run(lines, asOf: 150)
    let (database, store) = (filled.database, filled.store)
    #expect(
      try store.query(
        """
        select profile_id, level, is_active, will_renew, product_id, expires_at, is_said_active
        from sluice.access_levels order by 1, 2
        """
      ).rows == [
        ["lapsed", "premium", "f", "f", nil, "2026-03-01 10:01:40+00", "t"],
        ["paying", "premium", "t", "t", nil, "2030-01-01 00:00:00+00", "t"],
        ["paying", "sports", "f", nil, nil, nil, "f"],
        ["renewing", "premium", nil, "t", "m", "2026-03-01 10:01:40+00", "t"],
      ])
    #expect(
      try store.query("select profile_id, state from sluice.profile_subscriptions order by 1").rows
        == [["lapsed", "cancelled"], ["paying", "subscribed"], ["renewing", nil]])
    #expect(
      try store.query(
        """
        select message_type, message_number, shown_at is not null, failed_attempts, last_error_code, last_error,
          is_pending
        from sluice.store_messages order by 1
        """
      ).rows == [
        ["billing_issue", "1", "f", "1", "3202", "resolverFailure", "t"],
        ["storekit_9", "1", "t", "0", nil, nil, "f"],
      ])
    #expect(
      try store.query(
        "select profile_id, next_because, next_store_messages::text from sluice.profiles order by 1"
      ).rows == [
        ["lapsed", "default", "{}"], ["paying", "pays already", "{}"],
        ["renewing", "pays already", "{}"], ["waiting", "billing first", "{billing_issue}"],
      ])
    #expect(
      try store.query("select profile_id, segment from sluice.segment_members order by 1, 2").rows
        == [
          ["lapsed", "lapsed"], ["paying", "premium"], ["renewing", "gold"],
          ["renewing", "premium"],
        ])
    // Reports.
    #expect(
      try store.query("select * from sluice.subscription_states()").rows == [
        ["cancelled", nil, "1", "0.25", "1"], ["never_subscribed", nil, "1", "0.25", "0"],
        ["subscribed", nil, "1", "0.25", "1"], ["unknown", nil, "1", "0.25", "1"],
      ])
    #expect(
      try store.query("select * from sluice.store_message_counts()").rows == [
        ["billing_issue", nil, "1", "1", "0", "0", "1", "1", "resolverFailure"],
        ["storekit_9", nil, "1", "1", "1", "0", "0", "0", nil],
      ])
    #expect(
      try store.query("select code_name, code, kind, errors, people from sluice.error_counts()")
        .rows == [["resolverFailure", "3202", "store_message_failed", "1", "1"]])
    for function in ["subscription_states", "store_message_counts"] {
      #expect(
        try store.query("select * from sluice.\(function)('2026-03-02')").rows.isEmpty,
        "\(function)")
      let report = try await CommandRun(["report", function, "--format", "csv"], on: database)
      #expect(report.code == .done, "\(report.words)")
      #expect(
        report.output.hasPrefix(function == "subscription_states" ? "state," : "message_type,"))
      let problem = try #require(throws: Problem.self) {
        try store.query("select * from sluice.\(function)(null, null, 'UTC', 'platform')")
      }
      #expect(problem.message.contains("cannot be split yet"))
    }
    let explanation = try await CommandRun(
      ["explain", "waiting", "--as-of", EventScript.at(150).iso8601], on: database)
    #expect(explanation.output.contains("store_message.billing_issue.is_pending"))
    #expect(explanation.output.contains("resolverFailure"))
    let levels = try await CommandRun(
      ["explain", "renewing", "--as-of", EventScript.at(150).iso8601], on: database)
    #expect(levels.output.contains("access level"))
    #expect(levels.output.contains("unknown"))
  }

  @Test("the clock alone moves what expires, when a job comes by")
  func clock() async throws {
    let lines = Self.people.flatMap { $0.script.lines(of: $0.id) }
    let filled = try await run(lines, asOf: 60)
    let (database, store) = (filled.database, filled.store)
    let states =
      "select profile_id, is_active from sluice.access_levels where level = 'premium' order by 1"
    #expect(
      try store.query(states).rows == [["lapsed", "t"], ["paying", "t"], ["renewing", "t"]])
    let again = try await CommandRun(
      ["recompute", "--as-of", EventScript.at(100).iso8601], on: database)
    #expect(again.code == .done, "\(again.words)")
    #expect(
      try store.query(states).rows == [["lapsed", "f"], ["paying", "t"], ["renewing", nil]])
    let fresh = try await run(lines, asOf: 100)
    #expect(try filled.dump(asOf: 100) == fresh.dump(asOf: 100))
    withExtendedLifetime((filled, fresh)) {}
  }

  @Test("shuffled and repeated lines give the same dump")
  func shuffled() async throws {
    let lines = Self.people.flatMap { $0.script.lines(of: $0.id) }
    let first = try await run(lines, asOf: 150)
    let dump = try first.dump(asOf: 150)
    withExtendedLifetime(first) {}
    #expect(dump.contains { $0.hasPrefix("access_levels\t") })
    #expect(dump.contains { $0.hasPrefix("profile_subscriptions\t") })
    #expect(dump.contains { $0.hasPrefix("store_messages\t") })
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2 {
      let other = try await run((lines + lines).shuffled(using: &random), asOf: 150)
      #expect(try other.dump(asOf: 150) == dump)
      withExtendedLifetime(other) {}
    }
  }

  @Test("the reports answer on an empty database")
  func empty() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    #expect(try store.query("select * from sluice.subscription_states()").rows.isEmpty)
    #expect(try store.query("select * from sluice.store_message_counts()").rows.isEmpty)
    withExtendedLifetime(database) {}
  }

  @Test("a check against the data warns of access that nobody has")
  func check() async throws {
    var script = EventScript()
    script.appeared(0)
    let database = try await run(script.lines(of: "p"), asOf: 150).database
    let folder = try ScratchFolder()
    let pipeline = try folder.write(Self.pipeline, as: "p.yaml")
    let check = try await CommandRun(["check", "--data", pipeline], on: database)
    #expect(check.words.contains("`access.premium` is read, and nobody of 1 profile"))
  }
}
