import Core
import Store

@testable import sluice

extension ScratchDatabase {
  /// Every column of every table in the schema that holds a text somewhere: `table.column`.
  ///
  /// The tables are the catalogue's, so that one that is added later is looked through too.
  func traces(of text: String, schema: String = "sluice") throws -> [String] {
    let connection = try connection()
    let columns = try connection.execute(
      """
      select class.relname::text, attribute.attname::text, type.typname::text
      from pg_class as class
      join pg_attribute as attribute
        on attribute.attrelid = class.oid and attribute.attnum > 0 and not attribute.attisdropped
      join pg_type as type on type.oid = attribute.atttypid
      where class.relnamespace = $1::regnamespace and class.relkind in ('r', 'p', 'm')
      order by 1, 2
      """, [.text(schema)])
    var found: [String] = []
    for row in 0..<columns.count {
      guard let table = columns.text(row, 0), let column = columns.text(row, 1) else { continue }
      let bytes =
        columns.text(row, 2) == "bytea"
        ? "\"\(column)\"" : "convert_to(\"\(column)\"::text, 'UTF8')"
      let hits = try connection.execute(
        """
        select 1 from "\(schema)"."\(table)" where position(convert_to($1, 'UTF8') in \(bytes)) > 0
        """, [.text(text)])
      if hits.count > 0 { found.append("\(table).\(column)") }
    }
    return found
  }
}
