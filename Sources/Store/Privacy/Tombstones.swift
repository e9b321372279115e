internal import Core

/// The table `erasures`: a keyed hash of each id that must not come back.
struct Tombstones {
  let connection: Connection
  let schema: SchemaName
  /// Of this schema alone; in a table that only who writes may read.
  let key: [UInt8]
  let primitives: Primitives

  init(connection: Connection, schema: SchemaName, key: [UInt8], primitives: Primitives) {
    self.connection = connection
    self.schema = schema
    self.key = key
    self.primitives = primitives
  }

  /// Reads the key.
  init(_ connection: Connection, _ schema: SchemaName, _ primitives: Primitives) throws {
    let row = try connection.execute("select key from \(schema.quoted).erasure_key")
    guard row.count == 1 else {
      throw Problem(
        .bug, at: "schema \(schema.name), table erasure_key", "holds no key",
        because: "its row was deleted by hand",
        next: "bring it back from a backup: without it nobody knows who was erased")
    }
    self.init(
      connection: connection, schema: schema, key: row.array(0, 0), primitives: primitives)
  }

  /// Tells lists of hashes that were made under another key.
  var check: [UInt8] {
    Array(KeyedHash.hmac(key: key, Array("sluice erasures".utf8), primitives)[..<16])
  }

  /// Of an id in its one spelling.
  private func hash(_ id: Bytes) -> [UInt8] {
    KeyedHash.hmac(key: key, ProfileID.folded(id).array, primitives)
  }

  /// By hash the ids in their one spelling; earlier versions hashed ids as they came.
  private func byHash(_ ids: Set<Bytes>) -> [Bytes: Bytes] {
    var result: [Bytes: Bytes] = [:]
    for id in ids {
      let folded = ProfileID.folded(id)
      result[Bytes(hash(id))] = folded
      if folded != id { result[Bytes(KeyedHash.hmac(key: key, id.array, primitives))] = folded }
    }
    return result
  }

  /// Those of the ids that have one, in their one spelling.
  func found(among ids: Set<Bytes>) throws -> Set<Bytes> {
    guard !ids.isEmpty else { return [] }
    let byHash = byHash(ids)
    let rows = try connection.execute(
      "select id_hash from \(schema.quoted).erasures where id_hash = any($1)",
      [hashes(byHash.keys.map(\.array))])
    return Set((0..<rows.count).compactMap { rows.bytes($0, 0).flatMap { byHash[$0] } })
  }

  /// Those of the ids whose hash is among some, as they are spelled.
  func matching(_ wanted: Set<Bytes>, among ids: Set<Bytes>) -> Set<Bytes> {
    ids.filter { !Set(byHash([$0]).keys).isDisjoint(with: wanted) }
  }

  /// Leaves one for each id; gives how many are new.
  @discardableResult
  func leave(_ ids: Set<Bytes>) throws -> Int {
    try leave(hashes: Set(ids.map { Bytes(hash($0)) }))
  }

  @discardableResult
  func leave(hashes wanted: Set<Bytes>) throws -> Int {
    guard !wanted.isEmpty else { return 0 }
    return try connection.execute(
      """
      insert into \(schema.quoted).erasures (id_hash) select unnest($1)
      on conflict (id_hash) do nothing
      """, [hashes(wanted.sorted().map(\.array))]
    ).affected
  }

  /// Takes those of ids away; gives the ids that had one, in their one spelling.
  func lift(_ ids: Set<Bytes>) throws -> Set<Bytes> {
    guard !ids.isEmpty else { return [] }
    let byHash = byHash(ids)
    let rows = try connection.execute(
      "delete from \(schema.quoted).erasures where id_hash = any($1) returning id_hash",
      [hashes(byHash.keys.map(\.array))])
    return Set((0..<rows.count).compactMap { rows.bytes($0, 0).flatMap { byHash[$0] } })
  }

  /// All of them, ascending.
  func all() throws -> [Bytes] {
    let rows = try connection.execute(
      "select id_hash from \(schema.quoted).erasures order by id_hash")
    return (0..<rows.count).compactMap { rows.bytes($0, 0) }
  }

  private func hashes(_ hashes: [[UInt8]]) -> Parameter {
    Parameter(.byteaArray) { $0.appendArray(hashes, of: .bytea) { $0.appendField(bytea: $1) } }
  }
}
