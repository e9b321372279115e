/// A stored event set that cannot be read.
package enum CodecProblem: Error, Hashable, Sendable {
  /// The leading byte names a codec this program does not know.
  case unknownCodec(UInt8)
  /// The bytes end early, have a rest, or contradict themselves.
  case damaged
}

/// The canonical binary form of an event set (SEMANTICS 2.2). Equal sets have equal bytes.
///
/// Codec 2 is codec 1 with identities that repeat: ``copies`` where they are more than the events. A set
/// without such is written as codec 1.
///
/// ```
/// codec, count, event…           counts, lengths and references are LEB128 varints
/// event    = flags, identity, name, [session], time, [counter], context, [params],
///            [sent], [received], [revision]
/// flags    = 0–1 identity form · 2 session · 3 counter · 4 params · 5 sent · 6 received · 7 revision
/// identity = text (form 0) | 16 bytes of a fingerprint (1) | 16 bytes of a lower-case UUID (2)
/// name, session, context values = reference into a table of texts in order of first use:
///            0 and the text where it is new, else its number counted from 1
/// time     = zigzag difference to the event before, µs; sent, received = zigzag difference to time
/// context  = reference into a table of contexts likewise; new: count, (key byte, text reference)…
/// ```
extension EventSet {
  package static let codec: UInt8 = 2

  package func encoded() -> [UInt8] {
    var encoder = Encoder()
    encoder.bytes.reserveCapacity(32 + events.count * 128)
    encoder.bytes.append(hasVariants ? 2 : 1)
    let copies = copies
    encoder.append(UInt64(copies.count))
    for copy in copies { encoder.append(copy) }
    return encoder.bytes
  }

  /// Reads what ``encoded()`` wrote.
  ///
  /// - Throws: ``CodecProblem`` for an unknown codec byte or bytes that are not exactly one set whose
  ///   events stand in identity order.
  package static func decode(_ bytes: [UInt8], profileID: Bytes) throws(CodecProblem) -> EventSet {
    guard let codec = bytes.first else { throw .damaged }
    guard (1...Self.codec).contains(codec) else { throw .unknownCodec(codec) }
    var decoder = Decoder(bytes: bytes)
    let copies = try decoder.events()
    var repeats = false
    for (left, right) in zip(copies, copies.dropFirst()) where left.identity >= right.identity {
      guard left.identity == right.identity else { throw .damaged }
      repeats = true
    }
    guard repeats == (codec == 2), let set = EventSet(profileID: profileID, sorted: copies) else {
      throw .damaged
    }
    return set
  }
}

private enum Flag {
  static let identityForm: UInt8 = 0b11
  static let session: UInt8 = 1 << 2
  static let counter: UInt8 = 1 << 3
  static let params: UInt8 = 1 << 4
  static let sent: UInt8 = 1 << 5
  static let received: UInt8 = 1 << 6
  static let revision: UInt8 = 1 << 7
}

private enum IdentityForm {
  static let text: UInt8 = 0
  static let fingerprint: UInt8 = 1
  static let uuid: UInt8 = 2
}

private struct Encoder {
  var bytes: [UInt8] = []
  private var texts: [Bytes: UInt64] = [:]
  private var contexts: [Context] = []
  private var previousTime: Int64 = 0
  private var lastTexts: (name: (Bytes, UInt64), session: (Bytes, UInt64)) = (
    (.empty, 0), (.empty, 0)
  )

  mutating func append(_ event: Event) {
    let uuid = event.identity.isFingerprint ? nil : packedUUID(event.identity.bytes)
    var flags =
      uuid != nil
      ? IdentityForm.uuid
      : event.identity.isFingerprint ? IdentityForm.fingerprint : IdentityForm.text
    if event.sessionID != nil { flags |= Flag.session }
    if event.counter != nil { flags |= Flag.counter }
    if !event.params.isEmpty { flags |= Flag.params }
    if event.sentAt != nil { flags |= Flag.sent }
    if event.receivedAt != nil { flags |= Flag.received }
    if event.revision != 0 { flags |= Flag.revision }
    bytes.append(flags)
    if let uuid {
      bytes.append(contentsOf: uuid)
    } else if event.identity.isFingerprint {
      bytes.append(contentsOf: event.identity.bytes.slice)
    } else {
      append(event.identity.bytes)
    }
    appendReference(event.name, remembering: \.name)
    if let sessionID = event.sessionID { appendReference(sessionID, remembering: \.session) }
    let time = event.occurredAt.microseconds
    append(zigzag: time &- previousTime)
    previousTime = time
    if let counter = event.counter { append(zigzag: counter) }
    append(event.context)
    if !event.params.isEmpty { append(event.params) }
    if let sentAt = event.sentAt { append(zigzag: sentAt.microseconds &- time) }
    if let receivedAt = event.receivedAt { append(zigzag: receivedAt.microseconds &- time) }
    if event.revision != 0 { append(zigzag: event.revision) }
  }

  private mutating func append(_ context: Context) {
    if let known = contexts.lastIndex(where: { $0.members == context.members }) {
      append(UInt64(known + 1))
      return
    }
    contexts.append(context)
    append(0)
    append(UInt64(context.members.count))
    for member in context.members {
      bytes.append(member.key.rawValue)
      appendReference(member.value)
    }
  }

  /// The text before last of the same field is nearly always the same one: asked before the table.
  private mutating func appendReference(
    _ text: Bytes,
    remembering field: WritableKeyPath<
      (name: (Bytes, UInt64), session: (Bytes, UInt64)), (Bytes, UInt64)
    >
  ) {
    let last = lastTexts[keyPath: field]
    if last.1 != 0, last.0 == text {
      append(last.1)
      return
    }
    appendReference(text)
    lastTexts[keyPath: field] = (text, texts[text] ?? 0)
  }

  private mutating func appendReference(_ text: Bytes) {
    if let number = texts[text] {
      append(number)
    } else {
      texts[text] = UInt64(texts.count + 1)
      append(0)
      append(text)
    }
  }

  private mutating func append(_ text: Bytes) {
    append(UInt64(text.count))
    bytes.append(contentsOf: text.slice)
  }

  private mutating func append(zigzag number: Int64) {
    append(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
  }

  mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

private struct Decoder {
  /// The encoded set; unpacked ids are appended, so that every text is a slice of one array.
  private var bytes: [UInt8]
  private let end: Int
  private var index = 1

  init(bytes: [UInt8]) {
    self.bytes = bytes
    end = bytes.count
  }

  private struct Draft {
    var isFingerprint: Bool
    var identity: Range<Int>
    var name: Int
    var session: Int?
    var time: Int64
    var counter: Int64?
    var context: Int
    var params: Range<Int>
    var sent: Int64?
    var received: Int64?
    var revision: Int64

    /// Damage can say anything; times that no reader accepts could not be subtracted from each other.
    var isInTime: Bool {
      [time, sent.map { time &+ $0 }, received.map { time &+ $0 }]
        .allSatisfy { $0.map { (0..<Instant.end.microseconds).contains($0) } ?? true }
    }
  }

  mutating func events() throws(CodecProblem) -> [Event] {
    let count = try number()
    // An event has at least 5 bytes: a count beyond that is damage, not a reason to allocate.
    guard count <= UInt64(end / 5 + 1) else { throw .damaged }
    var drafts: [Draft] = []
    drafts.reserveCapacity(Int(count))
    var texts: [Range<Int>] = []
    var contexts: [[(ContextKey, Int)]] = []
    var time: Int64 = 0
    for _ in 0..<count {
      drafts.append(try draft(after: time, &texts, &contexts))
      time = drafts[drafts.count - 1].time
    }
    guard index == end, drafts.allSatisfy(\.isInTime) else { throw .damaged }
    let all = bytes
    let slices = texts.map { Bytes(all, $0) }
    let shared = contexts.map { members in
      Context(sorted: members.map { Context.Member($0.0, slices[$0.1]) })
    }
    return drafts.map { draft in
      let identity = Bytes(all, draft.identity)
      return Event(
        identity: draft.isFingerprint ? Identity(fingerprint: identity) : Identity(id: identity),
        name: slices[draft.name], sessionID: draft.session.map { slices[$0] },
        occurredAt: Instant(microseconds: draft.time), counter: draft.counter,
        params: draft.params.isEmpty ? .empty : Bytes(all, draft.params),
        context: shared[draft.context],
        sentAt: draft.sent.map { Instant(microseconds: draft.time &+ $0) },
        receivedAt: draft.received.map { Instant(microseconds: draft.time &+ $0) },
        revision: draft.revision)
    }
  }

  private mutating func draft(
    after time: Int64, _ texts: inout [Range<Int>], _ contexts: inout [[(ContextKey, Int)]]
  ) throws(CodecProblem) -> Draft {
    let flags = try byte()
    let form = flags & Flag.identityForm
    let identity =
      switch form {
      case IdentityForm.text: try text()
      case IdentityForm.fingerprint: try take(16)
      case IdentityForm.uuid: unpackUUID(try take(16))
      default: throw .damaged
      }
    return Draft(
      isFingerprint: form == IdentityForm.fingerprint,
      identity: identity,
      name: try reference(&texts),
      session: flags & Flag.session != 0 ? try reference(&texts) : nil,
      time: time &+ (try zigzag()),
      counter: flags & Flag.counter != 0 ? try zigzag() : nil,
      context: try contextReference(&contexts, &texts),
      params: flags & Flag.params != 0 ? try text() : 0..<0,
      sent: flags & Flag.sent != 0 ? try zigzag() : nil,
      received: flags & Flag.received != 0 ? try zigzag() : nil,
      revision: flags & Flag.revision != 0 ? try zigzag() : 0)
  }

  private mutating func contextReference(
    _ contexts: inout [[(ContextKey, Int)]], _ texts: inout [Range<Int>]
  ) throws(CodecProblem) -> Int {
    let known = try number()
    if known > 0 {
      guard known <= UInt64(contexts.count) else { throw .damaged }
      return Int(known) - 1
    }
    let count = try number()
    guard count <= UInt64(ContextKey.allCases.count) else { throw .damaged }
    var members: [(ContextKey, Int)] = []
    for _ in 0..<count {
      guard let key = ContextKey(rawValue: try byte()),
        (members.last?.0.rawValue ?? 0) < key.rawValue
      else { throw .damaged }
      members.append((key, try reference(&texts)))
    }
    contexts.append(members)
    return contexts.count - 1
  }

  private mutating func reference(_ texts: inout [Range<Int>]) throws(CodecProblem) -> Int {
    let known = try number()
    if known > 0 {
      guard known <= UInt64(texts.count) else { throw .damaged }
      return Int(known) - 1
    }
    texts.append(try text())
    return texts.count - 1
  }

  private mutating func text() throws(CodecProblem) -> Range<Int> {
    let count = try number()
    guard count <= UInt64(end - index) else { throw .damaged }
    return try take(Int(count))
  }

  private mutating func take(_ count: Int) throws(CodecProblem) -> Range<Int> {
    guard count <= end - index else { throw .damaged }
    index += count
    return (index - count)..<index
  }

  private mutating func unpackUUID(_ packed: Range<Int>) -> Range<Int> {
    let start = bytes.count
    for (position, source) in packed.enumerated() {
      if position == 4 || position == 6 || position == 8 || position == 10 {
        bytes.append(UInt8(ascii: "-"))
      }
      bytes.append(hexDigit(bytes[source] >> 4))
      bytes.append(hexDigit(bytes[source] & 15))
    }
    return start..<bytes.count
  }

  private mutating func byte() throws(CodecProblem) -> UInt8 {
    guard index < end else { throw .damaged }
    index += 1
    return bytes[index - 1]
  }

  private mutating func zigzag() throws(CodecProblem) -> Int64 {
    let number = try number()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  private mutating func number() throws(CodecProblem) -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      guard shift < 63 || next <= 1 else { throw .damaged }
      result |= UInt64(next & 0x7F) << shift
      if next < 0x80 {
        // One number has one spelling: a trailing zero group is damage.
        guard next != 0 || shift == 0 else { throw .damaged }
        return result
      }
      shift += 7
    }
  }
}

/// The 16 bytes of a UUID in its lower-case spelling; nil for any other text.
private func packedUUID(_ text: Bytes) -> [UInt8]? {
  guard text.count == 36 else { return nil }
  var result: [UInt8] = []
  result.reserveCapacity(16)
  var index = 0
  while index < 36 {
    if index == 8 || index == 13 || index == 18 || index == 23 {
      guard text[index] == UInt8(ascii: "-") else { return nil }
      index += 1
      continue
    }
    guard let high = hexValue(text[index]), let low = hexValue(text[index + 1]) else { return nil }
    result.append(high << 4 | low)
    index += 2
  }
  return result
}

private func hexValue(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  default: nil
  }
}

func hexDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}

/// Lower-case hexadecimal digits of the bytes.
package func hex(_ bytes: some Sequence<UInt8>) -> Bytes {
  var result: [UInt8] = []
  for byte in bytes {
    result.append(hexDigit(byte >> 4))
    result.append(hexDigit(byte & 15))
  }
  return Bytes(result)
}
