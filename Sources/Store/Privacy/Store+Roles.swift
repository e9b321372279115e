internal import Core

extension Store {
  /// Creates the roles of `sql/roles.sql` and gives them their rights, as far as they lack them.
  ///
  /// - Returns: their names: those of the file with the schema's name in front.
  /// - Throws: a ``Problem`` where this user may not create roles.
  package func applyRoles() throws -> [String] {
    let file = try folder.roles
    return try retrying(at: "schema \(schema.name)", "cannot apply the roles") { _ in
      try connection.transaction {
        try connection.lockExclusively(schema)
        do {
          // Roles belong to the whole server: two schemas on it must not share theirs.
          let text = file.text.replacing("sluice_", with: schema.name + "_")
            .replacing("schema sluice", with: "schema " + schema.quoted)
          try connection.executeScript(schema.applied(to: text))
        } catch let error as DatabaseError where error.sqlState == "42501" {
          throw Problem(
            .noDatabase, at: file.name, "cannot apply the roles", because: error.message,
            next: "run it as a user that owns the schema and may create roles")
        } catch let error as DatabaseError where !error.isRetryable {
          throw error.problem(at: file.name, "cannot apply the roles")
        }
      }
      return ["writer", "analyst", "reports", "app"].map { schema.name + "_" + $0 }
    }
  }
}
