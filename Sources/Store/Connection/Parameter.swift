package import Core

/// A value given to a statement, apart from its text; always in binary format.
package struct Parameter: Sendable {
  let type: SQLType
  /// The value as a field: four bytes of length, then the value.
  let field: [UInt8]

  init(_ type: SQLType, _ encode: (inout [UInt8]) -> Void) {
    self.type = type
    var field: [UInt8] = []
    encode(&field)
    self.field = field
  }

  /// The value without its length; nil for null.
  var value: ArraySlice<UInt8>? { field[0] == 0xFF ? nil : field[4...] }

  package static func null(_ type: SQLType) -> Parameter { Parameter(type) { $0.appendNull() } }
  package static func text(_ value: String) -> Parameter {
    Parameter(.text) { $0.appendField(value) }
  }
  package static func text(_ value: Bytes) -> Parameter {
    Parameter(.text) { $0.appendField(value) }
  }
  package static func boolean(_ value: Bool) -> Parameter {
    Parameter(.boolean) { $0.appendField(value) }
  }
  package static func int4(_ value: Int32) -> Parameter {
    Parameter(.int4) { $0.appendField(value) }
  }
  package static func int8(_ value: Int64) -> Parameter {
    Parameter(.int8) { $0.appendField(value) }
  }
  package static func float8(_ value: Double) -> Parameter {
    Parameter(.float8) { $0.appendField(value) }
  }
  package static func timestamptz(_ value: Instant) -> Parameter {
    Parameter(.timestamptz) { $0.appendField(value) }
  }
  package static func date(_ value: Day) -> Parameter {
    Parameter(.date) { $0.appendField(value) }
  }
  package static func bytea(_ value: [UInt8]) -> Parameter {
    Parameter(.bytea) { $0.appendField(bytea: value) }
  }
  package static func texts(_ values: [Bytes]) -> Parameter {
    Parameter(.textArray) { $0.appendArray(values, of: .text) { $0.appendField($1) } }
  }
  package static func integers(_ values: [Int64]) -> Parameter {
    Parameter(.int8Array) { $0.appendArray(values, of: .int8) { $0.appendField($1) } }
  }
}
