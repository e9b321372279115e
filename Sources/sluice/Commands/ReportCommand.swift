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
    if options.minGroup != nil, report.columns.contains(where: { $0.name == "profile_id" }) {
      throw Problem(
        .usage, at: "--min-group", "has no meaning for \(report.name)",
        because: "it lists single profiles", next: "leave it away")
    }
    if let zone = options.zone, ZoneFile.zone(named: Bytes(zone)) == nil {
      throw Problem(
        .usage, at: "--zone \(zone)", "there is no such time zone here",
        next: "name one as Europe/Berlin; the zones of this machine are in \(ZoneFile.folder)")
    }
    let store = try connector(options.database).connect()
    try store.requireSchema()
    func rows(minGroup: Int) throws -> TextTable {
      try store.query(
        report.sql,
        [
          options.since?.iso8601, options.until?.iso8601, options.zone, options.splitBy,
          String(minGroup),
        ])
    }
    let result = try rows(minGroup: options.minGroup ?? 0)
    let table = report.table(names: result.columns, rows: result.rows)
    switch options.format {
    case .table: try console.write(TableText.text(table))
    case .csv: try console.write(CSVText.text(table))
    case .json: try console.write(JSONLinesText.text(table))
    }
    if let least = options.minGroup {
      let left = try rows(minGroup: 0).rows.count - result.rows.count
      if left > 0 {
        console.say("\(counted(left, "group")) of fewer than \(grouped(least)) people left out")
        return .done
      }
    }
    if report.name == "quarantine",
      result.rows.contains(where: { $0.contains(QuarantineReason.unreadable.word) })
    {
      console.say(
        "unreadable: kept as they are until `sluice erase`; nothing can expire in them or be dropped"
      )
    }
    if table.rows.isEmpty { console.say("no rows: nothing is stored for this yet") }
    return .done
  }
}
