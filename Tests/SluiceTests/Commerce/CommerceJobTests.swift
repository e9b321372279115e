import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

/// Purchases, errors and restores of a few people, through the whole program.
@Suite("Purchases, errors and restores in the database")
struct CommerceJobTests {
  private static let asOf = "2026-11-20T00:00:00Z"

  private static let pipeline = """
    pipeline: commerce
    flows:
      paywall: { placements: [paywall] }
    attributes:
      bought: { type: number, value: purchases.count }
    segments:
      buyer: purchases.revenue_usd > 9
      saw_v1: exposed.paywall.variation = 'v1'
      tester: profile.is_test_user
    reports: { exclude: tester }
    """

  private static func product(_ more: String = "") -> Bytes {
    Bytes(
      #"{"product":{"vendorProductId":"m","price":9.99,"currencyCode":"USD"}\#(more)}"#)
  }

  private static func paywall(_ platform: Bytes = "iOS", variation: Bytes? = "v1") -> EventScript {
    var script = EventScript()
    script.context = [
      .placementID: "paywall", .audienceName: "All users", .platform: platform,
      .appVersion: "1.2.0",
    ]
    script.context[.variationID] = variation
    script.appeared(0)
    script.add("product_selected", 1, product())
    script.add("product_selected", 2, product())
    script.add("purchase_started", 3, product())
    return script
  }

  /// Lines of the canonical envelope for all people.
  private static func lines() throws -> [String] {
    var lines: [String] = []
    // Bought, and the feed tells what was paid, the export beside the webhook.
    var buyer = paywall()
    buyer.add("purchase_finished", 9, product(#","purchaseResult":{"type":"success"}"#))
    buyer.record(
      "subscription_started", 30,
      #"{"vendor_product_id":"m","transaction_id":"t1","original_transaction_id":"t1","price_usd":10,"price_local":9.5,"currency":"EUR","environment":"Production","store":"app_store"}"#
    )
    buyer.record(
      "subscription_started", 30,
      #"{"product_id":"m","transaction_id":"t1","original_transaction_id":"t1","revenue_usd":10}"#)
    buyer.record(
      "subscription_renewed", 3e6,
      #"{"vendor_product_id":"m","transaction_id":"t2","original_transaction_id":"t1","price_usd":10.5,"price_local":9.5,"currency":"EUR"}"#
    )
    lines += buyer.lines(of: "buyer")
    // Bought, and no feed tells of it.
    var unrecorded = paywall()
    unrecorded.add("purchase_finished", 9, product(#","purchaseResult":{"type":"success"}"#))
    lines += unrecorded.lines(of: "unrecorded")
    var cancelled = paywall()
    cancelled.add("purchase_finished", 9, product(#","purchaseResult":{"type":"cancelled"}"#))
    try cancelled.add("restore_started", 20, fixture: "bridge/restore_started")
    try cancelled.add("restore_finished", 21, fixture: "bridge/restore_finished")
    lines += cancelled.lines(of: "cancelled")
    // The same number is another error on another platform.
    for (name, platform) in [("failed", "iOS"), ("failed_too", "Android")] as [(Bytes, Bytes)] {
      var failed = paywall(platform)
      failed.add(
        "purchase_failed", 9,
        product(#","error":{"adapty_code":2002,"message":"Jane Doe may not"}"#))
      lines += failed.lines(of: name)
    }
    var pending = paywall(variation: "v2")
    pending.add("purchase_finished", 9, product(#","purchaseResult":{"type":"pending"}"#))
    try pending.add("product_loading_failed", 10, fixture: "bridge/product_loading_failed")
    try pending.add("product_loading_failed", 11, fixture: "flow-events/product_loading_failed")
    try pending.add("products_partially_loaded", 12, fixture: "bridge/products_partially_loaded")
    try pending.add("restore_failed", 20, fixture: "flow-events/restore_failed")
    lines += pending.lines(of: "pending")
    // Nobody paid in a sandbox, and a tester counts for nothing.
    var sandbox = paywall()
    sandbox.context[.environment] = "Sandbox"
    sandbox.add("purchase_finished", 9, product(#","purchaseResult":{"type":"success"}"#))
    lines += sandbox.lines(of: "sandbox")
    var tester = paywall()
    tester.context[.isTestUser] = "true"
    tester.add("purchase_finished", 9, product(#","purchaseResult":{"type":"success"}"#))
    lines += tester.lines(of: "tester")
    return lines
  }

  private func load(_ files: [[String]], _ database: ScratchDatabase) async throws {
    let folder = try ScratchFolder()
    let pipeline = try folder.write(Self.pipeline, as: "p.yaml")
    for (index, lines) in files.enumerated() {
      let file = try folder.write(lines.joined(), as: "\(index).ndjson")
      let run = try await CommandRun(
        ["run", "--quiet", "--pipeline", pipeline, "--as-of", Self.asOf, file], on: database)
      #expect(run.code == .done, "\(run.words)")
      #expect(!run.words.contains("Jane"))
    }
  }

  private func dump(_ database: ScratchDatabase) async throws -> String {
    let dump = try await CommandRun(["export", "dump", "--as-of", Self.asOf], on: database)
    #expect(dump.code == .done, "\(dump.words)")
    return dump.output
  }

  @Test("shuffled, told twice and split over files, events give the same dump")
  func law() async throws {
    let lines = try Self.lines()
    let whole = try ScratchDatabase()
    try await load([lines], whole)
    let expected = try await dump(whole)
    for table in [
      "purchases", "store_transactions", "product_selections", "restores", "flow_errors",
      "exposures",
    ] {
      #expect(expected.contains("\n\(table)\t"), "\(table)")
    }
    #expect(!expected.contains("Jane"), "no word of an error is derived")
    var random = SeededGenerator(seed: 4)
    for jobs in 1...3 {
      let database = try ScratchDatabase()
      let shuffled = (lines + lines.prefix(30)).shuffled(using: &random)
      let size = (shuffled.count + jobs - 1) / jobs
      try await load(
        stride(from: 0, to: shuffled.count, by: size).map {
          Array(shuffled[$0..<min($0 + size, shuffled.count)])
        }, database)
      #expect(try await dump(database) == expected, "seed 4, \(jobs) jobs")
    }
  }

  @Test("a rule over what nobody bought or was shown is warned of")
  func check() async throws {
    let database = try ScratchDatabase()
    var script = Self.paywall()
    script.disappeared(20)
    try await load([script.lines(of: "p")], database)
    let folder = try ScratchFolder()
    let wide = try folder.write(
      Self.pipeline.replacingOccurrences(
        of: "'v1'", with: "'v1' or exposed.other.variation = 'v'"
      ).replacingOccurrences(of: "placements: [paywall]", with: "placements: [paywall, other]"),
      as: "wide.yaml")
    let done = try await CommandRun(["check", "--data", wide], on: database)
    #expect(done.code == .done)
    #expect(
      done.words.contains(
        "`exposed.other.variation` is read, and nobody of 1 profile was seen with a variation of "
          + "that placement"))
    #expect(
      done.words.contains("`purchases` are read, and nobody of 1 profile has bought anything"))
    #expect(!done.words.contains("`exposed.paywall.variation`"))
  }

  @Test("tables tell each attempt, and reports count them")
  func reports() async throws {
    let database = try ScratchDatabase()
    try await load([try Self.lines()], database)
    let store = try database.store()
    #expect(
      try store.query(
        """
        select profile_id, outcome, source, matched_by, revenue_usd, total_usd, renewals, error_name,
          placement_id, run_id is not null
        from sluice.purchases order by profile_id
        """
      ).rows == [
        [
          "buyer", "success", "both", "product_and_time", "10", "20.5", "1", nil, "paywall", "t",
        ],
        ["cancelled", "cancelled", "app", nil, nil, nil, "0", nil, "paywall", "t"],
        ["failed", "failed", "app", nil, nil, nil, "0", "notActivated", "paywall", "t"],
        [
          "failed_too", "failed", "app", nil, nil, nil, "0", "AUTHENTICATION_ERROR", "paywall", "t",
        ],
        ["pending", "pending", "app", nil, nil, nil, "0", nil, "paywall", "t"],
        ["sandbox", "success", "app", nil, nil, nil, "0", nil, "paywall", "t"],
        ["tester", "success", "app", nil, nil, nil, "0", nil, "paywall", "t"],
        ["unrecorded", "success", "app", nil, nil, nil, "0", nil, "paywall", "t"],
      ])
    #expect(
      try store.query(
        "select distinct times, product_id from sluice.product_selections"
      ).rows == [["2", "m"]])
    #expect(
      try store.query(
        "select profile_id from sluice.segment_members where segment = 'buyer'"
      ).rows == [["buyer"]])
    #expect(
      try store.query(
        """
        select audience, variation_id, shown, selected, started, succeeded, cancelled, failed,
          pending, round(conversion::numeric, 3), purchases, revenue_local, revenue_usd, usd_coverage
        from sluice.purchase_funnel()
        """
      ).rows == [
        [
          "All users", "v1", "6", "6", "5", "2", "1", "2", "0", "0.333", "2",
          #"{"EUR": 19.00, "USD": 9.99}"#, "20.5", "0.5",
        ],
        ["All users", "v2", "1", "1", "1", "0", "0", "0", "1", "0.000", "0", nil, nil, nil],
      ])
    #expect(
      try store.query(
        """
        select code_name, code, kind, platform, app_version, errors, people
        from sluice.error_counts() where kind = 'purchase_failed'
        """
      ).rows == [
        ["AUTHENTICATION_ERROR", "2002", "purchase_failed", "Android", "1.2.0", "1", "1"],
        ["notActivated", "2002", "purchase_failed", "iOS", "1.2.0", "1", "1"],
      ])
    #expect(
      try store.query(
        """
        select kind, product_id, code_name, failures, retried, not_retried, retry_unknown
        from sluice.product_loading_failures()
        """
      ).rows == [
        ["product_loading_failed", nil, "noProductIDsFound", "1", "1", "0", "0"],
        ["product_loading_failed", nil, "products_loading_failed", "1", "0", "0", "1"],
        ["products_partially_loaded", "gold", nil, "1", "0", "0", "1"],
        ["products_partially_loaded", "premium_yearly", nil, "1", "0", "0", "1"],
      ])
    #expect(
      try store.query(
        """
        select placement_id, platform, restores, people, succeeded, with_access, without_access,
          failed, unfinished
        from sluice.restore_counts()
        """
      ).rows == [["paywall", "iOS", "2", "2", "1", "1", "0", "1", "0"]])
    for function in [
      "purchase_funnel", "error_counts", "product_loading_failures", "restore_counts",
    ] {
      #expect(try store.query("select * from sluice.\(function)('2026-03-02')").rows.isEmpty)
      let report = try await CommandRun(["report", function, "--format", "csv"], on: database)
      #expect(report.code == .done, "\(report.words)")
      #expect(report.output.split(whereSeparator: \.isNewline).count > 1)
    }
  }
}
