/// What a changed pipeline would change, counted over profiles.
///
/// Profiles come one after the other, each with its outcome by either pipeline; samples are the first
/// that came.
package struct OutcomeChanges: Sendable {
  /// People, and the first few of them.
  package struct Group: Hashable, Sendable {
    package private(set) var count = 0
    package private(set) var sample: [Bytes] = []

    mutating func add(_ profileID: Bytes, upTo limit: Int) {
      count += 1
      if sample.count < limit { sample.append(profileID) }
    }

    /// Takes in those who come after all of this group.
    mutating func add(_ later: Group, upTo limit: Int) {
      count += later.count
      sample += later.sample.prefix(max(0, limit - sample.count))
    }
  }

  package struct Segment: Hashable, Sendable {
    package var before = 0
    package var after = 0
    package var entering = Group()
    package var leaving = Group()
  }

  package struct Attribute: Hashable, Sendable {
    package var before = 0
    package var after = 0
    package var gaining = Group()
    package var losing = Group()
    package var changing = Group()
  }

  /// From one placement to another; nil is nothing to show.
  package struct Move: Hashable, Comparable, Sendable {
    package let from: Bytes?
    package let to: Bytes?

    package static func < (left: Move, right: Move) -> Bool {
      (left.from ?? .empty, left.to ?? .empty) < (right.from ?? .empty, right.to ?? .empty)
    }
  }

  package private(set) var profiles = 0
  /// People for whom anything at all is different.
  package private(set) var touched = 0
  package private(set) var segments: [Bytes: Segment] = [:]
  package private(set) var attributes: [Bytes: Attribute] = [:]
  /// Changes of the next placement only.
  package private(set) var moves: [Move: Group] = [:]
  /// Where the next placement stays, but its reason or its store messages change.
  package private(set) var words = Group()
  /// By placement: another flow, variation or tag, or a decision that comes or goes.
  package private(set) var decisions: [Bytes: Group] = [:]
  private let sampleSize: Int

  /// Counts nothing yet.
  ///
  /// - Parameters:
  ///   - old: the pipeline in force; what it declares is listed even where nothing changes.
  ///   - new: the pipeline that is planned.
  ///   - sample: how many ids are kept of each group.
  package init(from old: Pipeline, to new: Pipeline, sample: Int) {
    sampleSize = sample
    for segment in old.segments + new.segments { segments[segment.name] = Segment() }
    for attribute in old.attributes + new.attributes { attributes[attribute.key] = Attribute() }
  }

  /// The same question about the same pipelines, nothing counted yet.
  package func emptied(from old: Pipeline, to new: Pipeline) -> OutcomeChanges {
    OutcomeChanges(from: old, to: new, sample: sampleSize)
  }

  /// Takes in what was counted over profiles that come after all of these.
  package mutating func add(_ later: OutcomeChanges) {
    profiles += later.profiles
    touched += later.touched
    segments.merge(later.segments) { $0.joined(with: $1, upTo: sampleSize) }
    attributes.merge(later.attributes) { earlier, later in
      var both = earlier
      both.before += later.before
      both.after += later.after
      both.gaining.add(later.gaining, upTo: sampleSize)
      both.losing.add(later.losing, upTo: sampleSize)
      both.changing.add(later.changing, upTo: sampleSize)
      return both
    }
    moves.merge(later.moves) { $0.joined(with: $1, upTo: sampleSize) }
    words.add(later.words, upTo: sampleSize)
    decisions.merge(later.decisions) { $0.joined(with: $1, upTo: sampleSize) }
  }

  package mutating func add(from old: Outcome, to new: Outcome) {
    let id = old.profile.profileID
    profiles += 1
    var isTouched = false
    compareSegments(old, new, id, &isTouched)
    compareAttributes(old, new, id, &isTouched)
    let move = Move(from: old.profile.next.placementID, to: new.profile.next.placementID)
    if move.from != move.to {
      moves[move, default: Group()].add(id, upTo: sampleSize)
      isTouched = true
    } else if old.profile.next != new.profile.next {
      words.add(id, upTo: sampleSize)
      isTouched = true
    }
    compareDecisions(old, new, id, &isTouched)
    if isTouched { touched += 1 }
  }

  private mutating func compareSegments(
    _ old: Outcome, _ new: Outcome, _ id: Bytes, _ isTouched: inout Bool
  ) {
    let before = Set(old.segments.map(\.segment))
    let after = Set(new.segments.map(\.segment))
    for name in before.union(after) {
      var segment = segments[name] ?? Segment()
      if before.contains(name) { segment.before += 1 }
      if after.contains(name) { segment.after += 1 }
      if !before.contains(name) { segment.entering.add(id, upTo: sampleSize) }
      if !after.contains(name) { segment.leaving.add(id, upTo: sampleSize) }
      segments[name] = segment
    }
    if before != after { isTouched = true }
  }

  private mutating func compareAttributes(
    _ old: Outcome, _ new: Outcome, _ id: Bytes, _ isTouched: inout Bool
  ) {
    let before = old.values
    let after = new.values
    for key in Set(before.keys).union(after.keys) {
      var attribute = attributes[key] ?? Attribute()
      if before[key] != nil { attribute.before += 1 }
      if after[key] != nil { attribute.after += 1 }
      switch (before[key], after[key]) {
      case (nil, .some): attribute.gaining.add(id, upTo: sampleSize)
      case (.some, nil): attribute.losing.add(id, upTo: sampleSize)
      case (let old, let new):
        if old != new { attribute.changing.add(id, upTo: sampleSize) }
      }
      attributes[key] = attribute
    }
    if before != after { isTouched = true }
  }

  private mutating func compareDecisions(
    _ old: Outcome, _ new: Outcome, _ id: Bytes, _ isTouched: inout Bool
  ) {
    for placement in placementsThatDiffer(old, new) {
      decisions[placement, default: Group()].add(id, upTo: sampleSize)
      isTouched = true
    }
  }
}

extension OutcomeChanges.Group {
  func joined(with later: Self, upTo limit: Int) -> Self {
    var both = self
    both.add(later, upTo: limit)
    return both
  }
}

extension OutcomeChanges.Segment {
  func joined(with later: Self, upTo limit: Int) -> Self {
    var both = self
    both.before += later.before
    both.after += later.after
    both.entering.add(later.entering, upTo: limit)
    both.leaving.add(later.leaving, upTo: limit)
    return both
  }
}

/// How many people are in each segment at a number of instants.
package struct SegmentSizes: Sendable {
  package let instants: [Instant]
  /// By segment, a count an instant.
  package private(set) var counts: [Bytes: [Int]] = [:]

  /// Counts nothing yet; the instants are ascending.
  package init(_ pipeline: Pipeline, at instants: [Instant]) {
    self.instants = instants
    for segment in pipeline.segments {
      counts[segment.name] = [Int](repeating: 0, count: instants.count)
    }
  }

  /// Takes in what was counted over other people, at the same instants.
  package mutating func add(_ other: SegmentSizes) {
    counts.merge(other.counts) { zip($0, $1).map { $0 + $1 } }
  }

  /// Adds a person as they were at each of the instants: what a job would have said then.
  package mutating func add(_ person: PersonEvents, _ pipeline: Pipeline, _ primitives: Primitives)
  {
    var latest: Outcome?
    for (index, instant) in instants.enumerated() {
      // Nothing can differ before the review instant, the first event ahead included.
      if latest.map({ $0.profile.nextReviewAt.map { $0 <= instant } ?? false }) ?? true {
        latest = resolve(person, pipeline, asOf: instant, primitives)
      }
      for segment in latest?.segments ?? [] { counts[segment.segment]?[index] += 1 }
    }
  }
}

/// The placements in which a person would see something else, or which come or go.
func placementsThatDiffer(_ old: Outcome, _ new: Outcome) -> Set<Bytes> {
  let before = Dictionary(old.decisions.map { ($0.placementID, $0) }) { first, _ in first }
  let after = Dictionary(new.decisions.map { ($0.placementID, $0) }) { first, _ in first }
  return Set(before.keys).union(after.keys).filter {
    before[$0]?.content != after[$0]?.content
  }
}

extension Outcome {
  /// The attributes that have a value.
  fileprivate var values: [Bytes: AttributeOutcome.Value] {
    var values: [Bytes: AttributeOutcome.Value] = [:]
    for attribute in attributes {
      if case .absent = attribute.value { continue }
      values[attribute.key] = attribute.value
    }
    return values
  }
}

extension PlacementDecision {
  /// What a person would see, whatever the audience is called inside.
  fileprivate var content: [Bytes?] {
    [flowID, variationID] + tags.flatMap { [$0.name, $0.value] }
  }
}
