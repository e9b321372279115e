internal import CSimdjson
internal import Glibc

/// Writes a JSON value in its one canonical form (SEMANTICS 1.10).
///
/// Keys in byte order at every level, of a key that repeats the last value, no white space, numbers
/// as received. In strings `"`, `\` and control characters are escaped (`\b \f \n \r \t`, else
/// `\u00xx` in lower-case hex), everything else is plain UTF-8. What is written is never longer than
/// what was read, and writing it again changes nothing.
struct CanonicalJSON {
  /// Token indexes of the keys of the objects being written, innermost last: one buffer for all.
  private var keys: [Int32] = []
  /// Values dropped for a later one of their key.
  private(set) var duplicateKeys = 0
  /// Keys and strings written that hold a replacement for U+0000 or a lone surrogate.
  private(set) var repaired = 0

  mutating func resetCounts() {
    duplicateKeys = 0
    repaired = 0
  }

  /// Appends the value that starts at token `index`.
  mutating func write(
    _ tokens: UnsafeBufferPointer<JSONToken>, _ index: Int, to arena: inout TextArena
  ) {
    let token = tokens[index]
    switch token.shape {
    case .object: writeObject(tokens, index, to: &arena)
    case .array:
      arena.append(UInt8(ascii: "["))
      var child = index + 1
      for position in 0..<Int(token.length) {
        if position > 0 { arena.append(UInt8(ascii: ",")) }
        write(tokens, child, to: &arena)
        child = Int(tokens[child].next)
      }
      arena.append(UInt8(ascii: "]"))
    case .key, .string: writeString(token, to: &arena)
    case .number: arena.append(token.bytes)
    case .yes: arena.append("true")
    case .no: arena.append("false")
    case .null: arena.append("null")
    }
  }

  private mutating func writeObject(
    _ tokens: UnsafeBufferPointer<JSONToken>, _ index: Int, to arena: inout TextArena
  ) {
    let base = keys.count
    var key = index + 1
    let end = Int(tokens[index].next)
    while key < end {
      keys.append(Int32(key))
      key = Int(tokens[key + 1].next)
    }
    keys.withUnsafeMutableBufferPointer {
      Self.sort(tokens, UnsafeMutableBufferPointer(rebasing: $0[base...]))
    }
    let limit = keys.count
    arena.append(UInt8(ascii: "{"))
    var isFirst = true
    for position in base..<limit {
      let key = Int(keys[position])
      // Equal keys stand in document order: only the last of them is written.
      if position + 1 < limit, Self.order(tokens[key], tokens[Int(keys[position + 1])]) == 0 {
        duplicateKeys += 1
        continue
      }
      if !isFirst { arena.append(UInt8(ascii: ",")) }
      isFirst = false
      writeString(tokens[key], to: &arena)
      arena.append(UInt8(ascii: ":"))
      write(tokens, key + 1, to: &arena)
    }
    arena.append(UInt8(ascii: "}"))
    keys.removeLast(keys.count - base)
  }

  /// Sorts by key bytes, equal keys in document order.
  ///
  /// Objects are small and often sorted already, so
  /// insertion is the quickest; a large one must not cost the square of its size.
  private static func sort(
    _ tokens: UnsafeBufferPointer<JSONToken>, _ keys: UnsafeMutableBufferPointer<Int32>
  ) {
    guard keys.count <= 24 else {
      var keys = keys
      keys.sort {
        let difference = order(tokens[Int($0)], tokens[Int($1)])
        return difference < 0 || (difference == 0 && $0 < $1)
      }
      return
    }
    for next in 0..<keys.count {
      let key = keys[next]
      var place = next
      while place > 0, order(tokens[Int(keys[place - 1])], tokens[Int(key)]) > 0 {
        keys[place] = keys[place - 1]
        place -= 1
      }
      keys[place] = key
    }
  }

  @inline(__always)
  private static func order(_ left: JSONToken, _ right: JSONToken) -> Int {
    guard let first = left.text, let second = right.text else { return 0 }
    let difference = memcmp(first, second, Int(min(left.length, right.length)))
    return difference != 0 ? Int(difference) : Int(left.length) - Int(right.length)
  }

  @inline(__always)
  private mutating func writeString(_ token: JSONToken, to arena: inout TextArena) {
    arena.append(UInt8(ascii: "\""))
    if token.hadEscapes {
      if token.wasRepaired { repaired += 1 }
      for byte in token.bytes { writeEscaped(byte, to: &arena) }
    } else {
      // It stood between quotes without an escape: it needs none now.
      arena.append(token.bytes)
    }
    arena.append(UInt8(ascii: "\""))
  }

  private func writeEscaped(_ byte: UInt8, to arena: inout TextArena) {
    switch byte {
    case UInt8(ascii: "\""): arena.append("\\\"")
    case UInt8(ascii: "\\"): arena.append("\\\\")
    case 0x08: arena.append("\\b")
    case 0x0C: arena.append("\\f")
    case 0x0A: arena.append("\\n")
    case 0x0D: arena.append("\\r")
    case 0x09: arena.append("\\t")
    case 0..<0x20:
      arena.append("\\u00")
      arena.append(UInt8(ascii: "0") + byte >> 4)
      let low = byte & 15
      arena.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
    default: arena.append(byte)
    }
  }
}
