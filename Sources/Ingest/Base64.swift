/// The bytes that Base64 text stands for (RFC 4648, padding optional, URL letters too); nil where it is
/// none.
func decodedBase64(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
  var result: [UInt8] = []
  result.reserveCapacity(text.count / 4 * 3 + 3)
  var bits: UInt32 = 0
  var count = 0
  var end = text.count
  while end > 0, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
  guard text.count - end <= 2 else { return nil }
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
    count += 6
    if count >= 8 {
      count -= 8
      result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
  }
  return count < 6 ? result : nil
}
