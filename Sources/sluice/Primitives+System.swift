internal import CCrypto
internal import Core
internal import Glibc

extension Primitives {
  /// Digests of libcrypto and the power function of libm.
  static let system = Primitives(
    md5: { digest($0, EVP_md5(), 16) },
    sha256: { digest($0, EVP_sha256(), 32) },
    power: { pow($0, $1) })
}

private func digest(_ bytes: [UInt8], _ algorithm: OpaquePointer?, _ length: Int) -> [UInt8] {
  var result = [UInt8](repeating: 0, count: length)
  let status = EVP_Digest(bytes, bytes.count, &result, nil, algorithm, nil)
  // Fails only where libcrypto cannot allocate or forbids the algorithm: nothing right can follow.
  precondition(status == 1, "libcrypto refuses a digest (a FIPS-only configuration forbids MD5)")
  return result
}
