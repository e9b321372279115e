package import Core

/// What lies before a retention floor.
package struct Expiry: Hashable, Sendable {
  /// The floor in force; nil where there was never one.
  package var inForce: Instant?
  /// Stored events that are older than the floor asked about.
  package var events = 0
  /// Ids that would keep none of their events, and those that would keep some.
  package var emptied = 0
  package var shortened = 0
}

extension Store {
  /// Tells what a floor would take, writing nothing.
  package func planExpiry(before floor: Instant) throws -> Expiry {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in
      try connection.transaction(Self.beginReading) {
        let name = schema.quoted
        let whole = try connection.execute(
          """
          select
            (select max(floor_at) from \(name).retention_floors),
            (select count(*) from \(name).profile_events where max_at < $1),
            (select coalesce(sum(n), 0)::bigint from \(name).profile_events where max_at < $1)
          """, [.timestamptz(floor)])
        var expiry = Expiry(
          inForce: whole.instant(0, 0), events: Int(whole.integer(0, 2) ?? 0),
          emptied: Int(whole.integer(0, 1) ?? 0))
        // Of the others only the events themselves can tell.
        var last: Bytes = .empty
        let stored = StoredSets(connection: connection, schema: schema)
        while true {
          let rows = try connection.execute(
            """
            select profile_id from \(name).profile_events
            where min_at < $1 and max_at >= $1 and profile_id > $2
            order by profile_id limit 500
            """, [.timestamptz(floor), .text(last)])
          let ids = (0..<rows.count).compactMap { rows.bytes($0, 0) }
          guard let end = ids.last else { return expiry }
          expiry.shortened += ids.count
          for set in try stored.fetch(ids).sets.values {
            expiry.events += set.set.copies.count { $0.occurredAt < floor }
          }
          last = end
        }
      }
    }
  }

  /// Puts a retention floor in force: from then on no older event is let in, and every profile that has
  /// one waits to be derived without it.
  ///
  /// One transaction under the schema's exclusive lock. Whoever works off what waits, this command or
  /// the next job, does the rest: killed in between, nothing is lost.
  ///
  /// - Parameter floor: one that is not later than the floor in force changes nothing.
  /// - Returns: the floor in force now.
  /// - Throws: a ``Problem``.
  @discardableResult
  package func expire(before floor: Instant) throws -> Instant {
    try retrying(at: "schema \(schema.name)", "cannot expire events") { _ in
      _ = try beginExclusively()
      let name = schema.quoted
      let row = try connection.execute(
        "select max(floor_at) from \(name).retention_floors")
      if let inForce = row.instant(0, 0), inForce >= floor {
        connection.rollback()
        return inForce
      }
      try connection.execute(
        "insert into \(name).retention_floors (floor_at) values ($1)", [.timestamptz(floor)])
      try connection.execute(
        """
        with older as (
          select distinct coalesce(alias.canonical_id, stored.profile_id) as profile_id
          from \(name).profile_events as stored
          left join \(name).profile_aliases as alias on alias.profile_id = stored.profile_id
          where stored.min_at < $1
        ), waiting as (
          update \(name).profiles as profile
          set next_review_at = '-infinity'
          from older
          where profile.profile_id = older.profile_id
          returning profile.shard
        )
        update \(name).shard_state as state
        set min_review_at = '-infinity'
        where state.shard in (select waiting.shard from waiting)
        """, [.timestamptz(floor)])
      var admission = Admission()
      admission.floor = floor
      _ = try trimSetAside(admission)
      try connection.commit()
      return floor
    }
  }
}
