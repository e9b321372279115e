/// A table as one JSON array of objects, an object a line, keys in the order of the columns.
///
/// Cells of number columns are numbers. `NaN` and the infinities, which JSON has not, become null, as
/// SQL's null does.
package enum JSONLinesText {
  package static func text(_ table: ReportTable) -> String {
    guard !table.rows.isEmpty else { return "[]\n" }
    let objects = table.rows.map { row in
      let members = table.cells(row).map { quoted($0.column.name) + ": " + value($0) }
      return "{" + members.joined(separator: ", ") + "}"
    }
    return "[\n" + objects.joined(separator: ",\n") + "\n]\n"
  }

  private static func value(_ cell: (column: ReportTable.Column, text: String?)) -> String {
    guard let text = cell.text else { return "null" }
    guard cell.column.kind.isNumeric else { return quoted(text) }
    return isPlainNumber(text) ? text : "null"
  }

  private static func quoted(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "\"") { json, scalar in
      switch scalar.value {
      case 0x22: json += "\\\""
      case 0x5C: json += "\\\\"
      case 0x0A: json += "\\n"
      case 0x0D: json += "\\r"
      case 0x09: json += "\\t"
      // Besides what JSON must escape: what would move a terminal's cursor or break a script's line.
      case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029:
        let digits = String(scalar.value, radix: 16)
        json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: json.unicodeScalars.append(scalar)
      }
    } + "\""
  }
}
