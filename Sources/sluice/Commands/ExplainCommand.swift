internal import Core
internal import Report
internal import Store

extension Sluice {
  /// One person, by any of their ids: what was derived, since when, and why.
  func explain(_ options: ExplainOptions) throws -> ExitCode {
    let named = try options.pipeline.map { try load($0) }
    let store = try connector(options.database).connect()
    try store.requireSchema()
    let pipeline = try (named ?? load(nil, else: store)).pipeline
    let person = try person(of: options.profile, on: store)
    let asOf = try options.asOf ?? store.asOfInForce() ?? now
    let explanation = Core.explain(person, pipeline, asOf: asOf, primitives)
    let table = ExplanationTable.table(explanation, pipeline, asOf: asOf)
    switch options.format {
    case .table: try console.write(TableText.text(table))
    case .csv: try console.write(CSVText.text(table.withoutIndentation))
    case .json: try console.write(JSONLinesText.text(table.withoutIndentation))
    }
    return .done
  }
}

extension ReportTable {
  /// For programs: what stands in what is told by the order of the rows.
  fileprivate var withoutIndentation: ReportTable {
    ReportTable(
      columns: columns,
      rows: rows.map { row in row.map { $0.map { String($0.drop { $0 == " " }) } } })
  }
}
