package import Core

/// Where bytes come from, one read after the other.
package protocol ByteSource: AnyObject {
  /// What a person calls it, for words.
  var name: String { get }

  /// Reads up to `buffer.count` bytes; waits for at least one.
  ///
  /// - Returns: how many were read; 0 at the end.
  /// - Throws: ``Problem`` with exit `.noInput` where reading fails.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int
}
