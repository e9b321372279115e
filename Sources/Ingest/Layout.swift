/// How records stand in a file (SEMANTICS 8), decided once a file.
package enum Layout: String, Sendable {
  /// Records end with their line: a line can be judged, and lost, on its own.
  case lines
  /// Objects that run over several lines, found by counting braces.
  case values
  /// One array around the records.
  case array
  /// Objects with an array of records inside: ``Envelope``.
  case data
  /// Rows of cells under a header.
  case csv

  /// What a person calls it.
  package var words: String { self == .csv ? "CSV" : rawValue }
}

extension Layout {
  /// How much of a file decides.
  static let sampleBytes = 1 << 16

  /// Decides from a file's first bytes.
  ///
  /// `array` if the file starts with an array, unless its first line closes it and other lines follow.
  /// `data` if it starts with an envelope.
  /// `values` if, of the lines that start with an object in column 1, more are open than closed: one
  /// line that is broken, or is of the other kind, does not change how the others are read.
  /// `csv` if it starts with a row of names, and no line with an object or array.
  ///
  /// - Parameters:
  ///   - sample: up to ``sampleBytes`` bytes behind the BOM.
  ///   - isWhole: true if that is all of the file.
  init(sample: UnsafeBufferPointer<UInt8>, isWhole: Bool) {
    guard let first = sample.firstIndex(where: { !isSpace($0) }) else {
      self = .lines
      return
    }
    switch sample[first] {
    case UInt8(ascii: "["): self = Self.layoutOfArray(sample, from: first, isWhole: isWhole)
    case UInt8(ascii: "{"):
      if Envelope.opens(in: UnsafeBufferPointer(rebasing: sample[first...])) {
        self = .data
      } else {
        self = Self.hasObjectsOverLines(sample, from: first) ? .values : .lines
      }
    default:
      if CSVColumns.isHeader(of: sample, isWhole: isWhole) {
        self = .csv
      } else {
        self = Self.hasObjectsOverLines(sample, from: first) ? .values : .lines
      }
    }
  }

  private static func layoutOfArray(
    _ sample: UnsafeBufferPointer<UInt8>, from first: Int, isWhole: Bool
  ) -> Layout {
    guard let end = sample[first...].firstIndex(of: newline) else { return .array }
    let line = UnsafeBufferPointer(rebasing: sample[first..<end])
    let isClosed = ValueScanner.endOfValue(in: line, from: 0) != nil
    let isAlone = isWhole && sample[end...].allSatisfy { isSpace($0) }
    return isClosed && !isAlone ? .lines : .array
  }

  private static func hasObjectsOverLines(
    _ sample: UnsafeBufferPointer<UInt8>, from first: Int
  ) -> Bool {
    var closed = 0
    var open = 0
    var start = sample[..<first].lastIndex(of: newline).map { $0 + 1 } ?? 0
    // A line that the sample cuts off says nothing.
    while let end = sample[start...].firstIndex(of: newline) {
      let column = max(start, min(first, end))
      if column < end, opensContainer(sample[column]) {
        let line = UnsafeBufferPointer(rebasing: sample[column..<end])
        let isClosed = ValueScanner.endOfValue(in: line, from: 0) != nil
        if isClosed { closed += 1 } else { open += 1 }
      }
      start = end + 1
    }
    return open > closed
  }
}

let newline = UInt8(ascii: "\n")
let quote = UInt8(ascii: "\"")
let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

@inline(__always)
func isSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}

/// White space, commas and record separators (RFC 7464): what may stand between two records.
@inline(__always)
func isBetweenRecords(_ byte: UInt8) -> Bool {
  isSpace(byte) || byte == UInt8(ascii: ",") || byte == 0x1E
}

@inline(__always)
func opensContainer(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
}
