internal import Core

/// Which events a profile's set may hold: the one place where erasure, retention and what a pipeline
/// drops are decided (SEMANTICS 2.3, 2.4, 6.3).
///
/// Pure in the copy of an event, the tombstones, the floor and the rules, so that what is in a set never
/// depends on the order in which all of them came: a copy that is barred is no member of the set.
struct Admission {
  /// Of the ids that were looked up, those with a tombstone, in their one spelling.
  var erased: Set<Bytes> = []
  /// Events before it are out, by their devices' uncorrected clocks; nil where nothing ever expired.
  var floor: Instant?
  /// For what is stored: the reader keeps such records from coming in.
  var privacy = PrivacyRules()

  private var letsAllIn: Bool { erased.isEmpty && floor == nil && privacy.isEmpty }

  /// Leaves out of incoming events what may not come in, each counted once.
  func admitted(_ events: [Event], of profileID: Bytes, _ sheet: inout JobSheet) -> [Event] {
    guard !letsAllIn else { return events }
    return events.filter { event in
      if isErased(event, of: profileID) {
        sheet.erased += 1
      } else if isExpired(event) {
        sheet.expired += 1
      } else {
        return true
      }
      return false
    }
  }

  /// Takes out of a set what may not stay in it; gives how many events that were.
  func trim(_ set: inout EventSet) -> Int {
    guard !letsAllIn else { return 0 }
    let profileID = set.profileID
    return set.remove {
      isErased($0, of: profileID) || isExpired($0) || privacy.refuses($0)
    }
  }

  func isExpired(_ event: Event) -> Bool { floor.map { event.occurredAt < $0 } ?? false }

  /// True for an event of an erased id, and for one that says of an erased id whose it is: it would
  /// bring the person back under another name.
  func isErased(_ event: Event, of profileID: Bytes) -> Bool {
    guard !erased.isEmpty else { return false }
    if erased.contains(ProfileID.folded(profileID)) { return true }
    return PeopleRules.idsNamed(by: [event], under: profileID)
      .contains { erased.contains(ProfileID.folded($0)) }
  }
}

extension Admission {
  /// Reads what counts for events that come in.
  ///
  /// One statement, and another one where anybody was ever erased.
  init(
    of incoming: [Bytes: [Event]], _ privacy: PrivacyRules, _ connection: Connection,
    _ schema: SchemaName, _ primitives: Primitives
  ) throws {
    self.privacy = privacy
    let name = schema.quoted
    let row = try connection.execute(
      """
      select
        (select max(floor_at) from \(name).retention_floors),
        (select key from \(name).erasure_key where exists (select from \(name).erasures))
      """)
    floor = row.instant(0, 0)
    guard !row.isNull(0, 1) else { return }
    let tombstones = Tombstones(
      connection: connection, schema: schema, key: row.array(0, 1), primitives: primitives)
    var ids = Set(incoming.keys)
    for (id, events) in incoming {
      ids.formUnion(PeopleRules.idsNamed(by: events, under: id))
    }
    erased = try tombstones.found(among: ids)
  }
}
