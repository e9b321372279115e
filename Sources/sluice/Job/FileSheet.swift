internal import Core
internal import Ingest
internal import Store

/// One input of a job: what was read of it, and what is to be written down about it.
struct FileSheet {
  let input: Input
  /// Before it was read; nil for what is no regular file.
  var identity: FileIdentity?
  /// Of its records; nil for canonical ones.
  var source: SourceMapping?
  var isSourceKnown = false
  /// By source: which kinds of events came from it, by canonical name.
  ///
  /// Streams of one archive can be of several sources.
  private(set) var kindsOfSource: [String: Set<Bytes>] = [:]
  /// Names that mean nothing, by the source they came from.
  private(set) var unknown: [String: UnknownNames] = [:]
  var counts = ReadCounts()
  /// Not yet written down, by the path of what they were met in inside an archive, in the order of the
  /// archive; empty for what is none.
  private var rejections: [(member: Bytes, records: [RejectedRecord])] = []
  /// Bytes that were gone from its end when it had been read.
  var cutOff: Int64 = 0
  /// Of what is no UTF-8.
  private(set) var encoding: ForeignEncoding?
  private var member = Bytes.empty
  /// How many of the streams in it were read in which layout, taken out of what.
  private(set) var readings: [String: Int] = [:]
  /// Entries of archives that are no data by their names.
  private(set) var passedOver = 0
  /// True where compressed data ends in the middle.
  private(set) var isTruncated = false
  /// Bytes behind the end of compressed data that belong to nothing.
  private(set) var strayBytes = 0
  var bytesRead = 0
  var linesRead = 0
  var isReadToEnd = false
  /// Read to its end without a failure.
  var isComplete = false
  /// Nobody wrote to it while it was read, and it was written long enough before.
  var isStable = false
  var isRecorded = false
  /// Known from an earlier job, so it was not read.
  var isSkipped = false

  init(_ input: Input) { self.input = input }

  /// As `rejects` names it.
  var name: Bytes {
    switch input {
    case .standardInput: "-"
    case .file(let path): ledgerName(identity?.path ?? path)
    }
  }

  /// As `rejects` names what was met inside of it.
  func name(of member: Bytes, in file: Bytes) -> Bytes {
    member.isEmpty ? file : Bytes(file.array + Array("!/".utf8) + ledgerName(member).array)
  }

  /// Goes on with a stream of the input; each is of its own source.
  mutating func start(_ member: InputMember) {
    self.member = member.path
    isSourceKnown = false
  }

  /// Notes kinds of events; of names that are none of ours a file can hold any number.
  mutating func note(kinds: Set<Bytes>, from source: String) {
    var known = kindsOfSource[source] ?? []
    for kind in kinds where known.count < 200 || EventKind(name: kind) != .other {
      known.insert(kind)
    }
    kindsOfSource[source] = known
  }

  /// Names that are none of ours: a program can name an event as it names a person.
  var foreignNames: Set<Bytes> {
    var names = Set(unknown.values.flatMap { $0.counts.keys.map(\.name) })
    for kinds in kindsOfSource.values {
      names.formUnion(kinds.filter { EventKind(name: $0) == .other })
    }
    return names
  }

  /// Counts what came by some names without them.
  mutating func forget(names: Set<Bytes>) {
    guard !names.isEmpty else { return }
    for source in kindsOfSource.keys { kindsOfSource[source]?.subtract(names) }
    for source in unknown.keys { unknown[source]?.forget(names) }
  }

  mutating func note(_ names: UnknownNames, from source: String) {
    if !names.isEmpty { unknown[source, default: UnknownNames()] += names }
  }

  mutating func reject(_ rejections: [RejectedRecord]) {
    guard !rejections.isEmpty else { return }
    if self.rejections.last?.member != member { self.rejections.append((member, [])) }
    self.rejections[self.rejections.count - 1].records += rejections
  }

  /// Rejects that are not written down yet, by the name under which they are listed and in the order of
  /// their places, whichever thread met them; the sheet then forgets them.
  ///
  /// - Parameter job: as words, for the standard input.
  mutating func takeRejections(of job: String) -> [(file: Bytes, rejected: [RejectedRecord])] {
    defer { rejections = [] }
    let listed = input == .standardInput ? Bytes("stdin of \(job)") : name
    return rejections.map { member, records in
      (name(of: member, in: listed), records.sorted { $0.rejection.precedes($1.rejection) })
    }
  }

  /// Notes how a stream was read.
  mutating func finish(_ member: InputMember, _ reader: borrowing ChunkReader) {
    linesRead += reader.line - 1
    encoding = encoding ?? reader.encoding
    let formats = member.formats.map { " in \($0)" }.reversed().joined()
    readings[(reader.layout?.words ?? "nothing") + formats, default: 0] += 1
  }

  /// Notes what was found around the streams.
  mutating func note(_ members: InputMembers) {
    bytesRead = members.bytesRead
    passedOver = members.passedOver
    isTruncated = members.notes.isTruncated
    strayBytes = members.notes.strayBytes
  }

  /// The row of the ledger; nil for what is no regular file.
  func record(readerRevision: Bytes) -> FileRecord? {
    guard let identity else { return nil }
    return FileRecord(
      path: ledgerName(identity.path), device: Int64(bitPattern: identity.device),
      inode: Int64(bitPattern: identity.inode), size: identity.size,
      mtimeNanoseconds: identity.modifiedAtNanoseconds,
      ctimeNanoseconds: identity.changedAtNanoseconds, bytesDone: Int64(bytesRead),
      linesDone: Int64(linesRead), headHash: Array(identity.headHash.utf8),
      tailHash: Array(identity.tailHash.utf8), readerRevision: readerRevision, isDone: isStable,
      isTruncated: isTruncated, counts: counts.json, sources: sourcesJSON)
  }

  /// By source the kinds of events that came from it: a JSON object of lists, empty where its records were all
  /// refused.
  var sourcesJSON: String {
    let members = kindsOfSource.sorted { $0.key < $1.key }
    let parts = members.map { source, kinds in
      jsonText(Bytes(source)) + ":[" + kinds.sorted().map(jsonText).joined(separator: ",") + "]"
    }
    return "{" + parts.joined(separator: ",") + "}"
  }
}

/// A path as the ledger and the list of rejects hold it.
///
/// They hold text: what is no UTF-8 is written `%XX`, and so is a percent sign then, so that two paths
/// never become one.
func ledgerName(_ path: Bytes) -> Bytes {
  if String(validating: path.slice, as: UTF8.self) != nil { return path }
  var name: [UInt8] = []
  for byte in path.slice {
    if byte < 0x80, byte != UInt8(ascii: "%") {
      name.append(byte)
    } else {
      name.append(UInt8(ascii: "%"))
      name += hex([byte]).array
    }
  }
  return Bytes(name)
}

extension FileRecord {
  /// True where the file is the one that was read, unchanged, by the same reader.
  func covers(_ identity: FileIdentity, readerRevision: Bytes) -> Bool {
    isDone && self.readerRevision == readerRevision && size == identity.size
      && device == Int64(bitPattern: identity.device) && inode == Int64(bitPattern: identity.inode)
      && mtimeNanoseconds == identity.modifiedAtNanoseconds
      && ctimeNanoseconds == identity.changedAtNanoseconds
      && headHash == Array(identity.headHash.utf8) && tailHash == Array(identity.tailHash.utf8)
  }
}

extension ReadCounts {
  /// The sheet as a JSON object.
  var json: String {
    let parts = [
      ("read", read), ("events", events), ("blank", blank), ("filtered", filtered),
      ("repaired", mended.repaired), ("assumed_utc", mended.assumedUTC),
      ("duplicate_keys", mended.duplicateKeys), ("unreadable_members", mended.unreadableMembers),
    ]
    let reasons = rejected.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { "\"\($0.key.rawValue)\":\($0.value)" }.joined(separator: ",")
    let lacks = leftOut.sorted { $0.key < $1.key }.map { "\(jsonText($0.key)):\($0.value)" }
      .joined(separator: ",")
    return "{" + parts.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
      + ",\"left_out_without\":{\(lacks)},\"rejected\":{\(reasons)}}"
  }
}
