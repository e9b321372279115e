internal import Core
internal import Glibc

/// The programs of one installed PostgreSQL server.
package struct ServerBinaries: Hashable, Sendable {
  /// Where `postgres`, `initdb`, `pg_ctl` and `psql` are.
  package let folder: String
  package let majorVersion: Int

  package func path(_ program: String) -> String { folder + "/" + program }

  /// Finds installed servers of version 14 or later, newest first.
  ///
  /// `pg_config --bindir` is no help: on Debian it belongs to the client's headers.
  ///
  /// - Parameter named: a folder that the user names (`SLUICE_PG_BINDIR`); then no other counts.
  /// - Returns: may be empty where no folder is named.
  /// - Throws: a ``Problem`` where the named folder holds no server.
  package static func installed(named: String? = nil) throws -> [ServerBinaries] {
    if let named {
      guard let found = ServerBinaries(at: named) else {
        throw Problem(
          .noDatabase, at: named, "holds no PostgreSQL server of version 14 or later",
          next: "let SLUICE_PG_BINDIR name the folder of initdb, pg_ctl and postgres")
      }
      return [found]
    }
    let roots = [
      "/usr/lib/postgresql", "/usr/pgsql", "/usr/local/pgsql", "/usr/libexec/postgresql",
    ]
    var found = roots.flatMap { root in
      (namesInFolder(root) ?? []).compactMap { ServerBinaries(at: "\(root)/\($0)/bin") }
    }
    found += ["/usr/local/pgsql/bin", "/usr/local/bin", "/usr/bin"].compactMap {
      ServerBinaries(at: $0)
    }
    return found.sorted { $0.majorVersion > $1.majorVersion }
  }

  private init?(at folder: String) {
    let programs = ["postgres", "initdb", "pg_ctl"]
    guard programs.allSatisfy({ access(folder + "/" + $0, X_OK) == 0 }) else { return nil }
    guard let version = Self.version(of: folder), version >= 14 else { return nil }
    self.folder = folder
    majorVersion = version
  }

  /// Reads the version from the folder's name where it says one, else asks the program.
  private static func version(of folder: String) -> Int? {
    for word in folder.split(separator: "/") {
      if let number = Int(word.prefix { $0 != "." }), (9...99).contains(number) { return number }
    }
    guard let pipe = popen("LC_ALL=C '\(folder)/postgres' --version", "r") else { return nil }
    defer { pclose(pipe) }
    var line = [CChar](repeating: 0, count: 200)
    guard fgets(&line, Int32(line.count), pipe) != nil else { return nil }
    // postgres (PostgreSQL) 15.20
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return text.split(separator: " ").dropFirst(2).first.flatMap { Int($0.prefix { $0.isNumber }) }
  }
}
