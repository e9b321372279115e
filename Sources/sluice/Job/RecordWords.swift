internal import Core

/// What can be an id in a record that could not be read: whatever stands between two marks.
struct RecordWords {
  private(set) var words: Set<Bytes> = []

  /// - Parameter text: of any format, cut or broken, UTF-8 or not.
  init(_ text: [UInt8]) {
    for text in [text, Self.unescaped(Bytes(text))] {
      // An id can hold spaces and commas: once between quotes, and once between all marks.
      for marks in [Self.quotes, Self.marks] {
        for word in text.split(whereSeparator: { $0 < 0x20 || marks.contains($0) }) {
          words.insert(Bytes(Array(word)))
        }
      }
    }
  }

  private static let quotes = Set("\"\\".utf8)
  private static let marks = quotes.union(" ',;:|{}[]()<>=&".utf8)

  /// For each of some texts, whether one of its words is an erased id.
  ///
  /// - Parameter erased: gives those of some words that are; asked once for all texts.
  static func holdErased(
    _ texts: [[UInt8]], _ erased: (Set<Bytes>) throws -> Set<Bytes>
  ) rethrows -> [Bool] {
    let words = texts.map { RecordWords($0).words }
    let erased = try erased(words.reduce(into: []) { $0.formUnion($1) })
    return words.map { !$0.isDisjoint(with: erased) }
  }

  /// A record with its escapes resolved as if it were one text; empty where it has none.
  static func unescaped(_ record: Bytes) -> [UInt8] {
    guard record.slice.contains(UInt8(ascii: "\\")) else { return [] }
    let quote = UInt8(ascii: "\"")
    return JSONText(Bytes([quote] + record.slice.filter { $0 != quote } + [quote])).string?.array
      ?? []
  }
}
