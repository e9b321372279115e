internal import Core
internal import Glibc

/// The SQL files that make a schema: `migrations/` in order of their numbers, and `views/`.
package struct SQLFolder: Sendable {
  package let path: String

  /// One file of the folder.
  struct File: Sendable {
    /// Below the folder: `migrations/0001_create_operation.sql`.
    let name: String
    let text: String
  }

  /// Finds the folder: named by the user, installed beside the program, or in the checkout that it
  /// was built in.
  ///
  /// - Parameter argument: what `--sql` says.
  /// - Throws: a ``Problem`` where there is no such folder.
  package init(named argument: String? = nil) throws {
    let program = Self.programFolder()
    // A folder further up counts only where the program was built in that checkout.
    let checkouts = Self.parents(of: program).filter { FileStatus($0 + "/Package.swift") != nil }
    let candidates =
      argument.map { [$0] }
      ?? [program + "/../share/sluice/sql", program + "/sql"] + checkouts.map { $0 + "/sql" }
    let found = candidates.first { candidate in
      guard let status = FileStatus(candidate + "/migrations") else { return false }
      // What another user put there would run with this one's rights.
      return argument != nil || status.owner == 0 || status.owner == geteuid()
    }
    guard let found else {
      throw Problem(
        .noInput, at: argument ?? "sql", "no folder of SQL files here",
        because: argument == nil
          ? "neither beside the program nor in ../share/sluice is one with `migrations` in it"
          : "there is no `migrations` folder in it",
        next: "copy the folder `sql` along with the program, or name it with --sql")
    }
    path = found
  }

  var migrations: [File] { get throws { try files(in: "migrations") } }
  var views: [File] { get throws { try files(in: "views") } }

  /// Who may do what.
  var roles: File {
    get throws {
      guard let text = readText(path + "/roles.sql") else {
        throw Problem(
          .noInput, at: path + "/roles.sql", "cannot read the file", because: lastError())
      }
      return File(name: "roles.sql", text: text)
    }
  }

  private func files(in folder: String) throws -> [File] {
    guard let names = namesInFolder(path + "/" + folder) else {
      throw Problem(
        .noInput, at: path + "/" + folder, "cannot read the folder", because: lastError())
    }
    return try names.filter { $0.hasSuffix(".sql") }.map { name in
      guard let text = readText("\(path)/\(folder)/\(name)") else {
        throw Problem(
          .noInput, at: "\(path)/\(folder)/\(name)", "cannot read the file", because: lastError())
      }
      return File(name: folder + "/" + name, text: text)
    }
  }

  private static func programFolder() -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = max(0, readlink("/proc/self/exe", &buffer, buffer.count - 1))
    let path = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return parents(of: path).first ?? "/"
  }

  /// The folders above a path, nearest first.
  private static func parents(of path: String) -> [String] {
    var result: [String] = []
    var rest = path[...]
    while let slash = rest.lastIndex(of: "/") {
      rest = rest[..<slash]
      result.append(String(rest))
    }
    return result
  }
}
