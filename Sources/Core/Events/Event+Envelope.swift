extension ProfileEvent {
  /// The event as one line of canonical JSON in the canonical envelope, without a line end.
  ///
  /// Reading it back gives the same event: members in the envelope's order, times in UTC, params as
  /// they are stored. An event known by its fingerprint has no `event_id`.
  package var envelope: [UInt8] {
    var line = Array("{".utf8)
    func member(_ name: String, _ value: [UInt8]) {
      if line.count > 1 { line.append(UInt8(ascii: ",")) }
      line += Array("\"\(name)\":".utf8)
      line += value
    }
    func time(_ instant: Instant) -> [UInt8] { Array("\"\(instant.iso8601)\"".utf8) }
    if !event.identity.isFingerprint { member("event_id", jsonString(event.identity.bytes)) }
    member("event_name", jsonString(event.name))
    member("profile_id", jsonString(profileID))
    if let sessionID = event.sessionID { member("session_id", jsonString(sessionID)) }
    member("occurred_at", time(event.occurredAt))
    if let sentAt = event.sentAt { member("sent_at", time(sentAt)) }
    if let receivedAt = event.receivedAt { member("received_at", time(receivedAt)) }
    if let counter = event.counter { member("counter", Array(String(counter).utf8)) }
    if event.revision != 0 { member("source_revision", Array(String(event.revision).utf8)) }
    for context in event.context.members {
      let value: [UInt8] =
        switch context.key {
        case .isTestUser: context.value.array
        case .installedAt:
          Int64(context.value.string).map { time(Instant(microseconds: $0)) }
            ?? jsonString(context.value)
        default: jsonString(context.value)
        }
      member(context.key.name.string, value)
    }
    if !event.params.isEmpty { member("params", event.params.array) }
    line.append(UInt8(ascii: "}"))
    return line
  }
}

/// The text as a JSON string in canonical form: only quotes, backslashes and control characters are
/// escaped.
package func jsonString(_ text: Bytes) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(text.count + 2)
  result.append(quoted: text)
  return result
}

extension [UInt8] {
  /// Appends what ``jsonString(_:)`` is.
  package mutating func append(quoted text: Bytes) {
    append(UInt8(ascii: "\""))
    if text.withSpan(Self.needsEscapes) {
      for byte in text.slice { append(escaped: byte) }
    } else {
      append(contentsOf: text.slice)
    }
    append(UInt8(ascii: "\""))
  }

  private static func needsEscapes(_ text: Span<UInt8>) -> Bool {
    for index in text.indices {
      let byte = text[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return true }
    }
    return false
  }

  private mutating func append(escaped byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): self += [UInt8(ascii: "\\"), byte]
    case 0x08: self += Array("\\b".utf8)
    case 0x09: self += Array("\\t".utf8)
    case 0x0A: self += Array("\\n".utf8)
    case 0x0C: self += Array("\\f".utf8)
    case 0x0D: self += Array("\\r".utf8)
    case 0..<0x20: self += Array("\\u00".utf8) + [hexDigit(byte >> 4), hexDigit(byte & 15)]
    default: append(byte)
    }
  }
}
