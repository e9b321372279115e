extension Event {
  /// The one event that two copies of it make (SEMANTICS 1.2): associative, commutative, idempotent.
  ///
  /// Only copies of the highest revision count. Of those the core with the smallest join bytes is
  /// taken as a whole; context members are taken each on its own, present before absent, then the
  /// smallest bytes; the transport's times are the earliest. A poorer copy never hides a richer one.
  ///
  /// - Parameter other: a copy of the same identity.
  package func joined(with other: Event) -> Event {
    if revision != other.revision { return revision > other.revision ? self : other }
    var result =
      hasSameCore(as: other) || joinBytes.lexicographicallyPrecedes(other.joinBytes)
      ? self : other
    result.context = context.joined(with: other.context)
    result.sentAt = earliest(sentAt, other.sentAt)
    result.receivedAt = earliest(receivedAt, other.receivedAt)
    return result
  }

  private func hasSameCore(as other: Event) -> Bool {
    occurredAt == other.occurredAt && counter == other.counter && name == other.name
      && sessionID == other.sessionID && params == other.params
  }

  /// Join bytes v1, frozen: name, session id, time, counter and params, each behind its length as
  /// four bytes, big-endian; numbers are eight bytes, big-endian; what is absent has length 0.
  package var joinBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64 + params.count)
    bytes.appendField(name)
    bytes.appendField(sessionID ?? .empty)
    bytes.appendField(occurredAt.microseconds)
    if let counter { bytes.appendField(counter) } else { bytes.appendField(Bytes.empty) }
    bytes.appendField(params)
    return bytes
  }
}

extension Context {
  func joined(with other: Context) -> Context {
    if members == other.members { return self }
    var result: [Member] = []
    result.reserveCapacity(max(members.count, other.members.count))
    var left = members[...]
    var right = other.members[...]
    while let a = left.first, let b = right.first {
      if a.key == b.key {
        result.append(a.value <= b.value ? a : b)
        left.removeFirst()
        right.removeFirst()
      } else if a.key.rawValue < b.key.rawValue {
        result.append(left.removeFirst())
      } else {
        result.append(right.removeFirst())
      }
    }
    result.append(contentsOf: left)
    result.append(contentsOf: right)
    return Context(sorted: result)
  }
}

private func earliest(_ left: Instant?, _ right: Instant?) -> Instant? {
  guard let left, let right else { return left ?? right }
  return min(left, right)
}

extension [UInt8] {
  /// Appends bytes behind their length as four bytes, big-endian.
  mutating func appendField(_ text: Bytes) {
    appendBigEndian(UInt32(text.count))
    append(contentsOf: text.slice)
  }

  mutating func appendField(_ number: Int64) {
    appendBigEndian(UInt32(8))
    appendBigEndian(UInt64(bitPattern: number))
  }

  mutating func appendBigEndian<Number: FixedWidthInteger>(_ number: Number) {
    var shift = Number.bitWidth - 8
    while shift >= 0 {
      append(UInt8(truncatingIfNeeded: number >> Number(shift)))
      shift -= 8
    }
  }
}
