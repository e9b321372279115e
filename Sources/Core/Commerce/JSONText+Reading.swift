extension JSONText {
  /// The object or array that stands as JSON in a string, as a column of CSV holds it; nil for anything
  /// else.
  var embedded: JSONText? {
    guard let inner = string.map({ JSONText($0) }), inner.kind == .object || inner.kind == .array
    else { return nil }
    return inner
  }

  /// The object itself, or the one that stands as JSON in a string; nil for anything else.
  var lenientObject: JSONText? {
    if kind == .object { return self }
    guard let embedded, embedded.kind == .object else { return nil }
    return embedded
  }

  /// The elements of an array, or of one that stands as JSON in a string; nil for anything else.
  var lenientElements: [JSONText]? {
    if kind == .array { return elements }
    guard let embedded, embedded.kind == .array else { return nil }
    return embedded.elements
  }

  /// The text of a string or a number that serves as an id: 1 to 500 bytes (SEMANTICS 1.5).
  var id: Bytes? {
    guard kind != .boolean, let text = scalarText, (1...500).contains(text.count) else {
      return nil
    }
    return text
  }

  /// A finite number, written as one or as one in a string, with a decimal point.
  var decimal: Double? {
    guard let digits = kind == .number ? text : string.map(trimmed), !digits.isEmpty,
      // `Double` would read words and hexadecimal digits too.
      digits.slice.allSatisfy({ byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
          UInt8(ascii: "+"), UInt8(ascii: "e"), UInt8(ascii: "E"):
          true
        default: false
        }
      }), let number = Double(digits.string), number.isFinite
    else { return nil }
    return number
  }

  /// An amount of money; nil where it is beyond all prices.
  var amount: Double? { decimal.flatMap { abs($0) < Money.bound ? $0 : nil } }

  /// A currency's three letters, in upper case.
  var currency: Bytes? {
    guard let text = string, text.count == 3 else { return nil }
    var letters: [UInt8] = []
    for byte in text.slice {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): letters.append(byte)
      case UInt8(ascii: "a")...UInt8(ascii: "z"): letters.append(byte & 0xDF)
      default: return nil
      }
    }
    return Bytes(letters)
  }

  /// A time as the vendor's feeds write it: ISO-8601, the zone with or without its colon.
  var feedTime: Instant? {
    guard let text = string else { return nil }
    if let instant = TimeLiteral.instant(text) { return instant }
    guard text.count > 5 else { return nil }
    let sign = text[text.count - 5]
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
    let hours = Bytes.joined(text[0..<text.count - 2], ":")
    return TimeLiteral.instant(.joined(hours, text[text.count - 2..<text.count]))
  }
}
