internal import Core
internal import Report
internal import Store

extension Sluice {
  func report(_ options: ReportOptions) throws -> ExitCode {
    guard let report = ReportCatalogue.report(options.name) else {
      throw Problem(.usage, at: "report \(options.name)", "there is no such report")
    }
    if options.splitBy != nil {
      throw Problem(
        .usage, at: "--split-by", "is not supported yet", next: "leave it away")
    }
    let store = try connector(options.database).connect()
    try store.requireSchema()
    let zone =
      try options.zone
      ?? store.currentGeneration().map { generation in
        try load(generation).pipeline.zone.name.string
      }
    let result = try store.query(
      report.sql,
      [options.since?.iso8601, options.until?.iso8601, zone ?? "UTC", options.splitBy])
    let table = report.table(names: result.columns, rows: result.rows)
    switch options.format {
    case .table: try console.write(TableText.text(table))
    case .csv: try console.write(CSVText.text(table))
    case .json: try console.write(JSONLinesText.text(table))
    }
    if table.rows.isEmpty { console.say("no rows: nothing is stored for this yet") }
    return .done
  }
}
