/// The three functions the core needs and cannot have of its own, since it imports nothing.
///
/// The program fills them from libcrypto and libm; tests do the same.
package struct Primitives: Sendable {
  /// MD5 of the bytes: 16 bytes.
  package let md5: @Sendable ([UInt8]) -> [UInt8]
  /// SHA-256 of the bytes: 32 bytes.
  package let sha256: @Sendable ([UInt8]) -> [UInt8]
  /// `pow(base, exponent)` of libm, used for fractional exponents only (SEMANTICS 7.2).
  package let power: @Sendable (Double, Double) -> Double

  package init(
    md5: @escaping @Sendable ([UInt8]) -> [UInt8],
    sha256: @escaping @Sendable ([UInt8]) -> [UInt8],
    power: @escaping @Sendable (Double, Double) -> Double
  ) {
    self.md5 = md5
    self.sha256 = sha256
    self.power = power
  }
}
