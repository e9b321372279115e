internal import CCrypto
internal import Core
internal import Glibc

extension Primitives {
  /// Digests of libcrypto and the power function of libm.
  static let system: Primitives = {
    let (md5, sha256) = (Digest("MD5", bytes: 16), Digest("SHA256", bytes: 32))
    return Primitives(
      md5: { md5.of($0) }, sha256: { sha256.of($0) }, power: { pow($0, $1) })
  }()
}

/// An algorithm of libcrypto, looked up once: to look it up took longer than to digest an id.
///
/// Sendable, since nobody writes the algorithm after it was fetched, and libcrypto counts the references
/// to it atomically.
private struct Digest: @unchecked Sendable {
  private let algorithm: OpaquePointer?
  private let length: Int

  init(_ name: String, bytes length: Int) {
    algorithm = EVP_MD_fetch(nil, name, nil)
    self.length = length
  }

  func of(_ bytes: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: length)
    let status = EVP_Digest(bytes, bytes.count, &result, nil, algorithm, nil)
    // Fails only where libcrypto cannot allocate or forbids the algorithm: nothing right can follow.
    precondition(status == 1, "libcrypto refuses a digest (a FIPS-only configuration forbids MD5)")
    return result
  }
}
