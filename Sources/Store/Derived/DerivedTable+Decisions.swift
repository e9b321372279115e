internal import Core

extension DerivedTable {
  static let placementDecisions = DerivedTable(
    name: "placement_decisions",
    columns: [
      Column("profile_id", .text), Column("placement_id", .text), Column("audience", .text),
      Column("audience_version_id", .text), Column("flow_id", .text), Column("variation_id", .text),
      Column("variation_source", .text), Column("variation_reason", .text), Column("tags", .text),
    ],
    keyColumns: 2
  ) { outcome, _, rows in
    for decision in outcome.decisions {
      rows.append(columns: 9) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(decision.placementID)
      } rest: { row in
        row.appendField(decision.audience)
        row.appendField(decision.audienceVersionID)
        row.appendField(decision.flowID)
        row.appendField(decision.variationID)
        if let source = decision.variationSource {
          row.appendField(source.rawValue)
        } else {
          row.appendNull()
        }
        row.appendField(decision.variationReason)
        row.appendField(bytea: tagsJSON(decision.tags))
      }
    }
  }
}
