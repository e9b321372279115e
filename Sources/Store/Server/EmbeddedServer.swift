internal import Core
internal import Glibc

/// A private PostgreSQL run from the installed server's programs, for whoever names no database.
///
/// Data, log and lock lie in one folder, the home. It listens on a unix socket in a folder that only
/// its user may enter, never on TCP; so connections need no password. It keeps running after the
/// program ends, and is started again when it is needed.
package struct EmbeddedServer: Sendable {
  /// An absolute path.
  package let home: String
  private let binariesFolder: String?
  private let settings: [String: String]

  /// Describes a server; nothing is touched before ``start()``.
  ///
  /// - Parameters:
  ///   - home: an absolute path.
  ///   - binariesFolder: the server's programs, where the user names them.
  ///   - settings: further lines of its configuration, which win over ours.
  package init(home: String, binariesFolder: String? = nil, settings: [String: String] = [:]) {
    self.home = home
    self.binariesFolder = binariesFolder
    self.settings = settings
  }

  package enum State: Hashable, Sendable {
    /// No data yet.
    case absent
    case stopped
    case running(pid: Int32)
  }

  package var dataFolder: String { home + "/data" }
  package var logFile: String { home + "/server.log" }

  /// A URL that libpq takes: the user and the database are called `sluice`.
  package var url: String {
    "postgresql:///sluice?host=\(Self.percentEncoded(socketFolder))&port=5432&user=sluice"
  }

  // MARK: State

  /// What can be seen from outside, without waiting for anyone.
  package var state: State {
    guard FileStatus(dataFolder + "/PG_VERSION") != nil else { return .absent }
    return runningPID.map { .running(pid: $0) } ?? .stopped
  }

  /// The server's process, if the pid in its file is really a server of this data.
  ///
  /// After a crash or a restart of a container the number can belong to anyone.
  private var runningPID: Int32? {
    guard let pid = recordedPID, kill(pid, 0) == 0 || errno == EPERM else { return nil }
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/\(pid)/cwd", &buffer, buffer.count - 1)
    guard count > 0 else { return nil }
    let folder = String(
      decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return folder == Self.realPath(dataFolder) ? pid : nil
  }

  private var recordedPID: Int32? {
    readText(dataFolder + "/postmaster.pid")?.split(separator: "\n").first
      .flatMap { Int32($0.filter { $0 != " " }) }
  }

  // MARK: Start and stop

  /// Makes sure that the server runs; creates its data the first time.
  ///
  /// Two programs that start it at once wait for each other, and both succeed.
  package func start() throws {
    let user = try ServerUser.current()
    try prepareHome(for: user)
    try withFileLock(home + "/lock") { try startAlone(user) }
  }

  private func startAlone(_ user: ServerUser) throws {
    let binaries = try self.binaries()
    if FileStatus(dataFolder + "/PG_VERSION") == nil { try createData(user, binaries) }
    try prepareSocketFolder(for: user)
    if runningPID == nil {
      // Under the lock nobody else starts it, and the number in the file is no server of ours.
      unlink(dataFolder + "/postmaster.pid")
      unlink(socketFolder + "/.s.PGSQL.5432")
      unlink(socketFolder + "/.s.PGSQL.5432.lock")
      try writeSettings()
      try launch(user, binaries)
    }
    try createDatabase()
  }

  /// Starts the server; where processes of one that was killed are still going away, waits for them.
  private func launch(_ user: ServerUser, _ binaries: ServerBinaries) throws {
    for attempt in 1...20 {
      let status = try Subprocess.run(
        user.prefix + [
          binaries.path("pg_ctl"), "-D", dataFolder, "-l", logFile, "-s", "-w", "-t", "120",
          "start",
        ], log: home + "/control.log")
      if status == 0 { return }
      let words = lastWords(of: logFile)
      guard words.contains("shared memory block"), attempt < 20 else {
        throw Problem(
          .noDatabase, at: dataFolder, "cannot start the private server", because: words,
          next: "see \(logFile)")
      }
      usleep(500_000)
    }
  }

  /// Stops the server, if it runs; open transactions are rolled back.
  package func stop() throws {
    guard FileStatus(home)?.isDirectory == true else { return }
    try withFileLock(home + "/lock") { try stopAlone() }
  }

  private func stopAlone() throws {
    guard runningPID != nil else { return }
    let user = try ServerUser.current()
    let status = try Subprocess.run(
      user.prefix + [
        try binaries().path("pg_ctl"), "-D", dataFolder, "-s", "-w", "-t", "120", "-m", "fast",
        "stop",
      ], log: home + "/control.log")
    guard status == 0 else {
      throw Problem(
        .noDatabase, at: dataFolder, "cannot stop the private server", next: "see \(logFile)")
    }
  }

  /// The installed programs that fit the data: the same major version, or the newest for new data.
  package func binaries() throws -> ServerBinaries {
    let installed = try ServerBinaries.installed(named: binariesFolder)
    guard let newest = installed.first else {
      throw Problem(
        .noDatabase, at: "private server",
        "no PostgreSQL server of version 14 or later is installed",
        next: "install one (apt install postgresql), or name a database with --database")
    }
    guard let text = readText(dataFolder + "/PG_VERSION") else { return newest }
    let version = Int(text.prefix { $0.isNumber }) ?? 0
    guard let fitting = installed.first(where: { $0.majorVersion == version }) else {
      throw Problem(
        .noDatabase, at: dataFolder, "cannot use this data",
        because:
          "PostgreSQL \(version) wrote it, and PostgreSQL \(newest.majorVersion) is installed",
        next: "install PostgreSQL \(version), or move the folder away and run again on your events")
    }
    return fitting
  }

  // MARK: Folders

  private func prepareHome(for user: ServerUser) throws {
    try makeFolder(home, owner: user, mode: 0o700)
    guard user.canEnter(home) else {
      throw Problem(
        .cannotCreate, at: home, "cannot keep the private server's data here",
        because: "a folder above it is closed to the user postgres that the server runs as",
        next: "let SLUICE_HOME name a folder it can reach, e.g. /var/lib/sluice")
    }
  }

  /// Where the socket lies: in the home, or in a short private folder where the path would not fit
  /// into the 107 bytes that a socket's address has.
  package var socketFolder: String {
    let inHome = home + "/socket"
    guard (inHome + "/.s.PGSQL.5432").utf8.count > 107 else { return inHome }
    // The name follows from the home, so that every program finds the same folder (FNV-1a).
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in home.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "/tmp/sluice-\(geteuid())-" + String(hash, radix: 36)
  }

  private func prepareSocketFolder(for user: ServerUser) throws {
    try makeFolder(socketFolder, owner: user, mode: 0o700)
  }

  /// Creates a folder for the server's user, or makes sure that an existing one is private to it:
  /// everyone may create names in `/tmp`.
  private func makeFolder(_ path: String, owner user: ServerUser, mode: UInt32) throws {
    if mkdir(path, mode) != 0, errno != EEXIST {
      throw Problem(
        .cannotCreate, at: path, "cannot create the folder", because: lastError(),
        next:
          "let SLUICE_HOME name a folder that can be created, or name a database with --database")
    }
    // An empty folder of our own was made a moment ago, by us or a program beside us, or by the user
    // for this: it becomes private, and the server's.
    if let status = FileStatus(path), status.isDirectory, status.owner == geteuid(),
      namesInFolder(path)?.isEmpty == true
    {
      guard chmod(path, mode) == 0, chown(path, user.id, user.group) == 0 else {
        throw Problem(
          .cannotCreate, at: path, "cannot hand over to the server's user", because: lastError())
      }
    }
    guard FileStatus(path)?.isPrivateFolder(of: user.id) == true else {
      throw Problem(
        .cannotCreate, at: path, "does not belong to the private server alone",
        because: "it must be a folder of the server's user that nobody else may enter (mode 0700)",
        next: "move it away or let SLUICE_HOME name another folder")
    }
  }

  // MARK: Data

  private func createData(_ user: ServerUser, _ binaries: ServerBinaries) throws {
    // initdb wants an empty folder, and leaves nothing behind where it fails: data that exists is whole.
    var command =
      user.prefix + [
        binaries.path("initdb"), "-D", dataFolder, "-U", "sluice", "-E", "UTF8", "--locale=C",
        "--auth=trust",
      ]
    if settings["fsync"] == "off" { command.append("--no-sync") }
    let status = try Subprocess.run(command, log: home + "/control.log")
    guard status == 0 else {
      throw Problem(
        .noDatabase, at: dataFolder, "cannot create the private server's data",
        because: lastWords(of: home + "/control.log"), next: "see \(home)/control.log")
    }
  }

  /// Settings of a private server for batches: safe against power loss, a calm checkpointer, and a
  /// log that holds no rows.
  private func writeSettings() throws {
    var lines = [
      "listen_addresses": "",
      "port": "5432",
      "unix_socket_directories": socketFolder,
      "unix_socket_permissions": "0700",
      "max_connections": "50",
      "shared_buffers": "256MB",
      "work_mem": "32MB",
      "maintenance_work_mem": "128MB",
      "wal_level": "minimal",
      "max_wal_senders": "0",
      "max_wal_size": "4GB",
      "checkpoint_timeout": "15min",
      "jit": "off",
      "timezone": "UTC",
      "log_timezone": "UTC",
      "log_error_verbosity": "terse",
      "log_min_error_statement": "panic",
    ]
    lines.merge(settings) { $1 }
    let text = lines.sorted { $0.key < $1.key }
      .map {
        "\($0.key) = '\($0.value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
      }
      .joined(separator: "\n")
    let path = dataFolder + "/sluice.conf"
    guard writeText("# Written at every start.\n" + text + "\n", to: path, mode: 0o644) else {
      throw Problem(.cannotCreate, at: path, "cannot write", because: lastError())
    }
    let main = dataFolder + "/postgresql.conf"
    let include = "include_if_exists = 'sluice.conf'\n"
    let present = readText(main) ?? ""
    guard !present.contains(include) else { return }
    guard let status = FileStatus(main), writeText(present + include, to: main, mode: 0o600),
      chown(main, status.owner, gid_t.max) == 0
    else { throw Problem(.cannotCreate, at: main, "cannot write", because: lastError()) }
  }

  private func createDatabase() throws {
    let administration =
      "host=\(Self.quoted(socketFolder)) port=5432 user=sluice dbname=postgres hostaddr=''"
    let connection = try Connection(administration, named: "private server in \(home)")
    let known = try connection.execute(
      "select 1 from pg_catalog.pg_database where datname = 'sluice'")
    if known.count == 0 { try connection.execute("create database sluice") }
  }

  private func lastWords(of file: String) -> String {
    let lines = (readText(file) ?? "").split(separator: "\n")
    let words = lines.last { $0.contains("FATAL") || $0.contains("error:") } ?? lines.last
    return words.map(String.init) ?? "it says nothing"
  }

  // MARK: Spelling

  private static func quoted(_ word: String) -> String {
    "'" + word.flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] } + "'"
  }

  private static func percentEncoded(_ text: String) -> String {
    let kept = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
    return text.utf8.map { byte in
      kept.contains(byte)
        ? String(UnicodeScalar(byte))
        : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  private static func realPath(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
