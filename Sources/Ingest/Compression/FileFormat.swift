/// What the first bytes of an input say that it is.
enum FileFormat: Equatable {
  case gzip, zstd, zip
  /// Something that is known and not read.
  case foreign(String)

  /// How many first bytes tell.
  static let headBytes = 262

  /// Nil for what is read as it is.
  init?(_ head: UnsafeRawBufferPointer) {
    func starts(_ magic: [UInt8]) -> Bool { head.starts(with: magic) }
    if starts([0x1F, 0x8B]) {
      self = .gzip
    } else if starts([0x28, 0xB5, 0x2F, 0xFD]) {
      self = .zstd
    } else if head.count >= 4, head[0] & 0xF0 == 0x50,
      head[1..<4].elementsEqual([0x2A, 0x4D, 0x18])
    {
      self = .zstd
    } else if starts([0x50, 0x4B, 0x03, 0x04]) || starts([0x50, 0x4B, 0x05, 0x06]) {
      self = .zip
    } else if let format = Self.foreign.first(where: { starts($0.magic) }) {
      self = .foreign(format.name)
    } else if head.count >= Self.headBytes, head[257..<Self.headBytes].elementsEqual("ustar".utf8) {
      self = .foreign("tar")
    } else {
      return nil
    }
  }

  private static let foreign: [(magic: [UInt8], name: String)] = [
    (Array("PAR1".utf8), "Parquet"), (Array("Obj".utf8) + [1], "Avro"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz"), (Array("BZh91AY&SY".utf8), "bzip2"),
    ([0x04, 0x22, 0x4D, 0x18], "lz4"), ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "7-Zip"),
  ]
}
