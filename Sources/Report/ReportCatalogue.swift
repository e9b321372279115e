/// The reports there are: SQL computes them, this says how each is asked for.
package enum ReportCatalogue {
  package static let reports: [Report] = [
    Report(
      name: "segments", summary: "members of each segment, and who entered and left it",
      function: "segment_sizes",
      columns: [
        .init("segment", .text), .init("rule", .text), .init("split", .text),
        .init("members", .integer), .init("share", .share), .init("entered", .integer),
        .init("exited", .integer),
      ]),
    Report(
      name: "funnel", summary: "each flow screen by screen: who reached it, and who dropped off",
      function: "funnel",
      columns: [
        .init("flow", .text), .init("split", .text), .init("step", .integer),
        .init("screen_id", .text), .init("entered", .integer), .init("reached", .integer),
        .init("reached_share", .share), .init("conversion_from_previous", .share),
        .init("dropped", .integer), .init("drop_rate", .share), .init("median_seconds", .number),
        .init("completed", .integer),
      ]),
    Report(
      name: "purchase_funnel", summary: "from paywall to purchase, and what it brought",
      function: "purchase_funnel",
      columns: [
        .init("placement_id", .text), .init("audience", .text), .init("variation_id", .text),
        .init("split", .text), .init("shown", .integer), .init("selected", .integer),
        .init("started", .integer), .init("succeeded", .integer), .init("cancelled", .integer),
        .init("failed", .integer), .init("pending", .integer), .init("conversion", .share),
        .init("purchases", .integer), .init("revenue_local", .text),
        .init("revenue_usd", .number), .init("usd_coverage", .share),
      ]),
    Report(
      name: "error_counts", summary: "errors of flows and paywalls, by name and app version",
      function: "error_counts",
      columns: [
        .init("code_name", .text), .init("code", .text), .init("kind", .text),
        .init("platform", .text), .init("app_version", .text), .init("split", .text),
        .init("errors", .integer), .init("people", .integer),
      ]),
    Report(
      name: "product_loading_failures",
      summary: "products that paywalls could not load, and whether the app tried again",
      function: "product_loading_failures",
      columns: [
        .init("placement_id", .text), .init("kind", .text), .init("product_id", .text),
        .init("code_name", .text), .init("code", .text), .init("platform", .text),
        .init("split", .text), .init("failures", .integer), .init("people", .integer),
        .init("retried", .integer), .init("not_retried", .integer),
        .init("retry_unknown", .integer),
      ]),
    Report(
      name: "restore_counts", summary: "restores of earlier purchases, and what came of them",
      function: "restore_counts",
      columns: [
        .init("placement_id", .text), .init("platform", .text), .init("split", .text),
        .init("restores", .integer), .init("people", .integer), .init("succeeded", .integer),
        .init("with_access", .integer), .init("without_access", .integer),
        .init("failed", .integer), .init("unfinished", .integer),
      ]),
    Report(
      name: "subscription_states", summary: "people by where they stand with their subscriptions",
      function: "subscription_states",
      columns: [
        .init("state", .text), .init("split", .text), .init("people", .integer),
        .init("share", .share), .init("told", .integer),
      ]),
    Report(
      name: "store_message_counts", summary: "the store's messages: shown, failed, waiting",
      function: "store_message_counts",
      columns: [
        .init("message_type", .text), .init("split", .text), .init("people", .integer),
        .init("queued", .integer), .init("shown", .integer), .init("ended", .integer),
        .init("pending", .integer), .init("failed_attempts", .integer),
        .init("last_errors", .text),
      ]),
    Report(
      name: "quarantine", summary: "profiles whose events count for nothing, and why",
      function: "quarantine",
      columns: [
        .init("profile_id", .text), .init("reason", .text), .init("sqlstate", .text),
        .init("quarantined_at", .text),
      ]),
  ]

  package static func report(_ name: String) -> Report? { reports.first { $0.name == name } }
}

/// A report: a SQL function of `(since date, until date, zone text, split_by text, min_group integer)`.
package struct Report: Hashable, Sendable {
  package let name: String
  package let summary: String
  package let function: String
  package let columns: [ReportTable.Column]

  package init(name: String, summary: String, function: String, columns: [ReportTable.Column]) {
    self.name = name
    self.summary = summary
    self.function = function
    self.columns = columns
  }

  /// The statement, for the schema that every SQL text names; `$1`–`$5` are the function's arguments.
  package var sql: String {
    let list = columns.map(\.name).joined(separator: ", ")
    return
      "select \(list) from sluice.\(function)($1::date, $2::date, $3::text, $4::text, $5::integer)"
  }

  /// The table for rows that ``sql`` gave, or any other columns by their names.
  ///
  /// - Parameters:
  ///   - names: of the columns that came; one that is not in the catalogue is text.
  ///   - rows: a text a column.
  /// - Returns: the rows as they came, their columns with the kinds that the catalogue knows.
  package func table(names: [String], rows: [[String?]]) -> ReportTable {
    let kinds = Dictionary(columns.map { ($0.name, $0.kind) }) { first, _ in first }
    return ReportTable(columns: names.map { .init($0, kinds[$0] ?? .text) }, rows: rows)
  }
}
