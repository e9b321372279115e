internal import CLibpq
internal import Core
internal import Glibc

/// Which database a command works on, and who named it.
package enum DatabaseTarget: Sendable {
  /// `--database`.
  case argument(String)
  /// The value of `SLUICE_DATABASE`.
  case environment(String)
  /// `PGHOST`, `PGSERVICE` or `PGDATABASE`, the variable that was found: libpq reads them itself.
  case libpqEnvironment(String)
  case embedded(EmbeddedServer)

  /// Chooses: the argument, else `SLUICE_DATABASE`, else libpq's own variables, else a private server.
  ///
  /// - Parameters:
  ///   - argument: what `--database` says.
  ///   - environment: the process's variables; an empty value counts as none.
  ///   - workingFolder: an absolute path; the private server's home lies in it by default.
  ///   - isRoot: as root the home is `/var/lib/sluice`, which the server's user can reach.
  /// - Returns: the choice; nothing is touched yet.
  package static func resolve(
    argument: String?, environment: [String: String], workingFolder: String, isRoot: Bool
  ) -> DatabaseTarget {
    func variable(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    if let argument { return .argument(argument) }
    if let url = variable("SLUICE_DATABASE") { return .environment(url) }
    for name in ["PGHOST", "PGSERVICE", "PGDATABASE"] where variable(name) != nil {
      return .libpqEnvironment(name)
    }
    return .embedded(
      .standard(environment: environment, workingFolder: workingFolder, isRoot: isRoot))
  }

  /// Where to connect, once the private server runs if it is one.
  package func prepare() throws -> DatabaseAddress {
    switch self {
    case .argument(let url):
      DatabaseAddress(
        url, words: "database \(Self.words(for: url)) (--database)", isOnlyFromEnvironment: false)
    case .environment(let url):
      DatabaseAddress(
        url, words: "database \(Self.words(for: url)) (SLUICE_DATABASE)",
        isOnlyFromEnvironment: true)
    case .libpqEnvironment(let name):
      DatabaseAddress(
        "", words: "database \(Self.words(for: "")) (\(name))", isOnlyFromEnvironment: true)
    case .embedded(let server):
      try Self.prepare(server)
    }
  }

  private static func prepare(_ server: EmbeddedServer) throws -> DatabaseAddress {
    try server.start()
    // `PGHOSTADDR` and others of libpq's variables are about other servers.
    return DatabaseAddress(
      server.url + "&hostaddr=&target_session_attrs=any&channel_binding=prefer",
      words: "private server in \(server.home)", isOnlyFromEnvironment: false)
  }

  /// What libpq makes of a connection string and its own variables, by keyword.
  private static func parts(of conninfo: String) -> [String: String] {
    let defaults = parts(PQconndefaults())
    guard !conninfo.isEmpty else { return defaults }
    return defaults.merging(parts(PQconninfoParse(conninfo, nil))) { $1 }
  }

  private static func parts(_ options: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String]
  {
    guard let options else { return [:] }
    defer { PQconninfoFree(options) }
    var parts: [String: String] = [:]
    var index = 0
    while let keyword = options[index].keyword {
      if let value = options[index].val {
        parts[String(cString: keyword)] = String(cString: value)
      }
      index += 1
    }
    return parts
  }

  private static func conninfo(_ parts: [String: String]) -> String {
    parts.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
      .map { keyword, value in
        let quoted = value.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
        return "\(keyword)='\(quoted)'"
      }
      .joined(separator: " ")
  }

  /// A connection string as it is, or what it says without its passwords, which then stand apart.
  fileprivate static func withoutPassword(_ conninfo: String) -> (String, password: String?) {
    var said = parts(PQconninfoParse(conninfo, nil))
    let password = said.removeValue(forKey: "password")
    let ofKey = said.removeValue(forKey: "sslpassword")
    return password == nil && ofKey == nil ? (conninfo, nil) : (Self.conninfo(said), password)
  }

  /// A connection string that says what libpq's variables say, but for the password.
  fileprivate static var environmentConninfo: String {
    let shown: Set = ["host", "hostaddr", "port", "dbname", "user", "sslmode", "sslrootcert"]
    return conninfo(parts(of: "").filter { shown.contains($0.key) })
  }

  /// `name on host:port`; never the password.
  private static func words(for conninfo: String) -> String {
    if !conninfo.isEmpty, !conninfo.contains("="), !conninfo.contains("://") {
      return printable(conninfo)
    }
    let parts = parts(of: conninfo)
    let name = parts["dbname"] ?? parts["user"] ?? "?"
    let host = parts["host"] ?? parts["hostaddr"] ?? "local socket"
    return printable("\(name) on \(host):\(parts["port"] ?? "5432")")
  }
}

/// A database that can be connected to, and how to say it.
package struct DatabaseAddress: Hashable, Sendable {
  /// What libpq takes; can hold a password, so it is never shown.
  let conninfo: String
  /// For people: the database, its host and who named it.
  package let words: String
  /// True where no argument said it: then a schema is not created there unasked.
  package let isOnlyFromEnvironment: Bool

  package init(_ conninfo: String, words: String, isOnlyFromEnvironment: Bool) {
    self.conninfo = conninfo
    self.words = words
    self.isOnlyFromEnvironment = isOnlyFromEnvironment
  }

  package func connect() throws -> Connection {
    // A server that is on its way up says so, and no SQLSTATE comes with it.
    for _ in 1...30 {
      do {
        return try Connection(conninfo, named: words)
      } catch let problem as Problem where problem.why.contains("the database system is") {
        usleep(500_000)
      }
    }
    return try Connection(conninfo, named: words)
  }
}

extension EmbeddedServer {
  /// The private server that the environment describes: `SLUICE_HOME` and `SLUICE_PG_BINDIR`.
  package static func standard(
    environment: [String: String], workingFolder: String, isRoot: Bool
  ) -> EmbeddedServer {
    let named = environment["SLUICE_HOME"] ?? ""
    let home =
      if named.isEmpty {
        isRoot ? "/var/lib/sluice" : workingFolder + "/.sluice"
      } else {
        named.hasPrefix("/") ? named : workingFolder + "/" + named
      }
    let folder = environment["SLUICE_PG_BINDIR"] ?? ""
    return EmbeddedServer(
      home: home.count > 1 && home.hasSuffix("/") ? String(home.dropLast()) : home,
      binariesFolder: folder.isEmpty ? nil : folder)
  }
}

extension DatabaseTarget {
  /// What psql and other clients of libpq take to connect, and the password that belongs to it; the private
  /// server is started for it.
  ///
  /// Apart, because what a program is started with is seen by everybody on the machine.
  package func url() throws -> (String, password: String?) {
    if case .libpqEnvironment = self { return (Self.environmentConninfo, nil) }
    return Self.withoutPassword(try prepare().conninfo)
  }
}
