internal import Core
internal import Glibc

/// Reads a time zone from the system's zone files (TZif, RFC 8536).
enum ZoneFile {
  /// Where the zone files are; `TZDIR` may name another folder, as for the C library.
  static var folder: String {
    getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
  }

  /// The zone of a name such as `Europe/Berlin`.
  ///
  /// The explicit changes are read; Debian's files hold them up to 2037, and the last offset stays
  /// in force after them.
  ///
  /// - Returns: nil where no zone file of that name can be read.
  static func zone(named name: Bytes) -> Zone? {
    let text = name.string
    if text == "UTC" || text == "Etc/UTC" { return .utc }
    let isPlain = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "/")
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    guard isPlain, !text.isEmpty, !text.hasPrefix("/") else { return nil }
    guard let bytes = smallFile(folder + "/" + text) else { return nil }
    return parse(bytes, name: name)
  }

  /// Reads TZif version 2 or later: a first block of 32-bit times is skipped.
  static func parse(_ bytes: [UInt8], name: Bytes) -> Zone? {
    var reader = Reader(bytes: bytes)
    guard let old = reader.header(), old.version >= UInt8(ascii: "2") else { return nil }
    reader.skip(old.bodyLength(timeSize: 4))
    guard let header = reader.header() else { return nil }
    let times = (0..<header.times).map { _ in Int64(bitPattern: reader.bigEndian(8)) }
    let kinds = (0..<header.times).map { _ in Int(reader.bigEndian(1)) }
    var offsets: [Int32] = []
    for _ in 0..<header.types {
      offsets.append(Int32(truncatingIfNeeded: reader.bigEndian(4)))
      reader.skip(2)
    }
    guard !reader.hasFailed, let first = offsets.first else { return nil }
    guard kinds.allSatisfy({ $0 < offsets.count }) else { return nil }
    let changes = zip(times, kinds).compactMap { time, kind -> Zone.Change? in
      // Zone files begin with a change in the year of the Big Bang.
      let (microseconds, overflow) = time.multipliedReportingOverflow(by: 1_000_000)
      return overflow
        ? nil : Zone.Change(at: Instant(microseconds: microseconds), offset: offsets[kind])
    }
    return Zone(name: name, firstOffset: first, changes: changes)
  }

  private struct Header {
    let version: UInt8
    let utcFlags, standardFlags, leaps, times, types, characters: Int

    func bodyLength(timeSize: Int) -> Int {
      times * timeSize + times + types * 6 + characters + leaps * (timeSize + 4) + standardFlags
        + utcFlags
    }
  }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0
    var hasFailed = false

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func header() -> Header? {
      guard bigEndian(4) == 0x545A_6966 else { return nil }  // "TZif"
      let version = UInt8(truncatingIfNeeded: bigEndian(1))
      skip(15)
      let counts = (0..<6).map { _ in Int(bigEndian(4)) }
      guard !hasFailed, counts.allSatisfy({ $0 < 1 << 20 }) else { return nil }
      return Header(
        version: version, utcFlags: counts[0], standardFlags: counts[1], leaps: counts[2],
        times: counts[3], types: counts[4], characters: counts[5])
    }

    mutating func skip(_ count: Int) {
      index += count
      if index > bytes.count { hasFailed = true }
    }

    mutating func bigEndian(_ size: Int) -> UInt64 {
      guard !hasFailed, index + size <= bytes.count else {
        hasFailed = true
        return 0
      }
      var value: UInt64 = 0
      for byte in bytes[index..<(index + size)] { value = value << 8 | UInt64(byte) }
      index += size
      return value
    }
  }

  /// All bytes of a regular file of at most 1 MiB; nil for anything else.
  private static func smallFile(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= 1 << 20
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var count = 0
    while count < bytes.count {
      let got = bytes.withUnsafeMutableBytes { buffer in
        read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      guard got > 0 else { return nil }
      count += got
    }
    return bytes
  }
}
