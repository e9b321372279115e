internal import Core

/// The word that someone most likely meant; nil where none is near.
func nearest(to word: String, among candidates: [String]) -> String? {
  Nearest.names(to: Bytes(word), among: candidates.map { Bytes($0) }).first?.string
}

/// `; did you mean …?` or nothing.
func didYouMean(_ word: String, _ candidates: [String]) -> String {
  nearest(to: word, among: candidates).map { "; did you mean `\($0)`?" } ?? ""
}
