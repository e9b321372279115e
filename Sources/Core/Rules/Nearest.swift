/// What someone who mistyped a name may have meant; the one measure for rules, files and arguments.
package enum Nearest {
  /// Up to three names within a change for every three bytes, at least one, nearest first.
  ///
  /// A change inserts, removes or replaces a byte or swaps two neighbours. The case of ASCII letters
  /// and the choice of `-` or `_` cost nothing.
  package static func names(to name: Bytes, among known: [Bytes]) -> [Bytes] {
    // Nobody means a name by a text that is much longer than any name.
    guard !name.isEmpty, name.count <= 64 else { return [] }
    let limit = max(1, name.count / 3)
    let folded = folded(name)
    var near: [(distance: Int, name: Bytes)] = []
    for candidate in known where abs(candidate.count - name.count) <= limit {
      let distance = distance(folded, self.folded(candidate))
      if distance <= limit, distance < max(name.count, 2) { near.append((distance, candidate)) }
    }
    return near.sorted { $0 < $1 }.prefix(3).map(\.name)
  }

  private static func folded(_ name: Bytes) -> [UInt8] {
    name.slice.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0.lowercasedASCII }
  }

  /// Insertions, deletions, substitutions and swaps of neighbours between two texts, in bytes.
  ///
  /// Optimal string alignment; O(product of both lengths).
  static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var row = [i + 1]
      for (j, b) in right.enumerated() {
        var best = min(last[j] + (a == b ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a == right[j - 1], left[i - 1] == b {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      (beforeLast, last) = (last, row)
    }
    return last[right.count]
  }
}
