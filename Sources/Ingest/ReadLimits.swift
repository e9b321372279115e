/// What one record may cost.
///
/// Part of the reader revision: other limits give other rejections.
package struct ReadLimits: Hashable, Sendable {
  /// The longest record in bytes; in the `lines` layout the longest line.
  package var recordBytes: Int
  /// Objects and arrays inside each other, at most 512; a flat object is 1 deep.
  package var depth: Int

  package init(recordBytes: Int = 1 << 20, depth: Int = 64) {
    precondition(recordBytes > 0 && recordBytes <= 1 << 30 && (1...512).contains(depth))
    self.recordBytes = recordBytes
    self.depth = depth
  }
}
