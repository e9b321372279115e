import Foundation
import Testing

/// A PgBouncer in transaction mode before the scratch server, on a private socket; gone with the value.
final class PgBouncer {
  static let program = "/usr/sbin/pgbouncer"
  static var isInstalled: Bool {
    FileManager.default.isExecutableFile(atPath: program) && ScratchServer.isPrivate
  }

  private let folder = "/tmp/sluice-pgb-" + UUID().uuidString.prefix(8)
  private let process = Process()

  /// - Parameter connections: to the server, for each database.
  init(connections: Int) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let settings = """
      [databases]
      * = host=\(ScratchServer.socketFolder) port=5432 user=sluice
      [pgbouncer]
      listen_port = 6432
      unix_socket_dir = \(folder)
      unix_socket_mode = 0700
      auth_type = any
      pool_mode = transaction
      default_pool_size = \(connections)
      max_client_conn = 100
      """
    try settings.write(toFile: folder + "/pgbouncer.ini", atomically: false, encoding: .utf8)
    process.executableURL = URL(filePath: Self.program)
    process.arguments = ["-q", folder + "/pgbouncer.ini"]
    if geteuid() == 0 {
      // It refuses to run as root, and becomes the user that the scratch server runs as.
      let chown = try Process.run(
        URL(filePath: "/bin/chown"), arguments: ["-R", "postgres", folder])
      chown.waitUntilExit()
      process.arguments = ["-q", "-u", "postgres", folder + "/pgbouncer.ini"]
    }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let deadline = Date().addingTimeInterval(20)
    while !FileManager.default.fileExists(atPath: folder + "/.s.PGSQL.6432") {
      try #require(process.isRunning && Date() < deadline, "pgbouncer does not start")
      usleep(20_000)
    }
  }

  deinit {
    // A thread of the tests may block SIGTERM, and its children with it.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: folder)
  }

  func conninfo(_ database: ScratchDatabase) -> String {
    "host=\(folder) port=6432 user=sluice dbname=\(database.name)"
  }
}
