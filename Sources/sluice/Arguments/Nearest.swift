/// The word that someone most likely meant; nil where none is near.
///
/// Near is one change for every three characters, at least one: a change inserts, removes or
/// replaces a character or swaps two neighbours. Case and the choice of `-` or `_` cost nothing.
func nearest(to word: String, among candidates: [String]) -> String? {
  let plain = simplified(word)
  // Nobody means a word by a text that is much longer than any word.
  guard !plain.isEmpty, plain.count <= 64 else { return nil }
  let allowed = max(1, plain.count / 3)
  return candidates.map { (candidate: $0, distance: distance(plain, simplified($0))) }
    .filter { $0.distance <= allowed && $0.distance < max(plain.count, 2) }
    .min { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }?.candidate
}

/// `; did you mean …?` or nothing.
func didYouMean(_ word: String, _ candidates: [String], quote: String = "`") -> String {
  nearest(to: word, among: candidates).map { "; did you mean \(quote)\($0)\(quote)?" } ?? ""
}

private func simplified(_ word: String) -> [Character] {
  word.lowercased().map { $0 == "_" ? "-" : $0 }
}

/// Edit distance with swaps of neighbours (optimal string alignment).
private func distance(_ left: [Character], _ right: [Character]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for (row, character) in left.enumerated() {
    var current = [row + 1]
    for (column, other) in right.enumerated() {
      var best = min(
        last[column] + (character == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
        best = min(best, beforeLast[column - 1] + 1)
      }
      current.append(best)
    }
    beforeLast = last
    last = current
  }
  return last[right.count]
}
