/// Where a record stands in its input.
package struct RecordPlace: Hashable, Sendable {
  /// 1-based.
  package let line: Int
  package let byteOffset: Int
  package let length: Int
}

/// Takes the parsed records of a chunk instead of the decoder of canonical envelopes.
protocol RecordVisitor: AnyObject {
  /// - Parameter tokens: gone when the call returns.
  func visit(_ tokens: UnsafeBufferPointer<JSONToken>, at place: RecordPlace)
}
