internal import Core

/// A table as GitHub's Markdown draws it.
package enum MarkdownText {
  package static func text(_ table: ReportTable) -> String {
    let head = table.columns.map { escaped($0.name) }
    let rule = table.columns.map { $0.kind.isNumeric ? "--:" : "---" }
    let rows = table.rows.map { row in table.cells(row).map { escaped($0.text ?? "") } }
    return ([head, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }

  /// The text of a cell or of a word in a sentence.
  ///
  /// Nothing in it may end a cell, begin a link or a tag, or reach a terminal's controls. By scalars: a
  /// mark that combines with a `|` hides it from no reader of Markdown.
  package static func escaped(_ text: String) -> String {
    printable(text).unicodeScalars.reduce(into: "") { result, scalar in
      if "|\\`*_[]<>#&".unicodeScalars.contains(scalar) { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
  }
}
