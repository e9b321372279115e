/// A PostgreSQL type that this program reads and writes in binary format.
///
/// Raw values are the type's OID in `pg_type`, fixed for ever by PostgreSQL.
package enum SQLType: UInt32, CaseIterable, Sendable {
  case boolean = 16
  case bytea = 17
  case int8 = 20
  case int2 = 21
  case int4 = 23
  case text = 25
  case float8 = 701
  case timestamptz = 1184
  case date = 1082
  case booleanArray = 1000
  case byteaArray = 1001
  case int2Array = 1005
  case int4Array = 1007
  case textArray = 1009
  case int8Array = 1016
  case float8Array = 1022
  case timestamptzArray = 1185

  /// The type's name in SQL.
  package var name: String {
    switch self {
    case .boolean: "boolean"
    case .bytea: "bytea"
    case .int8: "bigint"
    case .int2: "smallint"
    case .int4: "integer"
    case .text: "text"
    case .float8: "double precision"
    case .timestamptz: "timestamptz"
    case .date: "date"
    case .booleanArray: "boolean[]"
    case .byteaArray: "bytea[]"
    case .int2Array: "smallint[]"
    case .int4Array: "integer[]"
    case .textArray: "text[]"
    case .int8Array: "bigint[]"
    case .float8Array: "double precision[]"
    case .timestamptzArray: "timestamptz[]"
    }
  }

  /// The array of this type; nil for an array, and for `date`, of which none is needed.
  package var array: SQLType? {
    switch self {
    case .boolean: .booleanArray
    case .bytea: .byteaArray
    case .int8: .int8Array
    case .int2: .int2Array
    case .int4: .int4Array
    case .text: .textArray
    case .float8: .float8Array
    case .timestamptz: .timestamptzArray
    default: nil
    }
  }
}
