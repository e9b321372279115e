/// How records stand in a file (SEMANTICS 8), decided once a file.
package enum Layout: String, Sendable {
  /// Records end with their line: a line can be judged, and lost, on its own.
  case lines
  /// Objects that run over several lines, found by counting braces.
  case values
}

extension Layout {
  /// How much of a file decides.
  static let sampleBytes = 1 << 16

  /// Decides from a file's first bytes.
  ///
  /// `values` if the file starts with an array that its first line does not close, or with such an
  /// object and, of the lines that start with one in column 1, more are open than closed: one broken
  /// line at the top of a file of lines does not change how the others are read.
  ///
  /// - Parameter sample: up to ``sampleBytes`` bytes behind the BOM.
  init(sample: UnsafeBufferPointer<UInt8>) {
    guard let first = sample.firstIndex(where: { !isSpace($0) }), opensContainer(sample[first])
    else {
      self = .lines
      return
    }
    if sample[first] == UInt8(ascii: "[") {
      let line = sample[first...].prefix { $0 != newline }
      let isClosed =
        line.endIndex == sample.count
        || ValueScanner.endOfValue(in: UnsafeBufferPointer(rebasing: line), from: 0) != nil
      self = isClosed ? .lines : .values
      return
    }
    var closed = 0
    var open = 0
    var start = sample[..<first].lastIndex(of: newline).map { $0 + 1 } ?? 0
    // A line that the sample cuts off says nothing.
    while let end = sample[start...].firstIndex(of: newline) {
      let isFirst = closed + open == 0
      let column = isFirst ? first : start
      if opensContainer(sample[column]) {
        let line = UnsafeBufferPointer(rebasing: sample[column..<end])
        let isClosed = ValueScanner.endOfValue(in: line, from: 0) != nil
        if isFirst && isClosed { break }
        if isClosed { closed += 1 } else { open += 1 }
      }
      start = end + 1
    }
    self = open > closed ? .values : .lines
  }
}

let newline = UInt8(ascii: "\n")

@inline(__always)
func isSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}

@inline(__always)
func opensContainer(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
}
