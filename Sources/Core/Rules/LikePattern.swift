/// A pattern of `like` or `ilike`, read once.
struct LikePattern: Hashable, Sendable {
  private enum Element: Hashable {
    case byte(UInt8)
    /// `_`: one code point.
    case one
    /// `%`: any number of code points.
    case any
  }

  /// Why a pattern cannot be used.
  enum Fault: Error {
    case trailingEscape
    case longEscape
  }

  private let elements: [Element]
  let foldsCase: Bool

  /// The bytes before the first `%` or `_`.
  var plainStart: Bytes {
    Bytes(
      elements.prefix { if case .byte = $0 { true } else { false } }
        .compactMap { if case .byte(let byte) = $0 { byte } else { nil } })
  }

  /// True where only one text fits.
  var isPlain: Bool { !foldsCase && plainStart.count == elements.count }

  /// True where every text fits.
  var fitsAll: Bool { !elements.isEmpty && elements.allSatisfy { $0 == .any } }

  /// The bytes that a text must hold.
  var wanted: [UInt8] { elements.compactMap { if case .byte(let byte) = $0 { byte } else { nil } } }

  /// Whether only texts fit that begin or end with a space.
  var wantsSpaceAtEnds: Bool {
    let space = Element.byte(UInt8(ascii: " "))
    return elements.first == space || elements.last == space
  }

  /// Reads a pattern.
  ///
  /// The escape is one code point that takes the meaning from the next one, or empty for none;
  /// `foldsCase` is true for `ilike`, which folds ASCII letters.
  init(_ pattern: Bytes, escape: Bytes, foldsCase: Bool) throws(Fault) {
    guard escape.codePoints <= 1 else { throw .longEscape }
    var elements: [Element] = []
    var offset = 0
    while offset < pattern.count {
      let isEscape = !escape.isEmpty && pattern[offset..<pattern.count].hasPrefix(escape)
      if isEscape {
        offset += escape.count
        guard offset < pattern.count else { throw .trailingEscape }
      }
      let byte = pattern[offset]
      offset += 1
      switch byte {
      case UInt8(ascii: "%") where !isEscape: elements.append(.any)
      case UInt8(ascii: "_") where !isEscape: elements.append(.one)
      default: elements.append(.byte(foldsCase ? byte.lowercasedASCII : byte))
      }
    }
    self.elements = elements
    self.foldsCase = foldsCase
  }

  /// Whether the whole text fits.
  ///
  /// Goes back to the last `%` only, so the time is at most the product of both lengths.
  func matches(_ text: Bytes) -> Bool {
    var offset = 0
    var index = 0
    var lastAny: (index: Int, offset: Int)?
    while offset < text.count {
      if index < elements.count {
        switch elements[index] {
        case .byte(let byte)
        where byte == (foldsCase ? text[offset].lowercasedASCII : text[offset]):
          offset += 1
          index += 1
          continue
        case .one:
          offset = text.codePoint(after: offset)
          index += 1
          continue
        case .any:
          lastAny = (index, offset)
          index += 1
          continue
        case .byte: break
        }
      }
      guard let (any, start) = lastAny else { return false }
      offset = text.codePoint(after: start)
      index = any + 1
      lastAny = (any, offset)
    }
    return elements[index...].allSatisfy { $0 == .any }
  }
}

extension Bytes {
  /// Offset of the code point after the one that begins at `offset`.
  fileprivate func codePoint(after offset: Int) -> Int {
    var next = offset + 1
    while next < count, self[next].continuesCodePoint { next += 1 }
    return next
  }
}
