/// Instants as the vendor's SDK, server and documents print them.
enum VendorTime {
  /// Reads ISO-8601 (`2024-02-15T10:30:00.000+0000`, with `T` or a space, seconds, a fraction of any
  /// length and the zone optional, a day alone), or a number since 1970, told apart by its size.
  ///
  /// Without a zone it is UTC. From 1970 to 9999; nil for anything else.
  static func instant(_ value: JSONText) -> Instant? {
    switch value.kind {
    case .number: return sinceEpoch(value.text)
    case .string:
      guard let text = value.string.map(trimmed), !text.isEmpty else { return nil }
      return iso8601(text) ?? sinceEpoch(text)
    case .object, .array, .boolean, .null, .none: return nil
    }
  }

  /// Below 1e11 seconds, below 1e14 milliseconds, below 1e17 microseconds, else nanoseconds.
  private static func sinceEpoch(_ text: Bytes) -> Instant? {
    guard text.count > 8, let number = Double(text.string), number.isFinite, number >= 0 else {
      return nil
    }
    let scaled =
      switch number {
      case ..<1e11: number * 1e6
      case ..<1e14: number * 1e3
      case ..<1e17: number
      default: number / 1e3
      }
    return Int64(exactly: scaled.rounded()).map { Instant(microseconds: $0) }.flatMap(inRange)
  }

  private static func iso8601(_ text: Bytes) -> Instant? {
    guard text.count >= 10, let day = TimeLiteral.day(text[0..<10]) else { return nil }
    var reader = Reader(text: text, index: 10)
    guard !reader.isAtEnd else { return inRange(day.startInUTC) }
    guard reader.skip("T") || reader.skip("t") || reader.skip(" "), let time = reader.timeOfDay(),
      let offset = reader.zone(), reader.isAtEnd
    else { return nil }
    return inRange(day.startInUTC.adding(microseconds: time - offset))
  }

  private static func inRange(_ instant: Instant) -> Instant? {
    let end: Int64 = 253_402_300_800_000_000
    return instant.microseconds >= 0 && instant.microseconds < end ? instant : nil
  }

  /// A cursor over what stands behind the day.
  private struct Reader {
    let text: Bytes
    var index: Int

    var isAtEnd: Bool { index >= text.count }

    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
      guard !isAtEnd, text[index] == UInt8(ascii: mark) else { return false }
      index += 1
      return true
    }

    /// Two digits, at most `greatest`.
    mutating func pair(upTo greatest: Int) -> Int? {
      guard index + 2 <= text.count, text[index].isDigit, text[index + 1].isDigit else {
        return nil
      }
      let value = Int(text[index] - 0x30) * 10 + Int(text[index + 1] - 0x30)
      index += 2
      return value <= greatest ? value : nil
    }

    /// Microseconds since midnight; second 60 is read as the last of its minute.
    mutating func timeOfDay() -> Int64? {
      guard let hour = pair(upTo: 23), skip(":"), let minute = pair(upTo: 59) else { return nil }
      var micros = Int64(hour * 3600 + minute * 60) * 1_000_000
      guard skip(":") else { return micros }
      guard let second = pair(upTo: 60) else { return nil }
      micros += Int64(min(second, 59)) * 1_000_000
      guard skip(".") || skip(",") else { return micros }
      var unit: Int64 = 100_000
      let start = index
      while !isAtEnd, text[index].isDigit {
        micros += Int64(text[index] - 0x30) * unit
        unit /= 10
        index += 1
      }
      return index > start ? micros : nil
    }

    /// Microseconds east of UTC; 0 without a zone.
    mutating func zone() -> Int64? {
      _ = skip(" ")
      if isAtEnd || skip("Z") || skip("z") { return 0 }
      let isWest = skip("-")
      guard isWest || skip("+"), let hours = pair(upTo: 23) else { return nil }
      var minutes = 0
      if !isAtEnd {
        _ = skip(":")
        guard let value = pair(upTo: 59) else { return nil }
        minutes = value
      }
      let offset = Int64(hours * 60 + minutes) * 60_000_000
      return isWest ? -offset : offset
    }
  }
}
