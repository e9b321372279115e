/// Finds where a row of CSV ends (RFC 4180), a byte at a time.
///
/// Only a cell that starts with a quote is quoted; elsewhere a quote is a character like others.
struct CSVScanner {
  let delimiter: UInt8
  private(set) var state = State.startOfCell

  enum State {
    case startOfCell, plain, quoted
    /// Behind a quote in a quoted cell: its end, or the first half of a doubled one.
    case behindQuote
    /// Behind the quote and a carriage return.
    case behindReturn
    /// Something follows a quoted cell that is neither a delimiter nor the end of the row.
    case malformed
  }

  init(delimiter: UInt8) { self.delimiter = delimiter }

  /// True for the newline that ends the row.
  @inline(__always)
  mutating func step(_ byte: UInt8) -> Bool {
    if state == .quoted {
      if byte == quote { state = .behindQuote }
      return false
    }
    if byte == newline { return true }
    switch state {
    case .startOfCell where byte == quote, .behindQuote where byte == quote: state = .quoted
    case .startOfCell, .plain: state = byte == delimiter ? .startOfCell : .plain
    case .behindQuote where byte == delimiter: state = .startOfCell
    case .behindQuote where byte == UInt8(ascii: "\r"): state = .behindReturn
    default: state = .malformed
    }
    return false
  }
}

/// The cells of one row, their texts without quotes.
struct CSVCells {
  private var text: [UInt8] = []
  private var ends: [Int] = []

  var count: Int { ends.count }

  subscript(index: Int) -> ArraySlice<UInt8> {
    text[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  /// Reads a row that ``CSVScanner`` has passed, without its newline.
  mutating func read(_ row: UnsafeBufferPointer<UInt8>, delimiter: UInt8) {
    text.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    var index = 0
    while true {
      if index < row.count, row[index] == quote {
        index += 1
        while index < row.count {
          if row[index] == quote {
            index += 1
            // Of two quotes the second one is meant.
            guard index < row.count, row[index] == quote else { break }
          }
          text.append(row[index])
          index += 1
        }
      }
      while index < row.count, row[index] != delimiter {
        text.append(row[index])
        index += 1
      }
      ends.append(text.count)
      guard index < row.count else { return }
      index += 1
    }
  }
}
