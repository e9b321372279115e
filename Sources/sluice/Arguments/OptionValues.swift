internal import Core

/// A whole number in decimal digits without a sign; nil for anything else.
func wholeNumber(_ text: String) -> Int? {
  guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  return Int(text)
}

/// A number of bytes such as `4096`, `64KiB`, `512MiB`, `2GiB`, `10MB`; nil for anything else.
func byteCount(_ text: String) -> Int? {
  let digits = text.prefix { $0.isASCII && $0.isNumber }
  let scales = [
    "": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kB": 1000, "KB": 1000,
    "MB": 1_000_000, "GB": 1_000_000_000,
  ]
  guard let number = wholeNumber(String(digits)),
    let scale = scales[String(text.dropFirst(digits.count))]
  else { return nil }
  let (bytes, overflow) = number.multipliedReportingOverflow(by: scale)
  return overflow ? nil : bytes
}

/// `100` or `0.5%`; nil for anything else.
func rejectLimit(_ text: String) -> RejectLimit? {
  guard text.hasSuffix("%") else { return wholeNumber(text).map { .count($0) } }
  let digits = text.dropLast()
  guard let first = digits.utf8.first, (0x30...0x39).contains(first),
    digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
    let percent = Double(digits), percent <= 100
  else { return nil }
  return .share(percent / 100)
}

/// `2d` or `36h` in microseconds, from an hour to a hundred years; nil for anything else.
func lead(_ text: String) -> Int64? {
  guard let unit = text.last, let number = wholeNumber(String(text.dropLast())), number > 0 else {
    return nil
  }
  switch unit {
  case "h" where number <= 876_600: return Int64(number) * 3_600_000_000
  case "d" where number <= 36_525: return Int64(number) * Instant.microsecondsPerDay
  default: return nil
  }
}

/// `answer=64KiB,params=256KiB,depth=32,members=1000`, each at most once; nil for anything else.
func recordLimits(_ text: String) -> RecordLimits? {
  var limits = RecordLimits()
  for part in text.split(separator: ",", omittingEmptySubsequences: false) {
    let words = part.split(separator: "=", omittingEmptySubsequences: false)
    guard words.count == 2, let limit = RecordLimit(rawValue: String(words[0])),
      let value = limit.isSize ? byteCount(String(words[1])) : wholeNumber(String(words[1])),
      limits.set(limit, to: value)
    else { return nil }
  }
  return limits
}

/// A name that needs no quotes in SQL and is not PostgreSQL's own.
func isSchemaName(_ text: String) -> Bool {
  guard let first = text.utf8.first, !(0x30...0x39).contains(first), text.utf8.count <= 51 else {
    return false
  }
  return !text.hasPrefix("pg_") && text != "information_schema"
    && text.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
    }
}
