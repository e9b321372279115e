internal import Core

extension DerivedTable {
  /// Where `next_placement_id` lies, for counting what changed.
  static let nextPlacementColumn = 19

  static let profiles = DerivedTable(
    name: "profiles",
    columns: [
      Column("profile_id", .text), Column("shard", .int2), Column("events", .int4),
      Column("events_ahead", .int4), Column("first_event_at", .timestamptz),
      Column("last_event_at", .timestamptz), Column("platform", .text),
      Column("app_version", .text), Column("os_version", .text), Column("device", .text),
      Column("locale", .text), Column("time_zone", .text), Column("country", .text),
      Column("store_country", .text), Column("customer_user_id", .text),
      Column("environment", .text), Column("is_test_user", .boolean),
      Column("installed_at", .timestamptz), Column("next_review_at", .timestamptz),
      Column("next_placement_id", .text), Column("next_because", .text),
      Column("next_store_messages", .textArray), Column("missing_keys", .textArray),
      Column("missing_reasons", .textArray), Column("missing_since", .timestamptzArray),
      Column("missing_run_ids", .textArray), Column("events_corrected", .int4),
      Column("overfull_sessions", .textArray), Column("overfull_session_runs", .int4Array),
    ],
    keyColumns: 1
  ) { outcome, shard, rows in
    let profile = outcome.profile
    let missing = outcome.attributes.compactMap { attribute -> MissingAttribute? in
      guard case .absent(let reason) = attribute.value else { return nil }
      return MissingAttribute(attribute, reason)
    }
    rows.append(columns: 29) { row in
      row.appendField(profile.profileID)
    } rest: { row in
      row.appendField(Int16(shard.number))
      row.appendField(Int32(clamping: profile.events))
      row.appendField(Int32(clamping: profile.eventsAhead))
      row.appendField(profile.firstEventAt)
      row.appendField(profile.lastEventAt)
      for key in [
        ContextKey.platform, .appVersion, .osVersion, .device, .locale, .timeZone, .country,
        .storeCountry, .customerUserID, .environment,
      ] {
        row.appendField(profile.latest[key])
      }
      row.appendField(profile.latest[.isTestUser].map { $0 == "true" })
      row.appendField(
        profile.latest[.installedAt].flatMap { Int64($0.string) }.map(Instant.init(microseconds:)))
      row.appendField(profile.nextReviewAt)
      row.appendField(profile.next.placementID)
      row.appendField(profile.next.because)
      row.appendArray(profile.next.storeMessages, of: .text) { $0.appendField($1) }
      row.appendArray(missing, of: .text) { $0.appendField($1.attribute.key) }
      row.appendArray(missing, of: .text) { $0.appendField($1.reason.rawValue) }
      row.appendArray(missing, of: .timestamptz) { $0.appendField($1.attribute.setAt) }
      row.appendArray(
        missing, of: .text, hasNull: missing.contains { $0.attribute.runID == nil }
      ) { $0.appendField($1.attribute.runID) }
      row.appendField(Int32(clamping: profile.eventsCorrected))
      let overfull = profile.overfullSessions
      row.appendArray(overfull, of: .text) { $0.appendField($1.sessionID) }
      row.appendArray(overfull, of: .int4) { $0.appendField(Int32(clamping: $1.runs)) }
    }
  }

  private struct MissingAttribute {
    let attribute: AttributeOutcome
    let reason: AbsenceReason

    init(_ attribute: AttributeOutcome, _ reason: AbsenceReason) {
      self.attribute = attribute
      self.reason = reason
    }
  }
}
