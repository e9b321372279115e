package import Core

/// One execution of the program that writes.
package struct Job: Hashable, Sendable {
  package let id: Int64
  /// The instant it was started for; the one in force can be later, if another job set it.
  package let asOf: Instant
  package let generation: Generation
}

/// What became of a job's events: the second of the two sheets (SEMANTICS 3.8).
package struct JobSheet: Hashable, Sendable {
  package var accepted = 0
  package var duplicate = 0
  package var conflict = 0
  package var erased = 0
  package var expired = 0
  package var quarantined = 0

  package init() {}

  package var events: Int { accepted + duplicate + conflict + erased + expired + quarantined }

  /// The counted places by their names in SQL.
  static var members: [(name: String, path: WritableKeyPath<JobSheet, Int>)] {
    [
      ("accepted", \.accepted), ("duplicate", \.duplicate), ("conflict", \.conflict),
      ("erased", \.erased), ("expired", \.expired), ("quarantined", \.quarantined),
    ]
  }
}

/// What one unit did; summed over a job's units it is what the job says at its end.
package struct UnitCounts: Hashable, Sendable {
  package var sheet = JobSheet()
  /// Profiles that were derived.
  package var profiles = 0
  /// Profiles that had no rows before.
  package var newProfiles = 0
  /// Rows loaded and deleted, by table; a changed row counts in both.
  package var inserted: [String: Int] = [:]
  package var deleted: [String: Int] = [:]
  /// Profiles in and out of each segment.
  package var entered: [Bytes: Int] = [:]
  package var left: [Bytes: Int] = [:]
  /// Profiles that had a next placement, or nothing to show, and now have another.
  package var nextPlacementChanges = 0
  /// Merges that name no two ids: one is missing or junk, or both are the same.
  ///
  /// Their events are kept.
  package var refusedMerges = 0
  /// Events that were stored and are not any more: erased, expired, or dropped by the pipeline.
  package var removedEvents = 0
  /// Events of the derived profiles whose times are corrected, since their clocks ran ahead.
  package var correctedEvents = 0
  /// Sessions of the derived profiles with more flow runs than are allowed.
  package var overfullSessions = 0
  /// Ids that were set aside, by reason.
  package var quarantinedProfiles: [String: Int] = [:]

  package init() {}

  package static func += (left: inout UnitCounts, right: UnitCounts) {
    for member in JobSheet.members {
      left.sheet[keyPath: member.path] += right.sheet[keyPath: member.path]
    }
    left.profiles += right.profiles
    left.newProfiles += right.newProfiles
    left.inserted.merge(right.inserted, uniquingKeysWith: +)
    left.deleted.merge(right.deleted, uniquingKeysWith: +)
    left.entered.merge(right.entered, uniquingKeysWith: +)
    left.left.merge(right.left, uniquingKeysWith: +)
    left.nextPlacementChanges += right.nextPlacementChanges
    left.refusedMerges += right.refusedMerges
    left.removedEvents += right.removedEvents
    left.correctedEvents += right.correctedEvents
    left.overfullSessions += right.overfullSessions
    left.quarantinedProfiles.merge(right.quarantinedProfiles, uniquingKeysWith: +)
  }

  /// The text of `job_units.counts`.
  var json: String {
    var bytes: [UInt8] = []
    func append(_ name: String, _ counts: [(Bytes, Int)]) {
      bytes.append(literal: ",\"\(name)\":{")
      for (index, (key, count)) in counts.sorted(by: { $0.0 < $1.0 }).enumerated() {
        if index > 0 { bytes.append(literal: ",") }
        bytes.append(quoted: key)
        bytes.append(literal: ":\(count)")
      }
      bytes.append(literal: "}")
    }
    bytes.append(literal: "{")
    for member in JobSheet.members {
      bytes.append(literal: "\"\(member.name)\":\(sheet[keyPath: member.path]),")
    }
    bytes.append(literal: "\"profiles\":\(profiles),\"new_profiles\":\(newProfiles),")
    bytes.append(literal: "\"next_placement_changes\":\(nextPlacementChanges),")
    bytes.append(literal: "\"refused_merges\":\(refusedMerges),")
    bytes.append(literal: "\"removed_events\":\(removedEvents),")
    bytes.append(literal: "\"corrected_events\":\(correctedEvents),")
    bytes.append(literal: "\"overfull_sessions\":\(overfullSessions)")
    append("inserted", inserted.map { (Bytes($0.key), $0.value) })
    append("deleted", deleted.map { (Bytes($0.key), $0.value) })
    append("quarantined_profiles", quarantinedProfiles.map { (Bytes($0.key), $0.value) })
    append("entered", entered.map { ($0.key, $0.value) })
    append("left", left.map { ($0.key, $0.value) })
    bytes.append(literal: "}")
    return String(decoding: bytes, as: UTF8.self)
  }
}
