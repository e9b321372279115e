internal import Core
internal import Glibc

/// Who the private server runs as: PostgreSQL refuses to run as root.
struct ServerUser {
  let id: UInt32
  let group: UInt32
  /// What goes before a command so that it runs as this user; empty for ourselves.
  let prefix: [String]

  /// Ourselves, or the unprivileged user `postgres` where we are root.
  static func current() throws -> ServerUser {
    guard geteuid() == 0 else { return ServerUser(id: geteuid(), group: getegid(), prefix: []) }
    guard let entry = getpwnam("postgres") else {
      throw Problem(
        .noDatabase, at: "private server", "cannot run",
        because: "PostgreSQL refuses to run as root, and there is no user postgres",
        next: "create the user, run as another one, or name a database with --database")
    }
    let (id, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
    let setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].first(where: isExecutable)
    if let setpriv {
      return ServerUser(
        id: id, group: group,
        prefix: [setpriv, "--reuid=\(id)", "--regid=\(group)", "--init-groups", "--"])
    }
    let runuser = ["/usr/sbin/runuser", "/sbin/runuser", "/usr/bin/runuser"]
      .first(where: isExecutable)
    guard let runuser else {
      throw Problem(
        .noDatabase, at: "private server", "cannot run",
        because: "PostgreSQL refuses to run as root, and neither setpriv nor runuser is installed",
        next: "install util-linux, run as another user, or name a database with --database")
    }
    return ServerUser(id: id, group: group, prefix: [runuser, "-u", "postgres", "--"])
  }

  /// True where this user may enter the folder and all above it.
  func canEnter(_ folder: String) -> Bool {
    guard !prefix.isEmpty else { return access(folder, X_OK) == 0 }
    let test = ["/usr/bin/test", "/bin/test"].first(where: isExecutable)
    guard let test else { return true }
    return (try? Subprocess.run(prefix + [test, "-x", folder], log: "/dev/null")) == 0
  }
}
