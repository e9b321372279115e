internal import Core

/// Brings a schema to the state that the SQL folder describes, forward only.
///
/// Migrations run once each; views and functions run again when their text changed. All in one
/// transaction, under the lock that every unit of work takes shared (SEMANTICS 4.4).
struct Migrator {
  let connection: Connection
  let schema: SchemaName
  let primitives: Primitives
  let migrations: [SQLFolder.File]
  let views: [SQLFolder.File]

  init(
    _ connection: Connection, _ schema: SchemaName, _ folder: SQLFolder, _ primitives: Primitives
  )
    throws
  {
    self.connection = connection
    self.schema = schema
    self.primitives = primitives
    migrations = try folder.migrations
    views = try folder.views
  }

  /// Name of the last migration this program knows: the schema's version.
  var version: String { migrations.last?.name ?? "" }

  var schemaExists: Bool {
    get throws {
      // Read from the catalogue's tables: to_regclass() still says no after a wait for the lock under
      // which another program made the table.
      let found = try connection.execute(
        """
        select 1
        from pg_catalog.pg_class as class
        join pg_catalog.pg_namespace as namespace on namespace.oid = class.relnamespace
        where namespace.nspname = $1 and class.relname = 'schema_migrations'
        """, [.text(schema.name)])
      return found.count == 1
    }
  }

  /// Applies what is missing.
  ///
  /// Where nothing is, one read tells so and nobody is waited for.
  ///
  /// - Returns: names of the files that were applied, in order.
  /// - Throws: a ``Problem`` where an applied migration was edited, or the schema is newer.
  @discardableResult
  func migrate() throws -> [String] {
    if try schemaExists, try pending(applied: applied()).isEmpty { return [] }
    return try connection.transaction {
      try connection.executeScript(
        "set local lock_timeout = '60s'; set local statement_timeout = 0")
      try connection.lockExclusively(schema)
      // Another program may have done it while we waited: only now is it known what is missing.
      let isNew = try !schemaExists
      if isNew { try createSchema() }
      let missing = try pending(applied: isNew ? [:] : applied())
      for file in missing { try apply(file) }
      return missing.map(\.name)
    }
  }

  private func createSchema() throws {
    let known = try connection.execute(
      "select 1 from pg_catalog.pg_namespace where nspname = $1", [.text(schema.name)])
    // `if not exists` asks for the right to create even where the schema is there.
    if known.count == 0 { try connection.executeScript("create schema \(schema.quoted)") }
  }

  private func applied() throws -> [String: String] {
    let rows = try connection.execute("select name, hash from \(schema.quoted).schema_migrations")
    var hashes: [String: String] = [:]
    for row in 0..<rows.count { hashes[rows.text(row, 0) ?? ""] = rows.text(row, 1) ?? "" }
    return hashes
  }

  private func pending(applied: [String: String]) throws -> [SQLFolder.File] {
    let known = Set(migrations.map(\.name))
    let unknown = applied.keys.filter { $0.hasPrefix("migrations/") && !known.contains($0) }.min()
    if let unknown {
      throw Problem(
        .tryAgain, at: "schema \(schema.name)", "is newer than this program",
        because: "\(unknown) was applied to it, and this program does not have that file",
        next: "use the newer program")
    }
    let missing = try migrations.filter { file in
      guard let hash = applied[file.name] else { return true }
      guard hash == self.hash(of: file.text) else {
        throw Problem(
          .pipelineWrong, at: file.name, "cannot migrate",
          because: "the file changed after it was applied",
          next: "restore it and put the change into a new numbered file")
      }
      return false
    }
    return missing + views.filter { applied[$0.name] != hash(of: $0.text) }
  }

  private func apply(_ file: SQLFolder.File) throws {
    do {
      try connection.executeScript(schema.applied(to: file.text))
    } catch let error as DatabaseError {
      throw error.problem(at: file.name, "cannot migrate")
    }
    try record(file.name, file.text)
  }

  /// Notes the text that made a part of the schema.
  func record(_ name: String, _ text: String) throws {
    try connection.execute(
      """
      insert into \(schema.quoted).schema_migrations (name, hash) values ($1, $2)
      on conflict (name) do update set hash = excluded.hash, applied_at = excluded.applied_at
      """, [.text(name), .text(hash(of: text))])
  }

  /// True where this very text made that part of the schema.
  func isRecorded(_ name: String, _ text: String) throws -> Bool {
    let rows = try connection.execute(
      "select 1 from \(schema.quoted).schema_migrations where name = $1 and hash = $2",
      [.text(name), .text(hash(of: text))])
    return rows.count == 1
  }

  private func hash(of text: String) -> String {
    hexadecimal(primitives.sha256(Array(text.utf8)).prefix(16))
  }
}

/// Lower-case hexadecimal digits of bytes.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
