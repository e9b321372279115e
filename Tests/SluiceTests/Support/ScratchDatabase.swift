import Core
import Foundation
import Store
import Testing

@testable import sluice

/// A database of its own for one test, on a server of the test process; dropped with the value.
///
/// Advisory locks and the schema's name are per database, so tests never meet.
final class ScratchDatabase: Sendable {
  let name: String
  let address: DatabaseAddress

  /// Creates the database.
  ///
  /// - Parameter isMigrated: false for an empty database.
  /// - Throws: whatever the server says.
  init(isMigrated: Bool = true) throws {
    name = "scratch_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
    address = try ScratchServer.address(of: name)
    let template = isMigrated ? try ScratchServer.template.get() : "template0"
    try ScratchServer.administrate(
      "create database \(name) template \(template)\(ScratchServer.strategy)")
  }

  deinit {
    // Connections of the test may still be open, and a failed drop fails no test.
    _ = try? ScratchServer.administrate("drop database \(name) with (force)")
  }

  /// A store on this database; each has a connection of its own.
  func store(
    schema: String = SchemaName.standard, sqlFolder: SQLFolder? = nil,
    isOnlyFromEnvironment: Bool = false
  ) throws -> Store {
    try Store(
      isOnlyFromEnvironment
        ? ScratchServer.address(of: name, isOnlyFromEnvironment: true) : address,
      schema: SchemaName(schema, .system), sqlFolder: sqlFolder ?? SQLFolder(), primitives: .system)
  }

  /// A bare connection, for looking and for sabotage.
  func connection() throws -> Connection { try address.connect() }
}

/// The server behind all scratch databases: a private one, or the one that `SLUICE_TEST_DATABASE`
/// names (a URL of a role that may create databases).
enum ScratchServer {
  /// In memory where there is room: a database is some three hundred files that are made and removed
  /// for one test, and on a disk that took 14 times the CPU time of the server.
  private static let folder = hasRoom("/dev/shm") ? "/dev/shm" : "/tmp"
  private static let prefix = "sluice-test-"
  private static let home = "\(folder)/\(prefix)\(getpid())"

  /// Without a line in the log for each page; older servers than 15 know no other way.
  static var strategy: String { isPrivate ? " strategy file_copy" : "" }

  private static func hasRoom(_ folder: String) -> Bool {
    var status = statvfs()
    guard access(folder, W_OK) == 0, statvfs(folder, &status) == 0 else { return false }
    return status.f_bavail * status.f_frsize >= 4 << 30
  }

  /// Where the private server's socket lies; a server that is named by a URL has none here.
  static var socketFolder: String { EmbeddedServer(home: home).socketFolder }
  static var logFile: String { EmbeddedServer(home: home).logFile }
  static var isPrivate: Bool { (try? url.get().contains(home)) ?? false }

  /// Started once; stopped and removed when the process ends.
  private static let url: Result<String, any Error> = Result {
    if let url = ProcessInfo.processInfo.environment["SLUICE_TEST_DATABASE"], !url.isEmpty {
      return url
    }
    sweep()
    let server = EmbeddedServer(
      home: home,
      settings: [
        "fsync": "off", "max_connections": "200", "shared_buffers": "64MB",
        "max_wal_size": "256MB",
      ])
    atexit { ScratchServer.remove(ScratchServer.home) }
    try server.start()
    return server.url
  }

  /// A migrated database that others are copied from.
  static let template: Result<String, any Error> = Result {
    let name = "sluice_template_\(getpid())"
    try administrate("drop database if exists \(name) with (force)")
    try administrate("create database \(name) template template0")
    let store = try Store(
      address(of: name), schema: SchemaName(SchemaName.standard, .system), sqlFolder: SQLFolder(),
      primitives: .system)
    try store.migrate()
    return name
  }

  static func address(of database: String, isOnlyFromEnvironment: Bool = false) throws
    -> DatabaseAddress
  {
    DatabaseAddress(
      try url(of: database), words: "database \(database)",
      isOnlyFromEnvironment: isOnlyFromEnvironment)
  }

  /// What a client takes to connect to a database of the server.
  static func url(of database: String) throws -> String {
    var components = try #require(URLComponents(string: url.get()))
    components.path = "/" + database
    return try #require(components.string)
  }

  static func administrate(_ sql: String) throws {
    try address(of: "postgres").connect().executeScript(sql)
  }

  /// Removes what test processes that were killed left behind.
  private static func sweep() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.hasPrefix(prefix) {
      guard let pid = Int32(name.dropFirst(prefix.count)), kill(pid, 0) != 0 else { continue }
      remove("\(folder)/\(name)")
    }
  }

  private static func remove(_ home: String) {
    try? EmbeddedServer(home: home).stop()
    try? FileManager.default.removeItem(atPath: home)
  }
}
