internal import Core

/// Rows that were read under the lock are not as they were: someone wrote without it.
enum UnitConflict: Error {
  case rowsMoved
}

/// The table `profile_events`: each profile's set in one part.
struct StoredSets {
  let connection: Connection
  let schema: SchemaName

  struct Stored {
    let set: EventSet
    let digest: [UInt8]
  }

  /// Sets to be written: those of new profiles as rows, the others as updates.
  struct Writes {
    struct Update {
      let profileID: Bytes
      let set: Encoded
      let oldDigest: [UInt8]
    }

    struct Encoded {
      let events: [UInt8]
      let count: Int32
      let minAt: Instant
      let maxAt: Instant
      let digest: [UInt8]
    }

    var inserted = RowBuffer()
    var updates: [Update] = []
    /// Profiles that keep no event, with the digest of what they had.
    var emptied: [(profileID: Bytes, oldDigest: [UInt8])] = []

    /// Adds a set; false where it is the stored one after all.
    mutating func append(
      _ set: EventSet, replacing oldDigest: [UInt8]?, _ primitives: Primitives
    ) -> Bool {
      guard !set.events.isEmpty else {
        guard let oldDigest else { return false }
        emptied.append((set.profileID, oldDigest))
        return true
      }
      let events = set.encoded()
      // What `EventSet.digest` gives, without encoding twice.
      let digest = Array(primitives.sha256(events).prefix(16))
      guard digest != oldDigest else { return false }
      let times = set.copies.map(\.occurredAt)
      let encoded = Encoded(
        events: events, count: Int32(clamping: set.events.count),
        minAt: times.min() ?? .end, maxAt: times.max() ?? .end, digest: digest)
      if let oldDigest {
        updates.append(Update(profileID: set.profileID, set: encoded, oldDigest: oldDigest))
        return true
      }
      inserted.append(columns: 7) { row in
        row.appendField(set.profileID)
        row.appendField(Int16(0))
      } rest: { row in
        row.appendField(bytea: encoded.events)
        row.appendField(encoded.count)
        row.appendField(encoded.minAt)
        row.appendField(encoded.maxAt)
        row.appendField(bytea: encoded.digest)
      }
      return true
    }
  }

  struct Fetched {
    /// Those that have none are left out, and those that are set aside.
    var sets: [Bytes: Stored] = [:]
    /// Ids that are set aside.
    var quarantined: Set<Bytes> = []
  }

  /// Reads the sets of profiles.
  ///
  /// - Parameter unread: ids whose sets are left where they are: they may be damaged.
  /// - Throws: a ``DatabaseError``, ``UnreadableSet``, or a ``Problem`` for a newer codec.
  func fetch(_ ids: [Bytes], without unread: Set<Bytes> = []) throws -> Fetched {
    var fetched = Fetched()
    guard !ids.isEmpty else { return fetched }
    let name = schema.quoted
    let rows = try connection.execute(
      """
      select profile_id, null, null from \(name).quarantined_profiles where profile_id = any($1)
      union all
      select profile_id, events, digest from \(name).profile_events
      where profile_id = any($1) and part = 0
      """, [.texts(ids)])
    fetched.sets.reserveCapacity(rows.count)
    for row in 0..<rows.count where rows.bytes(row, 2) == nil {
      if let id = rows.bytes(row, 0) { fetched.quarantined.insert(id) }
    }
    for row in 0..<rows.count {
      guard let id = rows.bytes(row, 0), rows.bytes(row, 2) != nil,
        !fetched.quarantined.contains(id), !unread.contains(id)
      else { continue }
      fetched.sets[id] = Stored(
        set: try decode(rows.array(row, 1), of: id), digest: rows.array(row, 2))
    }
    return fetched
  }

  /// Reads the sets that are kept of profiles that are set aside, of all of them where no ids are given;
  /// those that do not decode are left out.
  func fetchSetAside(_ ids: [Bytes]? = nil) throws -> [Bytes: Stored] {
    let rows = try connection.execute(
      """
      select stored.profile_id, stored.events, stored.digest
      from \(schema.quoted).quarantined_profiles as aside
      join \(schema.quoted).profile_events as stored on stored.profile_id = aside.profile_id
      where stored.part = 0 and ($1 or aside.profile_id = any($2))
      """, [.boolean(ids == nil), .texts(ids ?? [])])
    var sets: [Bytes: Stored] = [:]
    for row in 0..<rows.count {
      guard let id = rows.bytes(row, 0) else { continue }
      do {
        sets[id] = Stored(
          set: try decode(rows.array(row, 1), of: id), digest: rows.array(row, 2))
      } catch is UnreadableSet {
        continue
      }
    }
    return sets
  }

  struct Damaged {
    let profileID: Bytes
    let bytes: [UInt8]
    let count: Int
    let isSetAside: Bool
  }

  /// Reads the sets of ids, set aside or not, and the bytes of those that do not decode.
  func fetchAll(_ ids: [Bytes]) throws -> (sets: [EventSet], damaged: [Damaged]) {
    let name = schema.quoted
    let rows = try connection.execute(
      """
      select profile_id, events, n, profile_id in (
        select aside.profile_id from \(name).quarantined_profiles as aside
      )
      from \(name).profile_events
      where profile_id = any($1) and part = 0
      """, [.texts(ids)])
    var sets: [EventSet] = []
    var damaged: [Damaged] = []
    for row in 0..<rows.count {
      guard let id = rows.bytes(row, 0) else { continue }
      let bytes = rows.array(row, 1)
      do { sets.append(try decode(bytes, of: id)) } catch is UnreadableSet {
        damaged.append(
          Damaged(
            profileID: id, bytes: bytes, count: Int(rows.integer(row, 2) ?? 0),
            isSetAside: rows.boolean(row, 3) == true))
      }
    }
    return (sets, damaged)
  }

  /// Decodes a stored set.
  ///
  /// - Throws: ``UnreadableSet``, or a ``Problem`` for a newer codec, which names no profile: an id can
  ///   be an e-mail address.
  func decode(_ bytes: [UInt8], of id: Bytes) throws -> EventSet {
    do {
      return try EventSet.decode(bytes, profileID: id)
    } catch {
      switch error {
      case .unknownCodec(let codec):
        throw Problem(
          .tryAgain, at: "schema \(schema.name)", "holds events that this program cannot read",
          because: "their encoding is version \(codec)", next: "use the newer program")
      default:
        throw UnreadableSet(profileID: id)
      }
    }
  }

  /// Writes sets; a present one only where it is still the one that was read.
  func write(_ writes: Writes) throws {
    if !writes.inserted.isEmpty {
      _ = try connection.copyIn(
        """
        copy \(schema.quoted).profile_events
          (profile_id, part, events, n, min_at, max_at, digest)
        from stdin (format binary)
        """
      ) { put in try writes.inserted.bytes.withUnsafeBytes(put) }
    }
    if !writes.emptied.isEmpty { try delete(writes.emptied) }
    var rest = writes.updates[...]
    while !rest.isEmpty {
      // Parameters are held several times in memory on their way: about 16 MB at once is enough.
      var size = 0
      let chunk = rest.prefix {
        size += $0.set.events.count
        return size - $0.set.events.count < 16 << 20
      }
      try update(chunk)
      rest = rest[chunk.endIndex...]
    }
  }

  private func delete(_ emptied: [(profileID: Bytes, oldDigest: [UInt8])]) throws {
    let done = try connection.execute(
      """
      delete from \(schema.quoted).profile_events as present
      using unnest($1, $2) as gone (profile_id, old_digest)
      where present.profile_id = gone.profile_id and present.part = 0
        and present.digest = gone.old_digest
      """,
      [
        .texts(emptied.map(\.profileID)),
        Parameter(.byteaArray) {
          $0.appendArray(emptied, of: .bytea) { $0.appendField(bytea: $1.oldDigest) }
        },
      ])
    guard done.affected == emptied.count else { throw UnitConflict.rowsMoved }
  }

  private func update(_ updates: ArraySlice<Writes.Update>) throws {
    func array(
      _ type: SQLType, of element: SQLType, _ append: (inout [UInt8], Writes.Update) -> Void
    ) -> Parameter {
      Parameter(type) { $0.appendArray(updates, of: element, appending: append) }
    }
    let done = try connection.execute(
      """
      update \(schema.quoted).profile_events as present
      set events = new.events, n = new.n, min_at = new.min_at, max_at = new.max_at,
        digest = new.digest
      from unnest($1, $2, $3, $4, $5, $6, $7)
        as new (profile_id, events, n, min_at, max_at, digest, old_digest)
      where present.profile_id = new.profile_id and present.part = 0
        and present.digest = new.old_digest
      """,
      [
        array(.textArray, of: .text) { $0.appendField($1.profileID) },
        array(.byteaArray, of: .bytea) { $0.appendField(bytea: $1.set.events) },
        array(.int4Array, of: .int4) { $0.appendField($1.set.count) },
        array(.timestamptzArray, of: .timestamptz) { $0.appendField($1.set.minAt) },
        array(.timestamptzArray, of: .timestamptz) { $0.appendField($1.set.maxAt) },
        array(.byteaArray, of: .bytea) { $0.appendField(bytea: $1.set.digest) },
        array(.byteaArray, of: .bytea) { $0.appendField(bytea: $1.oldDigest) },
      ])
    guard done.affected == updates.count else { throw UnitConflict.rowsMoved }
  }
}
