internal import Core
internal import Glibc

/// A member of the canonical envelope that is read; every other one is passed over.
///
/// Raw values are slots of a record: the members below, then the context's keys in their order.
enum EnvelopeMember {
  static let profileID = 0
  static let eventID = 1
  static let eventName = 2
  static let name = 3
  static let sessionID = 4
  static let occurredAt = 5
  static let createdAt = 6
  static let timestamp = 7
  static let sentAt = 8
  static let receivedAt = 9
  static let counter = 10
  static let params = 11
  static let firstOfContext = 12
  static let slots = firstOfContext + ContextKey.allCases.count

  static func slot(of key: ContextKey) -> Int { firstOfContext + Int(key.rawValue) - 1 }

  static func contextKey(ofSlot slot: Int) -> ContextKey? {
    ContextKey(rawValue: UInt8(slot - firstOfContext + 1))
  }

  private static let namesBeforeContext: [Bytes] = [
    "profile_id", "event_id", "event_name", "name", "session_id", "occurred_at", "created_at",
    "timestamp", "sent_at", "received_at", "counter", "params",
  ]

  /// The member's name, by slot.
  static let names: [Bytes] = namesBeforeContext + ContextKey.allCases.map(\.name)
}

/// Finds a member's slot by its name's bytes: a small hash table made once a chunk.
struct EnvelopeMemberTable: ~Copyable {
  private struct Entry {
    var slot: Int8
    var length: UInt8
    /// Offset of the name in `text`.
    var start: UInt16
  }

  private static let capacity = 128
  private let entries: UnsafeMutablePointer<Entry>
  private let text: UnsafeMutablePointer<UInt8>

  init() {
    entries = .allocate(capacity: Self.capacity)
    entries.initialize(repeating: Entry(slot: -1, length: 0, start: 0), count: Self.capacity)
    text = .allocate(capacity: EnvelopeMember.names.reduce(0) { $0 + $1.count })
    var end = 0
    for (slot, name) in EnvelopeMember.names.enumerated() {
      for (offset, byte) in name.slice.enumerated() { text[end + offset] = byte }
      let bytes = UnsafeBufferPointer(start: text + end, count: name.count)
      var index = Self.hash(bytes)
      while entries[index].slot >= 0 { index = (index + 1) % Self.capacity }
      entries[index] = Entry(slot: Int8(slot), length: UInt8(name.count), start: UInt16(end))
      end += name.count
    }
  }

  deinit {
    entries.deallocate()
    text.deallocate()
  }

  /// - Parameter name: not empty.
  private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
    let count = name.count
    let middle = Int(name[count / 2]) &* 7
    return (count &* 11 &+ Int(name[0]) &* 3 &+ Int(name[count - 1]) &+ middle) & (capacity - 1)
  }

  /// The slot of a member, nil for a name that is none.
  @inline(__always)
  func slot(of name: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let start = name.baseAddress, name.count >= 4, name.count <= 29 else { return nil }
    var index = Self.hash(name)
    while entries[index].slot >= 0 {
      let entry = entries[index]
      if Int(entry.length) == name.count, memcmp(text + Int(entry.start), start, name.count) == 0 {
        return Int(entry.slot)
      }
      index = (index + 1) % Self.capacity
    }
    return nil
  }
}
