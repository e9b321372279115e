internal import Core

/// Every table that can hold an id of a person, as the catalogue has them now: one that a later
/// migration adds is not forgotten.
struct PersonTables {
  struct Table {
    let name: String
    /// Those of its columns that hold ids of people.
    let idColumns: [String]
    /// All of them, in their order.
    let columns: [String]

    var isAboutOnePerson: Bool { idColumns.contains("profile_id") }
  }

  let connection: Connection
  let schema: SchemaName
  let tables: [Table]

  private static let idColumns = ["profile_id", "canonical_id", "from_id", "into_id"]

  init(_ connection: Connection, _ schema: SchemaName) throws {
    self.connection = connection
    self.schema = schema
    let rows = try connection.execute(
      """
      select class.relname::text, attribute.attname::text
      from pg_catalog.pg_class as class
      join pg_catalog.pg_namespace as namespace on namespace.oid = class.relnamespace
      join pg_catalog.pg_attribute as attribute
        on attribute.attrelid = class.oid and attribute.attnum > 0 and not attribute.attisdropped
      where namespace.nspname = $1 and class.relkind in ('r', 'p')
      order by class.relname, attribute.attnum
      """, [.text(schema.name)])
    var columns: [String: [String]] = [:]
    for row in 0..<rows.count {
      columns[rows.text(row, 0) ?? "", default: []].append(rows.text(row, 1) ?? "")
    }
    tables = columns.sorted { $0.key < $1.key }.compactMap { name, columns in
      let ids = columns.filter { Self.idColumns.contains($0) }
      return ids.isEmpty ? nil : Table(name: name, idColumns: ids, columns: columns)
    }
  }

  func from(_ table: Table) -> String { "\(schema.quoted).\"\(table.name)\"" }

  /// True of a row that names one of the ids in `$1`.
  func condition(_ table: Table) -> String {
    table.idColumns.map { "\"\($0)\" = any($1)" }.joined(separator: " or ")
  }

  /// Rows that name one of the ids, by table; tables without one are left out.
  func counts(of ids: [Bytes]) throws -> [(table: String, rows: Int)] {
    let parts = tables.map {
      "select '\($0.name)'::text, count(*) from \(from($0)) where \(condition($0))"
    }
    let rows = try connection.execute(
      parts.joined(separator: " union all ") + " order by 1", [.texts(ids)])
    return (0..<rows.count).compactMap { row in
      let count = Int(rows.integer(row, 1) ?? 0)
      return count == 0 ? nil : (rows.text(row, 0) ?? "", count)
    }
  }

  /// Deletes what is left of people in tables that are about one person a row.
  func deleteRows(of ids: [Bytes]) throws {
    for table in tables where table.isAboutOnePerson {
      try connection.execute(
        "delete from \(from(table)) where profile_id = any($1)", [.texts(ids)])
    }
  }
}
