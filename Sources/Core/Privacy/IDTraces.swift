/// The bytes by which ids can stand in what is stored and in what was read.
package struct IDTraces: Sendable {
  /// Ids as they are, as JSON has them, and as JSON within a text of JSON; those behind the prefix of
  /// another tool without it, as events carry them.
  package let spelled: [Bytes]
  /// UUIDs with letters, in lower case: they can stand in either.
  package let uuids: [Bytes]
  /// In lower case, by their first bytes, so that any number of them is looked for at once.
  private var byStart: [UInt32: [Bytes]] = [:]
  private var short: [Bytes] = []

  /// Shorter ids are looked for as whole words only: they stand by chance within others.
  private static let shortest = 8

  package init(_ ids: some Sequence<Bytes>) {
    var spelled: Set<Bytes> = []
    var uuids: Set<Bytes> = []
    for id in ids {
      let own = ProfileID.own(id)
      let lowered = own.withLowercaseUUID
      let capitals = own.uppercasedASCII
      if capitals != lowered, capitals.withLowercaseUUID == lowered {
        uuids.insert(lowered)
      } else {
        for name in [id, own] {
          let text = Self.asJSON(name)
          spelled.formUnion([name, text, Self.asJSON(text)])
        }
      }
    }
    self.spelled = spelled.sorted()
    self.uuids = uuids.sorted()
    for trace in uuids.union(spelled.map(\.lowercasedASCII)) where !trace.isEmpty {
      if trace.count < 4 {
        short.append(trace)
      } else {
        byStart[Self.start(trace.array[...]), default: []].append(trace)
      }
    }
  }

  private static func asJSON(_ text: Bytes) -> Bytes {
    Bytes(Array(jsonString(text).dropFirst().dropLast()))
  }

  private static func start(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// True where one of the ids stands in a text, in whatever letter case.
  package func stand(in text: [UInt8]) -> Bool {
    let text = Bytes(text).lowercasedASCII.array
    for index in text.indices {
      let rest = text[index...]
      let candidates = rest.count >= 4 ? byStart[Self.start(rest)] ?? [] : []
      for trace in candidates where rest.starts(with: trace.slice) {
        if trace.count >= Self.shortest || isWord(index..<(index + trace.count), in: text) {
          return true
        }
      }
      for trace in short where rest.starts(with: trace.slice) {
        if isWord(index..<(index + trace.count), in: text) { return true }
      }
    }
    return false
  }

  private func isWord(_ range: Range<Int>, in text: [UInt8]) -> Bool {
    func goesOn(_ index: Int) -> Bool {
      guard text.indices.contains(index) else { return false }
      switch text[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
        return true
      default: return false
      }
    }
    return !goesOn(range.lowerBound - 1) && !goesOn(range.upperBound)
  }
}
