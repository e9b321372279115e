/// What a report shows: named columns, and rows of the texts that the database gave.
package struct ReportTable: Hashable, Sendable {
  package let columns: [Column]
  /// A text a column; nil is SQL's null.
  ///
  /// A row that is too short counts as ending in nulls.
  package let rows: [[String?]]

  package init(columns: [Column], rows: [[String?]]) {
    self.columns = columns
    self.rows = rows
  }

  package struct Column: Hashable, Sendable {
    package let name: String
    package let kind: Kind

    package init(_ name: String, _ kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }

  /// What the texts of a column are.
  package enum Kind: Hashable, Sendable {
    case text
    case number
    case integer
    /// 0–1; a table for people shows it in percent.
    case share
    case timestamp

    var isNumeric: Bool { self == .number || self == .integer || self == .share }
  }

  /// The cells of a row, one a column.
  func cells(_ row: [String?]) -> [(column: Column, text: String?)] {
    columns.enumerated().map { ($1, $0 < row.count ? row[$0] : nil) }
  }
}

/// True for a finite number as JSON writes it (RFC 8259, section 6): what PostgreSQL prints, but for
/// `NaN` and `Infinity`.
func isPlainNumber(_ text: String) -> Bool {
  let unsigned = text.hasPrefix("-") ? text.dropFirst() : text[...]
  guard let first = unsigned.utf8.first, (0x30...0x39).contains(first),
    let last = unsigned.utf8.last, (0x30...0x39).contains(last),
    unsigned.utf8.allSatisfy({ (0x30...0x39).contains($0) || ".eE+-".utf8.contains($0) }),
    let value = Double(text), value.isFinite
  else { return false }
  // JSON knows neither `007` nor `1.e5`.
  let second = unsigned.utf8.dropFirst().first
  let hasLeadingZero = first == 0x30 && second.map { (0x30...0x39).contains($0) } == true
  return !hasLeadingZero && !unsigned.contains(".e") && !unsigned.contains(".E")
}
