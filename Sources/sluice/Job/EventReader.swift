internal import Core
internal import Glibc
internal import Ingest

/// Reads the inputs of a job one after the other, decodes their chunks on several threads, and hands
/// out batches that fit the memory budget.
///
/// No transaction is open while it reads: a batch is written before the next bytes are asked for.
struct EventReader {
  private(set) var sheets: [FileSheet]
  /// Inputs that could not be read, or not to their end, with what to say about them.
  private(set) var failures: [Problem]
  let paths: InputPaths
  /// Events behind it are noted: their clocks are most likely wrong.
  var farAhead: Instant?
  private(set) var likelyAhead = FarAhead()
  /// Keep the text of what is rejected.
  var keepsRejectedText = false
  private let limits: ReadLimits
  private let chunkBytes: Int
  private let memory: Int
  private let jobs: Int
  private let primitives: Primitives
  private var finder: SourceFinder
  private let say: (String) -> Void
  /// What the pipeline in force does not keep; known once the database was asked for it.
  var privacy = PrivacyRules()

  /// - Parameter say: tells of what source an input is, before it is read.
  init(
    _ paths: InputPaths, sources: SourceChoice, limits: ReadLimits, chunkBytes: Int, memory: Int,
    jobs: Int, primitives: Primitives, say: @escaping (String) -> Void = { _ in }
  ) {
    sheets = paths.inputs.map { FileSheet($0) }
    failures = paths.failures
    self.paths = paths
    self.limits = limits
    self.chunkBytes = chunkBytes
    self.memory = memory
    self.jobs = jobs
    self.primitives = primitives
    self.say = say
    finder = SourceFinder(sources, limits: limits, primitives: primitives)
  }

  /// Reads everything.
  ///
  /// - Parameters:
  ///   - skip: true for a file that needs no reading; asked once for each.
  ///   - flush: takes what was read so far and all sheets; called whenever the budget is reached and
  ///     at the end. Sheets that are settled then can be written down once the events are.
  mutating func read(
    skip: (FileIdentity) -> Bool,
    flush: (_ batch: inout EventBatch, _ sheets: inout [FileSheet], _ isLast: Bool) async throws ->
      Void
  ) async throws {
    var batch = EventBatch(primitives)
    for index in sheets.indices {
      do {
        try await read(index, &batch, skip: skip, flush: flush)
      } catch let problem as Problem where problem.exit == .noInput {
        // One bad file costs at most that file: what was read of it is good, and it is read again.
        failures.append(problem)
        sheets[index].isReadToEnd = true
      }
    }
    try await flush(&batch, &sheets, true)
  }

  private mutating func read(
    _ index: Int, _ batch: inout EventBatch, skip: (FileIdentity) -> Bool,
    flush: (inout EventBatch, inout [FileSheet], Bool) async throws -> Void
  ) async throws {
    let source = try sheets[index].input.open()
    if case .file(let path) = sheets[index].input {
      sheets[index].identity = try FileIdentity(of: source, path: path, primitives: primitives)
    }
    if let identity = sheets[index].identity, skip(identity) {
      sheets[index].isSkipped = true
      sheets[index].isRecorded = true
      sheets[index].isReadToEnd = true
      return
    }
    let isWhole = try await readMembers(of: source, index, &batch, flush: flush)
    sheets[index].isReadToEnd = true
    sheets[index].isComplete = isWhole
    if let identity = sheets[index].identity, case .file(let path) = sheets[index].input {
      let after = try FileIdentity(of: source, path: path, primitives: primitives)
      let age = Int64(time(nil)) * 1_000_000_000 - identity.modifiedAtNanoseconds
      sheets[index].cutOff = after.map { max(0, identity.size - $0.size) } ?? 0
      // Within two seconds a change could leave the time as it is (SEMANTICS 3.9).
      sheets[index].isStable = isWhole && after == identity && age > 2_000_000_000
    }
  }

  /// Reads all that an input holds: itself, or the entries of an archive one after the other.
  ///
  /// - Returns: false where a part of it could not be read, which costs no other part.
  private mutating func readMembers(
    of source: FileSource, _ index: Int, _ batch: inout EventBatch,
    flush: (inout EventBatch, inout [FileSheet], Bool) async throws -> Void
  ) async throws -> Bool {
    let members = InputMembers(source)
    var isWhole = true
    while true {
      do {
        guard let member = try members.next() else { break }
        sheets[index].start(member)
        var reader = ChunkReader(member.source, limits: limits, chunkBytes: chunkBytes)
        var isAtEnd = false
        while !isAtEnd {
          isAtEnd = try await readPart(index, &reader, &batch)
          if !isAtEnd { try await flush(&batch, &sheets, false) }
        }
        sheets[index].finish(member, reader)
      } catch let problem as Problem where problem.exit == .noInput {
        failures.append(problem)
        isWhole = false
      }
    }
    failures += members.notes.problems
    sheets[index].note(members)
    return isWhole && members.notes.problems.isEmpty
  }

  /// Reads and decodes until the input ends (true) or the batch is full (false).
  private mutating func readPart(
    _ index: Int, _ reader: inout ChunkReader, _ batch: inout EventBatch
  ) async throws -> Bool {
    let say = say
    let work = ChunkWork(
      limits: limits, primitives: primitives, privacy: privacy, farAhead: farAhead,
      keepsText: keepsRejectedText)
    var finder = finder
    defer { self.finder = finder }
    // Half of the budget: the other half is for what a unit fetches and writes.
    let budget = memory / 2
    var isAtEnd = false
    var rejectedBytes = 0
    var sheet = sheets[index]
    var ahead = likelyAhead
    defer {
      sheets[index] = sheet
      likelyAhead = ahead
    }
    try await withThrowingTaskGroup(of: ChunkResult.self) { group in
      func take(_ result: ChunkResult) {
        let decoded = result.decoded
        sheet.counts += decoded.counts
        sheet.note(kinds: result.kinds, from: result.source)
        sheet.note(result.unknown, from: result.source)
        sheet.reject(result.rejected)
        ahead += result.farAhead
        rejectedBytes += result.rejected.reduce(0) {
          $0 + MemoryLayout<RejectedRecord>.stride + ($1.text?.count ?? 0)
        }
        batch.add(decoded, textBytes: decoded.textBytes)
      }
      var away = 0
      // At least one chunk a time, however small the budget is.
      repeat {
        try Interruption.check()
        guard let chunk = try reader.next() else {
          isAtEnd = true
          break
        }
        sheet.bytesRead = chunk.byteOffset + chunk.length
        if !sheet.isSourceKnown {
          let found = try finder.source(of: chunk, in: printable(sheet.name.string))
          sheet.source = found.mapping
          sheet.isSourceKnown = true
          if let words = found.words { say(words) }
        }
        let source = sheet.source
        guard jobs > 1 else {
          take(ChunkResult(chunk, source, work))
          continue
        }
        group.addTask { ChunkResult(chunk, source, work) }
        away += 1
        if away > 2 * jobs, let result = try await group.next() {
          take(result)
          away -= 1
        }
      } while batch.bytes + rejectedBytes < budget
      for try await result in group { take(result) }
    }
    return isAtEnd
  }
}

/// What is asked of each chunk.
private struct ChunkWork: Sendable {
  let limits: ReadLimits
  let primitives: Primitives
  let privacy: PrivacyRules
  let farAhead: Instant?
  let keepsText: Bool
}

/// A record that did not become an event, and its text where that is kept.
struct RejectedRecord: Sendable {
  let rejection: Rejection
  let text: [UInt8]?
}

/// What became of a chunk.
private struct ChunkResult: Sendable {
  let decoded: DecodedChunk
  let source: String
  /// Canonical names of its events.
  let kinds: Set<Bytes>
  let unknown: UnknownNames
  let rejected: [RejectedRecord]
  let farAhead: FarAhead

  init(_ chunk: Chunk, _ source: SourceMapping?, _ work: ChunkWork) {
    decoded = decode(chunk: chunk, limits: work.limits, primitives: work.primitives, as: source)
      .dropping(work.privacy)
    rejected = decoded.rejections.map {
      RejectedRecord(rejection: $0, text: work.keepsText ? chunk.text(of: $0).map(Array.init) : nil)
    }
    let events = decoded.events
    farAhead = work.farAhead.map { FarAhead(events, beyond: $0) } ?? FarAhead()
    self.source = source?.name.string ?? SourceMapping.canonicalName.string
    var unknown = decoded.unknown
    var names: [Bytes: (kind: EventKind, count: Int)] = [:]
    for item in decoded.events {
      let name = item.event.name
      let kind = names[name]?.kind ?? EventKind(name: name)
      names[name, default: (kind, 0)].count += 1
      item.event.forEachUnknown(of: kind) { unknown.add($0) }
    }
    for (name, found) in names
    where found.kind == .other && source?.knownNames.contains(name) != true {
      unknown.add(UnknownName(.event, name), found.count)
    }
    self.unknown = unknown
    kinds = sluice.kinds(named: names.keys)
  }
}

extension EventReader {
  /// What a person should know of the sources that were read.
  ///
  /// - Parameter earlier: sources of earlier jobs' events, by their kind.
  func warnings(_ earlier: [Bytes: Set<String>]) -> [String] {
    unread + shrunk + dangling + counted(twice: earlier)
  }

  /// Kinds of this job's events that it, or it and earlier jobs, brought in from several sources; those
  /// of which earlier jobs have told it already are left to the view.
  func doubledKinds(_ earlier: [Bytes: Set<String>]) -> [Bytes: Set<String>] {
    kindsOfSources.reduce(into: [:]) { result, item in
      let known = earlier[item.key] ?? []
      let all = item.value.union(known)
      if all.count > 1, all != known { result[item.key] = all }
    }
  }

  /// Inputs of which nothing could be read: most likely they are of another source.
  private var unread: [String] {
    sheets.compactMap { sheet in
      guard sheet.counts.events == 0, sheet.counts.rejectedInAll > 0 else { return nil }
      let records = sluice.counted(sheet.counts.rejectedInAll, "record")
      if let encoding = sheet.encoding?.rawValue {
        return "\(printable(sheet.name.string)): is \(encoding), which is not read; "
          + "convert it with `iconv -f \(encoding) -t UTF-8`"
      }
      let source = sheet.source?.name.string ?? "canonical"
      let place =
        "\(printable(sheet.name.string)): none of \(records) could be read as \(source) events"
      guard !finder.isChosen else {
        return place + "; `sluice check --source \(source) --sample FILE` shows why"
      }
      return place
        + "; sources tried: \(finder.tried); name one, or a file of your own, with --source"
    }
  }

  private var shrunk: [String] {
    sheets.filter { $0.cutOff > 0 }.map {
      "warning: \(printable($0.name.string)): \(sluice.counted(Int($0.cutOff), "byte")) were cut off while it was "
        + "read; those that were not read before are lost"
    }
  }

  private var dangling: [String] {
    guard let first = paths.dangling.first else { return [] }
    let count = paths.dangling.count
    return [
      "warning: \(first.string): leads nowhere"
        + (count > 1 ? ", like \(sluice.counted(count - 1, "other link"))" : "")
        + "; what it should lead to was not read"
    ]
  }

  /// Names of sources by the kinds of events that came from them.
  private var kindsOfSources: [Bytes: Set<String>] {
    var result: [Bytes: Set<String>] = [:]
    for sheet in sheets {
      for (source, kinds) in sheet.kindsOfSource {
        for kind in kinds { result[kind, default: []].insert(source) }
      }
    }
    return result
  }

  private func counted(twice earlier: [Bytes: Set<String>]) -> [String] {
    let now = kindsOfSources
    return doubledKinds(earlier).sorted { $0.key < $1.key }.map { kind, sources in
      let names = sources.sorted().map { source in
        now[kind]?.contains(source) == true ? source : "\(source) (in an earlier job)"
      }
      return
        "warning: \(kind.string) came from \(names.joined(separator: " and ")): what stands in more than one of them counts more than once"
    }
  }
}
