internal import Core

extension RuleText {
  /// The rule that a scalar holds, trimmed, with the place of each of its lines in the file.
  ///
  /// Places are exact for a rule on one line, in quotes, and for a literal block (`|`). Where YAML folds
  /// lines, columns count on from where the line of the rule begins: ``SourceLines/unfolded(_:)``
  /// finds the place in the file.
  init(_ scalar: YAMLScalar, at position: SourcePosition, in lines: SourceLines) {
    let text = Array(scalar.text.slice)
    let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = text.firstIndex(where: { !isBlank($0) }),
      let last = text.lastIndex(where: { !isBlank($0) })
    else {
      self.init(.empty, lineStarts: [position], isPlainScalar: scalar.style == .plain)
      return
    }
    var starts = scalar.lineStarts(from: position, in: lines)
    let leading = text[..<first]
    let skipped = leading.count { $0 == 0x0A }
    starts.removeFirst(min(skipped, starts.count - 1))
    // Spaces before the rule on its own first line; indentation of the block is already counted.
    let spaces = leading.reversed().prefix { $0 != 0x0A }.count
    starts[0] = SourcePosition(line: starts[0].line, column: starts[0].column + spaces)
    starts = starts.map { $0.inFile(position.file) }
    let kept = text[first...last].count { $0 == 0x0A } + 1
    let content = lines.afterAnchor(position)
    let places = QuotedText.places(
      of: scalar, from: SourcePosition(line: content.line, column: content.column + 1), in: lines)
    self.init(
      Bytes(Array(text[first...last])), lineStarts: Array(starts.prefix(kept)),
      places: places.map { $0.dropFirst(leading.count).map { $0.inFile(position.file) } } ?? [],
      isPlainScalar: scalar.style == .plain)
  }
}

extension YAMLScalar {
  /// Where each line of the text, as YAML resolved it, begins in the file; at least one.
  fileprivate func lineStarts(
    from position: SourcePosition, in lines: SourceLines
  ) -> [SourcePosition] {
    let content = lines.afterAnchor(position)
    switch style {
    case .literal: return literalStarts(header: content.line, in: lines)
    case .folded: return foldedStarts(from: content.line + 1, in: lines)
    case .plain, .singleQuoted, .doubleQuoted:
      let quote = style == .plain ? 0 : 1
      let start = SourcePosition(line: content.line, column: content.column + quote)
      // A rule on one line, as most are, needs no look at the lines behind it.
      guard text.slice.contains(0x0A) else { return [start] }
      return foldedStarts(from: content.line, at: start.column, in: lines)
    }
  }

  /// A literal block keeps its lines: each begins where the block's indentation ends.
  private func literalStarts(header: Int, in lines: SourceLines) -> [SourcePosition] {
    text.linesOfText.enumerated().map { index, line in
      let number = header + 1 + index
      let indent = lines.length(ofLine: number) - line.unicodeScalars.count
      return SourcePosition(line: number, column: max(0, indent) + 1)
    }
  }

  /// Lines of folded text: each is made of lines of the file, joined by spaces, and begins where the one
  /// before it has been found whole.
  ///
  /// - Parameter column: where the text begins on its first line; nil for its indentation.
  private func foldedStarts(
    from first: Int, at column: Int? = nil, in lines: SourceLines
  ) -> [SourcePosition] {
    var number = first
    var column = column
    return text.linesOfText.map { line in
      var wanted = line.unicodeScalars.drop { $0 == " " || $0 == "\t" }
      let leading = line.unicodeScalars.count - wanted.count
      while !wanted.isEmpty, number < lines.count, lines.indent(ofLine: number) == nil {
        number += 1
      }
      let start = SourcePosition(
        line: number, column: column ?? max(1, (lines.indent(ofLine: number) ?? 1) - leading))
      repeat {
        let begin = column ?? lines.indent(ofLine: number) ?? 1
        column = nil
        let found = lines.scalars(ofLine: number).dropFirst(begin - 1)
        number += 1
        let shared = zip(found, wanted).prefix { $0 == $1 }.count
        guard shared > 0 else { break }
        wanted = wanted.dropFirst(shared).drop { $0 == " " || $0 == "\t" }
      } while !wanted.isEmpty && number <= lines.count
      return start
    }
  }
}

extension SourceLines {
  /// Where a scalar's own characters begin: an anchor (`&name`) counts as part of it for libyaml.
  fileprivate func afterAnchor(_ position: SourcePosition) -> SourcePosition {
    let scalars = scalars(ofLine: position.line).dropFirst(position.column - 1)
    guard scalars.first == "&" else { return position }
    let rest = scalars.drop { $0 != " " && $0 != "\t" }.drop { $0 == " " || $0 == "\t" }
    return SourcePosition(line: position.line, column: rest.startIndex + 1)
  }
}

extension Bytes {
  /// The text cut at U+000A, as `RuleText` counts its lines.
  fileprivate var linesOfText: [Substring] {
    string.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Substring($0) }
  }
}
