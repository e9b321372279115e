internal import Core

/// The tables that say which ids are one person's: `profile_links`, `profile_aliases` and
/// `ununited_profiles`.
///
/// A row is written only under the locks of all ids it names, so what is read of an id under its lock
/// does not move.
struct PeopleTables {
  let connection: Connection
  let schema: SchemaName

  struct LinkRow: Hashable, Comparable {
    /// The id whose events state the link.
    let profileID: Bytes
    let link: ProfileLink

    static func < (left: LinkRow, right: LinkRow) -> Bool {
      (left.profileID, left.link) < (right.profileID, right.link)
    }
  }

  struct Known {
    /// Of every alias of a person who has one of the ids: the id that stands for them.
    var canonical: [Bytes: Bytes] = [:]
    /// By profile id: the links that its events state.
    var links: [Bytes: Set<ProfileLink>] = [:]
  }

  /// What is known of ids: the whole person of each, and the links that each states.
  ///
  /// One statement, which finds nothing for the many people of one id.
  func people(of ids: [Bytes]) throws -> Known {
    let name = schema.quoted
    let rows = try connection.execute(
      """
      select alias.profile_id, alias.canonical_id, null, null
      from \(name).profile_aliases as alias
      where alias.canonical_id = any($1)
      union all
      select alias.profile_id, alias.canonical_id, null, null
      from \(name).profile_aliases as own
      join \(name).profile_aliases as alias on alias.canonical_id = own.canonical_id
      where own.profile_id = any($1)
      union all
      select link.profile_id, link.from_id, link.into_id, link.origin
      from \(name).profile_links as link
      where link.profile_id = any($1)
      """, [.texts(ids)])
    var known = Known()
    for row in 0..<rows.count {
      guard let id = rows.bytes(row, 0), let second = rows.bytes(row, 1) else { continue }
      guard let into = rows.bytes(row, 2) else {
        known.canonical[id] = second
        continue
      }
      guard let origin = rows.text(row, 3).flatMap(ProfileLink.Origin.init(rawValue:)),
        let link = ProfileLink(from: second, into: into, origin)
      else { continue }
      known.links[id, default: []].insert(link)
    }
    return known
  }

  /// The ids that links name together with these.
  ///
  /// - Parameters:
  ///   - ids: any number.
  ///   - limit: of an id's neighbours in each direction, the smallest of them; nil for all.
  /// - Returns: pairs of one of the ids and a neighbour.
  func neighbours(of ids: [Bytes], limit: Int?) throws -> [(id: Bytes, other: Bytes)] {
    let name = schema.quoted
    let some = limit.map { "limit \($0)" } ?? ""
    let rows = try connection.execute(
      """
      select asked.id, link.other
      from unnest($1) as asked (id)
      cross join lateral (
        (
          select distinct into_id as other from \(name).profile_links
          where from_id = asked.id order by into_id \(some)
        )
        union all
        (
          select distinct from_id as other from \(name).profile_links
          where into_id = asked.id order by from_id \(some)
        )
      ) as link
      """, [.texts(ids)])
    return (0..<rows.count).compactMap { row in
      guard let id = rows.bytes(row, 0), let other = rows.bytes(row, 1) else { return nil }
      return (id, other)
    }
  }

  /// Those of the ids that a merge gave up for another.
  func givenUp(among ids: [Bytes]) throws -> Set<Bytes> {
    try column(
      """
      select distinct from_id from \(schema.quoted).profile_links
      where from_id = any($1) and origin = 'profile_merged'
      """, ids)
  }

  /// Those of the ids that are kept apart: links of too many name them.
  func ununited(among ids: [Bytes]) throws -> Set<Bytes> {
    try column(
      "select profile_id from \(schema.quoted).ununited_profiles where profile_id = any($1)", ids)
  }

  private func column(_ sql: String, _ ids: [Bytes]) throws -> Set<Bytes> {
    guard !ids.isEmpty else { return [] }
    let rows = try connection.execute(sql, [.texts(ids)])
    return Set((0..<rows.count).compactMap { rows.bytes($0, 0) })
  }

  // MARK: Writing

  func write(added: [LinkRow], removed: [LinkRow]) throws {
    let columns = "(profile_id, from_id, into_id, origin)"
    if !removed.isEmpty {
      let done = try connection.execute(
        """
        delete from \(schema.quoted).profile_links as link
        using unnest($1, $2, $3, $4) as gone \(columns)
        where link.profile_id = gone.profile_id and link.from_id = gone.from_id
          and link.into_id = gone.into_id and link.origin = gone.origin
        """, parameters(removed))
      guard done.affected == removed.count else { throw UnitConflict.rowsMoved }
    }
    if !added.isEmpty {
      try connection.execute(
        """
        insert into \(schema.quoted).profile_links \(columns)
        select * from unnest($1, $2, $3, $4)
        """, parameters(added))
    }
  }

  private func parameters(_ rows: [LinkRow]) -> [Parameter] {
    [
      .texts(rows.map(\.profileID)), .texts(rows.map(\.link.fromID)),
      .texts(rows.map(\.link.intoID)), .texts(rows.map { Bytes($0.link.origin.rawValue) }),
    ]
  }

  /// Writes aliases; one that stands for another id now is in both lists.
  func write(added: [(id: Bytes, canonical: Bytes)], removed: [Bytes]) throws {
    if !removed.isEmpty {
      let done = try connection.execute(
        "delete from \(schema.quoted).profile_aliases where profile_id = any($1)",
        [.texts(removed)])
      guard done.affected == removed.count else { throw UnitConflict.rowsMoved }
    }
    if !added.isEmpty {
      try connection.execute(
        """
        insert into \(schema.quoted).profile_aliases (profile_id, canonical_id)
        select * from unnest($1, $2)
        """, [.texts(added.map(\.id)), .texts(added.map(\.canonical))])
    }
  }

  /// Writes who is kept apart.
  func write(apart: [Bytes], noLonger: [Bytes]) throws {
    if !noLonger.isEmpty {
      try connection.execute(
        "delete from \(schema.quoted).ununited_profiles where profile_id = any($1)",
        [.texts(noLonger)])
    }
    if !apart.isEmpty {
      try connection.execute(
        "insert into \(schema.quoted).ununited_profiles (profile_id) select unnest($1)",
        [.texts(apart)])
    }
  }
}
