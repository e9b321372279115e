internal import Core
internal import Glibc

/// Runs the server's own programs.
enum Subprocess {
  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - arguments: the program's full path first.
  ///   - log: where its words go; appended.
  /// - Returns: its exit status, 128 + n where signal n ended it.
  /// - Throws: a ``Problem`` where it could not be started.
  static func run(_ arguments: [String], log: String) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)

    // An environment of our own: PG… variables would name another database, LC_… another encoding.
    let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"]
    // The server's programs fail in a working folder that their user may not enter: -C leaves it.
    let command = ["/usr/bin/env", "-C", "/"] + arguments
    var argv = command.map { strdup($0) }
    var envp = environment.map { strdup($0) }
    defer { for text in argv + envp { free(text) } }
    argv.append(nil)
    envp.append(nil)

    var pid: pid_t = 0
    let status = posix_spawn(&pid, command[0], &actions, nil, argv, envp)
    guard status == 0 else {
      throw Problem(
        .noDatabase, at: command[0], "cannot run", because: String(cString: strerror(status)))
    }
    var result: Int32 = 0
    while waitpid(pid, &result, 0) < 0 {
      guard errno == EINTR else { return 127 }
    }
    let signal = result & 0x7F
    return signal == 0 ? (result >> 8) & 0xFF : 128 + signal
  }
}
