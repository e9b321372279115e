/// The version of everything between a stored event and a row.
///
/// Raised whenever the same events and the same pipeline would give another outcome; a job of a newer
/// version derives all profiles anew, one of an older version is refused.
package let resolverVersion: Int32 = 5

extension Pipeline {
  /// The name of a state of the pipeline file: 32 hex digits that follow from its canonical text and
  /// the resolver's version (SEMANTICS 4.3).
  package static func generationHash(canonicalText: Bytes, _ primitives: Primitives) -> Bytes {
    var bytes: [UInt8] = []
    bytes.appendField(Int64(resolverVersion))
    bytes.appendField(canonicalText)
    return hex(primitives.sha256(bytes)[..<16])
  }
}
