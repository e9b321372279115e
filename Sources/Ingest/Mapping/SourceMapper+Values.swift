internal import Core
internal import CSimdjson

/// What a member of the envelope takes.
enum Use {
  /// An id of a person, a session or an event: text or a whole number that is no junk.
  case id, name, time, text
  /// A param: whatever stands there.
  case anything

  init(_ member: Bytes) {
    switch member.string {
    case "event_id", "profile_id", "session_id", "customer_user_id": self = .id
    case "event_name": self = .name
    case "occurred_at", "sent_at", "received_at", "installed_at": self = .time
    default: self = .text
    }
  }
}

/// What became of a reading.
enum Reading {
  case written
  case nothing
  /// Something stands there that cannot be meant.
  case unusable(RecordValue)
}

/// A value that was found; digits in a text that stand for a number are one.
struct FoundValue {
  let value: RecordValue
  var isNumberInText = false
}

extension SourceMapper {
  // MARK: Finding

  /// The value at a place; null is as good as nothing.
  func find(_ path: SourcePath, in scope: Scope) -> FoundValue? {
    var found = FoundValue(value: path.beginsOutside ? scope.outer : scope.record)
    for step in path.steps {
      guard let next = self.step(found.value, step) else { return nil }
      found = next
    }
    return found.value.shape == .null ? nil : found
  }

  private func step(_ value: RecordValue, _ name: Bytes) -> FoundValue? {
    switch value.shape {
    case .object:
      return name.array.withUnsafeBufferPointer { value.member($0) }.map { FoundValue(value: $0) }
    case .array: return item(value, name)
    case .string: return documents.document(in: value.text).flatMap { step($0, name) }
    default: return nil
    }
  }

  private func item(_ list: RecordValue, _ name: Bytes) -> FoundValue? {
    var found: FoundValue?
    forEachPair(list) { key, value in if key.text.elementsEqual(name.slice) { found = value } }
    if let found { return found }
    guard let wanted = Int(name.string) else { return nil }
    var position = 0
    list.forEachItem { item in
      if position == wanted { found = FoundValue(value: item) }
      position += 1
    }
    return found
  }

  /// Calls with each key and value of a list of `{key, value}`; true if it is one.
  @discardableResult
  func forEachPair(_ list: RecordValue, _ body: (_ key: RecordValue, FoundValue) -> Void) -> Bool {
    var isList = true
    list.forEachItem { item in
      guard let key = Word.key.in(item), key.shape == .string else {
        isList = false
        return
      }
      if let value = Word.value.in(item) { body(key, unwrapped(value)) }
    }
    return isList
  }

  /// The value in `{"string_value": …}` and its kin; any other value is itself.
  private func unwrapped(_ value: RecordValue) -> FoundValue {
    guard value.shape == .object else { return FoundValue(value: value) }
    if let text = Word.string.in(value), text.shape != .null { return FoundValue(value: text) }
    for word in Word.numbers {
      if let number = word.in(value), number.shape != .null {
        return FoundValue(value: number, isNumberInText: true)
      }
    }
    return FoundValue(value: value)
  }

  /// Names of members, made once.
  private struct Word {
    static let key = Word("key")
    static let value = Word("value")
    static let string = Word("string_value")
    static let numbers = [Word("int_value"), Word("float_value"), Word("double_value")]
    static let day = Word("day")
    static let month = Word("month")
    static let year = Word("year")

    private let text: [UInt8]

    init(_ text: String) { self.text = Array(text.utf8) }

    func `in`(_ object: RecordValue) -> RecordValue? {
      text.withUnsafeBufferPointer { object.member($0) }
    }
  }

  func holds(_ conditions: [SourceCondition], in scope: Scope) -> Bool {
    conditions.allSatisfy { condition in
      guard let found = find(condition.path, in: scope)?.value else { return false }
      guard !condition.values.isEmpty else { return true }
      return condition.values.contains { text(of: found)?.elementsEqual($0.slice) ?? false }
    }
  }

  /// A scalar as text.
  private func text(of value: RecordValue) -> [UInt8]? {
    switch value.shape {
    case .string, .number: Array(value.text)
    case .yes: Array("true".utf8)
    case .no: Array("false".utf8)
    default: nil
    }
  }

  // MARK: Writing

  func write(_ reading: SourceReading, in scope: Scope, as use: Use) -> Reading {
    guard holds(reading.conditions, in: scope) else { return .nothing }
    switch reading.place {
    case .constant(let text):
      output.append(string: text.slice, prefix: reading.prefix)
      return .written
    case .tuple(let paths): return writeTuple(paths, reading.prefix, in: scope)
    case .path(let path):
      guard let found = find(path, in: scope) else { return .nothing }
      return write(found, reading, in: scope, as: use)
    }
  }

  private func write(
    _ found: FoundValue, _ reading: SourceReading, in scope: Scope, as use: Use
  ) -> Reading {
    let value = found.value
    if !reading.ignored.isEmpty, let text = self.text(of: value),
      reading.ignored.contains(where: { $0.slice.elementsEqual(text) })
    {
      return .nothing
    }
    if let each = reading.each { return writeList(value, each, in: scope) }
    if let total = reading.total { return writeIsLast(value, total, in: scope) }
    if reading.isDate { return writeDate(value) }
    if let text = self.text(of: value), let other = reading.values[Bytes(text)] {
      output.append(string: other.slice, prefix: reading.prefix)
      return .written
    }
    switch use {
    case .anything:
      writeParam(found, isJSON: reading.isJSON)
      return .written
    case .time: return writeTime(value, reading)
    case .id:
      guard value.shape == .string || value.shape == .number,
        !IdentifierRules.isJunk(value.text)
      else { return .unusable(value) }
    case .name, .text:
      guard value.isScalar else { return .unusable(value) }
      if value.shape == .string, value.text.isEmpty { return .nothing }
    }
    if use == .name, let name = mapping.names[Bytes(Array(value.text))] {
      output.append(string: name.slice)
    } else if reading.prefix.isEmpty {
      output.append(value)
    } else {
      output.count(repairsOf: value.token)
      output.append(string: text(of: value) ?? [], prefix: reading.prefix)
    }
    return .written
  }

  /// Writes a value that is no member of the envelope.
  func writeParam(_ found: FoundValue, isJSON: Bool) {
    let value = found.value
    if value.shape == .string {
      if found.isNumberInText, DecimalText(value.text) != nil, !hasLeadingZero(value.text) {
        output.append(raw: value.text)
        return
      }
      if isJSON, let document = documents.document(in: value.text) {
        output.append(document)
        return
      }
    }
    output.append(value)
  }

  /// JSON knows no `007`.
  private func hasLeadingZero(_ number: UnsafeBufferPointer<UInt8>) -> Bool {
    let digits = number.drop { $0 == UInt8(ascii: "-") }.prefix { decimalDigit($0) != nil }
    return digits.count > 1 && digits.first == UInt8(ascii: "0")
  }

  /// The id of a row without one: a hash over its members' texts, each behind its length; an empty
  /// text is as good as none, as it is in CSV.
  private func writeTuple(_ paths: [SourcePath], _ prefix: Bytes, in scope: Scope) -> Reading {
    var message: [UInt8] = []
    var isEmpty = true
    for path in paths {
      let found = find(path, in: scope)?.value
      let text = found.flatMap { self.text(of: $0) }.flatMap { $0.isEmpty ? nil : $0 }
      let length = text.map { UInt32($0.count) } ?? .max
      for shift: UInt32 in [24, 16, 8, 0] {
        message.append(UInt8(truncatingIfNeeded: length >> shift))
      }
      message += text ?? []
      if text != nil { isEmpty = false }
    }
    guard !isEmpty else { return .nothing }
    let digits = Array("0123456789abcdef".utf8)
    let hash = primitives.sha256(message)[..<16]
    output.append(
      string: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, prefix: prefix)
    return .written
  }

  // MARK: Times

  private func writeTime(_ value: RecordValue, _ reading: SourceReading) -> Reading {
    if value.shape == .string, value.text.isEmpty { return .nothing }
    guard value.shape == .string || value.shape == .number else { return .unusable(value) }
    guard let instant = instant(value, reading) else {
      // As it stands: the decoder reads it, or says what is wrong.
      output.append(value)
      return .written
    }
    output.append(string: instant.iso8601.utf8)
    return .written
  }

  /// Nil where the decoder reads the same.
  private func instant(_ value: RecordValue, _ reading: SourceReading) -> Instant? {
    let number = DecimalText(value.text)
    if let unit = reading.unit, let number {
      guard !number.isNegative else { return nil }
      let instant = Instant(microseconds: number.scaled(by: unit.powerToMicroseconds))
      guard instant < .end else { return nil }
      return reading.isLocal ? reading.zone?.instant(onClock: instant) ?? instant : instant
    }
    guard let zone = reading.zone else { return nil }
    let timestamp =
      value.shape == .number ? Timestamp(number: value.text) : Timestamp(text: value.text)
    guard case .instant(let instant, let isAssumedUTC) = timestamp else { return nil }
    let isOnClock = number == nil ? isAssumedUTC : reading.isLocal
    return isOnClock ? zone.instant(onClock: instant) : nil
  }

  /// `{"year": 1990, "month": 6, "day": 15}` as `1990-06-15`.
  private func writeDate(_ value: RecordValue) -> Reading {
    func number(_ word: Word) -> Int? {
      guard let found = word.in(value), let number = DecimalText(found.text)?.int64 else {
        return nil
      }
      return Int(exactly: number)
    }
    guard let year = number(Word.year), let month = number(Word.month), let day = number(Word.day),
      let date = Day(year: year, month: month, day: day)
    else {
      unreadable += 1
      return .nothing
    }
    output.append(string: date.iso8601.utf8)
    return .written
  }

  // MARK: Lists

  private func writeList(_ value: RecordValue, _ each: SourcePath, in scope: Scope) -> Reading {
    output.append("[")
    var isFirst = true
    func add(_ item: RecordValue) {
      guard let found = find(each, in: Scope(record: item, outer: scope.outer))?.value,
        let text = self.text(of: found)
      else {
        unreadable += 1
        return
      }
      if !isFirst { output.append(",") }
      isFirst = false
      output.append(string: text)
    }
    if value.shape == .array { value.forEachItem(add) } else { add(value) }
    output.append("]")
    return .written
  }

  private func writeIsLast(_ value: RecordValue, _ total: SourcePath, in scope: Scope) -> Reading {
    guard let index = DecimalText(value.text)?.int64,
      let count = find(total, in: scope).flatMap({ DecimalText($0.value.text)?.int64 }),
      index < .max
    else { return .nothing }
    output.append(raw: (index + 1 == count ? "true" : "false").utf8)
    return .written
  }
}

extension Zone {
  /// The instant at which clocks of the zone show what UTC's show at another.
  ///
  /// Of two the later one; where the zone's clocks skip it, an hour later.
  func instant(onClock utc: Instant) -> Instant {
    func shifted(_ offset: Int32) -> Instant {
      utc.adding(microseconds: -Int64(offset) * 1_000_000)
    }
    let guess = shifted(offset(at: utc))
    return shifted(offset(at: guess))
  }
}
