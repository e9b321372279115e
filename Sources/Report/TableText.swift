internal import Core

/// A table for people: columns aligned, numbers at the right, shares in percent, nulls empty.
package enum TableText {
  /// Wider cells stand out of their column: one rule of 100 kB would pad every line to its width.
  private static let widest = 200

  /// The table with one line for the names and one below it; ends in a line break.
  package static func text(_ table: ReportTable) -> String {
    let names = table.columns.map { shown($0.name) }
    let rows = table.rows.map { row in
      table.cells(row).map { cell in cell.text.map { shown($0, cell.column.kind) } ?? "" }
    }
    let widths = names.indices.map { column in
      rows.reduce(displayWidth(names[column])) { width, row in
        let own = displayWidth(row[column])
        return own > widest ? width : max(width, own)
      }
    }
    let rule = widths.map { String(repeating: "-", count: $0) }
    return ([names, rule] + rows).map { cells in
      line(cells, widths, table.columns.map(\.kind.isNumeric)) + "\n"
    }.joined()
  }

  private static func line(_ cells: [String], _ widths: [Int], _ isAtRight: [Bool]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let space = String(repeating: " ", count: max(0, widths[index] - displayWidth(cell)))
      line += (index > 0 ? "  " : "") + (isAtRight[index] ? space + cell : cell + space)
    }
    // Spaces at the end of a line only wrap narrow terminals.
    let end = line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex
    return String(line[..<end])
  }

  private static func shown(_ text: String, _ kind: ReportTable.Kind) -> String {
    guard kind == .share, isPlainNumber(text), let share = Double(text), abs(share) < 1e9 else {
      return shown(text)
    }
    let tenths = Int64((abs(share) * 1000).rounded())
    return (share < 0 && tenths > 0 ? "-" : "") + "\(tenths / 10).\(tenths % 10)%"
  }

  private static func shown(_ text: String) -> String { printable(text) }
}
