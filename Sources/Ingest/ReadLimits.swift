package import Core

/// What one record may cost.
///
/// Each is told by the record alone, so no order of arrival decides what is stored. Part of the reader
/// revision: other limits give other rejections.
package struct ReadLimits: Hashable, Sendable {
  /// The longest record in bytes; in the `lines` layout the longest line.
  package var recordBytes: Int
  /// Objects and arrays inside each other, at most 512; a flat object is 1 deep.
  package var depth: Int
  /// The longest answer: the bytes of all texts in `params.value` together.
  package var answerBytes = RecordLimit.answer.usual
  /// The longest `params`, in bytes as they are stored.
  package var paramsBytes = RecordLimit.params.usual
  /// Objects and arrays inside each other in `params`, itself counted; at most 512.
  package var paramsDepth = RecordLimit.depth.usual
  /// Members of one object, or items of one array, anywhere in `params`.
  package var members = RecordLimit.members.usual

  package init(recordBytes: Int = RecordLimit.record.usual, depth: Int = 64) {
    precondition(recordBytes > 0 && recordBytes <= 1 << 30 && (1...512).contains(depth))
    self.recordBytes = recordBytes
    self.depth = depth
  }

  package init(_ limits: RecordLimits) {
    // The record around its params must be let through too.
    self.init(recordBytes: limits[.record], depth: min(512, max(64, limits[.depth] + 1)))
    answerBytes = limits[.answer]
    paramsBytes = limits[.params]
    paramsDepth = limits[.depth]
    members = limits[.members]
  }

  /// The same for records that a mapper wrote: their params may be as deep as the record was, inside of
  /// what is written around them.
  var ofMappedRecords: ReadLimits {
    var limits = self
    limits.depth = 512
    return limits
  }
}
