/// HMAC-SHA-256 (RFC 2104): a hash that only who has the key can make, so that nobody can find out by
/// trying ids which of them were erased.
package enum KeyedHash {
  private static let blockSize = 64

  /// 32 bytes.
  package static func hmac(key: [UInt8], _ message: [UInt8], _ primitives: Primitives) -> [UInt8] {
    var block = key.count > blockSize ? primitives.sha256(key) : key
    block += [UInt8](repeating: 0, count: blockSize - block.count)
    let inner = primitives.sha256(block.map { $0 ^ 0x36 } + message)
    return primitives.sha256(block.map { $0 ^ 0x5C } + inner)
  }
}
