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

  /// As `rejects` names an input: its real path, where it still is.
  private func listedName(_ file: String) -> Bytes {
    guard let real = realpath(file, nil) else { return Bytes(file) }
    defer { free(real) }
    return ledgerName(Bytes(String(cString: real)))
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

  // MARK: Reading again

  /// Reads whole files: what was read of them before stays as it is, since an event is stored once.
  private func replay(
    _ options: RunOptions, _ filter: RejectFilter, _ store: Store
  ) async throws -> ExitCode {
    var inputs: Set<Bytes> = []
    var gone: [(file: Bytes, count: Int)] = []
    for (file, count) in try store.rejectedFiles(filter) {
      if let path = existingFile(of: file) {
        inputs.insert(path)
      } else {
        gone.append((file, count))
      }
    }
    for (file, count) in gone {
      console.say(
        "sluice: \(printable(file.string)): \(counted(count, "reject")) cannot be read again: there is no such file now"
      )
    }
    guard !inputs.isEmpty else {
      if gone.isEmpty, !options.isQuiet { console.say("no rejects") }
      return gone.isEmpty ? .done : .noInput
    }
    // A job's number changes with the reading, so the files' rejects are counted whatever job met them.
    let counting = RejectFilter(reason: filter.reason)
    func rejects() throws -> Int {
      try store.rejectedFiles(counting).reduce(0) { sum, item in
        existingFile(of: item.file).map { inputs.contains($0) } == true ? sum + item.count : sum
      }
    }
    let before = try rejects()
    var options = options
    options.inputs = inputs.sorted().map(\.string)
    let code = try await runEvents(options)
    let after = try rejects()
    if !options.isQuiet {
      console.say(
        "replay: \(grouped(max(0, before - after))) of \(counted(before, "reject")) recovered from "
          + counted(inputs.count, "file"))
    }
    return code == .done && !gone.isEmpty ? .noInput : code
  }

  /// The file behind a name of the list, of an archive's entry the archive; nil where there is none.
  private func existingFile(of name: Bytes) -> Bytes? {
    var end = name.count
    while true {
      let path = String(decoding: name.array[..<end], as: UTF8.self)
      var status = stat()
      if path.hasPrefix("/"), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        return Bytes(path)
      }
      guard
        let mark = (0..<max(0, end - 1)).last(where: {
          name.array[$0] == UInt8(ascii: "!") && name.array[$0 + 1] == UInt8(ascii: "/")
        })
      else { return nil }
      end = mark
    }
  }
}
