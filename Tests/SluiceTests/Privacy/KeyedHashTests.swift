import Core
import Testing

@testable import sluice

@Suite("The keyed hash of tombstones")
struct KeyedHashTests {
  struct Vector: CustomTestStringConvertible {
    let key: [UInt8]
    let message: [UInt8]
    let hash: String
    var testDescription: String { "key of \(key.count) bytes" }
  }

  @Test(
    "is HMAC-SHA-256, by the vectors of RFC 4231",
    arguments: [
      Vector(
        key: [UInt8](repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
        hash: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
      Vector(
        key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
        hash: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
      Vector(
        key: [UInt8](repeating: 0xAA, count: 131),
        message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        hash: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    ])
  func vectors(_ vector: Vector) {
    #expect(
      hex(KeyedHash.hmac(key: vector.key, vector.message, .system)).string == vector.hash)
  }
}
