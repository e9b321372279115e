package import Core

/// Who is to be erased.
package struct ErasureRequest: Hashable, Sendable {
  /// Ids of people: of any of a person's ids, the whole person goes.
  package var ids: Set<Bytes>

  /// An id that begins with `cu:` is one that the app's owner gave to a person.
  ///
  /// Ids that look like UUIDs are taken in lower case, as they are read.
  package init(ids: some Sequence<Bytes>) {
    self.ids = Set(
      ids.map { id in
        guard id.hasPrefix(PeopleRules.customerPrefix) else { return id.withLowercaseUUID }
        let own = id[PeopleRules.customerPrefix.count..<id.count].withLowercaseUUID
        return Bytes(PeopleRules.customerPrefix.array + own.array)
      })
  }

  /// What events say of the app's own ids, in the spellings that ids come in.
  var customerIDs: [Bytes] {
    ids.filter { $0.hasPrefix(PeopleRules.customerPrefix) }
      .flatMap { id in spellings(of: id[PeopleRules.customerPrefix.count..<id.count]) }
  }
}

/// An id as it is, and a UUID also in capitals.
func spellings(of id: Bytes) -> [Bytes] {
  let capitals = id.uppercasedASCII
  return capitals != id && capitals.withLowercaseUUID == id ? [id, capitals] : [id]
}

/// What an erasure removes or has removed: counts alone, no value and no id.
package struct Erasure: Hashable, Sendable {
  package struct Rows: Hashable, Sendable {
    package let table: String
    package let rows: Int
  }

  /// People of whom something is stored.
  package var people = 0
  /// Their ids, and those that nothing is stored of.
  package var ids = 0
  /// Ids that were asked for and of which nothing is stored.
  package var unknown = 0
  /// By table, ascending; tables without a row of theirs are left out.
  package var rows: [Rows] = []
  /// Their stored events.
  package var events = 0
  /// Events of others that tell of them, and go too; known once it is done.
  package var mentions = 0
  /// Other profiles whose latest customer id is one of theirs; they stay.
  package var sameCustomer = 0

  package init() {}
}
