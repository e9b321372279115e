/// A person's events up to an instant in the person's order, each with the run it belongs to.
///
/// This is the structure that the replay walks: sessions are ordered, cut into runs and merged into
/// one order from the whole set at once, so nothing depends on how the events arrived.
struct Timeline {
  struct Entry {
    /// All of the person's, of which it is one: a copy of each would cost more than the replay of most.
    fileprivate let events: [Event]
    fileprivate let index: Int
    let kind: EventKind
    /// Corrected time, raised to that of the event before it in its session (SEMANTICS 1.8, 5.4).
    let at: Instant
    /// Microseconds by which the event's time was corrected; 0 or negative.
    let clockOffset: Int64
    /// Index of the run; nil for events that make up no run.
    let run: Int?
    /// Index of the open run in which a purchase, a restore or an error happened; such events make up
    /// no run, and open or prolong none.
    let inside: Int?
    /// True for the first event after which an unfinished run goes on.
    let resumes: Bool
    /// The profile id that the event came under.
    let owner: Bytes

    var event: Event { _read { yield events[index] } }

    /// What tells the event from every other of the person.
    var key: EventKey { EventKey(owner: owner, identity: event.identity) }
  }

  /// What a run is known by before its events are replayed.
  struct Run {
    let key: FlowMatcher.Key
    let sessionID: Bytes?
    let first: Identity
    /// The profile id that its first event came under.
    let owner: Bytes
    /// By which the time of its first event was corrected; 0 or negative.
    let clockOffset: Int64
  }

  private(set) var entries: [Entry] = []
  private(set) var runs: [Run] = []
  /// Events after the instant: how many, and the first of their times.
  private(set) var eventsAhead = 0
  private(set) var firstAhead: Instant?
  /// Sessions with more runs than are allowed, by id: their events make up none.
  private(set) var overfullSessions: [OverfullSession] = []

  init(
    _ person: PersonEvents, matcher: FlowMatcher, rules: [FlowRules] = [], settings: RunSettings,
    asOf: Instant
  ) {
    let all = person.events
    let clocks = ClockOffsets(person)
    var sessions = SessionIndices()
    var kinds: [EventKind] = []
    kinds.reserveCapacity(all.count)
    for (index, event) in all.enumerated() {
      kinds.append(event.kind)
      let time = clocks.time(of: event, at: index)
      guard time <= asOf else {
        eventsAhead += 1
        firstAhead = min(firstAhead ?? time, time)
        continue
      }
      sessions.add(index, of: event.sessionID)
    }
    var drafts: [Draft] = []
    drafts.reserveCapacity(all.count - eventsAhead)
    // By session, by the run's number in it: its number here.
    var numbers: [[Int?]] = []
    numbers.reserveCapacity(sessions.all.count)
    for (sessionID, indices) in sessions.all {
      let ordered = SessionOrder.ordered(
        indices, of: all, kinds: kinds, clocks: clocks, hasSession: sessionID != nil)
      var folding = SessionFolding(
        matcher: matcher, settings: settings,
        gap: sessionID == nil ? settings.gapWithoutSession : settings.gapWithinSession)
      var latest: Instant?
      let firstOfSession = drafts.count
      for (position, index) in ordered.enumerated() {
        let event = all[index]
        let time = clocks.time(of: event, at: index)
        let at = max(latest ?? time, time)
        latest = at
        let kind = kinds[index]
        let run = folding.run(of: event, kind: kind, at: at)
        let inside = kind.happensInRun ? folding.openRun(of: event, at: at) : nil
        drafts.append(
          Draft(
            index: index, at: at, session: sessionID, sessionIndex: numbers.count,
            position: position, run: run, inside: inside))
      }
      numbers.append([Int?](repeating: nil, count: folding.count))
      // All of them or none: which are the first ones, a late event could change at any time.
      guard let sessionID, folding.count > settings.mostFlowRuns else { continue }
      overfullSessions.append(OverfullSession(sessionID: sessionID, runs: folding.count))
      for index in firstOfSession..<drafts.count { drafts[index].leaveRuns() }
    }
    overfullSessions.sort { $0.sessionID < $1.sessionID }
    if sessions.all.count > 1 { drafts.sort { $0.precedes($1) } }
    // Runs are numbered in the profile's order, not in that of the sessions above.
    var resumption = RunResumption(rules)
    entries.reserveCapacity(drafts.count)
    for draft in drafts {
      var number: Int?
      var resumes = false
      if let run = draft.run {
        if let known = numbers[draft.sessionIndex][run.number] {
          number = known
        } else if let resumed = resumption.run(resumedBy: run.key, at: draft.at) {
          number = resumed
          numbers[draft.sessionIndex][run.number] = resumed
          resumes = true
        } else {
          number = runs.count
          numbers[draft.sessionIndex][run.number] = runs.count
          runs.append(
            Run(
              key: run.key, sessionID: draft.session, first: all[draft.index].identity,
              owner: person.owner(ofEventAt: draft.index),
              clockOffset: clocks.offset(at: draft.index)))
        }
        if let number {
          resumption.note(
            all[draft.index], kind: kinds[draft.index], of: number, run.key, at: draft.at)
        }
      }
      // The run began with an earlier event of its session, so it has its number.
      let inside = draft.inside.flatMap { numbers[draft.sessionIndex][$0] }
      entries.append(
        Entry(
          events: all, index: draft.index, kind: kinds[draft.index], at: draft.at,
          clockOffset: clocks.offset(at: draft.index), run: number, inside: inside,
          resumes: resumes, owner: person.owner(ofEventAt: draft.index)))
    }
  }

  /// Indices of events by session; most people have one, and need no table.
  private struct SessionIndices {
    private(set) var all: [(session: Bytes?, indices: [Int])] = []
    /// Filled from the second session on.
    private var places: [Bytes?: Int] = [:]
    private var last = 0

    mutating func add(_ index: Int, of session: Bytes?) {
      if !all.isEmpty, all[last].session != session {
        if places.isEmpty { places[all[0].session] = 0 }
        last = places[session] ?? all.count
        if last == all.count { places[session] = last }
      }
      if last == all.count { all.append((session, [])) }
      all[last].indices.append(index)
    }
  }

  private struct Draft {
    let index: Int
    let at: Instant
    let session: Bytes?
    let sessionIndex: Int
    let position: Int
    private(set) var run: SessionFolding.Membership?
    private(set) var inside: Int?

    mutating func leaveRuns() {
      run = nil
      inside = nil
    }

    /// The order of a person: effective time, session (none first), position, then as the events
    /// stand, which is by identity.
    func precedes(_ other: Draft) -> Bool {
      if at != other.at { return at < other.at }
      if session != other.session {
        guard let session else { return true }
        guard let otherSession = other.session else { return false }
        return session < otherSession
      }
      if position != other.position { return position < other.position }
      return index < other.index
    }
  }
}

/// Cuts one session's events, fed in order, into runs (SEMANTICS 5.1, 5.2).
struct SessionFolding {
  struct Membership {
    /// Of the run within its session.
    let number: Int
    let key: FlowMatcher.Key
  }

  private struct Cursor {
    let number: Int
    /// When it was touched last, counted in events of the session.
    var touched: Int
    let startedAt: Instant
    var lastAt: Instant
    var hasAppeared: Bool
    var endedAt: Instant?
  }

  let matcher: FlowMatcher
  let settings: RunSettings
  /// Silence in microseconds that ends a run, once a later event comes after it.
  let gap: Int64
  private var cursors = Cursors()
  private var touchedLast: FlowMatcher.Key?
  /// What the event before said of its flow, if it carried this context.
  private var latest: (context: Context, key: FlowMatcher.Key?)?
  /// Touches of runs, latest last.
  ///
  /// Those that a later one or the run's end outdates are dropped when they are met. Looking at all
  /// flows each time would take time with the square of their number.
  private var recent: [(key: FlowMatcher.Key, touch: Int)] = []
  /// Runs so far.
  private(set) var count = 0
  private var touches = 0

  init(matcher: FlowMatcher, settings: RunSettings, gap: Int64) {
    self.matcher = matcher
    self.settings = settings
    self.gap = gap
  }

  /// The run an event belongs to; nil for kinds that make up no run.
  mutating func run(of event: Event, kind: EventKind, at: Instant) -> Membership? {
    guard kind.isOfFlow else { return nil }
    let key = namedKey(of: event) ?? anonymousKey(kind, at)
    touchedLast = key
    touches += 1
    recent.append((key, touches))
    guard var cursor = cursors[key], takes(kind, at, cursor) else {
      let started = Cursor(
        number: count, touched: touches, startedAt: at, lastAt: at,
        hasAppeared: kind == .flowAppeared,
        endedAt: kind == .flowDisappeared ? at : nil)
      count += 1
      cursors[key] = started
      return Membership(number: started.number, key: key)
    }
    cursor.lastAt = at
    cursor.touched = touches
    if kind == .flowAppeared { cursor.hasAppeared = true }
    if kind == .flowDisappeared, cursor.endedAt == nil { cursor.endedAt = at }
    cursors[key] = cursor
    return Membership(number: cursor.number, key: key)
  }

  /// The flow that an event names.
  ///
  /// Events of a session mostly share one context, which tells it.
  private mutating func namedKey(of event: Event) -> FlowMatcher.Key? {
    guard !matcher.readsScreens else {
      return matcher.key(of: event, screen: FlowParams(event.params).screen)
    }
    if let latest, latest.context == event.context { return latest.key }
    let key = matcher.key(of: event, screen: nil)
    latest = (event.context, key)
    return key
  }

  /// The latest run of each flow; the one that is asked for again and again is found at once.
  private struct Cursors {
    private var all: [(key: FlowMatcher.Key, cursor: Cursor)] = []
    private var places: [FlowMatcher.Key: Int] = [:]
    private var last = 0

    subscript(key: FlowMatcher.Key) -> Cursor? {
      get {
        if last < all.count, all[last].key == key { return all[last].cursor }
        return places[key].map { all[$0].cursor }
      }
      set {
        guard let newValue else { return }
        if last >= all.count || all[last].key != key {
          last = places[key] ?? all.count
          places[key] = last
        }
        if last == all.count { all.append((key, newValue)) } else { all[last].cursor = newValue }
      }
    }
  }

  /// The number of the open run that an event of no flow kind happens in: of the flow it names, or the
  /// open run touched last; nil where none is open.
  mutating func openRun(of event: Event, at: Instant) -> Int? {
    if let key = matcher.key(of: event, screen: nil) {
      return cursors[key].flatMap { isOpen($0, at) ? $0.number : nil }
    }
    return openKey(at: at).flatMap { cursors[$0]?.number }
  }

  private func isOpen(_ cursor: Cursor, _ at: Instant) -> Bool {
    cursor.endedAt == nil && silence(at, cursor) < gap
  }

  /// The flow of the open run touched last.
  private mutating func openKey(at: Instant) -> FlowMatcher.Key? {
    while let last = recent.last {
      if let cursor = cursors[last.key], cursor.touched == last.touch, cursor.endedAt == nil {
        // Whatever was touched earlier has been silent for longer.
        return isOpen(cursor, at) ? last.key : nil
      }
      recent.removeLast()
    }
    return nil
  }

  /// An event that names no flow belongs to the run that ended a moment ago, if that was touched last
  /// and takes it; else to the open run touched last; else to one of no flow.
  private mutating func anonymousKey(_ kind: EventKind, _ at: Instant) -> FlowMatcher.Key {
    if let touchedLast, let cursor = cursors[touchedLast], takes(kind, at, cursor) {
      return touchedLast
    }
    // A second appearance starts another run of the flow that is open.
    return openKey(at: at) ?? .none
  }

  private func takes(_ kind: EventKind, _ at: Instant, _ cursor: Cursor) -> Bool {
    if let endedAt = cursor.endedAt {
      // A second "disappeared" right after the first is one closing reported twice.
      return kind != .flowAppeared && at.microseconds - endedAt.microseconds <= settings.lateInput
    }
    guard silence(at, cursor) < gap else { return false }
    guard kind == .flowAppeared else { return true }
    return !cursor.hasAppeared
      && at.microseconds - cursor.startedAt.microseconds <= settings.lateAppearance
  }

  private func silence(_ at: Instant, _ cursor: Cursor) -> Int64 {
    at.microseconds - cursor.lastAt.microseconds
  }
}
