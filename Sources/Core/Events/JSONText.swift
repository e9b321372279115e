/// A JSON value as text, read in place.
///
/// The core stores params as canonical JSON that a real parser wrote, and only looks members up in it.
/// Text that is not JSON is no crash and no error: the value is then of no kind, or ends early.
package struct JSONText: Sendable {
  package enum Kind: Sendable {
    case object, array, string, number, boolean, null, none
  }

  /// Without surrounding white space.
  package let text: Bytes

  package init(_ text: Bytes) {
    var start = 0
    var end = text.count
    while start < end, Self.isSpace(text[start]) { start += 1 }
    while end > start, Self.isSpace(text[end - 1]) { end -= 1 }
    self.text = start == 0 && end == text.count ? text : text[start..<end]
  }

  /// - Parameter text: with no white space around it.
  private init(trimmed text: Bytes) { self.text = text }

  package var kind: Kind {
    guard !text.isEmpty else { return .none }
    switch text[0] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: return .none
    }
  }

  /// The members of an object in the order they stand; empty for anything else.
  package var members: [(key: Bytes, value: JSONText)] {
    var result: [(key: Bytes, value: JSONText)] = []
    forEachMember { result.append(($0, $1)) }
    return result
  }

  /// Calls a function with each member's unescaped key and value.
  package func forEachMember(_ body: (Bytes, JSONText) -> Void) {
    forEachMember(
      { _, range, isEscaped in isEscaped ? Self.unescaped(text[range]) : text[range] }, body)
  }

  /// Calls a function with those members whose keys mean something, and what they mean.
  ///
  /// The usual key costs no more than its comparison: no text is made of it.
  package func forEachMember<Meaning>(
    known meaning: (Span<UInt8>) -> Meaning?, _ body: (Meaning, JSONText) -> Void
  ) {
    forEachMember(
      { bytes, range, isEscaped in
        isEscaped
          ? Self.unescaped(text[range]).withSpan(meaning) : meaning(bytes.extracting(range))
      }, body)
  }

  /// - Parameter key: given the object, the place of a key's text in it, and whether it has escapes.
  @inline(__always)
  private func forEachMember<Key>(
    _ key: (Span<UInt8>, Range<Int>, Bool) -> Key?, _ body: (Key, JSONText) -> Void
  ) {
    guard kind == .object else { return }
    text.withSpan { bytes in
      var index = 1
      while let keyStart = Self.nextValue(in: bytes, from: index),
        bytes[keyStart] == UInt8(ascii: "\"")
      {
        let (keyEnd, isEscaped) = Self.string(in: bytes, from: keyStart)
        guard let start = Self.nextValue(in: bytes, from: keyEnd) else { return }
        let end = Self.endOfValue(in: bytes, from: start)
        // A text that is cut has no closing quote, and no name.
        let isWhole = keyEnd - keyStart >= 2 && bytes[keyEnd - 1] == UInt8(ascii: "\"")
        let range = isWhole ? (keyStart + 1)..<(keyEnd - 1) : keyStart..<keyStart
        if let key = key(bytes, range, isEscaped && isWhole) {
          body(key, JSONText(trimmed: text[start..<end]))
        }
        index = end
      }
    }
  }

  /// The elements of an array; empty for anything else.
  package var elements: [JSONText] {
    guard kind == .array else { return [] }
    return text.withSpan { bytes in
      var result: [JSONText] = []
      var index = 1
      while let start = Self.nextValue(in: bytes, from: index) {
        let end = Self.endOfValue(in: bytes, from: start)
        result.append(JSONText(trimmed: text[start..<end]))
        index = end
      }
      return result
    }
  }

  /// The unescaped text of a string; nil for anything else.
  package var string: Bytes? {
    guard kind == .string, text.count >= 2, text[text.count - 1] == UInt8(ascii: "\"") else {
      return nil
    }
    let body = text[1..<(text.count - 1)]
    return body.withSpan(Self.holdsEscape) ? Self.unescaped(body) : body
  }

  package var boolean: Bool? {
    switch text {
    case Self.yes: true
    case Self.no: false
    default: nil
    }
  }

  private static let yes: Bytes = "true"
  private static let no: Bytes = "false"

  /// A whole number written as one, as a whole double, or as either in a string.
  package var integer: Int64? {
    guard let digits = kind == .number ? text : string else { return nil }
    if let number = digits.withSpan(Self.shortInteger) ?? Int64(digits.string) { return number }
    guard let number = Double(digits.string) else { return nil }
    return Int64(exactly: number)
  }

  /// A number of at most 18 digits and nothing else; nil for what is longer or another.
  private static func shortInteger(_ digits: Span<UInt8>) -> Int64? {
    guard (1...18).contains(digits.count) else { return nil }
    var number: Int64 = 0
    for index in digits.indices {
      guard case UInt8(ascii: "0")...UInt8(ascii: "9") = digits[index] else { return nil }
      number = number * 10 + Int64(digits[index] - UInt8(ascii: "0"))
    }
    return number
  }

  /// The text of a string, a number or a boolean, as ids are read; nil for anything else.
  package var scalarText: Bytes? {
    switch kind {
    case .string: string
    case .number, .boolean: text
    case .object, .array, .null, .none: nil
    }
  }

  /// The start of the next value at or after an index, commas and colons skipped; nil at the end.
  private static func nextValue(in text: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") { return nil }
      if byte != UInt8(ascii: ","), byte != UInt8(ascii: ":"), !isSpace(byte) { return index }
      index += 1
    }
    return nil
  }

  /// The index behind the closing quote of the string that begins at an index.
  static func endOfString(in text: Span<UInt8>, from start: Int) -> Int {
    string(in: text, from: start).end
  }

  private static func holdsEscape(_ text: Span<UInt8>) -> Bool {
    for index in text.indices where text[index] == UInt8(ascii: "\\") { return true }
    return false
  }

  /// The index behind the string that begins at an index, and whether it has escapes.
  private static func string(in text: Span<UInt8>, from start: Int) -> (end: Int, isEscaped: Bool) {
    var index = start + 1
    var isEscaped = false
    while index < text.count {
      if text[index] == UInt8(ascii: "\\") {
        isEscaped = true
        index += 2
      } else if text[index] == UInt8(ascii: "\"") {
        return (index + 1, isEscaped)
      } else {
        index += 1
      }
    }
    return (text.count, isEscaped)
  }

  private static func endOfValue(in text: Span<UInt8>, from start: Int) -> Int {
    switch text[start] {
    case UInt8(ascii: "\""):
      return endOfString(in: text, from: start)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      var depth = 0
      var index = start
      while index < text.count {
        switch text[index] {
        case UInt8(ascii: "\""):
          index = endOfString(in: text, from: index)
          continue
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if depth == 0 { return index + 1 }
        default: break
        }
        index += 1
      }
      return text.count
    default:
      // At least one byte, so that a stray byte cannot stop the walk.
      var index = start + 1
      while index < text.count, !isDelimiter(text[index]) { index += 1 }
      return index
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    isSpace(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":")
      || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
  }

  private static func unescaped(_ body: Bytes) -> Bytes {
    var result: [UInt8] = []
    result.reserveCapacity(body.count)
    var index = 0
    while index < body.count {
      guard body[index] == UInt8(ascii: "\\"), index + 1 < body.count else {
        result.append(body[index])
        index += 1
        continue
      }
      switch body[index + 1] {
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "u"):
        let (scalar, length) = escapedScalar(in: body, at: index)
        result.append(contentsOf: Array(String(scalar).utf8))
        index += length
        continue
      default: result.append(body[index + 1])
      }
      index += 2
    }
    return Bytes(result)
  }

  /// The scalar of a `\uXXXX` escape (or of a pair of them) and the escape's length in bytes.
  ///
  /// U+0000, lone surrogates and what is not hexadecimal become U+FFFD (SEMANTICS 1.6).
  private static func escapedScalar(in body: Bytes, at index: Int) -> (Unicode.Scalar, Int) {
    func unit(at start: Int) -> UInt32? {
      guard start + 6 <= body.count, body[start] == UInt8(ascii: "\\"),
        body[start + 1] == UInt8(ascii: "u")
      else { return nil }
      return UInt32(body[(start + 2)..<(start + 6)].string, radix: 16)
    }
    guard let first = unit(at: index) else { return ("\u{FFFD}", min(6, body.count - index)) }
    if (0xD800...0xDBFF).contains(first), let second = unit(at: index + 6),
      (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    {
      return (scalar, 12)
    }
    guard first != 0, let scalar = Unicode.Scalar(first) else { return ("\u{FFFD}", 6) }
    return (scalar, 6)
  }
}
