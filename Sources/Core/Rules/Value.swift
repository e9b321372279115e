/// The types of the rule language.
package enum ValueType: String, Hashable, Sendable {
  case number
  case text
  case boolean
  case timestamp
  case date
  /// A set of option ids.
  case choice
}

/// A value of the rule language; missing is `.null`, whatever the type.
package enum Value: Hashable, Sendable {
  case null
  /// Finite, never NaN, never negative zero.
  case number(Double)
  case text(Bytes)
  case boolean(Bool)
  case timestamp(Instant)
  case date(Day)
  /// Option ids, in the order the source gave.
  case choice([Bytes])

  package var isNull: Bool { if case .null = self { true } else { false } }
}
