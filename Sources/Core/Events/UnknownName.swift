/// A name in an input that means nothing here: it costs nothing, and is counted.
package struct UnknownName: Hashable, Comparable, Sendable {
  /// Raw values are stored: never rename one.
  package enum Kind: String, CaseIterable, Sendable {
    /// Of an event, and so of a record of the vendor's feeds.
    case event
    /// A column of a table, or a member of a record, that nothing reads.
    case column
    /// A member of an event's params whose value cannot be read.
    case member
    /// What a purchase ended with.
    case purchaseResult = "purchase_result"
    /// An error's number that has no name on the event's platform.
    case errorCode = "error_code"
    /// A type of store messages that the vendor's documents do not name.
    case storeMessage = "store_message"
    /// A type of elements that the vendor's builder does not have.
    case elementType = "element_type"
  }

  package let kind: Kind
  /// At most ``longest`` bytes; empty for what looks like no name, which may be what a person typed.
  package let name: Bytes

  package static let longest = 100

  package init(_ kind: Kind, _ name: Bytes) {
    self.kind = kind
    let isName = kind == .event ? Self.isText(name.slice) : Self.isWord(name.slice)
    self.name = isName && name.count <= Self.longest ? name : .empty
  }

  package static func < (left: UnknownName, right: UnknownName) -> Bool {
    (left.kind.rawValue, left.name) < (right.kind.rawValue, right.name)
  }

  /// Without control characters.
  private static func isText(_ name: ArraySlice<UInt8>) -> Bool {
    name.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  /// Letters and digits of ASCII and the marks that names have; no `@`, which addresses have.
  private static func isWord(_ name: ArraySlice<UInt8>) -> Bool {
    name.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "$"), UInt8(ascii: ":"), UInt8(ascii: "/"),
        UInt8(ascii: " "):
        true
      default: false
      }
    }
  }
}

/// How often each name came that means nothing; of hostile inputs the first 1,000 names.
package struct UnknownNames: Hashable, Sendable {
  package static let most = 1000

  package private(set) var counts: [UnknownName: Int] = [:]

  package init() {}

  package var isEmpty: Bool { counts.isEmpty }

  /// Where there are too many names already, the count goes to the empty one of its kind.
  package mutating func add(_ name: UnknownName, _ count: Int = 1) {
    let isFull = counts[name] == nil && counts.count >= Self.most
    counts[isFull ? UnknownName(name.kind, .empty) : name, default: 0] += count
  }

  /// Counts names without their names.
  package mutating func forget(_ names: Set<Bytes>) {
    for (name, count) in counts where names.contains(name.name) {
      counts[name] = nil
      counts[UnknownName(name.kind, .empty), default: 0] += count
    }
  }

  package static func += (total: inout UnknownNames, part: UnknownNames) {
    for (name, count) in part.counts { total.add(name, count) }
  }
}
