internal import CSimdjson
internal import Core

/// Decodes the records of one chunk into drafts; used once, by one thread.
struct EventDecoder: ~Copyable {
  private(set) var arena: TextArena
  private(set) var rejections: [Rejection] = []
  private(set) var counts = ReadCounts()
  /// True once records were found in base64, as Firehose wraps them.
  var hasUnwrapped = false
  let limits: ReadLimits
  let parser: JSONParser
  /// Takes the records instead, where there is one.
  private let visitor: (any RecordVisitor)?
  private let members = EnvelopeMemberTable()
  private var canonical = CanonicalJSON()
  private var drafts: [EventDraft] = []
  /// Members of records that nothing reads.
  private var unread = NameTable()
  private var contexts = ContextDrafts()
  /// Token index of each member's value in the record at hand, by slot; -1 where there is none.
  private let slots: UnsafeMutablePointer<Int32>

  init(arena: TextArena, limits: ReadLimits, visitor: (any RecordVisitor)? = nil) {
    self.arena = arena
    self.limits = limits
    self.visitor = visitor
    parser = JSONParser(maxDepth: limits.depth)
    slots = .allocate(capacity: EnvelopeMember.slots)
  }

  deinit { slots.deallocate() }

  /// Everything decoded, its rejections by place.
  func finished() -> EventBuilder {
    EventBuilder(
      drafts: drafts, contexts: contexts,
      rejections: rejections.sorted { $0.byteOffset < $1.byteOffset }, counts: counts,
      unknown: unread.unknown)
  }

  /// Makes room for about as many events as a chunk of a size holds.
  mutating func reserve(forBytes count: Int) { drafts.reserveCapacity(count / 256) }

  /// Counts a record that was refused.
  mutating func reject(_ rejection: Rejection) {
    counts.read += 1
    counts.rejected[rejection.reason, default: 0] += 1
    rejections.append(rejection)
  }

  mutating func countBlankLine() {
    counts.read += 1
    counts.blank += 1
  }

  /// Why a record is refused, before it is known where it stands.
  private struct Fault: Error {
    let reason: Rejection.Reason
    let field: String

    init(_ reason: Rejection.Reason, _ slot: Int) {
      self.reason = reason
      field = EnvelopeMember.names[slot].string
    }

    init(_ reason: Rejection.Reason, field: String = "") {
      self.reason = reason
      self.field = field
    }
  }

  /// Decodes the value that the parser holds: an event, or a rejection at the place given.
  mutating func decodeParsedValue(
    line: Int, byteOffset: Int, length: Int, revision: Int64 = 0
  ) {
    if let visitor {
      visitor.visit(
        parser.tokens, at: RecordPlace(line: line, byteOffset: byteOffset, length: length))
      return
    }
    let textBefore = arena.count
    let mendedBefore = counts.mended
    let contextsBefore = contexts.mark
    defer { unread.forget() }
    do throws(Fault) {
      var draft = try draft(parser.tokens)
      draft.revision = max(revision, sourceRevision(parser.tokens))
      drafts.append(draft)
      counts.read += 1
      counts.events += 1
      unread.count(unread.pending.indices)
    } catch {
      arena.truncate(to: textBefore)
      contexts.rewind(to: contextsBefore)
      counts.mended = mendedBefore
      reject(
        Rejection(
          error.reason, field: error.field, line: line, byteOffset: byteOffset, length: length))
    }
  }

  private mutating func draft(_ tokens: UnsafeBufferPointer<JSONToken>) throws(Fault) -> EventDraft
  {
    guard tokens[0].shape == .object else { throw Fault(.notAnObject) }
    findMembers(tokens)
    // What can refuse the record comes first, what is only costly last.
    let profileID = try profileID(tokens)
    let name = try eventName(tokens)
    var draft = EventDraft(profileID: profileID, name: name, occurredAt: try occurredAt(tokens))
    draft.id = try optionalID(tokens, EnvelopeMember.eventID)
    draft.sessionID = try sessionID(tokens)
    draft.sentAt = optionalTime(tokens, EnvelopeMember.sentAt)
    draft.receivedAt = optionalTime(tokens, EnvelopeMember.receivedAt)
    draft.counter = counter(tokens)
    draft.context = try context(tokens)
    draft.params = try params(tokens)
    return draft
  }

  /// Fills `slots`; of a member that repeats, the last value counts.
  private mutating func findMembers(_ tokens: UnsafeBufferPointer<JSONToken>) {
    slots.update(repeating: -1, count: EnvelopeMember.slots)
    let end = Int(tokens[0].next)
    var key = 1
    while key < end {
      if let slot = members.slot(of: tokens[key].bytes) {
        if slots[slot] >= 0 { counts.mended.duplicateKeys += 1 }
        slots[slot] = Int32(key + 1)
      } else if tokens[key + 1].shape != .null {
        unread.note(tokens[key].bytes) { _ in false }
      }
      key = Int(tokens[key + 1].next)
    }
  }

  /// A member's value; null is as good as absent.
  @inline(__always)
  private func value(_ tokens: UnsafeBufferPointer<JSONToken>, _ slot: Int) -> JSONToken? {
    let index = slots[slot]
    guard index >= 0, tokens[Int(index)].shape != .null else { return nil }
    return tokens[Int(index)]
  }

  /// Copies a token's text to the arena.
  @inline(__always)
  private mutating func store(_ token: JSONToken) -> TextArena.Span {
    if token.wasRepaired { counts.mended.repaired += 1 }
    let start = arena.count
    arena.append(token.bytes)
    return arena.span(from: start)
  }

  // MARK: Ids

  /// True for text and for integers, whose digits are kept exactly.
  private func isID(_ token: JSONToken) -> Bool {
    switch token.shape {
    case .string: true
    case .number:
      token.bytes.allSatisfy { decimalDigit($0) != nil || $0 == UInt8(ascii: "-") }
    default: false
    }
  }

  private mutating func storeID(_ token: JSONToken) -> TextArena.Span {
    let span = store(token)
    if IdentifierRules.isUUID(arena.bytes(span)) { arena.setLowerCaseBit(span) }
    return span
  }

  private mutating func profileID(
    _ tokens: UnsafeBufferPointer<JSONToken>
  ) throws(Fault) -> TextArena.Span {
    let slot = EnvelopeMember.profileID
    guard let token = value(tokens, slot) else { throw Fault(.missingMember, slot) }
    guard isID(token) else { throw Fault(.wrongType, slot) }
    guard !IdentifierRules.isJunk(token.bytes) else { throw Fault(.illegalID, slot) }
    guard token.length <= IdentifierRules.longestOfPerson else { throw Fault(.idTooLong, slot) }
    return reusing(drafts.last?.profileID, storeID(token))
  }

  /// The previous event's text where it is the same as this one: a session's events stand together.
  private mutating func reusing(
    _ previous: TextArena.Span?, _ span: TextArena.Span
  ) -> TextArena.Span {
    guard let previous, arena.holdsEqual(previous, span) else { return span }
    arena.truncate(to: Int(span.start))
    return previous
  }

  /// Empty where there is none; a junk id counts as none.
  private mutating func optionalID(
    _ tokens: UnsafeBufferPointer<JSONToken>, _ slot: Int
  ) throws(Fault) -> TextArena.Span {
    guard let token = value(tokens, slot) else { return TextArena.Span() }
    guard isID(token) else {
      counts.mended.unreadableMembers += 1
      return TextArena.Span()
    }
    let isZero = token.length == 1 && token.bytes[0] == UInt8(ascii: "0")
    guard !IdentifierRules.isJunk(token.bytes), !(slot == EnvelopeMember.eventID && isZero) else {
      counts.mended.repaired += 1
      return TextArena.Span()
    }
    guard token.length <= IdentifierRules.longestOfPerson else { throw Fault(.idTooLong, slot) }
    return storeID(token)
  }

  private mutating func sessionID(
    _ tokens: UnsafeBufferPointer<JSONToken>
  ) throws(Fault) -> TextArena.Span {
    let span = try optionalID(tokens, EnvelopeMember.sessionID)
    return span.isEmpty ? span : reusing(drafts.last?.sessionID, span)
  }

  private mutating func eventName(
    _ tokens: UnsafeBufferPointer<JSONToken>
  ) throws(Fault) -> TextArena.Span {
    let slot = EnvelopeMember.eventName
    guard let token = value(tokens, slot) ?? value(tokens, EnvelopeMember.name) else {
      throw Fault(.missingMember, slot)
    }
    guard token.shape == .string else { throw Fault(.wrongType, slot) }
    guard token.length > 0 else { throw Fault(.missingMember, slot) }
    guard token.length <= IdentifierRules.longestOfThing else { throw Fault(.idTooLong, slot) }
    return store(token)
  }

  // MARK: Times and numbers

  /// Nil for a value that is neither text nor number.
  private func timestamp(_ token: JSONToken) -> Timestamp? {
    switch token.shape {
    case .string: Timestamp(text: token.bytes)
    case .number: Timestamp(number: token.bytes)
    default: nil
    }
  }

  private mutating func occurredAt(
    _ tokens: UnsafeBufferPointer<JSONToken>
  ) throws(Fault) -> Instant {
    let slot = EnvelopeMember.occurredAt
    let token =
      value(tokens, slot) ?? value(tokens, EnvelopeMember.createdAt)
      ?? value(tokens, EnvelopeMember.timestamp)
    guard let token else { throw Fault(.missingMember, slot) }
    switch timestamp(token) {
    case .instant(let instant, let isAssumedUTC):
      if isAssumedUTC { counts.mended.assumedUTC += 1 }
      return instant
    case .invalid: throw Fault(.invalidTime, slot)
    case .outOfRange: throw Fault(.timeOutOfRange, slot)
    case nil: throw Fault(.wrongType, slot)
    }
  }

  private mutating func optionalTime(
    _ tokens: UnsafeBufferPointer<JSONToken>, _ slot: Int
  ) -> Instant? {
    guard let token = value(tokens, slot) else { return nil }
    guard case .instant(let instant, let isAssumedUTC)? = timestamp(token) else {
      counts.mended.unreadableMembers += 1
      return nil
    }
    if isAssumedUTC { counts.mended.assumedUTC += 1 }
    return instant
  }

  private mutating func counter(_ tokens: UnsafeBufferPointer<JSONToken>) -> Int64? {
    guard let token = value(tokens, EnvelopeMember.counter) else { return nil }
    if token.shape == .string || token.shape == .number, let value = DecimalText(token.bytes)?.int64
    {
      return value
    }
    counts.mended.unreadableMembers += 1
    return nil
  }

  /// What an event that was exported had of its source; 0 for none.
  private mutating func sourceRevision(_ tokens: UnsafeBufferPointer<JSONToken>) -> Int64 {
    guard let token = value(tokens, EnvelopeMember.sourceRevision) else { return 0 }
    if token.shape == .string || token.shape == .number,
      let value = DecimalText(token.bytes)?.int64, value >= 0
    {
      return value
    }
    counts.mended.unreadableMembers += 1
    return 0
  }

  // MARK: Context

  private mutating func context(_ tokens: UnsafeBufferPointer<JSONToken>) throws(Fault) -> Int {
    let textBefore = arena.count
    for slot in EnvelopeMember.firstOfContext..<EnvelopeMember.slots {
      guard let token = value(tokens, slot), let key = EnvelopeMember.contextKey(ofSlot: slot),
        let span = try contextValue(token, key, slot)
      else { continue }
      contexts.append(key, span)
    }
    let (context, isNew) = contexts.finish(arena)
    if !isNew { arena.truncate(to: textBefore) }
    return context
  }

  /// Nil for a value that is absent, empty or unreadable.
  private mutating func contextValue(
    _ token: JSONToken, _ key: ContextKey, _ slot: Int
  ) throws(Fault) -> TextArena.Span? {
    switch key {
    case .isTestUser: return truth(token)
    case .installedAt: return optionalMicroseconds(token)
    default: break
    }
    guard token.shape == .string || token.shape == .number else {
      counts.mended.unreadableMembers += 1
      return nil
    }
    guard token.length > 0 else { return nil }
    switch key {
    case .placementID:
      guard token.length <= IdentifierRules.longestOfThing else { throw Fault(.idTooLong, slot) }
      return store(token)
    case .flowID, .flowVersionID, .variationID, .placementAudienceVersionID:
      guard token.length <= IdentifierRules.longestOfThing else { throw Fault(.idTooLong, slot) }
      return storeID(token)
    case .customerUserID:
      guard !IdentifierRules.isJunk(token.bytes) else {
        counts.mended.repaired += 1
        return nil
      }
      guard token.length <= IdentifierRules.longestOfPerson else { throw Fault(.idTooLong, slot) }
      return store(token)
    default: return store(token)
    }
  }

  /// `true` or `false`, for true, 1, 1.0, "1", "true" and their opposites.
  private mutating func truth(_ token: JSONToken) -> TextArena.Span? {
    let isTrue: Bool?
    switch token.shape {
    case .yes: isTrue = true
    case .no: isTrue = false
    case .string, .number:
      switch DecimalText(token.bytes)?.int64 {
      case 1: isTrue = true
      case 0: isTrue = false
      case nil where equals(token, "true"): isTrue = true
      case nil where equals(token, "false"): isTrue = false
      default: isTrue = nil
      }
    default: isTrue = nil
    }
    guard let isTrue else {
      counts.mended.unreadableMembers += 1
      return nil
    }
    let start = arena.count
    arena.append(isTrue ? "true" : "false")
    return arena.span(from: start)
  }

  /// Letter case does not matter.
  private func equals(_ token: JSONToken, _ word: StaticString) -> Bool {
    token.bytes.count == word.utf8CodeUnitCount
      && token.bytes.enumerated().allSatisfy { $0.element | 0x20 == word.utf8Start[$0.offset] }
  }

  /// A time as decimal digits of microseconds since 1970.
  private mutating func optionalMicroseconds(_ token: JSONToken) -> TextArena.Span? {
    guard case .instant(let instant, let isAssumedUTC)? = timestamp(token) else {
      counts.mended.unreadableMembers += 1
      return nil
    }
    if isAssumedUTC { counts.mended.assumedUTC += 1 }
    let start = arena.count
    arena.append(decimal: instant.microseconds)
    return arena.span(from: start)
  }

  // MARK: Params

  private mutating func params(
    _ tokens: UnsafeBufferPointer<JSONToken>
  ) throws(Fault) -> TextArena.Span {
    guard let token = value(tokens, EnvelopeMember.params) else { return TextArena.Span() }
    guard token.shape == .object else {
      counts.mended.unreadableMembers += 1
      return TextArena.Span()
    }
    let index = Int(slots[EnvelopeMember.params])
    if let name = Self.longID(tokens, inObjectAt: index) { throw Fault(.idTooLong, field: name) }
    let shape = ParamsShape(tokens, index)
    guard shape.depth <= limits.paramsDepth else { throw Fault(.tooDeep, EnvelopeMember.params) }
    guard shape.width <= limits.members else {
      throw Fault(.tooManyMembers, EnvelopeMember.params)
    }
    let answer = Self.answerBytes(tokens, inObjectAt: index)
    guard answer <= limits.answerBytes else { throw Fault(.answerTooLong, field: "value") }
    let start = arena.count
    canonical.resetCounts()
    canonical.write(tokens, index, to: &arena)
    counts.mended.duplicateKeys += canonical.duplicateKeys
    counts.mended.repaired += canonical.repaired
    guard arena.count - start <= limits.paramsBytes else {
      throw Fault(.paramsTooLarge, EnvelopeMember.params)
    }
    return arena.span(from: start)
  }

  /// The length of the answer that the params hold; of a key that repeats, the longest.
  private static func answerBytes(
    _ tokens: UnsafeBufferPointer<JSONToken>, inObjectAt index: Int
  ) -> Int {
    let end = Int(tokens[index].next)
    var key = index + 1
    var longest = 0
    while key < end {
      if tokens[key].length == 5, tokens[key].bytes.elementsEqual("value".utf8) {
        longest = max(longest, ParamsShape.textBytes(tokens, key + 1))
      }
      key = Int(tokens[key + 1].next)
    }
    return longest
  }

  /// The name of an element's or screen's id that is too long for a database key.
  private static func longID(
    _ tokens: UnsafeBufferPointer<JSONToken>, inObjectAt index: Int
  ) -> String? {
    let end = Int(tokens[index].next)
    var key = index + 1
    while key < end {
      let value = tokens[key + 1]
      if value.shape == .string, value.length > IdentifierRules.longestOfThing {
        let name = String(decoding: tokens[key].bytes, as: UTF8.self)
        if name == "element_id" || name == "instanceId" || name == "screen_id" { return name }
      }
      key = Int(value.next)
    }
    return nil
  }
}
