/// The declared names of one kind, for words about one that is not among them.
package struct KnownNames: Sendable {
  /// So many are listed where none is near.
  private static let mostListed = 20

  private let names: Set<Bytes>
  private let first: [Bytes]
  private let index: NameIndex

  package init(_ names: [Bytes]) {
    self.names = Set(names)
    let sorted = self.names.sorted()
    first = Array(sorted.prefix(Self.mostListed))
    index = NameIndex(sorted)
  }

  package func contains(_ name: Bytes) -> Bool { names.contains(name) }

  /// `unknown …`, with the nearest known names, or the known ones where none is near.
  package func unknown(_ what: String, _ name: Bytes) -> String {
    let start = "unknown \(what) `\(name.string)`: "
    let near = index.names(near: name)
    if !near.isEmpty { return start + "did you mean \(Self.list(near))?" }
    guard !first.isEmpty else { return start + "none is declared" }
    return start + "known are \(Self.list(first))" + (names.count > first.count ? ", …" : "")
  }

  /// `did you mean …?`, or nil where no name is near.
  func didYouMean(_ name: Bytes) -> String? {
    let near = index.names(near: name)
    return near.isEmpty ? nil : "did you mean \(Self.list(near))?"
  }

  private static func list(_ names: [Bytes]) -> String {
    names.map { "`\($0.string)`" }.joined(separator: ", ")
  }
}
