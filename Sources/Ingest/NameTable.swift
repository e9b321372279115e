internal import Core

/// Counts the names that come in a chunk's records, without keeping a copy for each time one comes.
///
/// A record's names count once it has become an event: of what is refused, nothing is told.
struct NameTable {
  /// Of a name that is known; it is not counted.
  private static let known = -1
  /// Of a name for which there is no room.
  private static let other = 0

  private var numbers: [UInt64: Int] = [:]
  private var names: [Bytes] = [.empty]
  private var counts = [0]
  /// Numbers of names of the record at hand, and of those before it that may still count.
  private(set) var pending: [Int] = []

  /// Notes a name of the record at hand.
  ///
  /// - Parameter isKnown: asked once a name.
  mutating func note(
    _ name: UnsafeBufferPointer<UInt8>, isKnown: (UnsafeBufferPointer<UInt8>) -> Bool
  ) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let number: Int
    if let found = numbers[hash] {
      number = found
    } else if isKnown(name) {
      number = Self.known
      numbers[hash] = number
    } else if names.count < UnknownNames.most {
      number = names.count
      numbers[hash] = number
      names.append(Bytes(Array(name)))
      counts.append(0)
    } else {
      number = Self.other
    }
    // Two names of one hash were made to be; one of them is counted among the others then.
    if number > 0, !names[number].slice.elementsEqual(name) {
      pending.append(Self.other)
    } else if number >= 0 {
      pending.append(number)
    }
  }

  /// Counts names that were noted.
  mutating func count(_ range: Range<Int>) { for number in pending[range] { counts[number] += 1 } }

  mutating func forget() { pending.removeAll(keepingCapacity: true) }

  var unknown: UnknownNames {
    var result = UnknownNames()
    for (name, count) in zip(names, counts) where count > 0 {
      result.add(UnknownName(.column, name), count)
    }
    return result
  }
}
