internal import Core
internal import Report
internal import Store

extension Sluice {
  /// Removes people from every table and keeps them out, or says who is kept out.
  ///
  /// Nothing that names a person is said or printed: counts by table alone, and hashes.
  func erase(_ options: EraseOptions) async throws -> ExitCode {
    switch options.action {
    case .erase:
      let request = ErasureRequest(ids: try ids(options))
      return try await erase(request, options, on: try connector(options.database).connect())
    case .lift: return try lift(ErasureRequest(ids: try ids(options)), options)
    case .listHashes:
      let store = try connector(options.database).connect()
      try store.requireSchema()
      try console.write(try store.erasedHashes().text)
      return .done
    case .apply(let path): return try await apply(path, options)
    }
  }

  private func erase(
    _ request: ErasureRequest, _ options: EraseOptions, on store: Store
  ) async throws -> ExitCode {
    if options.isPlan {
      try store.requireSchema()
      return try tell(try store.planErasure(request), options)
    }
    try store.migrate()
    guard let stored = try store.currentGeneration() else {
      try store.keepOut(request)
      return try tell(Erasure(unknown: request.ids), options)
    }
    let loaded = try load(stored)
    try bringIn(loaded, on: store)
    let kept = try store.keptRejects()
    // At the instant that is in force: erasing someone moves nobody else's clock.
    let job = try store.startJob(
      command: "erase", asOf: try store.asOfInForce(), isForced: true,
      generation: loaded.generation)
    return try await recording(job, on: store) {
      var rejects = KeptRejects()
      let erasure = try store.erase(
        request, job, number: 1, people: loaded.pipeline.people, privacy: loaded.pipeline.privacy,
        outside: { rejects = try KeptRejects(in: kept, without: IDTraces($0)) },
        resolve: loaded.resolver(primitives))
      try store.finish(job, exit: .done)
      let code = try tell(erasure, options)
      if !options.isQuiet { rejects.words.forEach(console.say) }
      return code
    }
  }

  private func lift(_ request: ErasureRequest, _ options: EraseOptions) throws -> ExitCode {
    let store = try connector(options.database).connect()
    try store.requireSchema()
    try store.migrate()
    let lifted = try store.liftErasure(of: request)
    guard !options.isQuiet else { return .done }
    console.say(
      "\(counted(lifted, "id")) of \(grouped(request.ids.count)) let in again; "
        + "`sluice run --reread` with their files brings back what they hold")
    if lifted < request.ids.count {
      console.say("\(counted(request.ids.count - lifted, "id")) kept out by no erasure")
    }
    console.say("other ids of the same people stay out until they are named: their links are gone")
    return .done
  }

  private func apply(_ path: String, _ options: EraseOptions) async throws -> ExitCode {
    let bytes = try fileBytes(path == "-" ? "/dev/stdin" : path, "the list of hashes")
    guard bytes.count <= YAMLDocument.maximumBytes else {
      throw Problem(
        .usage, at: path, "is too large for a list of hashes",
        because: "it has more than \(grouped(YAMLDocument.maximumBytes)) bytes",
        next: "split it; each part begins with the first line")
    }
    guard let list = ErasedHashes(text: String(decoding: bytes, as: UTF8.self)) else {
      throw Problem(
        .usage, at: path, "is no whole list of hashes",
        next: "give all that `erase --list-hashes` printed, to the line `end`")
    }
    let store = try connector(options.database).connect()
    try store.requireSchema()
    if !options.isPlan { try store.migrate() }
    guard try store.erasedHashes().check == list.check else {
      throw Problem(
        .usage, at: path, "is of another database",
        because: "its hashes were made under another key",
        next: "a database that is no backup of that one needs the ids: `sluice erase --file FILE`")
    }
    if !options.isQuiet {
      console.say(
        "\(counted(list.hashes.count, "id")) in the list\(options.isPlan ? "" : ", kept out from now on")"
      )
    }
    return try await erase(ErasureRequest(list), options, on: store)
  }

  private func ids(_ options: EraseOptions) throws(Problem) -> Set<Bytes> {
    var ids = Set(options.profiles.map { Bytes($0) })
    if let customer = options.customer {
      ids.insert(Bytes(PeopleRules.customerPrefix.array + Array(customer.utf8)))
    }
    for id in ids {
      guard Self.isID(id) else {
        throw usage(
          "sluice erase", "one of the ids is none",
          because:
            "it is empty, longer than \(ProfileID.longest) bytes, or what programs write for no id"
        )
      }
    }
    if let file = options.file { ids.formUnion(try idsOfFile(file)) }
    return ids
  }

  /// The ids in a file, one a line; blank lines and blanks around an id do not count.
  private func idsOfFile(_ path: String) throws(Problem) -> Set<Bytes> {
    let what = path == "-" ? "stdin" : path
    var bytes = try fileBytes(path == "-" ? "/dev/stdin" : path, "the file of ids")
    let mark = SourceLines.byteOrderMark
    if bytes.starts(with: mark) { bytes.removeFirst(mark.count) }
    guard bytes.count <= YAMLDocument.maximumBytes else {
      throw Problem(
        .usage, at: what, "is too large for a file of ids",
        because: "it has more than \(grouped(YAMLDocument.maximumBytes)) bytes", next: "split it")
    }
    var ids: Set<Bytes> = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      let id = trimmed(Bytes(Array(line)))
      if id.isEmpty { continue }
      guard Self.isID(id), String(validating: id.slice, as: UTF8.self) != nil else {
        throw Problem(
          .usage, at: "\(what):\(number + 1)", "is no id",
          because:
            "it is no UTF-8, longer than \(ProfileID.longest) bytes, or what programs write for no id",
          next: "nothing was erased; write an id a line")
      }
      ids.insert(id)
    }
    guard !ids.isEmpty else {
      throw Problem(.noInput, at: what, "holds no id", next: "write an id a line")
    }
    return ids
  }

  private static func isID(_ id: Bytes) -> Bool {
    let prefix = PeopleRules.customerPrefix
    let own = id.hasPrefix(prefix) ? id[prefix.count..<id.count] : id
    return !own.slice.contains(0) && ProfileID.read(own) != nil
  }

  private func tell(_ erasure: Erasure, _ options: EraseOptions) throws -> ExitCode {
    let table = ReportTable(
      columns: [.init("table", .text), .init("rows", .integer)],
      rows: erasure.rows.map { [$0.table, String($0.rows)] })
    switch options.format {
    case .table: if !table.rows.isEmpty { try console.write(TableText.text(table)) }
    case .csv: try console.write(CSVText.text(table))
    case .json: try console.write(JSONLinesText.text(table))
    }
    guard !options.isQuiet else { return .done }
    let would = options.isPlan ? "would be " : ""
    console.say(
      "\(counted(erasure.people, "person", "people")) of \(counted(erasure.ids, "id")) \(would)erased: "
        + "\(counted(erasure.events, "event"))")
    if erasure.mentions > 0 {
      console.say("\(counted(erasure.mentions, "event")) of others told of them, and went too")
    }
    if erasure.unknown > 0 {
      console.say(
        "\(counted(erasure.unknown, "id")) unknown here, \(would)kept out from now on")
    }
    if erasure.sameCustomer > 0 {
      console.say(
        "\(counted(erasure.sameCustomer, "other profile")) of the same customer_user_id left alone; "
          + "`--customer-user-id` erases them too")
    }
    if erasure.names > 0 {
      console.say("\(counted(erasure.names, "unknown name")) held an id, and counts without it")
    }
    if erasure.damaged > 0 {
      console.say(
        "\(counted(erasure.damaged, "stored set")) of others cannot be read and holds bytes of an id: "
          + "set aside as unreadable; `sluice report quarantine` lists it, `sluice erase` removes it"
      )
    }
    if !options.isPlan {
      console.say("event files and backups are yours to clean; what comes again counts as erased")
    }
    return .done
  }
}

extension Erasure {
  /// Nothing was stored.
  fileprivate init(unknown ids: Set<Bytes>) {
    self.init()
    self.ids = ids.count
    unknown = ids.count
  }
}

private func counted(_ count: Int, _ one: String, _ many: String) -> String {
  "\(grouped(count)) \(count == 1 ? one : many)"
}
