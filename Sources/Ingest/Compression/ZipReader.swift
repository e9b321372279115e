internal import CCompression
internal import Core
internal import Glibc

/// The entries of a zip archive, read from its start to its end as a stream.
final class ZipReader {
  let name: String
  private let notes: InputNotes
  private let archive: OpaquePointer
  private let feed: ZipFeed
  private var isAtEnd = false
  private var isEncrypted = false
  /// Entries met so far, folders too.
  private var entries = 0
  private weak var current: ZipEntry?
  /// `AE_IFREG`, a cast in a macro.
  private static let regularFile: UInt32 = 0o100000

  init(_ input: BufferedSource, notes: InputNotes) {
    guard let archive = archive_read_new() else { preconditionFailure("out of memory") }
    name = input.name
    self.notes = notes
    self.archive = archive
    feed = ZipFeed(input)
    archive_read_support_format_zip_streamable(archive)
    // The feed lives as long as this object; what goes wrong here shows when the first entry is asked.
    archive_read_open(
      archive, Unmanaged.passUnretained(feed).toOpaque(), nil,
      { _, feed, block in
        guard let feed, let block else { return Int(ARCHIVE_FATAL) }
        return Unmanaged<ZipFeed>.fromOpaque(feed).takeUnretainedValue().next(block)
      }, nil)
  }

  deinit { archive_read_free(archive) }

  /// The next entry that is a file; the one before cannot be read any more.
  func next() throws(Problem) -> ZipEntry? {
    current = nil
    while !isAtEnd {
      var header: OpaquePointer?
      let (status, path) = withUTF8Locale {
        let status = archive_read_next_header(archive, &header)
        return (status, header.flatMap { archive_entry_pathname($0) })
      }
      guard status >= ARCHIVE_WARN, status != ARCHIVE_EOF else {
        isAtEnd = true
        if let failure = feed.failure { throw failure }
        try judgeEnd(isBroken: status != ARCHIVE_EOF)
        return nil
      }
      entries += 1
      // Folders are entries too.
      guard archive_entry_filetype(header) == Self.regularFile || archive_entry_size(header) > 0
      else { continue }
      let entry = ZipEntry(
        path: path.map { Bytes(cString: $0) } ?? Bytes("an entry without a readable name"), of: self
      )
      guard archive_entry_is_data_encrypted(header) == 0 else {
        // Once: usually all of them are.
        if !isEncrypted { notes.noteEncrypted(name) }
        isEncrypted = true
        continue
      }
      current = entry
      return entry
    }
    return nil
  }

  /// Reads on in the current entry; 0 at its end, and where it cannot be read on.
  fileprivate func read(
    _ entry: ZipEntry, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Problem) -> Int {
    guard current === entry else { return 0 }
    while true {
      let count = archive_read_data(archive, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if count == Int(ARCHIVE_RETRY) { continue }
      current = nil
      if let failure = feed.failure {
        isAtEnd = true
        throw failure
      }
      if feed.isAtEnd {
        notes.noteTruncated(name, what: "its last entry")
      } else {
        notes.noteDamaged(entry.name, because: reason)
      }
      return 0
    }
  }

  private var reason: String {
    archive_error_string(archive).map { String(cString: $0) } ?? "bad data"
  }

  /// Looks at what follows the entries: the directory, whose end tells that nothing is cut.
  private func judgeEnd(isBroken: Bool) throws(Problem) {
    let why = isBroken ? reason : ""
    try feed.drain()
    guard let end = feed.end.end, end <= feed.end.total else {
      notes.noteTruncated(name, what: "the zip archive")
      return
    }
    if isBroken {
      // What is encrypted cannot always be passed over.
      if !isEncrypted { notes.noteDamaged(name, because: why) }
    } else if let expected = feed.end.entries, entries < expected {
      notes.noteDamaged(name, because: "\(entries) of its \(expected) entries can be found")
    }
    notes.noteStray(feed.end.total - end)
  }
}

/// A file in a zip archive; can be read until the next one is asked for.
final class ZipEntry: ByteSource {
  /// The archive's name, `!/`, the path inside.
  let name: String
  let path: Bytes
  private let reader: ZipReader

  fileprivate init(path: Bytes, of reader: ZipReader) {
    self.path = path
    name = reader.name + "!/" + path.string
    self.reader = reader
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
    try reader.read(self, into: buffer)
  }
}

/// What the library reads from.
private final class ZipFeed {
  private let input: BufferedSource
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var isAtEnd = false
  private(set) var end = ZipEndFinder()
  /// The library knows no Swift error: it is kept for whoever called the library.
  private(set) var failure: Problem?

  init(_ input: BufferedSource) {
    self.input = input
    memory = .allocate(byteCount: 1 << 16, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// The next block, which lives until the next call.
  func next(_ block: UnsafeMutablePointer<UnsafeRawPointer?>) -> Int {
    do throws(Problem) {
      let count = try read()
      block.pointee = UnsafeRawPointer(memory.baseAddress)
      return count
    } catch {
      failure = error
      return Int(ARCHIVE_FATAL)
    }
  }

  /// Reads what the library did not ask for.
  func drain() throws(Problem) { while !isAtEnd { _ = try read() } }

  private func read() throws(Problem) -> Int {
    guard !isAtEnd else { return 0 }
    let count = try input.read(into: memory)
    isAtEnd = count == 0
    end.add(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    return count
  }
}

/// Runs the library where names in UTF-8 are readable: elsewhere it gives none.
private func withUTF8Locale<Result>(_ body: () -> Result) -> Result {
  guard let locale = newlocale(sluice_lc_ctype_mask(), "C.UTF-8", nil) else { return body() }
  let before = uselocale(locale)
  defer {
    uselocale(before)
    freelocale(locale)
  }
  return body()
}
