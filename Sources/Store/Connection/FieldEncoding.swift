package import Core

/// Values in PostgreSQL's binary format, as COPY and parameters take them: a length in four bytes
/// (−1 for null), then the value, all numbers big-endian.
///
/// The encoding of a value is unique, so two rows are equal exactly where their bytes are.
extension Array where Element == UInt8 {
  @inline(__always)
  package mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  @inline(__always)
  package mutating func appendNull() { append(bigEndian: Int32(-1)) }

  @inline(__always)
  package mutating func appendField(_ value: Bytes) {
    append(bigEndian: Int32(value.count))
    append(contentsOf: value.slice)
  }

  @inline(__always)
  package mutating func appendField(_ value: Bytes?) {
    if let value { appendField(value) } else { appendNull() }
  }

  package mutating func appendField(bytea value: [UInt8]) {
    append(bigEndian: Int32(value.count))
    append(contentsOf: value)
  }

  package mutating func appendField(_ value: String) {
    append(bigEndian: Int32(value.utf8.count))
    append(contentsOf: value.utf8)
  }

  package mutating func appendField(_ value: Bool) {
    append(bigEndian: Int32(1))
    append(value ? 1 : 0)
  }

  package mutating func appendField(_ value: Bool?) {
    if let value { appendField(value) } else { appendNull() }
  }

  @inline(__always)
  package mutating func appendField<Number: FixedWidthInteger>(_ value: Number) {
    append(bigEndian: Int32(MemoryLayout<Number>.size))
    append(bigEndian: value)
  }

  @inline(__always)
  package mutating func appendField<Number: FixedWidthInteger>(_ value: Number?) {
    if let value { appendField(value) } else { appendNull() }
  }

  package mutating func appendField(_ value: Double) { appendField(value.bitPattern) }

  package mutating func appendField(_ value: Double?) {
    if let value { appendField(value) } else { appendNull() }
  }

  package mutating func appendField(_ value: Instant) {
    appendField(value.microsecondsSince2000)
  }

  package mutating func appendField(_ value: Instant?) {
    if let value { appendField(value) } else { appendNull() }
  }

  package mutating func appendField(_ value: Day) {
    appendField(value.days - Day.days1970To2000)
  }

  /// Appends a one-dimensional array, given its elements' encodings.
  ///
  /// - Parameters:
  ///   - elements: in order.
  ///   - element: the elements' type.
  ///   - hasNull: whether an element is null; part of the encoding, and derived by the server.
  ///   - append: appends one element as a field.
  package mutating func appendArray<Elements: Collection>(
    _ elements: Elements, of element: SQLType, hasNull: Bool = false,
    appending append: (inout [UInt8], Elements.Element) -> Void
  ) {
    let start = count
    self.append(bigEndian: Int32(0))
    self.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
    self.append(bigEndian: Int32(hasNull ? 1 : 0))
    self.append(bigEndian: element.rawValue)
    if !elements.isEmpty {
      self.append(bigEndian: Int32(elements.count))
      self.append(bigEndian: Int32(1))
      for value in elements { append(&self, value) }
    }
    let length = Int32(count - start - 4)
    Swift.withUnsafeBytes(of: length.bigEndian) { bytes in
      for offset in 0..<4 { self[start + offset] = bytes[offset] }
    }
  }
}

extension Instant {
  /// PostgreSQL counts from 2000-01-01T00:00:00Z, this program from 1970.
  private static let microseconds1970To2000: Int64 = 946_684_800_000_000

  /// The wire value of `timestamptz`; the two extremes stand for `-infinity` and `infinity`.
  package var microsecondsSince2000: Int64 {
    microseconds == .min || microseconds == .max
      ? microseconds : microseconds - Self.microseconds1970To2000
  }

  package init(microsecondsSince2000 wire: Int64) {
    self.init(
      microseconds: wire == .min || wire == .max ? wire : wire + Self.microseconds1970To2000)
  }
}

extension Day {
  fileprivate static let days1970To2000: Int32 = 10_957
}
