/// Decimal digits of all scripts, and typed text brought down to a few ASCII bytes.
enum DigitSystem {
  /// The zeros of Unicode's decimal digits (general category Nd); nine more follow each of them.
  ///
  /// Source: Unicode 16, DerivedGeneralCategory.txt; a test compares it with the standard library.
  static let zeros: [UInt32] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6,
    0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50,
    0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0,
    0x10D30, 0x10D40, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0, 0x11C50, 0x11D50, 0x11DA0,
    0x11DE0, 0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1CCF0, 0x1D7CE, 0x1D7D8,
    0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E5F1, 0x1E950, 0x1FBF0,
  ]

  /// The zero of the system that a scalar is a digit of; nil for what is no digit.
  static func zero(of scalar: Unicode.Scalar) -> UInt32? {
    var low = 0
    var high = zeros.count
    while low < high {
      let middle = (low + high) / 2
      if zeros[middle] <= scalar.value { low = middle + 1 } else { high = middle }
    }
    guard low > 0, scalar.value - zeros[low - 1] < 10 else { return nil }
    return zeros[low - 1]
  }
}

/// What stands in folded text for marks that ASCII has no sign for.
///
/// Control characters, which typed text cannot hold once it is folded.
enum FoldedMark {
  /// U+066B, decimal wherever it is typed.
  static let arabicDecimal: UInt8 = 1
  /// U+066C, which only groups.
  static let arabicGroup: UInt8 = 2
  /// U+060C, typed for either of the two.
  static let arabicComma: UInt8 = 3
  /// A space that formatters put between groups and keyboards do not have.
  static let formattersSpace: UInt8 = 4
}

/// Typed text with its digits, marks, spaces, quotes and Latin letters as ASCII, small and trimmed.
///
/// Letters of other scripts and currency signs stay UTF-8.
///
/// - Returns: nil where no number can be in it: other ASCII signs, control characters, digits of two
///   systems (`৪` looks like 8 and is 4), text that overrides its direction, or more than 256 bytes.
func folded(_ typed: Bytes) -> [UInt8]? {
  guard typed.count <= 256 else { return nil }
  var text: [UInt8] = []
  text.reserveCapacity(typed.count)
  var zero: UInt32?
  for scalar in trimmed(typed).string.unicodeScalars {
    if let system = DigitSystem.zero(of: scalar) {
      guard zero == nil || zero == system else { return nil }
      zero = system
      text.append(UInt8(ascii: "0") + UInt8(scalar.value - system))
      continue
    }
    switch folded(scalar) {
    case .byte(let byte): text.append(byte)
    case .letter(let letter): text.append(contentsOf: Array(String(letter).utf8))
    case .nothing: break
    case .refused: return nil
    }
  }
  func isSpace(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == FoldedMark.formattersSpace }
  while isSpace(text.last) { text.removeLast() }
  return Array(text.drop { isSpace($0) })
}

private enum FoldedScalar {
  case byte(UInt8)
  case letter(Unicode.Scalar)
  /// Invisible.
  case nothing
  case refused
}

private func folded(_ scalar: Unicode.Scalar) -> FoldedScalar {
  switch scalar.value {
  case 0x00..<0x80: return foldedASCII(UInt8(truncatingIfNeeded: scalar.value))
  // Full-width forms of ASCII.
  case 0xFF01...0xFF5E: return foldedASCII(UInt8(truncatingIfNeeded: scalar.value - 0xFEE0))
  case 0xA0, 0x2007, 0x2009, 0x200A, 0x202F: return .byte(FoldedMark.formattersSpace)
  case 0x2000...0x2006, 0x2008, 0x205F, 0x3000: return .byte(UInt8(ascii: " "))
  case 0x66B: return .byte(FoldedMark.arabicDecimal)
  case 0x66C: return .byte(FoldedMark.arabicGroup)
  case 0x60C: return .byte(FoldedMark.arabicComma)
  case 0x66A: return .byte(UInt8(ascii: "%"))
  case 0x2010, 0x2011, 0x2212, 0xFE63: return .byte(UInt8(ascii: "-"))
  // Single quotes, primes and accents that are typed for them.
  case 0xB4, 0x2B9, 0x2BC, 0x2018, 0x2019, 0x2032: return .byte(UInt8(ascii: "'"))
  case 0x2BA, 0x201C, 0x201D, 0x2033: return .byte(UInt8(ascii: "\""))
  case 0xFFE1, 0xFFE5: return .letter(scalar.value == 0xFFE1 ? "£" : "¥")
  // Cyrillic capitals, for units such as КГ.
  case 0x410...0x42F: return Unicode.Scalar(scalar.value + 0x20).map { .letter($0) } ?? .refused
  // Direction marks, embeddings and isolates, word joiners and the byte order mark: digits in them
  // keep their order. Overrides (U+202D, U+202E) turn it around.
  case 0x61C, 0x200B, 0x200E, 0x200F, 0x202A...0x202C, 0x2060, 0x2066...0x2069, 0xFEFF:
    return .nothing
  case 0x80..<0xA0, 0x2028, 0x2029, 0x202D, 0x202E: return .refused
  default: return .letter(scalar)
  }
}

private func foldedASCII(_ byte: UInt8) -> FoldedScalar {
  switch byte {
  // Full-width digits were folded before.
  case UInt8(ascii: "a")...UInt8(ascii: "z"): return .byte(byte)
  case UInt8(ascii: "A")...UInt8(ascii: "Z"): return .byte(byte | 0x20)
  case UInt8(ascii: "`"): return .byte(UInt8(ascii: "'"))
  case UInt8(ascii: " "), UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: "+"),
    UInt8(ascii: "-"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "%"),
    UInt8(ascii: "$"):
    return .byte(byte)
  default: return .refused
  }
}
