internal import Core

/// What one unit is asked to do.
struct UnitWork {
  /// Events by profile, in any order; all profiles belong to the unit's shards.
  var incoming: [Bytes: [Event]] = [:]
  /// Who is derived anew besides those whose events changed.
  var refold = Refold.none
  /// Of them at most.
  var refoldLimit = 2000
  /// Those of them that need it no more.
  var done: Set<Bytes> = []
  /// Ids of any locked shard that are derived anew whoever waits.
  var also: Set<Bytes> = []
  /// Leaves profiles alone whose people reach into shards that are not locked.
  var staysInShard = false
  /// What the pipeline drops, for what was stored before it did.
  var privacy = PrivacyRules()
  /// Ids that are set aside with all their events.
  var quarantining: [Bytes: QuarantineReason] = [:]
  /// Ids that were set aside and are no more.
  var releasing: Set<Bytes> = []
}

/// The database refused what a unit wrote, or a stored set does not decode: doing it again cannot help.
struct RefusedUnit: Error {
  let cause: any Error
  /// The ids it worked for.
  let ids: Set<Bytes>

  /// What is wrong with one of its ids, if it has but one.
  func reason(for id: Bytes) -> QuarantineReason {
    if let error = cause as? DatabaseError { return .refused(sqlState: error.sqlState) }
    return .unreadable
  }

  func problem(at place: String, _ what: String, _ schema: SchemaName) -> any Error {
    if let error = cause as? DatabaseError { return error.problem(at: place, what) }
    return (cause as? UnreadableSet)?.problem(schema) ?? cause
  }
}
