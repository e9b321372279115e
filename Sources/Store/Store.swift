package import Core
internal import Glibc

/// The database as the commands use it: one connection, one schema.
///
/// One task uses it at a time. Decides nothing: what follows from events comes in as a function.
package final class Store {
  package let schema: SchemaName
  let address: DatabaseAddress
  let primitives: Primitives
  let folder: SQLFolder
  private(set) var connection: Connection

  /// Connects; writes nothing.
  package init(
    _ address: DatabaseAddress, schema: SchemaName, sqlFolder: SQLFolder, primitives: Primitives
  ) throws {
    self.address = address
    self.schema = schema
    self.primitives = primitives
    folder = sqlFolder
    connection = try address.connect()
    schemaVersion = try sqlFolder.migrations.last?.name ?? ""
  }

  /// Name of the last migration this program knows.
  let schemaVersion: String

  var migrator: Migrator {
    get throws { try Migrator(connection, schema, folder, primitives) }
  }

  /// The server's process behind this connection; for tests that kill it.
  package var backendPID: Int32 { connection.backendPID }

  // MARK: Schema

  /// Brings the schema up to date.
  ///
  /// - Parameter isAsked: true where the user said `migrate`. A database that only the environment
  ///   named gets no schema unasked: it may be anyone's.
  /// - Returns: names of the SQL files that were applied.
  /// - Throws: a ``Problem`` where a file was edited after it was applied, or the schema is newer.
  @discardableResult
  package func migrate(isAsked: Bool = false) throws -> [String] {
    try retrying(at: "schema \(schema.name)", "cannot migrate") { _ in
      let migrator = try self.migrator
      guard try isAsked || !address.isOnlyFromEnvironment || migrator.schemaExists else {
        throw Problem(
          .noDatabase, at: address.words, "holds no schema \(schema.name)",
          because: "only the environment named this database",
          next:
            "create it with `sluice migrate\(schema.option)`, or name the database with --database")
      }
      return try migrator.migrate()
    }
  }

  /// Refuses a database that holds no schema yet, before something reads from it.
  package func requireSchema() throws {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in
      guard try migrator.schemaExists else {
        throw Problem(
          .noDatabase, at: address.words, "holds no schema \(schema.name)",
          next: address.isOnlyFromEnvironment
            ? "`sluice migrate\(schema.option)` creates it"
            : "`sluice run` or `sluice migrate\(schema.option)` creates it")
      }
    }
  }

  // MARK: Trying again

  /// Does something again while it fails in a way that can pass: at most 6 times in about 10 s.
  ///
  /// - Parameters:
  ///   - place: what is worked on, for the error.
  ///   - what: what could not be done, for the error.
  ///   - body: is told how many attempts were made before; must be safe to repeat.
  /// - Returns: what the body returns.
  /// - Throws: a ``Problem``: `.tryAgain` where no attempt came through.
  @discardableResult
  func retrying<Value>(
    at place: String, _ what: String, _ body: (_ attempt: Int) throws -> Value
  ) throws -> Value {
    var last = DatabaseError(sqlState: DatabaseError.connectionLost, message: "")
    for attempt in 0..<6 {
      if attempt > 0 { pause(beforeAttempt: attempt) }
      if connection.isBroken {
        do { connection = try address.connect() } catch let problem as Problem {
          // The server may be on its way back.
          last = DatabaseError(sqlState: DatabaseError.connectionLost, message: problem.why)
          continue
        }
      }
      do {
        return try body(attempt)
      } catch let error as DatabaseError {
        connection.rollback()
        guard error.isRetryable else { throw error.problem(at: place, what) }
        last = error
      } catch UnitConflict.rowsMoved {
        connection.rollback()
        last = DatabaseError(
          sqlState: "40001", message: "rows changed although their shard was locked")
      } catch let unreadable as UnreadableSet {
        connection.rollback()
        throw unreadable.problem(schema)
      } catch {
        connection.rollback()
        throw error
      }
    }
    throw last.problem(at: place, what)
  }

  /// Waits 0.1 s, then twice as long each time, give or take half: two that collide must not meet again.
  private func pause(beforeAttempt attempt: Int) {
    let base = 100_000 << (attempt - 1)
    usleep(UInt32(Int.random(in: (base / 2)...(base * 3 / 2))))
  }
}
