package import Core

/// The file sheet (SEMANTICS 3.8): where each record that was read ended, and what was mended.
package struct ReadCounts: Hashable, Sendable {
  package var read = 0
  package var events = 0
  package var blank = 0
  /// Refused by a setting rather than by a fault.
  package var filtered = 0
  /// Those of the filtered that their source leaves out, by the member they lack.
  package var leftOut: [Bytes: Int] = [:]
  package var rejected: [Rejection.Reason: Int] = [:]
  package var mended = Mended()

  /// What was put right in records that became events.
  ///
  /// Not places of the sheet: one event can count in all of them, or many times in one.
  package struct Mended: Hashable, Sendable {
    /// Texts with U+0000 or a lone surrogate, and junk ids that were dropped.
    package var repaired = 0
    /// Times without a zone.
    package var assumedUTC = 0
    /// Values that a later value of the same key replaced.
    package var duplicateKeys = 0
    /// Members of a type or with a value that cannot be read, dropped.
    package var unreadableMembers = 0

    package init() {}
  }

  package init() {}

  package var rejectedInAll: Int { rejected.values.reduce(0, +) }

  /// True if each record that was read is in exactly one place.
  package var isBalanced: Bool { read == events + blank + filtered + rejectedInAll }

  package static func += (total: inout ReadCounts, part: ReadCounts) {
    total.read += part.read
    total.events += part.events
    total.blank += part.blank
    total.filtered += part.filtered
    total.leftOut.merge(part.leftOut, uniquingKeysWith: +)
    total.rejected.merge(part.rejected, uniquingKeysWith: +)
    total.mended.repaired += part.mended.repaired
    total.mended.assumedUTC += part.mended.assumedUTC
    total.mended.duplicateKeys += part.mended.duplicateKeys
    total.mended.unreadableMembers += part.mended.unreadableMembers
  }

  package static func + (left: ReadCounts, right: ReadCounts) -> ReadCounts {
    var sum = left
    sum += right
    return sum
  }
}
