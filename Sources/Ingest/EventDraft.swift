internal import Core

/// An event whose texts are still places in the arena.
struct EventDraft {
  var profileID: TextArena.Span
  /// Empty where the source gave none.
  var id = TextArena.Span()
  var name: TextArena.Span
  /// Empty where the source gave none.
  var sessionID = TextArena.Span()
  /// Canonical JSON, empty where there is none.
  var params = TextArena.Span()
  var occurredAt: Instant
  var sentAt: Instant?
  var receivedAt: Instant?
  var counter: Int64?
  var revision: Int64 = 0
  /// Which of ``ContextDrafts``.
  var context = 0
}

/// The contexts of a chunk's events, each once for a row of events that share it.
struct ContextDrafts {
  struct Member {
    let key: ContextKey
    let value: TextArena.Span
  }

  private(set) var members: [Member] = []
  /// Where each context's members start in `members`; the last entry is where the next one starts.
  private var starts = [0]

  var count: Int { starts.count - 1 }

  func members(of context: Int) -> Range<Int> { starts[context]..<starts[context + 1] }

  /// Adds a member to the context being read; keys ascend.
  mutating func append(_ key: ContextKey, _ value: TextArena.Span) {
    members.append(Member(key: key, value: value))
  }

  /// Where it stands, for ``rewind(to:)``.
  struct Mark {
    fileprivate let contexts: Int
    fileprivate let members: Int
  }

  var mark: Mark { Mark(contexts: starts.count, members: members.count) }

  /// Forgets what was read since, a context that is finished too: its texts leave the arena, and the
  /// next one would find its own in their place.
  mutating func rewind(to mark: Mark) {
    starts.removeLast(starts.count - mark.contexts)
    members.removeLast(members.count - mark.members)
  }

  /// Forgets the context being read.
  private mutating func discard() { members.removeLast(members.count - starts[count]) }

  /// Ends the context being read; one that equals its predecessor becomes the predecessor.
  ///
  /// - Returns: the context's number, and whether its texts are needed.
  mutating func finish(_ arena: borrowing TextArena) -> (context: Int, isNew: Bool) {
    let start = starts[count]
    if count > 0, repeatsLast(arena, from: start) {
      discard()
      return (count - 1, false)
    }
    starts.append(members.count)
    return (count - 1, true)
  }

  private func repeatsLast(_ arena: borrowing TextArena, from start: Int) -> Bool {
    let last = members(of: count - 1)
    guard last.count == members.count - start else { return false }
    for offset in 0..<last.count {
      let old = members[last.lowerBound + offset]
      let new = members[start + offset]
      guard old.key == new.key, arena.holdsEqual(old.value, new.value) else { return false }
    }
    return true
  }
}

/// Turns drafts into events, once the text they point into is an array.
struct EventBuilder {
  let drafts: [EventDraft]
  let contexts: ContextDrafts
  let rejections: [Rejection]
  let counts: ReadCounts
  let unknown: UnknownNames

  func build(text: [UInt8], primitives: Primitives) -> DecodedChunk {
    func bytes(_ span: TextArena.Span) -> Bytes { Bytes(text, span.range) }

    var events: [ProfileEvent] = []
    events.reserveCapacity(drafts.count)
    var context = Context.empty
    var contextNumber = -1
    for draft in drafts {
      if draft.context != contextNumber {
        contextNumber = draft.context
        let members = contexts.members[contexts.members(of: contextNumber)]
        context = Context(sorted: members.map { Context.Member($0.key, bytes($0.value)) })
      }
      let profileID = bytes(draft.profileID)
      var event = Event(
        identity: Identity(id: bytes(draft.id)), name: bytes(draft.name),
        sessionID: draft.sessionID.isEmpty ? nil : bytes(draft.sessionID),
        occurredAt: draft.occurredAt, counter: draft.counter,
        params: draft.params.isEmpty ? .empty : bytes(draft.params), context: context,
        sentAt: draft.sentAt, receivedAt: draft.receivedAt, revision: draft.revision)
      if draft.id.isEmpty {
        event.identity = Identity(
          fingerprint: Fingerprint.v1(profileID: profileID, event: event, primitives: primitives))
      }
      events.append(ProfileEvent(profileID: profileID, event: event))
    }
    return DecodedChunk(
      events: events, rejections: rejections, counts: counts, textBytes: text.capacity,
      unknown: unknown)
  }
}
