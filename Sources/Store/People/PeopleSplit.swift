internal import Core

/// How the ids around changed links fall into people.
struct PeopleSplit {
  /// Ids of one person each, ascending; a person of one id too.
  private(set) var people: [[Bytes]] = []
  /// Ids that are kept apart from now on: they were not before, and have no person but themselves.
  private(set) var apart: Set<Bytes> = []
  /// Ids that were kept apart and are not any more.
  private(set) var noLongerApart: Set<Bytes> = []
  /// Ids whose links this rests on; all must be locked for it to be true.
  private(set) var read: Set<Bytes> = []

  /// Reads how ids fall into people, given the links as they stand in the table.
  ///
  /// A group of links is followed until it is known whole or known to be too large, so that an id
  /// that a million profiles share costs no more than one that 33 do.
  ///
  /// - Parameters:
  ///   - ends: both ends of every link that came or went. Wherever people change, there is one: a part
  ///     that falls off had a link that went, and two that come together have one that came.
  ///   - tables: as they will be when the transaction ends.
  /// - Throws: a ``DatabaseError``.
  init(around ends: Set<Bytes>, _ tables: PeopleTables) throws {
    var components = Components()
    for id in ends { components.insert(id) }
    var frontier = ends
    while !frontier.isEmpty {
      read.formUnion(frontier)
      let found = try tables.neighbours(of: frontier.sorted(), limit: Components.largest + 1)
      for (id, other) in found { components.unite(id, other) }
      frontier = Set(
        components.ids.filter {
          !read.contains($0) && components.size(of: $0) <= Components.largest
        })
    }
    let ununited = try tables.ununited(among: Array(components.ids))
    for group in components.groups where group.count <= Components.largest {
      people.append(group)
      noLongerApart.formUnion(group.filter { ununited.contains($0) })
    }
    try keepApart(
      ends.filter { components.size(of: $0) > Components.largest && !ununited.contains($0) },
      tables)
  }

  /// Keeps ids of a group that has become too large apart, with all that hang on them.
  ///
  /// Those that were apart before are not walked through: around them nothing changes. So this reaches
  /// the 32 ids of a person that was, at most, besides the ids that came now.
  private mutating func keepApart(_ ids: Set<Bytes>, _ tables: PeopleTables) throws {
    var frontier = ids
    while !frontier.isEmpty {
      apart.formUnion(frontier)
      let found = Set(try tables.neighbours(of: frontier.sorted(), limit: nil).map(\.other))
        .subtracting(apart)
      frontier = found.subtracting(try tables.ununited(among: found.sorted()))
    }
    read.formUnion(apart)
  }
}
