internal import Core

extension Plan {
  /// One JSON document; its members are stable for scripts.
  var json: String {
    JSONValue.object([
      ("as_of", .text(asOf.iso8601)),
      ("is_in_force", .boolean(isSame)),
      ("people_rules_differ", .boolean(unitesOtherwise)),
      ("dropped_events", .integer(droppedEvents)),
      ("failing_tests", .list(failingTests.map { .text($0) })),
      ("profiles", .integer(changes.profiles)),
      ("touched", .integer(changes.touched)),
      (
        "file",
        .list(
          file.list.map { change in
            .object([
              ("key", .text(change.key)), ("old", change.old.map { .text($0) } ?? .null),
              ("new", change.new.map { .text($0) } ?? .null),
            ])
          })
      ),
      ("segments", json(changes.segments)), ("next", json(changes.moves)),
      ("next_words", json(changes.words)),
      ("placements", json(changes.decisions)),
      ("attributes", attributes), ("replay", replayDays),
      ("replay_moments", replay.map { json($0) } ?? .null),
    ]).text
  }

  private func json(_ segments: [Bytes: OutcomeChanges.Segment]) -> JSONValue {
    .list(
      segments.sorted { $0.key < $1.key }.map { name, segment in
        .object([
          ("segment", .text(name.string)), ("before", .integer(segment.before)),
          ("after", .integer(segment.after)), ("enter", json(segment.entering)),
          ("leave", json(segment.leaving)),
        ])
      })
  }

  private func json(_ moves: [OutcomeChanges.Move: OutcomeChanges.Group]) -> JSONValue {
    .list(
      moves.sorted { $0.key < $1.key }.map { move, group in
        .object([
          ("from", move.from.map { .text($0.string) } ?? .null),
          ("to", move.to.map { .text($0.string) } ?? .null), ("profiles", json(group)),
        ])
      })
  }

  private func json(_ decisions: [Bytes: OutcomeChanges.Group]) -> JSONValue {
    .list(
      decisions.sorted { $0.key < $1.key }.map { placement, group in
        .object([("placement", .text(placement.string)), ("profiles", json(group))])
      })
  }

  private var attributes: JSONValue {
    .list(
      changes.attributes.sorted { $0.key < $1.key }.map { key, attribute in
        .object([
          ("attribute", .text(key.string)), ("before", .integer(attribute.before)),
          ("after", .integer(attribute.after)), ("gain", json(attribute.gaining)),
          ("lose", json(attribute.losing)), ("change", json(attribute.changing)),
        ])
      })
  }

  private func json(_ replay: ReplayChanges) -> JSONValue {
    .object([
      ("from", .text(replay.from.iso8601)), ("until", .text(replay.until.iso8601)),
      ("touched", .integer(replay.touched)),
      ("segments", json(replay.segments)),
      ("next", json(replay.moves)), ("placements", json(replay.decisions)),
    ])
  }

  private var replayDays: JSONValue {
    .list(
      newSizes.instants.enumerated().map { index, instant in
        func sizes(_ sizes: SegmentSizes) -> JSONValue {
          .object(
            sizes.counts.sorted { $0.key < $1.key }.map {
              ($0.key.string, .integer($0.value[index]))
            })
        }
        return .object([
          ("at", .text(instant.iso8601)), ("before", sizes(oldSizes)), ("after", sizes(newSizes)),
        ])
      })
  }

  private func json(_ group: OutcomeChanges.Group) -> JSONValue {
    .object([
      ("count", .integer(group.count)),
      ("sample", .list(group.sample.map { .text($0.string) })),
    ])
  }
}
