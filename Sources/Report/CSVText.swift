/// A table as CSV (RFC 4180): CRLF line ends, a header, `"` around what needs it.
///
/// Spreadsheets run a cell that begins with `=`, `+`, `-`, `@`, tab or CR as a formula. Such a cell of
/// a text column gets a `'` before it, and so does one that begins with `'`: a reader that takes one
/// leading `'` away from every text cell has the exact text back. Numbers stay as they are. A null is
/// an empty cell, an empty text is `""`.
package enum CSVText {
  package static func text(_ table: ReportTable) -> String {
    let header = table.columns.map { quoted($0.name) }.joined(separator: ",") + "\r\n"
    return table.rows.reduce(into: header) { text, row in
      text += table.cells(row).map { cell($0.text, $0.column.kind) }.joined(separator: ",") + "\r\n"
    }
  }

  private static func cell(_ text: String?, _ kind: ReportTable.Kind) -> String {
    guard let text else { return "" }
    // What a number column holds besides numbers (`NaN`) is text to a spreadsheet.
    if kind.isNumeric && isPlainNumber(text) { return text }
    let isActive = text.utf8.first.map { "=+-@\t\r'".utf8.contains($0) } ?? false
    return quoted(isActive ? "'" + text : text)
  }

  private static func quoted(_ text: String) -> String {
    guard text.isEmpty || text.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else {
      return text
    }
    return text.unicodeScalars.reduce(into: "\"") { $0 += $1 == "\"" ? "\"\"" : String($1) } + "\""
  }
}
