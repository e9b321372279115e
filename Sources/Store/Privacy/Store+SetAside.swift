internal import Core

extension Store {
  /// Takes out of the sets that are kept of quarantined profiles what may not stay in them.
  ///
  /// A unit does so for all others; nothing follows from these. Runs in the transaction at hand, under
  /// the schema's exclusive lock.
  ///
  /// - Returns: how many events went.
  func trimSetAside(_ admission: Admission) throws -> Int {
    try StoredSets(connection: connection, schema: schema).trimSetAside(admission, primitives)
  }

  /// Ids that were set aside whose kept events merge them with one of the ids: the links of who counts
  /// are in tables, theirs are not.
  func setAside(mergedWith ids: Set<Bytes>) throws -> Set<Bytes> {
    let kept = try StoredSets(connection: connection, schema: schema).fetchSetAside()
    let links = kept.mapValues { stored in
      PeopleRules().links(
        of: stored.set.copies, under: stored.set.profileID, asOf: .end
      ).ends
    }
    var found: Set<Bytes> = []
    while true {
      let known = ids.union(found)
      let more = links.filter { id, ends in
        !known.contains(id) && !ends.isDisjoint(with: known)
      }
      guard !more.isEmpty else { return found }
      found.formUnion(more.keys)
    }
  }
}

extension StoredSets {
  /// Takes out of the sets that are kept of ids that are set aside what may not stay in them.
  ///
  /// Of all of them where no ids are given. Those that do not decode stay as they are.
  ///
  /// - Returns: how many events went.
  func trimSetAside(
    _ admission: Admission, of ids: [Bytes]? = nil, _ primitives: Primitives
  ) throws -> Int {
    var writes = Writes()
    var removed = 0
    for kept in try fetchSetAside(ids).values {
      var set = kept.set
      let count = admission.trim(&set)
      guard count > 0, writes.append(set, replacing: kept.digest, primitives) else { continue }
      removed += count
    }
    try write(writes)
    return removed
  }
}
