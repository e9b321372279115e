internal import Core

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
  static let sourceRevision = 12
  static let firstOfContext = 13
  static let slots = firstOfContext + ContextKey.allCases.count

  static func slot(of key: ContextKey) -> Int { firstOfContext + Int(key.rawValue) - 1 }

  static func contextKey(ofSlot slot: Int) -> ContextKey? {
    ContextKey(rawValue: UInt8(slot - firstOfContext + 1))
  }

  private static let namesBeforeContext: [Bytes] = [
    "profile_id", "event_id", "event_name", "name", "session_id", "occurred_at", "created_at",
    "timestamp", "sent_at", "received_at", "counter", "params",
    "source_revision",
  ]

  /// The member's name, by slot.
  static let names: [Bytes] = namesBeforeContext + ContextKey.allCases.map(\.name)
}

/// Finds a member's slot by its name's bytes: a small hash table made once a chunk.
struct EnvelopeMemberTable: ~Copyable {
  /// A name by its first and last eight bytes (four, of a shorter one), which overlap in most names.
  private struct Entry {
    var head: UInt64 = 0
    var tail: UInt64 = 0
    var length = 0
    var slot = -1
  }

  private static let capacity = 128
  private let entries: UnsafeMutablePointer<Entry>

  init() {
    entries = .allocate(capacity: Self.capacity)
    entries.initialize(repeating: Entry(), count: Self.capacity)
    for (slot, name) in EnvelopeMember.names.enumerated() {
      name.array.withUnsafeBufferPointer { bytes in
        guard var entry = Self.entry(bytes) else {
          preconditionFailure("a name of 4 bytes or more")
        }
        var index = Self.place(entry)
        while entries[index].slot >= 0 { index = (index + 1) % Self.capacity }
        entry.slot = slot
        entries[index] = entry
      }
    }
  }

  deinit { entries.deallocate() }

  /// Nil for a name that is shorter or longer than all members' names.
  @inline(__always)
  private static func entry(_ name: UnsafeBufferPointer<UInt8>) -> Entry? {
    guard let start = name.baseAddress, name.count >= 4, name.count <= 29 else { return nil }
    let bytes = UnsafeRawPointer(start)
    var entry = Entry()
    entry.length = name.count
    if name.count >= 8 {
      entry.head = bytes.loadUnaligned(as: UInt64.self)
      entry.tail = bytes.loadUnaligned(fromByteOffset: name.count - 8, as: UInt64.self)
    } else {
      entry.head = UInt64(bytes.loadUnaligned(as: UInt32.self))
      entry.tail = UInt64(bytes.loadUnaligned(fromByteOffset: name.count - 4, as: UInt32.self))
    }
    return entry
  }

  @inline(__always)
  private static func place(_ entry: Entry) -> Int {
    let mixed = (entry.head ^ (entry.tail &* 31) ^ UInt64(entry.length)) &* 0x9E37_79B9_7F4A_7C15
    return Int(mixed >> 57)
  }

  /// The slot of a member, nil for a name that is none.
  @inline(__always)
  func slot(of name: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let wanted = Self.entry(name) else { return nil }
    var index = Self.place(wanted)
    while entries[index].slot >= 0 {
      let entry = entries[index]
      if entry.head == wanted.head, entry.tail == wanted.tail, entry.length == wanted.length {
        // Of the few longer names the middle is still to be compared.
        if name.count <= 16 || EnvelopeMember.names[entry.slot].slice.elementsEqual(name) {
          return entry.slot
        }
      }
      index = (index + 1) % Self.capacity
    }
    return nil
  }
}
