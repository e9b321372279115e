internal import Core

extension DerivedTable {
  static let flowRuns = DerivedTable(
    name: "flow_runs",
    columns: [
      Column("profile_id", .text), Column("run_id", .text), Column("session_id", .text),
      Column("run_number", .int4), Column("flow", .text), Column("placement_id", .text),
      Column("flow_id", .text), Column("flow_version_id", .text), Column("variation_id", .text),
      Column("platform", .text), Column("app_version", .text), Column("country", .text),
      Column("started_at", .timestamptz), Column("ended_at", .timestamptz),
      Column("last_event_at", .timestamptz), Column("completed", .boolean),
      Column("completed_at", .timestamptz), Column("last_screen_id", .text),
      Column("screens", .int4), Column("answers", .text), Column("path_screens", .textArray),
      Column("path_order", .int4Array), Column("path_is_last", .booleanArray),
      Column("path_at_ms", .int8Array), Column("path_spent_ms", .int8Array),
      Column("path_views", .int4Array), Column("audience_name", .text),
      Column("audience_version_id", .text), Column("clock_ahead_ms", .int8),
    ],
    keyColumns: 2
  ) { outcome, _, rows in
    for run in outcome.runs {
      rows.append(columns: 29) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(run.runID)
      } rest: { row in
        row.appendField(run.sessionID)
        row.appendField(Int32(clamping: run.number))
        row.appendField(run.flow)
        row.appendField(run.placementID)
        row.appendField(run.flowID)
        row.appendField(run.flowVersionID)
        row.appendField(run.variationID)
        row.appendField(run.platform)
        row.appendField(run.appVersion)
        row.appendField(run.country)
        row.appendField(run.startedAt)
        row.appendField(run.endedAt)
        row.appendField(run.lastEventAt)
        row.appendField(run.completedAt != nil)
        row.appendField(run.completedAt)
        row.appendField(run.lastScreenID)
        row.appendField(Int32(clamping: run.path.count))
        row.appendField(bytea: answersJSON(run.answers))
        row.appendArray(run.path, of: .text) { $0.appendField($1.screen) }
        row.appendArray(run.path, of: .int4, hasNull: run.path.contains { $0.order == nil }) {
          $0.appendField($1.order)
        }
        row.appendArray(run.path, of: .boolean) { $0.appendField($1.isLast) }
        row.appendArray(run.path, of: .int8) {
          $0.appendField(($1.firstAt.microseconds - run.startedAt.microseconds) / 1000)
        }
        row.appendArray(
          run.path, of: .int8, hasNull: run.path.contains { $0.spentMilliseconds == nil }
        ) { $0.appendField($1.spentMilliseconds) }
        row.appendArray(run.path, of: .int4) { $0.appendField(Int32(clamping: $1.views)) }
        row.appendField(run.audienceName)
        row.appendField(run.audienceVersionID)
        row.appendField(run.clockAhead.map { $0 / 1000 })
      }
    }
  }
}
