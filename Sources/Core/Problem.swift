/// A failure told to a person: place, what, why, next step.
///
/// Never holds an answer, an e-mail or a number that a person typed: it names the field and the line.
package struct Problem: Error, Hashable, Sendable {
  package let place: String
  package let what: String
  package let why: String
  package let next: String
  /// What the program exits with when this problem ends it.
  package let exit: ExitCode

  package init(
    _ exit: ExitCode, at place: String, _ what: String, because why: String = "", next: String = ""
  ) {
    self.exit = exit
    self.place = place
    self.what = what
    self.why = why
    self.next = next
  }

  /// `place: what: why; next`, control characters replaced so that no input can forge a log line.
  package var message: String {
    var text = place.isEmpty ? what : place + ": " + what
    if !why.isEmpty { text += ": " + why }
    if !next.isEmpty { text += "; " + next }
    return printable(text)
  }
}

/// What the program ends with (sysexits.h).
package enum ExitCode: Int32, Sendable {
  case done = 0
  case usage = 64
  case tooManyRejects = 65
  case noInput = 66
  case noDatabase = 69
  case bug = 70
  case cannotCreate = 73
  case cannotWrite = 74
  case tryAgain = 75
  case pipelineWrong = 78
  /// Ended by SIGINT or SIGTERM, as a shell says it.
  case interrupted = 130
  case terminated = 143
}

/// The text with every control character shown as `\u{…}`, for logs and terminals.
///
/// - Parameter keepingNewlines: true where the text is laid out in lines by us.
package func printable(_ text: String, keepingNewlines: Bool = false) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    let isBidi =
      (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    // Some read on at them as at a new line.
    let isSeparator = scalar.value == 0x2028 || scalar.value == 0x2029
    if (isControl || isBidi || isSeparator) && !(keepingNewlines && scalar == "\n") {
      result += "\\u{" + String(scalar.value, radix: 16) + "}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}
