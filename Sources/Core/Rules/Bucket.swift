/// An even, repeatable split of profiles into 100 buckets.
enum Bucket {
  /// Bucket v1, 0–99: the first 8 bytes of MD5(`<salt>:<profile id>`), big-endian, modulo 100.
  ///
  /// Frozen: a stored segment would move otherwise. Even to one part in 10¹⁷, since 2⁶⁴ is no
  /// multiple of 100; independent between salts as far as MD5 is.
  static func number(salt: Bytes, profileID: Bytes, md5: ([UInt8]) -> [UInt8]) -> Int {
    let digest = md5(salt.array + [UInt8(ascii: ":")] + profileID.array)
    return Int(digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100)
  }
}
