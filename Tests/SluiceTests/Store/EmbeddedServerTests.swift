import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

@Suite("The private server", .serialized, .timeLimit(.minutes(15)))
struct EmbeddedServerTests {
  private static let settings = ["fsync": "off", "shared_buffers": "16MB"]

  /// A home that is removed with the value, and its server stopped.
  private final class Home {
    let path: String
    init(_ suffix: String = "") {
      path = "/tmp/sluice-home-\(UUID().uuidString.prefix(8))\(suffix)"
    }
    var server: EmbeddedServer { EmbeddedServer(home: path, settings: settings) }
    deinit {
      try? server.stop()
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  private func answers(_ server: EmbeddedServer) throws -> Bool {
    let address = try DatabaseTarget.embedded(server).prepare()
    return try address.connect().execute("select current_database()").text(0, 0) == "sluice"
  }

  @Test("starts, answers, stops, starts again on the same data")
  func life() throws {
    let home = Home()
    #expect(home.server.state == .absent)
    #expect(try answers(home.server))
    guard case .running = home.server.state else { return #expect(Bool(false)) }
    let settings = try home.server.connection().execute(
      "select current_setting('listen_addresses'), current_setting('server_encoding')")
    #expect(settings.text(0, 0) == "")
    #expect(settings.text(0, 1) == "UTF8")
    try home.server.stop()
    #expect(home.server.state == .stopped)
    try home.server.stop()
    #expect(try answers(home.server))
  }

  @Test("two programs that start it at once both succeed")
  func together() async throws {
    let home = Home()
    let server = home.server
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 { group.addTask { try server.start() } }
      try await group.waitForAll()
    }
    #expect(try answers(server))
  }

  @Test("starts after a crash that left a pid of someone else behind")
  func stalePID() throws {
    let home = Home()
    try home.server.start()
    let file = home.path + "/data/postmaster.pid"
    let lines = try String(contentsOfFile: file, encoding: .utf8)
    guard case .running(let pid) = home.server.state else { return #expect(Bool(false)) }
    kill(pid, SIGKILL)
    while kill(pid, 0) == 0 { usleep(10_000) }
    usleep(300_000)  // its children notice and end
    // The number now belongs to a process that lives and is no server: this one.
    let forged =
      "\(getpid())\n"
      + lines.split(separator: "\n", omittingEmptySubsequences: false)
      .dropFirst().joined(separator: "\n")
    try forged.write(toFile: file, atomically: false, encoding: .utf8)
    #expect(home.server.state == .stopped)
    #expect(try answers(home.server))
  }

  @Test("a home whose path is too long for a socket gets a short private folder for it")
  func longPath() throws {
    let home = Home("-" + String(repeating: "x", count: 120))
    #expect(home.server.socketFolder.utf8.count < 60)
    #expect(try answers(home.server))
    try? FileManager.default.removeItem(atPath: home.server.socketFolder)
  }

  @Test("data of another major version is refused")
  func otherVersion() throws {
    let home = Home()
    try home.server.start()
    try home.server.stop()
    try "9".write(toFile: home.path + "/data/PG_VERSION", atomically: false, encoding: .utf8)
    let problem = try #require(throws: Problem.self) { try home.server.start() }
    #expect(problem.exit == .noDatabase)
    #expect(problem.message.contains("PostgreSQL 9 wrote it"))
  }

  @Test("a home that others may enter is refused; an empty one of our own is closed and taken")
  func openHome() throws {
    let home = Home()
    let open = [FileAttributeKey.posixPermissions: 0o755]
    try FileManager.default.createDirectory(
      atPath: home.path, withIntermediateDirectories: true, attributes: open)
    try home.server.start()
    try home.server.stop()
    try FileManager.default.setAttributes(open, ofItemAtPath: home.path)
    let problem = try #require(throws: Problem.self) { try home.server.start() }
    #expect(problem.exit == .cannotCreate)
  }

  @Test("nobody else can reach it: no TCP, folders of mode 0700, files that only its user reads")
  func isPrivate() throws {
    let home = Home()
    try home.server.start()
    func mode(_ path: String) throws -> Int {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return attributes[.posixPermissions] as? Int ?? -1
    }
    for folder in [home.path, home.server.socketFolder, home.server.dataFolder] {
      #expect(try mode(folder) == 0o700, "\(folder)")
    }
    #expect(try mode(home.server.socketFolder + "/.s.PGSQL.5432") == 0o700)
    // What lies beside the data may hold words of its log.
    for file in try FileManager.default.contentsOfDirectory(atPath: home.path) {
      #expect(try mode(home.path + "/" + file) & 0o077 == 0, "\(file)")
    }
    let listens = try home.server.connection().execute(
      """
      select current_setting('listen_addresses'), current_setting('unix_socket_directories'),
        current_setting('unix_socket_permissions')
      """)
    #expect(listens.text(0, 0) == "")
    #expect(listens.text(0, 1) == home.server.socketFolder)
    #expect(listens.text(0, 2) == "0700")
  }

  @Test("a home in a closed folder is refused with the way out", .enabled(if: geteuid() == 0))
  func closedFolder() throws {
    let closed = "/tmp/sluice-closed-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: closed, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: closed) }
    let problem = try #require(throws: Problem.self) {
      try EmbeddedServer(home: closed + "/home").start()
    }
    #expect(problem.message.contains("SLUICE_HOME"))
  }
}

extension EmbeddedServer {
  fileprivate func connection() throws -> Connection { try Connection(url, named: "test") }
}
