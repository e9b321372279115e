package import Core

/// Who is to be erased.
package struct ErasureRequest: Hashable, Sendable {
  /// Ids of people in their one spelling: of any of a person's ids, the whole person goes.
  package var ids: Set<Bytes> = []
  /// Hashes of ids, whoever they are, as another database of the same key knows them.
  package var hashes: Set<Bytes> = []

  /// An id that begins with `cu:` is one that the app's owner gave to a person.
  package init(ids: some Sequence<Bytes>) { self.ids = Set(ids.map(ProfileID.folded)) }

  package init(_ list: ErasedHashes) { hashes = Set(list.hashes) }
}

/// Who was erased, as a text that names nobody: for a database that is restored from a backup.
package struct ErasedHashes: Hashable, Sendable {
  /// Equal for lists that were made under one key.
  package let check: Bytes
  /// 32 bytes each, ascending.
  package let hashes: [Bytes]

  private static let title = "sluice erasures 2 "
  /// Without an end line, as lists were written before.
  private static let openTitle = "sluice erasures 1 "
  private static let end = "end "

  init(check: Bytes, hashes: [Bytes]) {
    self.check = check
    self.hashes = hashes
  }

  /// A title, then a hash a line, then how many there are: a list that is cut erases nobody by half.
  package var text: String {
    ([Self.title + hex(check.slice).string] + hashes.map { hex($0.slice).string }
      + [Self.end + String(hashes.count)])
      .joined(separator: "\n") + "\n"
  }

  /// Reads what ``text`` gave; nil for any other text.
  package init?(text: String) {
    var lines = text.split(whereSeparator: \.isNewline)
    guard let title = lines.first else { return nil }
    if title.hasPrefix(Self.title) {
      guard lines.count > 1, lines[lines.count - 1] == Self.end + String(lines.count - 2) else {
        return nil
      }
      lines.removeLast()
    }
    guard title.hasPrefix(Self.title) || title.hasPrefix(Self.openTitle),
      let check = Self.bytes(title.dropFirst(Self.title.count), count: 16)
    else { return nil }
    let hashes = lines.dropFirst().compactMap { Self.bytes($0, count: 32) }
    guard hashes.count == lines.count - 1 else { return nil }
    self.init(check: check, hashes: hashes)
  }

  private static func bytes(_ digits: Substring, count: Int) -> Bytes? {
    let values = digits.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard values.count == 2 * count, digits.utf8.count == 2 * count else { return nil }
    return Bytes((0..<count).map { UInt8(values[2 * $0] << 4 | values[2 * $0 + 1]) })
  }
}

/// What an erasure removes or has removed: counts alone, no value and no id.
package struct Erasure: Hashable, Sendable {
  package struct Rows: Hashable, Sendable {
    package let table: String
    package let rows: Int
  }

  /// People of whom something is stored.
  package var people = 0
  /// Their ids, and those that nothing is stored of.
  package var ids = 0
  /// Ids that were asked for and of which nothing is stored.
  package var unknown = 0
  /// By table, ascending; tables without a row of theirs are left out.
  package var rows: [Rows] = []
  /// Their stored events.
  package var events = 0
  /// Events of others that tell of them, and go too; known once it is done.
  package var mentions = 0
  /// Other profiles whose latest customer id is one of theirs; they stay.
  package var sameCustomer = 0
  /// Stored sets of others that hold bytes of their ids and do not decode: nobody knows what they tell.
  package var damaged = 0
  /// Names that meant nothing and are one of their ids, or hold one; known once it is done.
  package var names = 0

  package init() {}
}
