package import Core

/// Whole records of one input, as they stand in it, with where they stand: what a worker decodes.
package struct Chunk: Sendable {
  /// The records' bytes, then padding that the JSON reader may look at.
  let bytes: [UInt8]
  /// Of `bytes`, without the padding.
  package let length: Int
  package let layout: Layout
  /// 1-based line of the first byte.
  package let firstLine: Int
  /// Offset of the first byte in the (uncompressed) input.
  package let byteOffset: Int
  /// True where the input ended without a newline: the last line may be cut.
  let endsOpen: Bool
  /// The records in order, or the rows of the `csv` layout; in the `lines` layout the lines tell them.
  let extents: [Extent]
  /// Records that the reader itself refused; they need not be in `bytes`.
  let rejections: [Rejection]
  /// What the cells of the `csv` layout are called.
  let columns: CSVColumns?

  /// The text of a record that was refused; nil where it is not in the chunk, being too long to be kept.
  package func text(of rejection: Rejection) -> ArraySlice<UInt8>? {
    let start = rejection.byteOffset - byteOffset
    guard start >= 0, rejection.length > 0, start + rejection.length <= length else { return nil }
    return bytes[start..<(start + rejection.length)]
  }

  /// A record by its place in the chunk, and where it stands in the input.
  struct Extent: Sendable {
    let start: Int
    /// Empty for a blank row.
    let length: Int
    let line: Int
    let byteOffset: Int
    /// Of the record in the input; differs from `length` where the record was rewritten.
    let sourceLength: Int

    init(start: Int, length: Int, line: Int, byteOffset: Int, sourceLength: Int? = nil) {
      self.start = start
      self.length = length
      self.line = line
      self.byteOffset = byteOffset
      self.sourceLength = sourceLength ?? length
    }
  }
}
