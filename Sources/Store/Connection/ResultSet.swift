internal import CLibpq
package import Core

/// The rows that a statement gave, in libpq's memory.
package final class ResultSet {
  private let handle: OpaquePointer
  package let count: Int
  package let columnCount: Int

  init(owning handle: OpaquePointer) {
    self.handle = handle
    count = Int(PQntuples(handle))
    columnCount = Int(PQnfields(handle))
  }

  deinit { PQclear(handle) }

  /// Rows that an `insert`, `update` or `delete` touched.
  package var affected: Int {
    PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0
  }

  /// What the server says it did, for instance `COMMIT`.
  var commandTag: String { PQcmdStatus(handle).map { String(cString: $0) } ?? "" }

  package func columnName(_ column: Int) -> String {
    PQfname(handle, Int32(column)).map { String(cString: $0) } ?? ""
  }

  package func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(handle, Int32(row), Int32(column)) != 0
  }

  /// The raw bytes of a value, valid within the closure; empty for null.
  private func withValue<Value>(
    _ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> Value
  ) -> Value {
    let length = Int(PQgetlength(handle, Int32(row), Int32(column)))
    return body(
      UnsafeRawBufferPointer(start: PQgetvalue(handle, Int32(row), Int32(column)), count: length))
  }

  package func bytes(_ row: Int, _ column: Int) -> Bytes? {
    isNull(row, column) ? nil : withValue(row, column) { Bytes(Array($0)) }
  }

  package func array(_ row: Int, _ column: Int) -> [UInt8] { withValue(row, column) { Array($0) } }

  package func text(_ row: Int, _ column: Int) -> String? {
    isNull(row, column)
      ? nil : withValue(row, column) { String(decoding: $0, as: UTF8.self) }
  }

  package func boolean(_ row: Int, _ column: Int) -> Bool? {
    isNull(row, column) ? nil : withValue(row, column) { $0.first == 1 }
  }

  /// A value of `smallint`, `integer` or `bigint`; nil for null.
  package func integer(_ row: Int, _ column: Int) -> Int64? {
    guard !isNull(row, column) else { return nil }
    return withValue(row, column) { bytes in
      // The sign is in the first byte, whatever the width.
      var value: Int64 = (bytes.first ?? 0) >= 0x80 ? -1 : 0
      for byte in bytes { value = value << 8 | Int64(byte) }
      return value
    }
  }

  package func float(_ row: Int, _ column: Int) -> Double? {
    integer(row, column).map { Double(bitPattern: UInt64(bitPattern: $0)) }
  }

  package func instant(_ row: Int, _ column: Int) -> Instant? {
    integer(row, column).map(Instant.init(microsecondsSince2000:))
  }

  /// Appends a row as COPY writes it: the number of fields, then each field.
  func append(_ row: Int, to buffer: inout [UInt8]) {
    buffer.append(bigEndian: Int16(columnCount))
    for column in 0..<columnCount {
      if isNull(row, column) {
        buffer.appendNull()
      } else {
        withValue(row, column) { bytes in
          buffer.append(bigEndian: Int32(bytes.count))
          buffer.append(contentsOf: bytes)
        }
      }
    }
  }
}
