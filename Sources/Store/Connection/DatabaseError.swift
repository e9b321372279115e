package import Core

/// What the server, or the way to it, answered instead of a result.
///
/// Holds the primary message only: DETAIL repeats the values of rows, which are people's answers.
/// The primary message of class 22 repeats the offending value too, so it is left out there.
package struct DatabaseError: Error, Hashable, Sendable {
  /// Five characters as PostgreSQL documents them; `08006` where the connection itself was lost.
  package let sqlState: String
  package let message: String
  /// The violated constraint; empty where none is.
  package let constraint: String

  package init(sqlState: String, message: String, constraint: String = "") {
    self.sqlState = sqlState
    self.message = sqlState.hasPrefix("22") ? "the database refuses a value" : message
    self.constraint = constraint
  }

  package static let connectionLost = "08006"

  /// The first two characters of the SQLSTATE.
  package var sqlClass: Substring { sqlState.prefix(2) }

  /// True where the same transaction can succeed when it is done again (SEMANTICS 3.6).
  package var isRetryable: Bool {
    switch sqlState {
    case "40001", "40P01", "55P03", "25P03": true
    default: sqlState.hasPrefix("57P0") || sqlClass == "08"
    }
  }

  /// True where the data itself is refused, so that doing it again cannot help (SEMANTICS 3.6).
  package var isAboutData: Bool { ["22", "23", "54"].contains(sqlClass) }

  private var isFromStandby: Bool { sqlState == "0A000" && message.contains("during recovery") }

  /// The problem this error is for a person.
  ///
  /// - Parameters:
  ///   - place: what was worked on, e.g. `shard 12`.
  ///   - what: what could not be done.
  /// - Returns: a problem whose exit code follows from the SQLSTATE.
  package func problem(at place: String, _ what: String) -> Problem {
    let named = constraint.isEmpty ? "" : ", constraint \(constraint)"
    let why = "\(message) (SQLSTATE \(sqlState)\(named))"
    if isRetryable {
      return Problem(.tryAgain, at: place, what, because: why, next: "run the same command again")
    }
    switch sqlState {
    case "53100":
      return Problem(.cannotWrite, at: place, what, because: why, next: "make room on its disk")
    // A standby does not even begin a transaction that writes.
    case _ where sqlState == "25006" || isFromStandby:
      return Problem(
        .noDatabase, at: place, what, because: why, next: "name the primary, not a standby")
    case "57014":
      return Problem(
        .tryAgain, at: place, what, because: why,
        next: "run again, or lift the role's statement_timeout")
    case "42501":
      return Problem(
        .noDatabase, at: place, what, because: why, next: "grant the right, or use another role")
    default:
      return sqlClass == "53"
        ? Problem(.tryAgain, at: place, what, because: why, next: "run the same command again")
        : Problem(.bug, at: place, what, because: why)
    }
  }
}
