internal import Core

/// A table as GitHub's Markdown draws it.
package enum MarkdownText {
  package static func text(_ table: ReportTable) -> String {
    let head = table.columns.map { escaped($0.name) }
    let rule = table.columns.map { $0.kind.isNumeric ? "--:" : "---" }
    let rows = table.rows.map { row in table.cells(row).map { escaped($0.text ?? "") } }
    return ([head, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }

  /// Nothing in a cell may end it, begin a link or a tag, or reach a terminal's controls.
  private static func escaped(_ text: String) -> String {
    printable(text).reduce(into: "") { result, character in
      if "|\\`*_[]<>#&".contains(character) { result += "\\" }
      result.append(character)
    }
  }
}
