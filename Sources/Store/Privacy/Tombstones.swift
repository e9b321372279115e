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

  private func hash(_ id: Bytes) -> [UInt8] { KeyedHash.hmac(key: key, id.array, primitives) }

  /// Those of the ids that have one.
  func found(among ids: Set<Bytes>) throws -> Set<Bytes> {
    guard !ids.isEmpty else { return [] }
    let byHash = Dictionary(ids.map { (Bytes(hash($0)), $0) }) { first, _ in first }
    let rows = try connection.execute(
      "select id_hash from \(schema.quoted).erasures where id_hash = any($1)",
      [hashes(byHash.keys.map(\.array))])
    return Set((0..<rows.count).compactMap { rows.bytes($0, 0).flatMap { byHash[$0] } })
  }

  /// Leaves one for each id; gives how many are new.
  func leave(_ ids: Set<Bytes>) throws -> Int {
    guard !ids.isEmpty else { return 0 }
    return try connection.execute(
      """
      insert into \(schema.quoted).erasures (id_hash) select unnest($1)
      on conflict (id_hash) do nothing
      """, [hashes(ids.map { hash($0) })]
    ).affected
  }

  private func hashes(_ hashes: [[UInt8]]) -> Parameter {
    Parameter(.byteaArray) { $0.appendArray(hashes, of: .bytea) { $0.appendField(bytea: $1) } }
  }
}
