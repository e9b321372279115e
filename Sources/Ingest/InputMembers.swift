package import Core

/// One stream of records: an input, decompressed, or an entry of an archive.
package struct InputMember {
  package let source: any ByteSource
  /// The path inside the archive, with `!/` where archives are inside each other; empty for an input
  /// that is none.
  package let path: Bytes
  /// What it was taken out of, the outermost first: `zip`, `gzip`, `zstd`.
  package let formats: [String]
}

/// What an input holds, by its content and not by its name: itself, decompressed, or the entries of
/// an archive, which may be compressed again.
///
/// Streams: nothing is held but the buffers of the libraries.
package final class InputMembers {
  package let notes = InputNotes()
  /// Entries of archives that are no data by their names.
  package private(set) var passedOver = 0

  private let root: BufferedSource
  private var isOpened = false
  private var archives: [Archive] = []

  private struct Archive {
    let reader: ZipReader
    let path: Bytes
    let formats: [String]
  }

  /// How many times data may be compressed again.
  private static let deepest = 4

  package init(_ source: any ByteSource) { root = BufferedSource(source) }

  /// Bytes of the input that were read, as they stand in it.
  package var bytesRead: Int { root.bytesTaken }

  /// The next stream; the one before must not be read any more.
  ///
  /// After an error the next call goes on behind what could not be read.
  ///
  /// - Throws: ``Problem`` with exit `.noInput` where reading fails, and for content of a kind that is
  ///   not read.
  package func next() throws(Problem) -> InputMember? {
    if !isOpened {
      isOpened = true
      if let member = try open(root, path: .empty, formats: []) { return member }
    }
    while let archive = archives.last {
      guard let entry = try archive.reader.next() else {
        archives.removeLast()
        continue
      }
      guard !InputPaths.isNoData(path: entry.path) else {
        passedOver += 1
        continue
      }
      let path =
        archive.path.isEmpty
        ? entry.path : Bytes(archive.path.array + Array("!/".utf8) + entry.path.array)
      if let member = try open(BufferedSource(entry), path: path, formats: archive.formats) {
        return member
      }
    }
    return nil
  }

  /// Nil for an archive, whose entries come next.
  private func open(
    _ source: BufferedSource, path: Bytes, formats: [String]
  ) throws(Problem) -> InputMember? {
    var source = source
    var formats = formats
    while true {
      _ = try source.fill(FileFormat.headBytes)
      guard let format = FileFormat(source.available) else {
        return InputMember(source: source, path: path, formats: formats)
      }
      guard formats.count < Self.deepest else {
        throw Problem(
          .noInput, at: source.name, "is not read", because: "it is compressed over and over again",
          next: "decompress it")
      }
      switch format {
      case .gzip:
        source = BufferedSource(GzipSource(source, notes: notes))
        formats.append("gzip")
      case .zstd:
        source = BufferedSource(ZstdSource(source, notes: notes))
        formats.append("zstd")
      case .zip:
        let reader = ZipReader(source, notes: notes)
        archives.append(Archive(reader: reader, path: path, formats: formats + ["zip"]))
        return nil
      case .foreign(let name):
        throw Problem(
          .noInput, at: source.name, "is not read", because: "it is \(name)",
          next: "export JSON or CSV, plain or as gzip, zstd or zip")
      }
    }
  }
}
