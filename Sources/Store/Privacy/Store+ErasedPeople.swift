internal import Core

/// Whom an erasure is about: whole people, by whichever of their ids, spelled however.
extension Store {
  /// The whole people that ids belong to, and what is stored of them.
  func find(_ asked: Set<Bytes>) throws -> (erasure: Erasure, ids: [Bytes]) {
    let name = schema.quoted
    let own = asked.filter { $0.hasPrefix(PeopleRules.customerPrefix) }.map(ProfileID.own)
    // Customer ids are stored as they came: a UUID in either letter case.
    let isCustomer = "customer_user_id = any($2) or lower(customer_user_id) = any($3)"
    let customerIDs = [Parameter.texts(own), .texts(own.filter { IDTraces([$0]).uuids == [$0] })]
    let customers = try connection.execute(
      "select profile_id from \(name).profiles where profile_id = any($1) or \(isCustomer)",
      [.texts([])] + customerIDs)
    let all = try everyID(
      of: asked.union((0..<customers.count).compactMap { customers.bytes($0, 0) }))
    let ids = all.sorted()

    var erasure = Erasure()
    erasure.ids = ids.count
    erasure.rows = try PersonTables(connection, schema).counts(of: ids)
      .map { Erasure.Rows(table: $0.table, rows: $0.rows) }
    let known = try connection.execute(
      """
      select
        (select count(*) from \(name).profiles where profile_id = any($1)),
        (select coalesce(sum(n), 0)::bigint from \(name).profile_events where profile_id = any($1)),
        (
          select count(*) from \(name).profiles as other
          where not other.profile_id = any($1) and other.customer_user_id in (
            select own.customer_user_id from \(name).profiles as own
            where own.profile_id = any($1)
          )
        )
      """, [.texts(ids)])
    erasure.people = Int(known.integer(0, 0) ?? 0)
    erasure.events = Int(known.integer(0, 1) ?? 0)
    erasure.sameCustomer = Int(known.integer(0, 2) ?? 0)
    let stored = try connection.execute(
      """
      select profile_id from \(name).profile_events where profile_id = any($1)
      union select profile_id from \(name).profile_aliases where profile_id = any($1)
      union select canonical_id from \(name).profile_aliases where canonical_id = any($1)
      union select profile_id from \(name).profiles where \(isCustomer)
      """, [.texts(ids)] + customerIDs)
    let held = Set((0..<stored.count).compactMap { stored.bytes($0, 0) }.map(ProfileID.folded))
    erasure.unknown =
      asked.filter { id in
        let isCustomer = id.hasPrefix(PeopleRules.customerPrefix)
        return !held.contains(id) && !(isCustomer && customers.count > 0)
      }.count
    return (erasure, ids)
  }

  /// All ids of the people that ids belong to, in every spelling that is stored.
  private func everyID(of asked: Set<Bytes>) throws -> Set<Bytes> {
    let tables = PeopleTables(connection: connection, schema: schema)
    var ids = asked
    while true {
      let canonical = try tables.people(of: ids.sorted()).canonical
      var more = ids.union(canonical.keys).union(canonical.values)
      more.formUnion(try setAside(mergedWith: more))
      more.formUnion(try spellings(of: more))
      guard more.count > ids.count else { return ids }
      ids = more
    }
  }

  /// Stored ids that are some of these but for the letter case of a UUID behind the prefix of another
  /// tool; all others have one spelling from their reading on.
  private func spellings(of ids: Set<Bytes>) throws -> Set<Bytes> {
    let mixed = ids.map(ProfileID.folded).filter { id in
      let own = ProfileID.own(id)
      return own.count < id.count && IDTraces([own]).uuids == [own]
    }
    guard !mixed.isEmpty else { return [] }
    let all = try PersonTables(connection, schema)
    let parts = all.tables.flatMap { table in
      table.idColumns.map {
        "select \"\($0)\" as id from \(all.from(table)) where lower(\"\($0)\") = any($1)"
      }
    }
    let rows = try connection.execute(parts.joined(separator: " union "), [.texts(mixed)])
    return Set((0..<rows.count).compactMap { rows.bytes($0, 0) })
  }

  /// Ids that are stored, or that stored events tell of, whose hashes are among some.
  func behind(_ hashes: Set<Bytes>) throws -> Set<Bytes> {
    guard !hashes.isEmpty else { return [] }
    let tombstones = try Tombstones(connection, schema, primitives)
    let aside = try connection.execute(
      "select profile_id from \(schema.quoted).quarantined_profiles")
    var found = tombstones.matching(
      hashes, among: Set((0..<aside.count).compactMap { aside.bytes($0, 0) }))
    try forEachSet(where: "true") { sets, damaged in
      var ids = Set(sets.map(\.profileID)).union(damaged.map(\.profileID))
      for set in sets {
        ids.formUnion(PeopleRules.idsNamed(by: set.copies, under: set.profileID))
      }
      found.formUnion(tombstones.matching(hashes, among: ids))
    }
    return Set(found.map(ProfileID.folded))
  }

  /// Those among whose events is one that tells of an id, and the sets of which nobody knows.
  ///
  /// The server looks for the ids' bytes, here their meaning is looked at: a text that happens to hold
  /// the same bytes is nobody's id. Where the ids are many, looking at everything costs less.
  func mentioning(
    _ ids: [Bytes], _ admission: Admission
  ) throws -> (telling: Set<Bytes>, damaged: [StoredSets.Damaged]) {
    let traces = IDTraces(ids)
    let own = Set(ids)
    var telling: Set<Bytes> = []
    var unknown: [StoredSets.Damaged] = []
    let (condition, parameters) = Self.condition(traces, ids)
    try forEachSet(where: condition, parameters) { sets, damaged in
      for set in sets where !own.contains(set.profileID) {
        if set.copies.contains(where: { admission.isErased($0, of: set.profileID) }) {
          telling.insert(set.profileID)
        }
      }
      unknown += damaged.filter { !own.contains($0.profileID) && traces.stand(in: $0.bytes) }
    }
    return (telling, unknown)
  }

  private static let mostTraces = 64

  private static func condition(
    _ traces: IDTraces, _ ids: [Bytes]
  ) -> (sql: String, parameters: [Parameter]) {
    guard traces.spelled.count + traces.uuids.count <= mostTraces else { return ("true", []) }
    let spelled = Parameter(.byteaArray) {
      $0.appendArray(traces.spelled, of: .bytea) { $0.appendField(bytea: $1.array) }
    }
    // Ids of other tools can stand in a text of JSON whose own escapes nobody has made canonical: it is
    // looked at where it has any.
    return (
      """
      (
        exists (
          select from unnest($2) as trace (bytes) where position(trace.bytes in stored.events) > 0
        )
        or cardinality($3) > 0 and exists (
          select
          from (
            select lower(encode(stored.events, 'escape') collate "C") as words offset 0
          ) as held
          cross join unnest($3) as trace (id)
          where position(trace.id in held.words) > 0
        )
        or $4 and position('"integration_ids":"'::bytea in stored.events) > 0
          and position('\\x5c5c'::bytea in stored.events) > 0
      )
      """,
      [spelled, .texts(traces.uuids), .boolean(ids.contains(where: ProfileID.isExternal))]
    )
  }

  /// Calls with stored sets, a page at a time.
  private func forEachSet(
    where condition: String, _ parameters: [Parameter] = [],
    _ body: ([EventSet], [StoredSets.Damaged]) throws -> Void
  ) throws {
    let stored = StoredSets(connection: connection, schema: schema)
    var last: Bytes = .empty
    while true {
      let found = try connection.execute(
        """
        select stored.profile_id from \(schema.quoted).profile_events as stored
        where stored.profile_id > $1 and \(condition)
        order by stored.profile_id limit 500
        """, [.text(last)] + parameters)
      let ids = (0..<found.count).compactMap { found.bytes($0, 0) }
      guard let end = ids.last else { return }
      let (sets, damaged) = try stored.fetchAll(ids)
      try body(sets, damaged)
      last = end
    }
  }
}
