/// A place in a pipeline file, 1-based; columns count code points.
package struct SourcePosition: Hashable, Comparable, Sendable {
  package let line: Int
  package let column: Int
  /// 0 for the file itself, then those it includes.
  package let file: Int

  package init(line: Int, column: Int, file: Int = 0) {
    self.line = line
    self.column = column
    self.file = file
  }

  package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
    (left.file, left.line, left.column) < (right.file, right.line, right.column)
  }
}

/// A value together with where it was written.
package struct Located<Wrapped: Sendable>: Sendable {
  package let value: Wrapped
  package let position: SourcePosition

  package init(_ value: Wrapped, at position: SourcePosition) {
    self.value = value
    self.position = position
  }
}

extension Located: Equatable where Wrapped: Equatable {}
extension Located: Hashable where Wrapped: Hashable {}

/// The text of a rule and where each of its lines begins in the file.
package struct RuleText: Hashable, Sendable {
  package let text: Bytes
  /// Position of the first character of each line of `text`; at least one.
  package let lineStarts: [SourcePosition]
  /// Positions of all its code points, where they do not follow from those of its lines; else none.
  package let places: [SourcePosition]
  /// True for an unquoted YAML scalar, which ` #`, `: ` and a leading quote cut or change
  /// (SEMANTICS 7.8).
  package let isPlainScalar: Bool

  package init(
    _ text: Bytes, lineStarts: [SourcePosition], places: [SourcePosition] = [],
    isPlainScalar: Bool = false
  ) {
    self.text = text
    self.lineStarts = lineStarts
    self.places = places
    self.isPlainScalar = isPlainScalar
  }

  /// A rule written in code, for tests: it begins at 1:1.
  package init(_ text: Bytes) {
    var starts = [SourcePosition(line: 1, column: 1)]
    for byte in text.slice where byte == UInt8(ascii: "\n") {
      starts.append(SourcePosition(line: starts.count + 1, column: 1))
    }
    self.init(text, lineStarts: starts)
  }

  /// The place in the file of a byte offset in the rule's text.
  package func position(ofByte offset: Int) -> SourcePosition {
    let before = text.slice.prefix(offset).count { $0 & 0xC0 != 0x80 }
    if before < places.count { return places[before] }
    if let last = places.last {
      return SourcePosition(line: last.line, column: last.column + 1, file: last.file)
    }
    var line = 0
    var column = 0
    for (index, byte) in text.slice.enumerated() {
      if index >= offset { break }
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 0
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    let start = line < lineStarts.count ? lineStarts[line] : lineStarts[lineStarts.count - 1]
    return SourcePosition(line: start.line, column: start.column + column, file: start.file)
  }
}

/// One thing wrong with a pipeline file.
///
/// All of them are reported at once.
package struct PipelineProblem: Hashable, Sendable {
  package let position: SourcePosition
  /// What is wrong and what would be right, as one sentence fragment without a full stop.
  package let message: String

  package init(at position: SourcePosition, _ message: String) {
    self.position = position
    self.message = message
  }
}

/// Everything that is wrong with a pipeline.
package struct PipelineProblems: Error, Hashable, Sendable {
  package let list: [PipelineProblem]
  /// What is allowed and yet most likely a mistake.
  package let warnings: [PipelineProblem]

  package init(_ list: [PipelineProblem], warnings: [PipelineProblem] = []) {
    self.list = list
    self.warnings = warnings
  }
}
