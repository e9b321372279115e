package import Core

/// Bytes that are in memory already, read like a file: the events of a pipeline file's tests.
package final class MemorySource: ByteSource {
  package let name: String
  private var rest: ArraySlice<UInt8>

  package init(_ bytes: [UInt8], name: String) {
    rest = bytes[...]
    self.name = name
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
    let count = min(buffer.count, rest.count)
    buffer.copyBytes(from: rest.prefix(count))
    rest = rest.dropFirst(count)
    return count
  }
}
