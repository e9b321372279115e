/// One of 64 hash ranges of profile ids; the number is stored and never changes (SEMANTICS 3.1).
package struct Shard: Hashable, Comparable, Sendable {
  package static let count = 64

  /// Ascending.
  package static let all = (0..<count).map { Shard(number: UInt8($0)) }

  package let number: UInt8

  package init(number: UInt8) {
    precondition(number < 64)
    self.number = number
  }

  /// The shard a profile belongs to: the first byte of MD5 of its UTF-8 id, its low six bits.
  package init(of profileID: Bytes, _ primitives: Primitives) {
    number = primitives.md5(profileID.array)[0] & 63
  }

  package static func < (left: Shard, right: Shard) -> Bool { left.number < right.number }
}

extension [Shard] {
  /// For messages: `shard 3`, `shards 3, 17`, `40 shards`.
  package var words: String {
    guard count <= 8 else { return "\(count) shards" }
    return (count == 1 ? "shard " : "shards ") + map { String($0.number) }.joined(separator: ", ")
  }
}
