/// The identity of an event whose source gives it no id (SEMANTICS 1.3).
package enum Fingerprint {
  /// Fingerprint v1, frozen: the first 16 bytes of SHA-256 over profile id, session id, name as
  /// received, time in µs, counter, placement id, flow id, flow version id, variation id and params,
  /// each behind its length as four bytes, big-endian; numbers as decimal text; absent has length 0.
  ///
  /// In the params numbers are written as the shortest double that reads back the same, so that one
  /// number in the spellings of two platforms is one event. Transport times and other context do not
  /// count. The event's own identity is ignored.
  package static func v1(profileID: Bytes, event: Event, primitives: Primitives) -> Bytes {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(160 + event.params.count)
    bytes.appendField(profileID)
    bytes.appendField(event.sessionID ?? .empty)
    bytes.appendField(event.name)
    bytes.appendField(Bytes(String(event.occurredAt.microseconds)))
    bytes.appendField(event.counter.map { Bytes(String($0)) } ?? .empty)
    for key in [ContextKey.placementID, .flowID, .flowVersionID, .variationID] {
      bytes.appendField(event.context[key] ?? .empty)
    }
    bytes.appendField(Bytes(withShortestNumbers(event.params)))
    return Bytes(Array(primitives.sha256(bytes)[..<16]))
  }

  /// Canonical JSON with every number written as its shortest double.
  private static func withShortestNumbers(_ json: Bytes) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(json.count)
    var index = 0
    while index < json.count {
      let byte = json[index]
      if byte == UInt8(ascii: "\"") {
        let end = json.withSpan { JSONText.endOfString(in: $0, from: index) }
        result.append(contentsOf: json[index..<end].slice)
        index = end
      } else if byte == UInt8(ascii: "-") || isDigit(byte) {
        var end = index + 1
        while end < json.count, isNumberByte(json[end]) { end += 1 }
        result.append(contentsOf: shortest(json[index..<end]))
        index = end
      } else {
        result.append(byte)
        index += 1
      }
    }
    return result
  }

  /// A number no double holds (1e999) keeps its text.
  private static func shortest(_ text: Bytes) -> [UInt8] {
    guard let number = Double(text.string), number.isFinite else { return text.array }
    return Array(shortestText(of: number).utf8)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isNumberByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"),
      UInt8(ascii: "E"):
      true
    default: isDigit(byte)
    }
  }
}

/// The shortest decimal text that reads back as the same finite double.
///
/// Whole numbers have no fraction: `25`, `0.1`, `1e+20`. Negative zero is `0`.
package func shortestText(of number: Double) -> String {
  if number == 0 { return "0" }
  let text = number.description
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
