/// What someone who mistyped a name may have meant; the one measure for rules, files and arguments.
package enum Nearest {
  /// Up to three names within a change for every three bytes, at least one, nearest first.
  ///
  /// A change inserts, removes or replaces a byte or swaps two neighbours. The case of ASCII letters
  /// and the choice of `-` or `_` cost nothing.
  package static func names(to name: Bytes, among known: [Bytes]) -> [Bytes] {
    NameIndex(known).names(near: name)
  }

  fileprivate static func folded(_ name: Bytes) -> [UInt8] {
    name.slice.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0.lowercasedASCII }
  }

  /// Insertions, deletions, substitutions and swaps of neighbours between two texts, in bytes; where
  /// there are more than `limit`, any number above it.
  ///
  /// Optimal string alignment; O(product of both lengths).
  static func distance(_ left: [UInt8], _ right: [UInt8], limit: Int = .max) -> Int {
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    var row = beforeLast
    var leastOfLast = 0
    for (i, a) in left.enumerated() {
      row[0] = i + 1
      var least = i + 1
      for (j, b) in right.enumerated() {
        var best = min(last[j] + (a == b ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a == right[j - 1], left[i - 1] == b {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row[j + 1] = best
        least = min(least, best)
      }
      // A swap reaches back two rows, nothing further.
      if min(least, leastOfLast) > limit { return min(least, leastOfLast) }
      leastOfLast = least
      (beforeLast, last, row) = (last, row, beforeLast)
    }
    return last[right.count]
  }
}

/// Known names, prepared for many questions: what a file of thousands of mistyped names asks.
package struct NameIndex: Sendable {
  /// Names of one length.
  private struct Shelf: Sendable {
    var names: [Bytes] = []
    /// Which letters each name has.
    var letters: [UInt64] = []
  }

  /// As many names are compared letter by letter for one question, those with the likeliest letters.
  static let mostCompared = 50
  /// Nobody means a name by a text that is much longer than any name.
  static let longest = 64

  private var byLength: [Int: Shelf] = [:]

  package init(_ names: [Bytes] = []) {
    for name in names { add(name) }
  }

  package mutating func add(_ name: Bytes) {
    // Nothing that is asked for can be near a longer one.
    guard name.count <= Self.longest + Self.longest / 3 else { return }
    byLength[name.count, default: Shelf()].names.append(name)
    byLength[name.count, default: Shelf()].letters.append(Self.letters(of: Nearest.folded(name)))
  }

  /// Up to three names, as ``Nearest/names(to:among:)`` says.
  package func names(near name: Bytes) -> [Bytes] {
    guard !name.isEmpty, name.count <= Self.longest else { return [] }
    let limit = max(1, name.count / 3)
    let folded = Nearest.folded(name)
    let letters = Self.letters(of: folded)
    // A change alters which letters there are by two at most; few differences come first.
    var likely = [[Bytes]](repeating: [], count: 2 * limit + 1)
    for length in max(0, name.count - limit)...(name.count + limit) {
      guard let shelf = byLength[length] else { continue }
      for (index, its) in shelf.letters.enumerated() {
        let difference = (its ^ letters).nonzeroBitCount
        if difference <= 2 * limit, likely[difference].count < Self.mostCompared {
          likely[difference].append(shelf.names[index])
        }
      }
    }
    var near: [(distance: Int, name: Bytes)] = []
    for candidate in likely.joined().prefix(Self.mostCompared) {
      let distance = Nearest.distance(folded, Nearest.folded(candidate), limit: limit)
      if distance <= limit, distance < max(name.count, 2) { near.append((distance, candidate)) }
    }
    return near.sorted { $0 < $1 }.prefix(3).map(\.name)
  }

  /// One bit for each letter and digit that occurs, one for all other bytes.
  private static func letters(of folded: [UInt8]) -> UInt64 {
    folded.reduce(0) { bits, byte in
      switch byte {
      case 0x61...0x7A: bits | 1 << UInt64(byte - 0x61)
      case 0x30...0x39: bits | 1 << UInt64(26 + byte - 0x30)
      case UInt8(ascii: "-"): bits | 1 << 36
      case UInt8(ascii: "."): bits | 1 << 37
      default: bits | 1 << 38
      }
    }
  }
}
