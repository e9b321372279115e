package import Core

/// What was noticed about an input while it was decompressed.
///
/// A stream that is cut or damaged ends where it is, so that what was read before is kept: whoever
/// reads it asks here how it ended.
package final class InputNotes {
  /// What kept a part of the input from being read, for people.
  package private(set) var problems: [Problem] = []
  /// True where compressed data ends in the middle.
  package private(set) var isTruncated = false
  /// Bytes behind the end of compressed data that belong to nothing.
  package private(set) var strayBytes = 0

  package init() {}

  /// - Parameter what: what is cut, such as "its last gzip member".
  func noteTruncated(_ name: String, what: String) {
    guard !isTruncated else { return }
    isTruncated = true
    problems.append(
      Problem(
        .noInput, at: name, "is truncated", because: "\(what) is cut",
        next: "what came before is kept; deliver it whole, the next run reads it again"))
  }

  func noteDamaged(_ name: String, because why: String) {
    problems.append(
      Problem(
        .noInput, at: name, "is damaged", because: why,
        next: "what came before is kept; deliver it anew, the next run reads it again"))
  }

  func noteEncrypted(_ name: String) {
    problems.append(
      Problem(
        .noInput, at: name, "is not read in full", because: "entries of it are encrypted",
        next: "deliver it without a password"))
  }

  func noteStray(_ count: Int) { strayBytes += count }
}
