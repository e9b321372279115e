/// Decodes base64 in either alphabet, padded or not; nil for anything else.
func decodeBase64(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.count / 4 * 3 + 2)
  var bits: UInt32 = 0
  var filled = 0
  var end = text.count
  while end > 0, end > text.count - 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
  for byte in text[..<end] {
    let value: UInt8
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
    default: return nil
    }
    bits = bits << 6 | UInt32(value)
    filled += 6
    if filled >= 8 {
      filled -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(filled)))
    }
  }
  // One digit alone holds no byte, and bits that are left over are zero.
  guard filled < 6, bits & (1 << UInt32(filled) - 1) == 0 else { return nil }
  return bytes
}
