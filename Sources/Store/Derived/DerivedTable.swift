internal import Core

/// A table that follows from the events: its columns, key first, and how an outcome becomes rows.
struct DerivedTable: Sendable {
  struct Column: Sendable {
    let name: String
    let type: SQLType

    init(_ name: String, _ type: SQLType) {
      self.name = name
      self.type = type
    }
  }

  let name: String
  /// In the order of the rows' fields; the key's come first, and the first is `profile_id`.
  let columns: [Column]
  let keyColumns: Int
  /// Appends the outcome's rows of this table, in the order of the key where the outcome has it.
  let append: @Sendable (_ outcome: Outcome, _ shard: Shard, _ rows: inout RowBuffer) -> Void

  var columnList: String { columns.map(\.name).joined(separator: ", ") }
  var keyList: String { columns.prefix(keyColumns).map(\.name).joined(separator: ", ") }

  /// All of them; an event changes rows of these tables and of `profile_events`, no others.
  static let all: [DerivedTable] =
    [
      .profiles, .flowRuns, .customAttributes, .attributeHistory, .segmentMembers, .segmentHistory,
      .placementDecisions, .accessLevels, .profileSubscriptions, .subscriptions,
      .nonSubscriptions, .storeMessages,
    ] + commerce

  func selectRows(_ schema: SchemaName) -> String {
    "select \(columnList) from \(schema.quoted).\(name) where profile_id = any($1)"
  }

  func copyRows(_ schema: SchemaName) -> String {
    "copy \(schema.quoted).\(name) (\(columnList)) from stdin (format binary)"
  }

  /// Deletes by key: `$1` … `$n` are arrays of the key's columns.
  func deleteRows(_ schema: SchemaName) -> String {
    let key = columns.prefix(keyColumns)
    guard key.count > 1 else {
      return "delete from \(schema.quoted).\(name) where \(key[0].name) = any($1)"
    }
    let arrays = key.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let names = key.indices.map { "key_\($0 + 1)" }.joined(separator: ", ")
    let match = key.indices.map { "kept.\(key[$0].name) = gone.key_\($0 + 1)" }
    return """
      delete from \(schema.quoted).\(name) as kept using unnest(\(arrays)) as gone (\(names))
      where \(match.joined(separator: " and "))
      """
  }

  /// The parameters of ``deleteRows(_:)`` for rows of a buffer.
  func keys(of rows: ArraySlice<RowBuffer.Row>, in buffer: RowBuffer) -> [Parameter] {
    (0..<keyColumns).compactMap { column in
      guard let array = columns[column].type.array else { return nil }
      return Parameter(array) { field in
        field.appendArray(rows, of: columns[column].type) { field, row in
          field.append(contentsOf: buffer.field(row, column: column))
        }
      }
    }
  }
}
