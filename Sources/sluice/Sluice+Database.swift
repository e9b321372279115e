internal import Core
internal import Glibc
internal import Store

extension Sluice {
  /// The database that the options or the environment name, else the private server.
  func target(_ options: DatabaseOptions) -> DatabaseTarget {
    DatabaseTarget.resolve(
      argument: options.url, environment: environment, workingFolder: workingFolder,
      isRoot: geteuid() == 0)
  }

  private var workingFolder: String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
  }

  /// How each connection of a command is made; the private server is started where it is the one.
  func connector(_ options: DatabaseOptions) throws -> StoreConnector {
    StoreConnector(
      address: try target(options).prepare(), schema: try SchemaName(options.schema, primitives),
      folder: try SQLFolder(named: options.sqlFolder), primitives: primitives)
  }

  func migrate(_ options: MigrateOptions) throws -> ExitCode {
    let connector = try connector(options.database)
    let store = try connector.connect()
    let applied = try store.migrate(isAsked: true)
    let roles = options.appliesRoles ? try store.applyRoles() : []
    guard !options.isQuiet else { return .done }
    console.say(connector.address.words)
    for name in applied { console.say("applied \(name)") }
    if !roles.isEmpty { console.say("roles \(roles.joined(separator: ", ")) are up to date") }
    if applied.isEmpty { console.say("schema \(options.database.schema) is up to date") }
    return .done
  }

  func database(_ command: DatabaseCommand) throws -> ExitCode {
    let target = target(command.database)
    switch command.action {
    case .url:
      let (url, password) = try target.url()
      try console.write(url + "\n")
      if password != nil {
        console.say("its password is not printed: give PGPASSWORD or a pass file to other tools")
      }
    case .start:
      console.say(try target.prepare().words)
    case .stop, .status:
      guard case .embedded(let server) = target else {
        throw Problem(
          .usage, at: "db", "only the private server can be started and stopped here",
          because: "a database is named by an argument or by the environment",
          next: "unset SLUICE_DATABASE, PGHOST, PGSERVICE and PGDATABASE, or leave --database away")
      }
      if command.action == .stop { try server.stop() }
      try console.write("\(server.home): \(words(server.state))\n")
    case .psql(let arguments):
      try console.flush()
      let (url, password) = try target.url()
      if let password { setenv("PGPASSWORD", password, 1) }
      try replaceProcess("psql", [url] + arguments)
    }
    return .done
  }

  private func words(_ state: EmbeddedServer.State) -> String {
    switch state {
    case .absent: "not set up yet"
    case .stopped: "stopped"
    case .running(let pid): "running, process \(pid)"
    }
  }

  /// Becomes another program; comes back only where that fails.
  private func replaceProcess(_ program: String, _ arguments: [String]) throws {
    let words = ([program] + arguments).map { strdup($0) }
    defer { words.forEach { free($0) } }
    signal(SIGPIPE, SIG_DFL)
    execvp(program, words + [nil])
    throw Problem(
      .noDatabase, at: program, "cannot be started", because: String(cString: strerror(errno)),
      next: "install Debian's postgresql-client")
  }
}

/// What it takes to open a connection; one a task.
struct StoreConnector: Sendable {
  let address: DatabaseAddress
  let schema: SchemaName
  let folder: SQLFolder
  let primitives: Primitives

  func connect() throws -> Store {
    try Store(address, schema: schema, sqlFolder: folder, primitives: primitives)
  }

  /// A further connection of a job that had one: what hinders it now can pass.
  ///
  /// - Throws: a ``Problem`` with `.tryAgain` where it does not within about 6 s.
  func connectAgain() throws -> Store {
    var attempt = 0
    while true {
      do { return try connect() } catch let problem as Problem where problem.exit == .noDatabase {
        guard attempt < 6 else {
          throw Problem(
            .tryAgain, at: problem.place, problem.what, because: problem.why, next: problem.next)
        }
        usleep(UInt32.random(in: 50_000...150_000) << UInt32(attempt))
        attempt += 1
      }
    }
  }
}
