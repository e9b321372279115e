internal import Core

/// An object around an array of records: what an interface sends or an export wraps its rows in.
///
/// The array stands under `data`, `records`, `events` or `batch`, under `data.events`, or under
/// `data.attributes.events` as the vendor's SDK sends it. Other members may stand before and after it.
enum Envelope {
  /// An object on the way to the array.
  enum Level {
    case root, data, attributes
  }

  /// What stands under a key.
  enum Content: Equatable {
    /// The array, if its first element is an object or it has none.
    case array
    case level(Level)
    case other
  }

  /// - Parameter first: the first byte of the value.
  static func content(of key: ArraySlice<UInt8>, in level: Level, first: UInt8) -> Content {
    let names =
      switch level {
      case .root: rootArrays
      case .data, .attributes: innerArrays
      }
    switch first {
    case UInt8(ascii: "["): return names.contains { key == $0.slice } ? .array : .other
    case UInt8(ascii: "{"):
      if level == .root && key == data.slice { return .level(.data) }
      if level == .data && key == attributes.slice { return .level(.attributes) }
      return .other
    default: return .other
    }
  }

  private static let data: Bytes = "data"
  private static let attributes: Bytes = "attributes"
  private static let rootArrays: [Bytes] = ["data", "records", "events", "batch"]
  private static let innerArrays: [Bytes] = ["events"]
  /// Members that only a record has: an object with one of them is no envelope.
  private static let recordMembers: [Bytes] = ["profile_id", "event_name", "event", "event_type"]

  /// True if the object that starts at the first byte is an envelope, as far as it is given.
  static func opens(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var walk = Walk(bytes: bytes)
    _ = walk.object(at: 0, .root)
    return walk.hasRecords && !walk.isRecord
  }

  /// A look at the members of an object and of those inside that may lead to the array.
  private struct Walk {
    let bytes: UnsafeBufferPointer<UInt8>
    var hasRecords = false
    var isRecord = false

    /// The offset behind an object; nil where it is cut or no JSON.
    mutating func object(at start: Int, _ level: Level) -> Int? {
      var index = start + 1
      while !isRecord {
        index = skip(from: index, isBetweenRecords)
        guard index < bytes.count else { return nil }
        if bytes[index] == UInt8(ascii: "}") { return index + 1 }
        guard bytes[index] == quote, let keyEnd = ValueScanner.endOfValue(in: bytes, from: index)
        else { return nil }
        let key = ArraySlice(bytes[(index + 1)..<(keyEnd - 1)])
        if level == .root, recordMembers.contains(where: { key == $0.slice }) { isRecord = true }
        index = skip(from: keyEnd, isSpace)
        guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { return nil }
        index = skip(from: index + 1, isSpace)
        guard index < bytes.count, let end = value(at: index, key, level) else { return nil }
        index = end
      }
      return nil
    }

    private mutating func value(at start: Int, _ key: ArraySlice<UInt8>, _ level: Level) -> Int? {
      switch content(of: key, in: level, first: bytes[start]) {
      case .level(let inner): return object(at: start, inner)
      case .array:
        let first = skip(from: start + 1, isSpace)
        if first < bytes.count, opensRecords(bytes[first]) { hasRecords = true }
      case .other: break
      }
      return ValueScanner.endOfValue(in: bytes, from: start)
    }

    private func skip(from start: Int, _ isSkipped: (UInt8) -> Bool) -> Int {
      var index = start
      while index < bytes.count, isSkipped(bytes[index]) { index += 1 }
      return index
    }
  }

  /// True for the first byte behind the bracket of an array of records.
  static func opensRecords(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "{") || byte == UInt8(ascii: "]")
  }
}
