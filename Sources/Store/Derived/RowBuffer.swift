/// Rows of one table as COPY takes them, one after the other in one block of memory.
struct RowBuffer {
  struct Row {
    let start: Int
    /// Where the key's fields end; they come first.
    let keyEnd: Int
    let end: Int
  }

  private(set) var bytes: [UInt8] = []
  private(set) var rows: [Row] = []

  var isEmpty: Bool { rows.isEmpty }

  /// Appends a row.
  ///
  /// - Parameters:
  ///   - columns: number of fields.
  ///   - key: appends the fields of the key, exactly.
  ///   - rest: appends all other fields.
  mutating func append(columns: Int, key: (inout [UInt8]) -> Void, rest: (inout [UInt8]) -> Void) {
    let start = bytes.count
    bytes.append(bigEndian: Int16(columns))
    key(&bytes)
    let keyEnd = bytes.count
    rest(&bytes)
    rows.append(Row(start: start, keyEnd: keyEnd, end: bytes.count))
  }

  /// Appends all rows of a result whose first columns are the key.
  mutating func append(_ result: ResultSet, keyColumns: Int) {
    rows.reserveCapacity(rows.count + result.count)
    for index in 0..<result.count {
      let start = bytes.count
      result.append(index, to: &bytes)
      var keyEnd = start + 2
      for _ in 0..<keyColumns { keyEnd = end(ofFieldAt: keyEnd) }
      rows.append(Row(start: start, keyEnd: keyEnd, end: bytes.count))
    }
  }

  /// The bytes of a field's value, its length excluded; nil for null.
  func value(_ row: Row, column: Int) -> ArraySlice<UInt8>? {
    var offset = row.start + 2
    for _ in 0..<column { offset = end(ofFieldAt: offset) }
    let length = self.length(ofFieldAt: offset)
    return length < 0 ? nil : bytes[(offset + 4)..<(offset + 4 + length)]
  }

  /// A field as it is, its length included.
  func field(_ row: Row, column: Int) -> ArraySlice<UInt8> {
    var offset = row.start + 2
    for _ in 0..<column { offset = end(ofFieldAt: offset) }
    return bytes[offset..<end(ofFieldAt: offset)]
  }

  private func length(ofFieldAt offset: Int) -> Int {
    var value: UInt32 = 0
    for index in offset..<(offset + 4) { value = value << 8 | UInt32(bytes[index]) }
    return Int(Int32(bitPattern: value))
  }

  private func end(ofFieldAt offset: Int) -> Int { offset + 4 + max(0, length(ofFieldAt: offset)) }
}
