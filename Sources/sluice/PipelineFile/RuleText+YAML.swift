internal import Core

extension RuleText {
  /// The rule that a scalar holds, trimmed, with the place of each of its lines in the file.
  ///
  /// Places are exact for a rule on one line and for a literal block (`|`). Where YAML folds lines
  /// or resolves escapes, columns count on from where the line of the rule begins:
  /// ``SourceLines/unfolded(_:)`` finds the place in the file.
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
    self.init(
      Bytes(Array(text[first...last])), lineStarts: Array(starts.prefix(kept)),
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
    case .folded: return foldedStarts(after: content.line, quote: 0, in: lines)
    case .plain, .singleQuoted, .doubleQuoted:
      let quote = style == .plain ? 0 : 1
      let start = SourcePosition(line: content.line, column: content.column + quote)
      // A rule on one line, as most are, needs no look at the lines behind it.
      guard text.slice.contains(0x0A) else { return [start] }
      return [start] + foldedStarts(after: content.line, quote: quote, in: lines).dropFirst()
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

  /// A line of folded text begins on the next line of the file that begins like it.
  private func foldedStarts(
    after header: Int, quote: Int, in lines: SourceLines
  ) -> [SourcePosition] {
    var number = header
    return text.linesOfText.map { line in
      let wanted = line.drop { $0 == " " || $0 == "\t" }
      while number < lines.count {
        number += 1
        guard let indent = lines.indent(ofLine: number) else { continue }
        let found = lines.scalars(ofLine: number)[(indent - 1)...]
        let shared = zip(found, wanted.unicodeScalars).prefix { $0 == $1 }.count
        if shared > 0 || wanted.isEmpty {
          return SourcePosition(line: number, column: indent - (line.count - wanted.count))
        }
      }
      return SourcePosition(line: header, column: 1)
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
