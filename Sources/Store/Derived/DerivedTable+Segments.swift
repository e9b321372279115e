internal import Core

extension DerivedTable {
  /// Where the segment's name lies in both tables, for counting who came and went.
  static let segmentColumn = 1

  static let segmentMembers = DerivedTable(
    name: "segment_members",
    columns: [
      Column("profile_id", .text), Column("segment", .text), Column("since", .timestamptz),
    ],
    keyColumns: 2
  ) { outcome, _, rows in
    for membership in outcome.segments {
      rows.append(columns: 3) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(membership.segment)
      } rest: { row in
        row.appendField(membership.since)
      }
    }
  }

  static let segmentHistory = DerivedTable(
    name: "segment_history",
    columns: [
      Column("profile_id", .text), Column("segment", .text), Column("from_at", .timestamptz),
      Column("to_at", .timestamptz),
    ],
    keyColumns: 3
  ) { outcome, _, rows in
    for interval in outcome.segmentHistory {
      rows.append(columns: 4) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(interval.segment)
        row.appendField(interval.from)
      } rest: { row in
        row.appendField(interval.to)
      }
    }
  }
}
