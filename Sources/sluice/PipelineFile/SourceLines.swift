internal import Core

/// A text file cut into lines exactly where YAML breaks them, for words about places in it.
///
/// A byte-order mark at the start belongs to no line. Lines and columns are 1-based, columns count
/// code points; a place outside the file is an empty line.
struct SourceLines {
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let bytes: [UInt8]
  private let ranges: [Range<Int>]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var start = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
    var ranges: [Range<Int>] = []
    var index = start
    while index < bytes.count {
      let width = Self.lineBreak(in: bytes, at: index)
      if width > 0 {
        ranges.append(start..<index)
        start = index + width
      }
      index += max(width, 1)
    }
    ranges.append(start..<bytes.count)
    self.ranges = ranges
  }

  var count: Int { ranges.count }

  /// True for a file that may well be one of events, named by mistake: its lines are nobody's to see.
  ///
  /// A pipeline can be written as JSON too; its problems are told by line and column then.
  var mayHoldAnswers: Bool {
    let first = bytes.first { !($0 == 0x20 || (0x09...0x0D).contains($0) || $0 >= 0xBB) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// The line without its break; bytes that are not UTF-8 become U+FFFD.
  func text(ofLine line: Int) -> String {
    guard ranges.indices.contains(line - 1) else { return "" }
    return String(decoding: bytes[ranges[line - 1]], as: UTF8.self)
  }

  func scalars(ofLine line: Int) -> [Unicode.Scalar] { Array(text(ofLine: line).unicodeScalars) }

  /// Length in code points.
  func length(ofLine line: Int) -> Int { text(ofLine: line).unicodeScalars.count }

  /// The column of the first character that is neither space nor tab; nil for a blank line.
  func indent(ofLine line: Int) -> Int? {
    scalars(ofLine: line).firstIndex { $0 != " " && $0 != "\t" }.map { $0 + 1 }
  }

  func position(ofByte offset: Int) -> SourcePosition {
    let line = max(1, ranges.partitionIndex { $0.lowerBound > offset })
    let range = ranges[line - 1]
    let before = bytes[range.lowerBound..<min(max(offset, range.lowerBound), bytes.count)]
    return SourcePosition(line: line, column: 1 + before.count { $0 & 0xC0 != 0x80 })
  }

  /// The place itself, or the end of the last line where it lies beyond.
  func clamped(_ position: SourcePosition) -> SourcePosition {
    guard position.line > count else { return position }
    return SourcePosition(
      line: count, column: length(ofLine: count) + 1, file: position.file)
  }

  /// A place that a folded scalar put beyond the end of its line, moved to where it was written.
  ///
  /// YAML folds `a` and `b` on two lines into `a b`; a rule's column then counts on past the end.
  func unfolded(_ position: SourcePosition) -> SourcePosition {
    var (line, column) = (position.line, position.column)
    while line < count, column > length(ofLine: line) + 1 {
      column -= length(ofLine: line) + 2
      line += 1
      while line < count, indent(ofLine: line) == nil { line += 1 }
      column += indent(ofLine: line) ?? 1
    }
    return SourcePosition(line: line, column: column, file: position.file)
  }

  /// How many bytes of a line break begin here: YAML 1.1 also breaks at U+0085, U+2028 and U+2029.
  private static func lineBreak(in bytes: [UInt8], at index: Int) -> Int {
    func byte(_ offset: Int) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }
    switch bytes[index] {
    case 0x0A: return 1
    case 0x0D: return byte(1) == 0x0A ? 2 : 1
    case 0xC2: return byte(1) == 0x85 ? 2 : 0
    case 0xE2: return byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9) ? 3 : 0
    default: return 0
    }
  }
}

extension Array {
  /// The first index whose element belongs to the second part, in an array that is in two parts.
  fileprivate func partitionIndex(_ isInSecondPart: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
