internal import Core

extension DerivedTable {
  static let customAttributes = DerivedTable(
    name: "custom_attributes",
    columns: [
      Column("profile_id", .text), Column("key", .text), Column("value_number", .float8),
      Column("value_text", .text), Column("set_at", .timestamptz), Column("run_id", .text),
    ],
    keyColumns: 2
  ) { outcome, _, rows in
    for attribute in outcome.attributes where attribute.value.isPresent {
      rows.append(columns: 6) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(attribute.key)
      } rest: { row in
        row.appendFields(of: attribute.value)
        row.appendField(attribute.setAt)
        row.appendField(attribute.runID)
      }
    }
  }

  static let attributeHistory = DerivedTable(
    name: "attribute_history",
    columns: [
      Column("profile_id", .text), Column("key", .text), Column("from_at", .timestamptz),
      Column("to_at", .timestamptz), Column("value_number", .float8), Column("value_text", .text),
    ],
    keyColumns: 3
  ) { outcome, _, rows in
    for interval in outcome.attributeHistory where interval.value.isPresent {
      rows.append(columns: 6) { row in
        row.appendField(outcome.profile.profileID)
        row.appendField(interval.key)
        row.appendField(interval.from)
      } rest: { row in
        row.appendField(interval.to)
        row.appendFields(of: interval.value)
      }
    }
  }
}

extension AttributeOutcome.Value {
  fileprivate var isPresent: Bool {
    switch self {
    case .number, .text: true
    case .absent: false
    }
  }
}

extension Array where Element == UInt8 {
  /// Two fields: `value_number` and `value_text`.
  fileprivate mutating func appendFields(of value: AttributeOutcome.Value) {
    switch value {
    case .number(let number):
      // Minus zero equals zero and is never stored (SEMANTICS 7.2); adding zero turns it.
      appendField(number + 0)
      appendNull()
    case .text(let text):
      appendNull()
      appendField(text)
    case .absent:
      appendNull()
      appendNull()
    }
  }
}
