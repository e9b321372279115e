/// A rule's own words, for showing parts of it.
struct RuleWords {
  let rule: Bytes
  /// Of the whole rule, ascending.
  let tokens: [Token]

  /// The words of a range on one line, comments left out; ranges that are replaced, by their values.
  ///
  /// A range begins after the parentheses that it ends behind: those are shown too.
  func text(of range: Range<Int>, replacing replacements: [(Range<Int>, Bytes)] = []) -> Bytes {
    let range = balanced(range)
    let replaced = Dictionary(
      replacements.map { whole, value in
        let whole = balanced(whole)
        return (whole.lowerBound, (end: whole.upperBound, value: value))
      }, uniquingKeysWith: { first, _ in first })
    var result: [UInt8] = []
    var end = range.lowerBound
    for token in tokens[firstIndex(from: range.lowerBound)...] {
      guard token.range.lowerBound < range.upperBound, token.kind != .end else { break }
      guard token.range.lowerBound >= end else { continue }
      if token.range.lowerBound > end { result.append(UInt8(ascii: " ")) }
      if let found = replaced[token.range.lowerBound] {
        result += found.value.slice
        end = found.end
      } else {
        result += rule[token.range].slice
        end = token.range.upperBound
      }
    }
    return Bytes(result)
  }

  /// The index of the first token at or behind a byte.
  private func firstIndex(from offset: Int) -> Int {
    var (low, high) = (0, tokens.count)
    while low < high {
      let middle = (low + high) / 2
      if tokens[middle].range.lowerBound < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func balanced(_ range: Range<Int>) -> Range<Int> {
    var missing = 0
    var open = 0
    var first = firstIndex(from: range.lowerBound)
    for token in tokens[first...] {
      guard token.range.lowerBound < range.upperBound else { break }
      if token.kind == .sign(.open) { open += 1 }
      if token.kind == .sign(.close) {
        if open > 0 { open -= 1 } else { missing += 1 }
      }
    }
    var start = range.lowerBound
    while missing > 0, first > 0 {
      first -= 1
      start = tokens[first].range.lowerBound
      if tokens[first].kind == .sign(.open) { missing -= 1 }
    }
    return start..<range.upperBound
  }
}
