internal import Core

/// What the schema says of itself, read under its lock before anything else is (SEMANTICS 3.2).
struct SchemaHeader {
  let version: String
  /// Hash of the generation in force; nil before the first one.
  let generation: String?
  let pipeline: String
  let codec: Int32
  let resolverVersion: Int32
  /// The greatest instant of all jobs since the last rewind; nil before the first one.
  let asOf: Instant?
  /// The server's clock.
  let now: Instant
}

extension Store {
  /// Starts the transaction of a unit or a job: the lock in a statement of its own, reading no table,
  /// so that the snapshot of the next statement is taken after the lock is held.
  ///
  /// - Parameter shards: are locked one after the other, ascending, so that no two transactions ever
  ///   wait for each other.
  func beginLocked(_ shards: Set<Shard> = []) throws -> SchemaHeader {
    try connection.executeScript(
      """
      begin isolation level read committed read write;
      set local statement_timeout = 0;
      set local lock_timeout = '30s';
      set local idle_in_transaction_session_timeout = '60s';
      set local search_path = pg_catalog
      """)
    let locks = shards.sorted().map { ", pg_advisory_xact_lock($1, \($0.number))" }.joined()
    try connection.execute(
      "select pg_advisory_xact_lock_shared($1, -1)" + locks, [.int4(schema.lockKey)])
    return try header()
  }

  /// Reads the header and refuses a schema that is not this program's.
  func header() throws -> SchemaHeader {
    let name = schema.quoted
    let row: ResultSet
    do {
      row = try connection.execute(
        """
        select
          (select max(m.name) from \(name).schema_migrations as m where m.name like 'migrations/%'),
          \(instantInForce),
          clock_timestamp(), g.hash, g.pipeline, g.codec, g.resolver_version
        from (values (1)) as one
        left join \(name).generations as g on g.is_current
        """)
    } catch let error as DatabaseError where error.sqlState == "42P01" || error.sqlState == "3F000"
    {
      throw Problem(
        .noDatabase, at: address.words, "holds no schema \(schema.name)",
        next: "create it with `sluice migrate\(schema.option)`")
    }
    let header = SchemaHeader(
      version: row.text(0, 0) ?? "", generation: row.text(0, 3), pipeline: row.text(0, 4) ?? "",
      codec: Int32(row.integer(0, 5) ?? 0), resolverVersion: Int32(row.integer(0, 6) ?? 0),
      asOf: row.instant(0, 1), now: row.instant(0, 2) ?? Instant(microseconds: 0))
    guard header.version == schemaVersion else {
      let isNewer = header.version > schemaVersion
      throw Problem(
        .tryAgain, at: "schema \(schema.name)",
        isNewer ? "is newer than this program" : "is older than this program",
        because: "its last migration is \(header.version), the program's is \(schemaVersion)",
        next: isNewer ? "use the newer program" : "run `sluice migrate`")
    }
    guard header.codec <= Int32(EventSet.codec) else {
      throw Problem(
        .tryAgain, at: "schema \(schema.name)", "holds events that this program cannot read",
        because: "a newer program writes them", next: "use the newer program")
    }
    return header
  }
}

extension Connection {
  /// Waits until no unit is at work, and keeps others from beginning until the transaction ends: each
  /// unit holds this lock shared (SEMANTICS 4.4).
  func lockExclusively(_ schema: SchemaName) throws {
    try execute("select pg_catalog.pg_advisory_xact_lock($1, -1)", [.int4(schema.lockKey)])
  }
}
