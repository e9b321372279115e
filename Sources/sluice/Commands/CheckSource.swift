internal import Core
internal import Ingest
internal import Report

extension Sluice {
  /// Says whether a source file is right, and shows how it reads a file's first records.
  func checkSource(_ options: CheckOptions) throws -> ExitCode {
    let folder = SourcesFolder(besideSQL: options.database?.sqlFolder)
    let named = try options.source.map { try folder.mapping($0) }
    if let named, let source = options.source, !options.isQuiet {
      console.say(
        "\(source): right: \(counted(named.members.count, "member")), "
          + "\(counted(named.names.count, "name"))" + named.leaveOutWords)
    }
    guard let sample = options.sample else { return .done }
    let reading = try SampleReading(
      sample, as: named.map { .chosen($0) } ?? .recognised(folder), primitives)
    if let words = reading.words, !options.isQuiet { console.say(words) }
    let table = reading.table
    switch options.format {
    case .table: try console.write(TableText.text(table))
    case .csv: try console.write(CSVText.text(table))
    case .json: try console.write(JSONLinesText.text(table))
    }
    return .done
  }
}

extension SourceMapping {
  /// Which records are left out, to be added to a sentence; empty where all are read.
  fileprivate var leaveOutWords: String {
    guard !needed.isEmpty else { return "" }
    let names = needed.map(\.words.string).joined(separator: " or ")
    return "; records without \(names) are left out and counted"
  }
}

/// The first records of a file as a source reads them, for a person: nothing that someone typed.
struct SampleReading {
  static let records = 20

  let table: ReportTable
  /// Of what source they are, where that was not said by whoever asks.
  let words: String?

  init(_ path: String, as choice: SourceChoice, _ primitives: Primitives) throws {
    let paths = try InputPaths(arguments: [path])
    if let problem = paths.failures.first { throw problem }
    let limits = ReadLimits()
    var finder = SourceFinder(choice, limits: limits, primitives: primitives)
    var rows: [(offset: Int, cells: [String?])] = []
    var words: String?
    for input in paths.inputs where rows.isEmpty {
      let members = InputMembers(try input.open())
      guard let member = try members.next() else { continue }
      var reader = ChunkReader(member.source, limits: limits)
      guard let chunk = try reader.next() else { continue }
      let found = try finder.source(of: chunk, in: path)
      words = found.words
      // Canonical records too go the way on which every event keeps its place.
      var mapping = found.mapping ?? SourceMapping(name: SourceMapping.canonicalName)
      if found.mapping == nil { mapping.readsCanonicalMembers = true }
      let decoded = decode(chunk: chunk, limits: limits, primitives: primitives, as: mapping)
      rows = zip(decoded.events, decoded.places).map { ($1.byteOffset, Self.cells($0, $1)) }
      let left = decoded.counts.leftOut.sorted { $0.key < $1.key }.map { name, count in
        "\(counted(count, "record")) left out: without \(name.string)"
      }
      words = ([words] + left).compactMap(\.self).joined(separator: "\n")
      if words?.isEmpty == true { words = nil }
      rows += decoded.rejections.map { ($0.byteOffset, Self.cells($0)) }
    }
    self.words = words
    table = ReportTable(
      columns: Self.columns,
      rows: rows.enumerated().sorted {
        ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
      }
      .prefix(Self.records).map(\.element.cells))
  }

  private static let columns: [ReportTable.Column] = [
    .init("line", .integer), .init("event_name", .text), .init("kind", .text),
    .init("profile_id", .text), .init("session_id", .text), .init("occurred_at", .text),
    .init("identity", .text), .init("placement", .text), .init("context", .text),
    .init("params", .text), .init("rejected", .text),
  ]

  private static func cells(_ item: ProfileEvent, _ place: RecordPlace) -> [String?] {
    let event = item.event
    let context = event.context.members.filter { $0.key != .placementID }
    return [
      String(place.line), event.name.string,
      event.kind == .other ? "(means nothing)" : canonicalName(of: event.name).string,
      item.profileID.string, event.sessionID?.string, event.occurredAt.iso8601,
      event.identity.isFingerprint ? "(fingerprint)" : event.identity.bytes.string,
      event.context[.placementID]?.string,
      context.map(\.key.name.string).joined(separator: " "), masked(event.params), nil,
    ]
  }

  private static func cells(_ rejection: Rejection) -> [String?] {
    var cells = [String?](repeating: nil, count: columns.count)
    cells[0] = String(rejection.line)
    let field = rejection.field.isEmpty ? "" : " " + rejection.field
    cells[columns.count - 1] = rejection.reason.rawValue + field
    return cells
  }

  /// The names of the params, and the values of those that say where, not what.
  private static func masked(_ params: Bytes) -> String {
    var parts: [String] = []
    JSONText(params).forEachMember { key, value in
      let isPlace = shown.contains(key.string)
      parts.append(isPlace ? "\(key.string)=\(value.scalarText?.string ?? "…")" : key.string)
    }
    let rest = parts.count - mostParams
    return parts.prefix(mostParams).joined(separator: " ") + (rest > 0 ? " and \(rest) more" : "")
  }

  private static let mostParams = 6

  private static let shown: Set<String> = [
    "instanceId", "element_id", "element_type", "screen_order", "is_last_screen",
  ]
}
