internal import Core
internal import Ingest
internal import Store

/// What a job says when it is done: counts and names of what the pipeline declares, nothing a person
/// typed.
struct JobSummary {
  var counts = ReadCounts()
  var files = 0
  var skippedFiles = 0
  /// Files in folders that are no input by their names, and links that lead nowhere.
  var passedOver = 0
  var repeated = 0
  /// How many inputs and entries of archives were read in which layout, taken out of what.
  var readings: [String: Int] = [:]
  /// Inputs with bytes behind the end of their compressed data, and how many.
  var strays: [(name: Bytes, bytes: Int)] = []
  /// Names that mean nothing.
  var unknown = UnknownNames()
  var units = UnitCounts()
  /// True for a job that was given inputs.
  var readsFiles = false

  func lines(title: String) -> [String] {
    var lines: [String] = []
    if files + skippedFiles > 0 {
      var line = "\(title): \(counted(counts.read, "record")) read in \(counted(files, "input"))"
      if skippedFiles > 0 { line += ", \(counted(skippedFiles, "file")) unchanged and skipped" }
      lines.append(line)
      let sheet = units.sheet
      lines.append(
        "  \(counted(counts.events, "event")): \(grouped(sheet.accepted)) new, "
          + "\(grouped(sheet.duplicate)) known already"
          + (sheet.conflict > 0 ? ", \(grouped(sheet.conflict)) joined with another copy" : "")
          + (sheet.erased > 0 ? ", \(grouped(sheet.erased)) of erased people" : "")
          + (sheet.expired > 0 ? ", \(grouped(sheet.expired)) expired" : "")
          + (sheet.quarantined > 0 ? ", \(grouped(sheet.quarantined)) of quarantined profiles" : "")
      )
    } else {
      lines.append(readsFiles ? "\(title): no files to read" : title)
    }
    if !readings.isEmpty {
      let words = readings.sorted { $0.key < $1.key }.map { "\($0.key) (\(grouped($0.value)))" }
      lines.append("  read as " + words.joined(separator: ", "))
    }
    if passedOver > 0 {
      lines.append(
        "  \(counted(passedOver, "file")) passed over: names that begin with . or _, manifests, checksums, or nothing to read"
      )
    }
    for stray in strays {
      lines.append(
        "  \(printable(stray.name.string)): \(counted(stray.bytes, "byte")) behind the end of its compressed data, passed over"
      )
    }
    if repeated > 0 {
      lines.append("  \(counted(repeated, "path")) left out: the same file is named already")
    }
    if counts.blank > 0 { lines.append("  \(grouped(counts.blank)) blank") }
    let dropped = counts.filtered - counts.leftOut.values.reduce(0, +)
    if dropped > 0 {
      lines.append("  \(counted(dropped, "record")) dropped, as `privacy` says")
    }
    if counts.rejectedInAll > 0 {
      let reasons = counts.rejected.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { "\($0.key.rawValue) \(grouped($0.value))" }.joined(separator: ", ")
      lines.append("  \(counted(counts.rejectedInAll, "record")) rejected: \(reasons)")
    }
    if !counts.leftOut.isEmpty {
      let reasons = counts.leftOut.sorted { $0.key < $1.key }
        .map { "without \($0.key.string) \(grouped($0.value))" }.joined(separator: ", ")
      let records = counts.leftOut.values.reduce(0, +)
      lines.append("  \(counted(records, "record")) left out, as the source says: \(reasons)")
    }
    lines += UnknownName.Kind.allCases.compactMap { words(of: $0) }.map { "  " + $0 }
    if let mended = mendedWords { lines.append("  mended: \(mended)") }
    if units.refusedMerges > 0 {
      lines.append(
        "  \(counted(units.refusedMerges, "merge")) of no two ids: one is missing or junk, or both"
          + " are the same; the events are kept")
    }
    if units.removedEvents > 0 {
      lines.append("  \(counted(units.removedEvents, "stored event")) removed")
    }
    lines += change
    return lines
  }

  /// A mistyped name would be silent otherwise: its events are stored, and nothing follows from them.
  private func words(of kind: UnknownName.Kind) -> String? {
    let names = unknown.counts.filter { $0.key.kind == kind }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    guard !names.isEmpty else { return nil }
    let most = 5
    let shown = names.prefix(most).map { name, count in
      "\(name.name.isEmpty ? "(no name)" : printable(name.name.string)) \(grouped(count))"
    }
    let rest = names.count > most ? " and \(names.count - most) more names" : ""
    let sum = names.reduce(0) { $0 + $1.value }
    let what =
      switch kind {
      case .event: "\(counted(sum, "event")) kept whose names mean nothing"
      case .column: "\(counted(names.count, "column")) that nothing reads"
      case .member: "\(counted(sum, "member")) of params that cannot be read"
      case .purchaseResult: "\(counted(sum, "purchase result")) of no known kind"
      case .errorCode: "\(counted(sum, "error code")) without a name"
      case .storeMessage: "\(counted(sum, "store message")) of no known type"
      case .elementType: "\(counted(sum, "answer")) of elements of no known type"
      }
    return "\(what): \(shown.joined(separator: ", "))\(rest)"
  }

  private var mendedWords: String? {
    let parts = [
      (counts.mended.repaired, "value"), (counts.mended.assumedUTC, "time"),
      (counts.mended.duplicateKeys, "duplicate key"),
      (counts.mended.unreadableMembers, "unreadable member"),
    ]
    let notes = ["repaired", "without a zone taken as UTC", "overridden", "left out"]
    let words = zip(parts, notes).filter { $0.0.0 > 0 }
      .map { "\(counted($0.0.0, $0.0.1)) \($0.1)" }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// What is to be said of ids and sessions that were set aside, whatever else is left unsaid.
  var quarantined: [String] {
    var words: [String] = []
    if units.overfullSessions > 0 {
      words.append(
        "\(counted(units.overfullSessions, "session")) quarantined: more flow runs than `limits:"
          + " flow_runs` allows; the view quarantined_sessions lists them")
    }
    if let profiles = quarantinedProfiles { words.append(profiles) }
    return words
  }

  private var quarantinedProfiles: String? {
    let count = units.quarantinedProfiles.values.reduce(0, +)
    guard count > 0 else { return nil }
    let reasons = units.quarantinedProfiles.sorted { $0.key < $1.key }
      .map { "\($0.key) \(grouped($0.value))" }.joined(separator: ", ")
    return
      "\(counted(count, "profile")) quarantined (\(reasons)); `sluice report quarantine` lists them"
  }

  /// Ids that became one person's or ceased to be, and those that cannot.
  private var people: [String] {
    func both(_ table: String) -> (new: Int, gone: Int) {
      (units.inserted[table] ?? 0, units.deleted[table] ?? 0)
    }
    var lines: [String] = []
    let aliases = both("profile_aliases")
    if aliases.new + aliases.gone > 0 {
      lines.append(
        "  other ids of people: +\(grouped(aliases.new)) -\(grouped(aliases.gone))")
    }
    let apart = both("ununited_profiles")
    if apart.new > 0 {
      lines.append(
        "  \(counted(apart.new, "id")) not united: links make more than \(Components.largest) of them"
          + " one person; see the view quarantined_links")
    }
    if apart.gone > 0 {
      lines.append("  \(counted(apart.gone, "id")) no longer kept apart")
    }
    return lines
  }

  private var change: [String] {
    let rows = units.inserted.values.reduce(0, +)
    let gone = units.deleted.values.reduce(0, +)
    guard rows + gone > 0 else {
      let derived = units.profiles > 0 ? "\(counted(units.profiles, "profile")) derived, " : ""
      return ["  \(derived)nothing changed"]
    }
    var lines = [
      "  \(counted(units.profiles, "profile")) derived, \(grouped(units.newProfiles)) of them new: "
        + "\(counted(rows, "row")) written, \(grouped(gone)) deleted"
    ]
    lines += people
    if units.correctedEvents > 0 {
      lines.append(
        "  \(counted(units.correctedEvents, "event")) of these profiles on clocks that ran ahead: their times"
          + " are corrected; see the view corrected_clocks")
    }
    for segment in Set(units.entered.keys).union(units.left.keys).sorted() {
      let entered = units.entered[segment] ?? 0
      let left = units.left[segment] ?? 0
      guard entered + left > 0 else { continue }
      lines.append("  segment \(segment.string): +\(grouped(entered)) -\(grouped(left))")
    }
    if units.nextPlacementChanges > 0 {
      lines.append("  next placement changed for \(counted(units.nextPlacementChanges, "profile"))")
    }
    return lines
  }
}
