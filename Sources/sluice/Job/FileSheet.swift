internal import Core
internal import Ingest
internal import Store

/// One input of a job: what was read of it, and what is to be written down about it.
struct FileSheet {
  let input: Input
  /// Before it was read; nil for what is no regular file.
  var identity: FileIdentity?
  var counts = ReadCounts()
  /// Not yet written down.
  var rejections: [Rejection] = []
  var bytesRead = 0
  var isReadToEnd = false
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
    case .file(let path): identity?.path ?? path
    }
  }

  /// The row of the ledger; nil for what is no regular file.
  func record(readerRevision: Bytes) -> FileRecord? {
    guard let identity else { return nil }
    return FileRecord(
      path: identity.path, device: Int64(bitPattern: identity.device),
      inode: Int64(bitPattern: identity.inode), size: identity.size,
      mtimeNanoseconds: identity.modifiedAtNanoseconds,
      ctimeNanoseconds: identity.changedAtNanoseconds, bytesDone: Int64(bytesRead),
      linesDone: 0, headHash: Array(identity.headHash.utf8),
      tailHash: Array(identity.tailHash.utf8), readerRevision: readerRevision, isDone: isStable,
      isTruncated: false, counts: counts.json)
  }
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
    return "{" + parts.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
      + ",\"rejected\":{\(reasons)}}"
  }
}
