internal import Core
internal import Glibc
internal import Report
internal import Store

extension Sluice {
  /// Lists rejects, or reads the files again that hold them.
  func rejects(_ options: RejectsOptions) async throws -> ExitCode {
    let store = try connector(options.database).connect()
    try store.requireSchema()
    let filter = RejectFilter(
      file: options.file.map(listedName), reason: options.reason, job: options.job)
    switch options.action {
    case .list:
      try list(options, filter, store)
      return .done
    case .replay(let run): return try await replay(run, filter, store)
    }
  }

  /// As `rejects` names an input: the real path of as much of it as is still there, and the rest as given.
  ///
  /// A file can be gone, and `FILE!/ENTRY` is in an archive.
  private func listedName(_ file: String) -> Bytes {
    var parts = file.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    var rest: [String] = []
    while true {
      let there = parts.isEmpty ? "." : parts == [""] ? "/" : parts.joined(separator: "/")
      if let real = realpath(there, nil) {
        defer { free(real) }
        let folder = String(cString: real)
        let name = ([folder == "/" ? "" : folder] + rest).joined(separator: "/")
        return ledgerName(Bytes(name))
      }
      guard let last = parts.popLast() else { return Bytes(file) }
      rest.insert(last, at: 0)
    }
  }

  // MARK: Listing

  private func list(_ options: RejectsOptions, _ filter: RejectFilter, _ store: Store) throws {
    switch options.format {
    case .table: try listTable(options.limit ?? 100, filter, store)
    case .csv:
      // The header is written once, whatever the number of pages.
      try console.write(CSVText.text(Self.table([])))
      let header = CSVText.text(Self.table([])).count
      try store.rejects(filter, limit: options.limit) {
        try console.write(String(CSVText.text(Self.table($0)).dropFirst(header)))
      }
    case .json:
      // One array, whatever the number of pages.
      var isFirst = true
      try store.rejects(filter, limit: options.limit) {
        let page = JSONLinesText.text(Self.table($0)).dropFirst(2).dropLast(3)
        try console.write((isFirst ? "[\n" : ",\n") + page)
        isFirst = false
      }
      try console.write(isFirst ? "[]\n" : "\n]\n")
    }
  }

  /// Columns are as wide as the widest of all rows, so no more are taken than people read.
  private func listTable(_ limit: Int, _ filter: RejectFilter, _ store: Store) throws {
    var rows: [RejectRow] = []
    try store.rejects(filter, limit: limit + 1) { rows += $0 }
    guard !rows.isEmpty else {
      console.say("no rejects")
      return
    }
    try console.write(TableText.text(Self.table(Array(rows.prefix(limit)))))
    guard rows.count > limit else { return }
    let all = try store.rejectedFiles(filter).reduce(0) { $0 + $1.count }
    console.say(
      "\(grouped(limit)) of \(counted(all, "reject")); --limit N or --format csv shows more")
  }

  private static func table(_ rows: [RejectRow]) -> ReportTable {
    ReportTable(
      columns: [
        ReportTable.Column("file", .text), ReportTable.Column("line", .integer),
        ReportTable.Column("byte_offset", .integer), ReportTable.Column("length", .integer),
        ReportTable.Column("stage", .text), ReportTable.Column("reason", .text),
        ReportTable.Column("field", .text), ReportTable.Column("job", .integer),
      ],
      rows: rows.map { row in
        [
          row.file.string, String(row.line), String(row.byteOffset), String(row.length),
          row.stage.string, row.reason.string, row.field.string, String(row.jobID),
        ]
      })
  }
}
