import Core
import Testing

@testable import Store
@testable import sluice

@Suite("Field encodings")
struct FieldEncodingTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let type: SQLType
    let literal: String
    let encode: @Sendable (inout [UInt8]) -> Void

    var testDescription: String { "\(literal)::\(type.name)" }

    init(_ type: SQLType, _ literal: String, _ encode: @escaping @Sendable (inout [UInt8]) -> Void)
    {
      self.type = type
      self.literal = literal
      self.encode = encode
    }
  }

  static let cases: [Case] = [
    Case(.text, "'a é 😀'") { $0.appendField("a é 😀") },
    Case(.text, "''") { $0.appendField(Bytes.empty) },
    Case(.text, "null") { $0.appendNull() },
    Case(.boolean, "true") { $0.appendField(true) },
    Case(.boolean, "false") { $0.appendField(false) },
    Case(.int2, "-32768") { $0.appendField(Int16.min) },
    Case(.int4, "-2147483648") { $0.appendField(Int32.min) },
    Case(.int8, "9223372036854775807") { $0.appendField(Int64.max) },
    Case(.float8, "25.03") { $0.appendField(25.03) },
    Case(.float8, "-1e-300") { $0.appendField(-1e-300) },
    Case(.timestamptz, "'2026-03-01T10:00:00.000001Z'") {
      $0.appendField(Instant(microseconds: 1_772_359_200_000_001))
    },
    Case(.timestamptz, "'1970-01-01T00:00:00Z'") { $0.appendField(Instant(microseconds: 0)) },
    Case(.timestamptz, "'-infinity'") { $0.appendField(Instant(microseconds: .min)) },
    Case(.timestamptz, "'infinity'") { $0.appendField(Instant(microseconds: .max)) },
    Case(.date, "'2024-02-29'") { $0.appendField(Day(days: 19_782)) },
    Case(.bytea, #"'\x00ff7f'"#) { $0.appendField(bytea: [0, 255, 127]) },
    Case(.textArray, #"array['a', '', 'a,"b', null]"#) {
      $0.appendArray(["a", "", "a,\"b", nil] as [Bytes?], of: .text, hasNull: true) {
        $0.appendField($1)
      }
    },
    Case(.textArray, "array[]::text[]") {
      $0.appendArray([Bytes](), of: .text) { $0.appendField($1) }
    },
    Case(.int4Array, "array[1, -2, null]") {
      $0.appendArray([1, -2, nil] as [Int32?], of: .int4, hasNull: true) { $0.appendField($1) }
    },
    Case(.int8Array, "array[1, 2]") {
      $0.appendArray([1, 2] as [Int64], of: .int8) { $0.appendField($1) }
    },
    Case(.booleanArray, "array[true, false]") {
      $0.appendArray([true, false], of: .boolean) { $0.appendField($1) }
    },
    Case(.timestamptzArray, "array['1970-01-01T00:00:00Z'::timestamptz]") {
      $0.appendArray([Instant(microseconds: 0)], of: .timestamptz) { $0.appendField($1) }
    },
  ]

  @Test("a value is encoded exactly as the server encodes it")
  func roundTrip() throws {
    let database = try ScratchDatabase(isMigrated: false)
    let connection = try database.connection()
    for example in Self.cases {
      let type = example.type.name
      var field: [UInt8] = []
      example.encode(&field)
      var row: [UInt8] = []

      // There, as a parameter: the server prints what its own literal prints.
      let there = try connection.executeForText(
        "select $1::\(type)::text, (\(example.literal))::\(type)::text",
        [Parameter(example.type, example.encode)])
      #expect(there.text(0, 0) == there.text(0, 1), "\(example.testDescription)")

      // And back: its bytes for the literal are ours.
      let back = try connection.execute("select (\(example.literal))::\(type)")
      back.append(0, to: &row)
      #expect(Array(row.dropFirst(2)) == field, "\(example.testDescription)")
    }
  }

  @Test("COPY takes rows that way too")
  func copy() throws {
    let database = try ScratchDatabase(isMigrated: false)
    let connection = try database.connection()
    let columns = Self.cases.indices.map { "c\($0) \(Self.cases[$0].type.name)" }
    try connection.executeScript("create table t (\(columns.joined(separator: ", ")))")
    var row: [UInt8] = []
    row.append(bigEndian: Int16(Self.cases.count))
    for example in Self.cases { example.encode(&row) }
    let loaded = try connection.copyIn("copy t from stdin (format binary)") { put in
      try row.withUnsafeBytes(put)
      try row.withUnsafeBytes(put)
    }
    #expect(loaded == 2)
    let literals = Self.cases.map { "(\($0.literal))::\($0.type.name)" }
    let same = try connection.execute(
      "select count(*) from t where t is not distinct from row(\(literals.joined(separator: ", ")))"
    )
    #expect(same.integer(0, 0) == 2)
  }

  @Test("numbers and instants are read back")
  func reading() throws {
    let database = try ScratchDatabase(isMigrated: false)
    let row = try database.connection().execute(
      """
      select -5::smallint, -5::integer, (-5)::bigint, 2.5::double precision,
        '2026-03-01T10:00:00Z'::timestamptz, true, null::bigint
      """)
    #expect(row.integer(0, 0) == -5)
    #expect(row.integer(0, 1) == -5)
    #expect(row.integer(0, 2) == -5)
    #expect(row.float(0, 3) == 2.5)
    #expect(row.instant(0, 4) == Instant(microseconds: 1_772_359_200_000_000))
    #expect(row.boolean(0, 5) == true)
    #expect(row.integer(0, 6) == nil)
  }
}
