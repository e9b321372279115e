internal import Core
internal import Glibc
internal import Ingest
internal import Store

/// Where a record stands that was refused; what for may change from reading to reading.
private struct RejectPlace: Hashable {
  let file: Bytes
  let byteOffset: Int64
  let length: Int64

  /// What stays of it where the file around it changes.
  struct Size: Hashable {
    let file: Bytes
    let length: Int64
  }

  var size: Size { Size(file: file, length: length) }
}

extension Set<RejectPlace> {
  /// How many there are that others, of the same file and length, do not stand for.
  fileprivate func countByLength(without others: Set<RejectPlace>) -> Int {
    func counts(_ places: Set<RejectPlace>) -> [RejectPlace.Size: Int] {
      Dictionary(places.map { ($0.size, 1) }, uniquingKeysWith: +)
    }
    let present = counts(others)
    return counts(self).reduce(0) { $0 + Swift.max(0, $1.value - (present[$1.key] ?? 0)) }
  }
}

/// Files that hold rejects, by what each is read with again.
private struct ReplayFiles {
  /// By what `--source` would name; nil: by the first records, as archives of several sources are.
  var bySource: [String?: Set<Bytes>] = [:]
  /// Files that nothing here can read as they were read before, and why.
  var leftAlone: [(file: Bytes, because: String, next: String)] = []

  var all: Set<Bytes> { bySource.values.reduce(into: []) { $0.formUnion($1) } }
}

extension Sluice {
  /// Reads whole files that hold rejects: what was read of them before stays, since an event is stored once.
  ///
  /// Each is read with the source that it was read with. By another one the same people would be stored a
  /// second time, under other ids.
  func replay(
    _ options: RunOptions, _ filter: RejectFilter, _ store: Store
  ) async throws -> ExitCode {
    var inputs: Set<Bytes> = []
    var isMissed = false
    for (file, count) in try store.rejectedFiles(filter) {
      if let path = existingFile(of: file) {
        inputs.insert(path)
      } else {
        isMissed = true
        console.say(
          "sluice: \(printable(file.string)): \(counted(count, "reject")) cannot be read again: there is no such file now"
        )
      }
    }
    let files = try replayFiles(inputs, options, store)
    for (file, because, next) in files.leftAlone {
      isMissed = true
      console.say("sluice: \(printable(file.string)): left alone: \(because); \(next)")
    }
    let reason = filter.reason
    guard !files.bySource.isEmpty else {
      if !isMissed, !options.isQuiet { console.say("no rejects") }
      return isMissed ? .noInput : .done
    }
    let before = try rejectPlaces(in: files.all, reason, store)
    let jobBefore = try store.lastJob()
    var worst = ExitCode.done
    for (source, group) in files.bySource.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
      var options = options
      options.source = source
      options.inputs = group.sorted().map(\.string)
      let code = try await runEvents(options)
      if worst == .done { worst = code }
    }
    if !options.isQuiet {
      // A record can stand elsewhere in a file that was mended; and what was taken out is not recovered.
      let left = before.countByLength(without: try rejectPlaces(in: files.all, nil, store))
      let recovered = min(left, try store.eventsTakenIn(since: jobBefore))
      console.say(
        "replay: \(grouped(recovered)) of \(counted(before.count, "reject")) recovered from "
          + counted(files.all.count, "file"))
    }
    return worst == .done && isMissed ? .noInput : worst
  }

  private func replayFiles(
    _ inputs: Set<Bytes>, _ options: RunOptions, _ store: Store
  ) throws -> ReplayFiles {
    let known = try store.knownFiles(inputs.sorted())
    let shipped = Set(SourcesFolder(besideSQL: options.database.sqlFolder).names)
    var chosen: String?
    if case .chosen(let mapping) = try sourceChoice(options.source, options.database) {
      chosen = mapping.name.string
    }
    var files = ReplayFiles()
    for input in inputs.sorted() {
      let sources = JSONText(Bytes(known[input]?.sources ?? "{}")).members
      if let chosen {
        // A file that nothing was read of yet may be of any source.
        let others = sources.filter { !$0.value.elements.isEmpty && $0.key.string != chosen }
        guard others.isEmpty else {
          let names = others.map { "`\($0.key.string)`" }.joined(separator: " and ")
          files.leftAlone.append(
            (input, "it was read as \(names), not as `\(chosen)`", "replay it by itself: --file"))
          continue
        }
        files.bySource[options.source, default: []].insert(input)
      } else if let own = sources.first(where: { !shipped.contains($0.key.string) }) {
        files.leftAlone.append(
          (
            input, "it was read by a mapping of yours, `\(own.key.string)`",
            "name that: --source FILE"
          ))
      } else {
        let source = sources.count == 1 ? sources[0].key.string : nil
        files.bySource[source, default: []].insert(input)
      }
    }
    return files
  }

  private func rejectPlaces(
    in inputs: Set<Bytes>, _ reason: Rejection.Reason?, _ store: Store
  ) throws -> Set<RejectPlace> {
    var places: Set<RejectPlace> = []
    for input in inputs {
      try store.rejects(RejectFilter(file: input, reason: reason), limit: nil) { rows in
        for row in rows {
          places.insert(
            RejectPlace(file: row.file, byteOffset: row.byteOffset, length: row.length))
        }
      }
    }
    return places
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
