internal import CLibpq
internal import Core
internal import Glibc

/// A connection to PostgreSQL.
///
/// Owns libpq's handle; one task uses it at a time.
/// Works behind PgBouncer in transaction mode: no startup options, no session state, unnamed
/// statements only. Values travel in binary, so DateStyle and TimeZone cannot matter.
package final class Connection {
  private let handle: OpaquePointer
  /// Statements sent so far, loads aside.
  package private(set) var statements = 0

  /// Connects.
  ///
  /// - Parameters:
  ///   - conninfo: a URL or `key=value` words, as libpq takes them; empty for its defaults.
  ///   - words: names the database in errors, without a password.
  /// - Throws: a ``Problem`` with `.noDatabase` where there is none, it is not UTF-8, or older than 14.
  package init(_ conninfo: String, named words: String) throws {
    guard Self.isReadable(conninfo) else {
      // libpq's own words repeat the text, and a password with it.
      throw Problem(
        .noDatabase, at: "database", "cannot read how to connect",
        because: "it is neither a URL nor a list of key=value",
        next: "write postgresql://user@host/name, with %40 for an @ in a password")
    }
    guard let handle = Self.open(conninfo) else {
      throw Problem(.tryAgain, at: words, "cannot connect", because: "out of memory")
    }
    self.handle = handle
    // Refused notices would go to the standard error, between our own words.
    _ = PQsetNoticeReceiver(handle, { _, _ in }, nil)
    try check(named: words)
  }

  deinit { PQfinish(handle) }

  private static func isReadable(_ conninfo: String) -> Bool {
    guard conninfo.contains("=") || conninfo.contains("://") else { return true }
    var words: UnsafeMutablePointer<CChar>?
    let options = PQconninfoParse(conninfo, &words)
    defer {
      PQconninfoFree(options)
      PQfreemem(words)
    }
    return options != nil
  }

  private static func open(_ conninfo: String) -> OpaquePointer? {
    let words = [
      ("dbname", conninfo), ("client_encoding", "UTF8"), ("fallback_application_name", "sluice"),
    ]
    var keys = words.map { UnsafePointer(strdup($0.0)) }
    var values = words.map { UnsafePointer(strdup($0.1)) }
    defer {
      for text in keys + values { free(UnsafeMutablePointer(mutating: text)) }
    }
    // An empty dbname would hide PGDATABASE: leave it out then.
    let first = conninfo.isEmpty ? 1 : 0
    keys.append(nil)
    values.append(nil)
    return Array(keys[first...]).withUnsafeBufferPointer { keys in
      Array(values[first...]).withUnsafeBufferPointer { values in
        PQconnectdbParams(keys.baseAddress, values.baseAddress, 1)
      }
    }
  }

  private func check(named words: String) throws {
    guard PQstatus(handle) == CONNECTION_OK else {
      let why = Self.firstLine(PQerrorMessage(handle))
      throw Problem(
        .noDatabase, at: words, "cannot connect", because: why, next: Self.nextStep(after: why))
    }
    let encoding = PQparameterStatus(handle, "server_encoding").map { String(cString: $0) } ?? ""
    guard encoding == "UTF8" else {
      throw Problem(
        .noDatabase, at: words, "cannot use this database",
        because: "its encoding is \(encoding), and profile ids need UTF8",
        next: "create one with: create database sluice encoding 'UTF8' template template0")
    }
    guard PQserverVersion(handle) >= 140_000 else {
      throw Problem(
        .noDatabase, at: words, "cannot use this server",
        because: "it is PostgreSQL \(PQserverVersion(handle) / 10_000)",
        next: "use PostgreSQL 14 or later")
    }
  }

  private static func nextStep(after why: String) -> String {
    if why.contains("certificate") || why.contains("SSL") {
      return "let sslrootcert name the authority of a certificate that is valid for this host"
    }
    if why.contains("password") {
      return "give the role's password in the URL, PGPASSWORD, a pass file or a service file"
    }
    if why.contains("does not exist") { return "create it, or name another one with --database" }
    return "start the server or name another one with --database"
  }

  /// True where the connection is lost; it cannot be used again.
  var isBroken: Bool { PQstatus(handle) != CONNECTION_OK }

  /// The server's process that serves this connection.
  package var backendPID: Int32 { PQbackendPID(handle) }

  // MARK: Statements

  /// Runs one statement with its values apart from its text; rows come in binary format.
  @discardableResult
  package func execute(_ sql: String, _ parameters: [Parameter] = []) throws -> ResultSet {
    try result(sql, parameters, isBinary: true)
  }

  /// Runs one statement; rows come as text, as the server prints them.
  func executeForText(_ sql: String, _ parameters: [Parameter] = []) throws -> ResultSet {
    try result(sql, parameters, isBinary: false)
  }

  private func result(_ sql: String, _ parameters: [Parameter], isBinary: Bool) throws -> ResultSet
  {
    let types = parameters.map { Oid($0.type.rawValue) }
    let lengths = parameters.map { Int32($0.value?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: parameters.count)
    // One block for all values: the pointers must outlive the call, not the closures around them.
    let size = parameters.reduce(1) { $0 + $1.field.count }
    let block = UnsafeMutablePointer<CChar>.allocate(capacity: size)
    defer { block.deallocate() }
    var offset = 0
    let values = parameters.map { parameter -> UnsafePointer<CChar>? in
      guard let value = parameter.value else { return nil }
      let start = block + offset
      value.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(start: start, count: bytes.count).copyMemory(from: bytes)
      }
      offset += value.count
      return UnsafePointer(start)
    }
    statements += 1
    return try checked(
      PQexecParams(
        handle, sql, Int32(parameters.count), types, values, lengths, formats, isBinary ? 1 : 0))
  }

  /// Runs several statements that take no values, separated by semicolons; gives the last result.
  @discardableResult
  package func executeScript(_ sql: String) throws -> ResultSet {
    statements += 1
    return try checked(PQexec(handle, sql))
  }

  /// Runs statements in a transaction of its own; rolled back where the body throws.
  package func transaction<Value>(
    _ begin: String = "begin isolation level read committed read write", _ body: () throws -> Value
  ) throws -> Value {
    try executeScript(begin)
    do {
      let value = try body()
      try commit()
      return value
    } catch {
      rollback()
      throw error
    }
  }

  /// Commits, and makes sure that it was no rollback: that is how a failed transaction answers.
  func commit() throws {
    let tag = try executeScript("commit").commandTag
    guard tag == "COMMIT" else {
      throw DatabaseError(
        sqlState: "25P02", message: "the transaction had failed before its commit")
    }
  }

  /// Rolls back where a transaction is open; a lost connection has rolled back by itself.
  func rollback() {
    guard PQtransactionStatus(handle) != PQTRANS_IDLE else { return }
    _ = try? executeScript("rollback")
  }

  // MARK: COPY

  /// Loads rows in binary format.
  ///
  /// - Parameters:
  ///   - sql: `copy … from stdin (format binary)`.
  ///   - rows: rows as COPY takes them, in any number of chunks, without header and trailer.
  /// - Returns: rows loaded.
  /// - Throws: a ``DatabaseError`` where a row is refused; then none is loaded.
  func copyIn(
    _ sql: String, _ rows: (_ put: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
  )
    throws -> Int
  {
    guard let started = PQexec(handle, sql) else { throw lost() }
    guard PQresultStatus(started) == PGRES_COPY_IN else {
      throw error(of: started)
    }
    PQclear(started)
    func put(_ bytes: UnsafeRawBufferPointer) throws {
      guard let base = bytes.bindMemory(to: CChar.self).baseAddress else { return }
      // libpq takes an Int32 of bytes and copies them: pieces keep its buffer small.
      var offset = 0
      while offset < bytes.count {
        let count = min(bytes.count - offset, 1 << 18)
        guard PQputCopyData(handle, base + offset, Int32(count)) == 1 else {
          throw failedCopy()
        }
        offset += count
      }
    }
    try Self.copyHeader.withUnsafeBytes(put)
    try rows(put)
    try Self.copyTrailer.withUnsafeBytes(put)
    guard PQputCopyEnd(handle, nil) == 1 else { throw failedCopy() }
    return try drained()?.affected ?? 0
  }

  /// Streams what a `copy … to stdout` gives, one line of text (with its newline) at a time.
  func copyOut(_ sql: String, _ line: (UnsafeRawBufferPointer) throws -> Void) throws {
    guard let started = PQexec(handle, sql) else { throw lost() }
    guard PQresultStatus(started) == PGRES_COPY_OUT else { throw error(of: started) }
    PQclear(started)
    while true {
      var data: UnsafeMutablePointer<CChar>?
      let count = PQgetCopyData(handle, &data, 0)
      guard count > 0 else {
        guard count == -1 else { throw lost() }
        break
      }
      defer { PQfreemem(data) }
      try line(UnsafeRawBufferPointer(start: data, count: Int(count)))
    }
    _ = try drained()
  }

  /// `PGCOPY`, flags, length of the header's extension.
  private static let copyHeader: [UInt8] =
    [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00]
    + [UInt8](repeating: 0, count: 8)
  private static let copyTrailer: [UInt8] = [0xFF, 0xFF]

  /// The error of a copy whose data was refused: the server's own where it gave one.
  private func failedCopy() -> any Error {
    do {
      _ = try drained()
      return lost()
    } catch {
      return error
    }
  }

  /// Takes all results that are left, so that the connection is usable again; gives the last.
  private func drained() throws -> ResultSet? {
    var last: ResultSet?
    var failure: (any Error)?
    while let next = PQgetResult(handle) {
      do { last = try checked(next) } catch { failure = failure ?? error }
      guard PQstatus(handle) == CONNECTION_OK else { break }
    }
    if let failure { throw failure }
    return last
  }

  // MARK: Errors

  private func checked(_ result: OpaquePointer?) throws -> ResultSet {
    guard let result else { throw lost() }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
      return ResultSet(owning: result)
    default:
      throw error(of: result)
    }
  }

  /// Reads and frees a failed result.
  private func error(of result: OpaquePointer) -> DatabaseError {
    defer { PQclear(result) }
    func field(_ code: Int32) -> String? {
      PQresultErrorField(result, code).map { String(cString: $0) }
    }
    guard let state = field(sluice_pq_diag_sqlstate()) else { return lost() }
    return DatabaseError(
      sqlState: state, message: field(sluice_pq_diag_message()) ?? "",
      constraint: field(sluice_pq_diag_constraint()) ?? "")
  }

  /// The error of a connection that broke: no SQLSTATE came with it.
  private func lost() -> DatabaseError {
    DatabaseError(
      sqlState: DatabaseError.connectionLost, message: Self.firstLine(PQerrorMessage(handle)))
  }

  private static func firstLine(_ text: UnsafePointer<CChar>?) -> String {
    guard let text else { return "the connection is lost" }
    let lines = String(cString: text).split(separator: "\n")
    return lines.first.map(String.init) ?? "the connection is lost"
  }
}
