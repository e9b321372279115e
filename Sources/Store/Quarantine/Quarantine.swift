package import Core

/// Why an id is set aside with all its events (SEMANTICS 2.3, 3.6).
package enum QuarantineReason: Hashable, Sendable {
  /// Beyond `max_events`: the stored ones are dropped, and the row stands for them.
  case tooManyEvents
  /// The database refuses what it sent, or what follows from it.
  case refused(sqlState: String)
  /// What is stored of it cannot be decoded.
  case unreadable

  /// The word in `quarantined_profiles.reason` and in counts.
  package var word: String {
    switch self {
    case .tooManyEvents: "too_many_events"
    case .refused: "refused"
    case .unreadable: "unreadable"
    }
  }

  var sqlState: String? {
    if case .refused(let state) = self { state } else { nil }
  }
}

/// A stored set that does not decode.
struct UnreadableSet: Error {
  let profileID: Bytes

  /// Names no profile: an id can be an e-mail address.
  func problem(_ schema: SchemaName) -> Problem {
    Problem(
      .bug, at: "schema \(schema.name), table profile_events", "holds damaged events",
      because: "a stored set cannot be decoded",
      next: "the next job that meets it sets its profile aside: `sluice report quarantine`")
  }
}

/// The table `quarantined_profiles`; a row is written under the lock of its id's shard.
struct QuarantineTable {
  let connection: Connection
  let schema: SchemaName

  /// - Throws: ``UnitConflict`` where one of them was set aside by someone without the lock.
  func add(_ profiles: [Bytes: QuarantineReason], _ jobID: Int64) throws {
    guard !profiles.isEmpty else { return }
    let rows = profiles.sorted { $0.key < $1.key }
    let done = try connection.execute(
      """
      insert into \(schema.quoted).quarantined_profiles (profile_id, reason, sqlstate, job_id)
      select new.id, new.reason, nullif(new.sqlstate, ''), $4
      from unnest($1, $2, $3) as new (id, reason, sqlstate)
      on conflict (profile_id) do nothing
      """,
      [
        .texts(rows.map(\.key)), .texts(rows.map { Bytes($0.value.word) }),
        .texts(rows.map { Bytes($0.value.sqlState ?? "") }), .int8(jobID),
      ])
    guard done.affected == rows.count else { throw UnitConflict.rowsMoved }
    let dropped = rows.filter { $0.value == .tooManyEvents }.map(\.key)
    guard !dropped.isEmpty else { return }
    try connection.execute(
      "delete from \(schema.quoted).profile_events where profile_id = any($1)", [.texts(dropped)])
  }

  /// - Returns: false where none of them was set aside.
  @discardableResult
  func remove(_ ids: Set<Bytes>) throws -> Bool {
    guard !ids.isEmpty else { return false }
    let done = try connection.execute(
      "delete from \(schema.quoted).quarantined_profiles where profile_id = any($1)",
      [.texts(ids.sorted())])
    return done.affected > 0
  }
}

extension Store {
  /// Why an id is set aside; nil where it is not.
  ///
  /// - Returns: the word and the SQLSTATE, as the table holds them.
  package func quarantine(of id: Bytes) throws -> (reason: String, sqlState: String?)? {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in
      let rows = try connection.execute(
        """
        select reason, sqlstate from \(schema.quoted).quarantined_profiles where profile_id = $1
        """, [.text(id)])
      return rows.count == 1 ? (rows.text(0, 0) ?? "", rows.text(0, 1)) : nil
    }
  }
}
