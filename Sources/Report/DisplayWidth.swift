/// How many columns of a terminal the text takes, roughly: East Asian wide characters and emoji
/// take two, combining marks none.
package func displayWidth(_ text: String) -> Int {
  text.unicodeScalars.reduce(0) { $0 + displayWidth($1) }
}

private func displayWidth(_ scalar: Unicode.Scalar) -> Int {
  if scalar.value < 0x300 { return 1 }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .format: return 0
  default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }
}

/// The blocks that Unicode's EastAsianWidth.txt marks W or F, without their small gaps.
private let wide: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
  0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
  0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
  0x20000...0x3FFFD,
]
