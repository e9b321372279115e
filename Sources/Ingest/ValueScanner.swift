/// Finds where an object, array or string ends by counting braces outside of strings, a byte at a time.
///
/// It does not judge: what it delimits may still be no JSON.
struct ValueScanner {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  enum Step {
    case goesOn
    /// This byte closed the value.
    case closed
    /// A newline inside a string: no JSON value holds one, so a quote is missing.
    case broken
  }

  /// Objects and arrays open so far.
  var openContainers: Int { depth }

  @inline(__always)
  mutating func step(_ byte: UInt8) -> Step {
    if isInString {
      if isEscaped {
        isEscaped = false
        return byte == newline ? .broken : .goesOn
      }
      switch byte {
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "\""):
        isInString = false
        if depth == 0 { return .closed }
      case newline: return .broken
      default: break
      }
      return .goesOn
    }
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      return depth <= 0 ? .closed : .goesOn
    default: break
    }
    return .goesOn
  }

  /// The offset behind the value that starts at `start`: container, string or bare word; nil where it
  /// is not closed.
  static func endOfValue(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    if opensContainer(bytes[start]) {
      var scanner = ValueScanner()
      for index in start..<bytes.count {
        switch scanner.step(bytes[index]) {
        case .goesOn: continue
        case .closed: return index + 1
        case .broken: return nil
        }
      }
      return nil
    }
    var index = start + 1
    if bytes[start] == UInt8(ascii: "\"") {
      while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
        index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
      }
      return index < bytes.count ? index + 1 : nil
    }
    while index < bytes.count, !endsWord(bytes[index]) { index += 1 }
    return index
  }

  /// True for a byte that no number, `true`, `false` or `null` holds.
  static func endsWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ":"):
      true
    default: isSpace(byte)
    }
  }
}
