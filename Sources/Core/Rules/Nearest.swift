/// What someone who mistyped a name may have meant.
enum Nearest {
  /// Up to three names within a third of the name's length, nearest first.
  static func names(to name: Bytes, among known: [Bytes]) -> [Bytes] {
    let limit = max(1, min(name.count, 60) / 3)
    let folded = name.lowercasedASCII.array
    var near: [(distance: Int, name: Bytes)] = []
    for candidate in known where abs(candidate.count - name.count) <= limit {
      let distance = distance(folded, candidate.lowercasedASCII.array)
      if distance <= limit { near.append((distance, candidate)) }
    }
    return near.sorted { $0 < $1 }.prefix(3).map(\.name)
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
