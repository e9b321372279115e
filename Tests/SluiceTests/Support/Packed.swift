import CCompression

/// Compressed bytes for tests, by the same libraries that read them.
enum Packed {
  static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    write(sizeHint: bytes.count, [("data", bytes)]) { archive in
      archive_write_set_format_raw(archive)
      archive_write_add_filter_gzip(archive)
    }
  }

  static func zip(_ entries: [(String, [UInt8])], password: String? = nil) -> [UInt8] {
    write(sizeHint: entries.reduce(0) { $0 + $1.1.count }, entries) { archive in
      archive_write_set_format_zip(archive)
      guard let password else { return }
      archive_write_set_passphrase(archive, password)
      archive_write_set_options(archive, "zip:encryption=zipcrypt")
    }
  }

  static func zstd(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { memory, count in
      let context = ZSTD_createCCtx()
      defer { ZSTD_freeCCtx(context) }
      // As the command line tool does.
      ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
      count = ZSTD_compress2(context, memory.baseAddress, memory.count, bytes, bytes.count)
      precondition(ZSTD_isError(count) == 0)
    }
  }

  /// A zstd frame that holds no data.
  static let skippableFrame: [UInt8] =
    [0x53, 0x2A, 0x4D, 0x18, 5, 0, 0, 0] + Array("notes".utf8)

  private static func write(
    sizeHint: Int, _ entries: [(String, [UInt8])], _ configure: (OpaquePointer) -> Void
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: sizeHint + 1000 * (entries.count + 1)) { memory, count in
      guard let archive = archive_write_new() else { preconditionFailure("out of memory") }
      configure(archive)
      archive_write_open_memory(archive, memory.baseAddress, memory.count, &count)
      for (name, bytes) in entries {
        let entry = archive_entry_new()
        archive_entry_set_pathname(entry, name)
        archive_entry_set_filetype(entry, 0o100000)
        archive_entry_set_perm(entry, 0o644)
        archive_entry_set_size(entry, Int64(bytes.count))
        precondition(archive_write_header(archive, entry) == ARCHIVE_OK)
        precondition(archive_write_data(archive, bytes, bytes.count) == bytes.count)
        archive_entry_free(entry)
      }
      precondition(archive_write_close(archive) == ARCHIVE_OK)
      archive_write_free(archive)
    }
  }
}
