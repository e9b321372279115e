/// What two pipelines make of the same people over a stretch of time, looked at whenever either of them
/// could have changed: what a job at that moment would have said.
package struct ReplayChanges: Sendable {
  package let from: Instant
  package let until: Instant
  /// People for whom something was different at some moment.
  package private(set) var touched = 0
  /// People who were in a segment at some moment; entering and leaving: by one pipeline alone.
  package private(set) var segments: [Bytes: OutcomeChanges.Segment] = [:]
  /// People who at some moment had the one next placement by the old and the other by the new pipeline.
  package private(set) var moves: [OutcomeChanges.Move: OutcomeChanges.Group] = [:]
  /// By placement: another flow, variation or tag at some moment.
  package private(set) var decisions: [Bytes: OutcomeChanges.Group] = [:]
  private let sampleSize: Int

  /// Counts nothing yet.
  ///
  /// - Parameters:
  ///   - old: the pipeline in force.
  ///   - new: the pipeline that is planned.
  ///   - from: the first moment.
  ///   - until: the last moment.
  ///   - sample: how many ids are kept of each group.
  package init(
    from old: Pipeline, to new: Pipeline, from: Instant, until: Instant, sample: Int
  ) {
    self.from = from
    self.until = until
    sampleSize = sample
    for segment in old.segments + new.segments { segments[segment.name] = OutcomeChanges.Segment() }
  }

  /// The same question about the same pipelines, nothing counted yet.
  package func emptied(from old: Pipeline, to new: Pipeline) -> ReplayChanges {
    ReplayChanges(from: old, to: new, from: from, until: until, sample: sampleSize)
  }

  /// Takes in what was counted over people that come after all of these.
  package mutating func add(_ later: ReplayChanges) {
    touched += later.touched
    segments.merge(later.segments) { $0.joined(with: $1, upTo: sampleSize) }
    moves.merge(later.moves) { $0.joined(with: $1, upTo: sampleSize) }
    decisions.merge(later.decisions) { $0.joined(with: $1, upTo: sampleSize) }
  }

  /// Adds a person.
  ///
  /// Each moment resolves the events up to it anew, so the time grows with the square of the events
  /// that one person has in the stretch.
  package mutating func add(
    _ events: PersonEvents, _ old: Pipeline, _ new: Pipeline, _ primitives: Primitives
  ) {
    var person = Person()
    var now = from
    while true {
      let before = resolve(events, old, asOf: now, primitives)
      let after = resolve(events, new, asOf: now, primitives)
      person.compare(before, after)
      guard let next = earlier(before.profile.nextReviewAt, after.profile.nextReviewAt),
        next > now, next <= until
      else { break }
      now = next
    }
    count(person, events.profileID)
  }

  private mutating func count(_ person: Person, _ id: Bytes) {
    for name in person.before.union(person.after) {
      var segment = segments[name] ?? OutcomeChanges.Segment()
      if person.before.contains(name) { segment.before += 1 }
      if person.after.contains(name) { segment.after += 1 }
      if person.entering.contains(name) { segment.entering.add(id, upTo: sampleSize) }
      if person.leaving.contains(name) { segment.leaving.add(id, upTo: sampleSize) }
      segments[name] = segment
    }
    for move in person.moves {
      moves[move, default: OutcomeChanges.Group()].add(id, upTo: sampleSize)
    }
    for placement in person.decisions {
      decisions[placement, default: OutcomeChanges.Group()].add(id, upTo: sampleSize)
    }
    if person.isTouched { touched += 1 }
  }

  /// What was different for one person so far.
  private struct Person {
    var before: Set<Bytes> = []
    var after: Set<Bytes> = []
    var entering: Set<Bytes> = []
    var leaving: Set<Bytes> = []
    var moves: Set<OutcomeChanges.Move> = []
    var decisions: Set<Bytes> = []

    var isTouched: Bool {
      !(entering.isEmpty && leaving.isEmpty && moves.isEmpty && decisions.isEmpty)
    }

    mutating func compare(_ old: Outcome, _ new: Outcome) {
      let was = Set(old.segments.map(\.segment))
      let becomes = Set(new.segments.map(\.segment))
      before.formUnion(was)
      after.formUnion(becomes)
      entering.formUnion(becomes.subtracting(was))
      leaving.formUnion(was.subtracting(becomes))
      let move = OutcomeChanges.Move(
        from: old.profile.next.placementID, to: new.profile.next.placementID)
      if move.from != move.to { moves.insert(move) }
      decisions.formUnion(placementsThatDiffer(old, new))
    }
  }
}
