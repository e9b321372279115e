internal import Core

/// A command line taken apart into command, operands and options, their values not yet read.
struct CommandLineWords {
  let command: CommandName
  private(set) var operands: [String] = []
  private(set) var values: [OptionName: String] = [:]
  private(set) var flags: Set<OptionName> = []

  var place: String { "sluice \(command.rawValue)" }

  /// Takes the words after the program's name apart.
  ///
  /// The first word that is no option names the command. `--` ends the options, `-` is an operand.
  /// `--name value` and `--name=value` are the same.
  ///
  /// - Throws: ``Problem`` with exit code 64 at the first word that is wrong.
  init(_ words: [String]) throws(Problem) {
    var named: CommandName?
    var options: [(option: OptionName, value: String?)] = []
    var rest = words[...]
    var isPastOptions = false
    while let word = rest.popFirst() {
      if word == "--" && !isPastOptions {
        isPastOptions = true
      } else if !isPastOptions && word.hasPrefix("-") && word != "-" {
        options.append(try Self.option(word, &rest, of: named))
      } else if named == nil {
        named = try Self.command(word)
      } else {
        operands.append(word)
      }
    }
    guard let command = named ?? (options.contains { $0.option == .help } ? .help : nil) else {
      throw usage("", "no command", next: "`sluice help` lists the commands")
    }
    self.command = command
    for (option, value) in options { try take(option, value) }
  }

  private static func command(_ word: String) throws(Problem) -> CommandName {
    if let command = CommandName(rawValue: word) { return command }
    guard !CommandName.later.contains(word) else {
      throw usage("", "`\(word)` is not supported yet")
    }
    let near = nearest(to: word, among: CommandName.allCases.map(\.rawValue))
    throw usage(
      "", "unknown command `\(word)`",
      next: near.map { "did you mean `\($0)`?" } ?? "`sluice help` lists the commands")
  }

  private static func option(
    _ word: String, _ rest: inout ArraySlice<String>, of command: CommandName?
  ) throws(Problem) -> (option: OptionName, value: String?) {
    let place = command.map { "sluice \($0.rawValue)" } ?? "sluice"
    if word == "-h" { return (.help, nil) }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard name.hasPrefix("--"), let option = OptionName(rawValue: String(name.dropFirst(2))) else {
      let known = (command?.options ?? OptionName.allCases).map(\.word)
      throw usage(
        place, "unknown option `\(name)`",
        next: nearest(to: name, among: known).map { "did you mean `\($0)`?" }
          ?? "`\(place) --help` lists the options")
    }
    let attached = parts.count > 1 ? String(parts[1]) : nil
    guard let placeholder = option.placeholder else {
      guard attached == nil else { throw usage(place, "`\(name)` takes no value") }
      return (option, nil)
    }
    // A word that looks like an option is one: `--as-of --force` lacks a time.
    let following = rest.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
    guard let value = attached ?? following, !value.isEmpty else {
      throw usage(place, "`\(name)` needs a value", next: "write \(name) \(placeholder)")
    }
    if attached == nil { rest.removeFirst() }
    return (option, value)
  }

  private mutating func take(_ option: OptionName, _ value: String?) throws(Problem) {
    guard option == .help || command.options.contains(option) else {
      throw usage(
        place, "has no option `\(option.word)`", next: "`\(place) --help` lists the options")
    }
    guard values[option] == nil, option == .help || !flags.contains(option) else {
      throw usage(place, "`\(option.word)` is here twice", next: "keep one of them")
    }
    if let value { values[option] = value } else { flags.insert(option) }
  }
}

/// A command line that is wrong.
func usage(
  _ place: String, _ what: String, because why: String = "", next: String = ""
) -> Problem {
  Problem(.usage, at: place, what, because: why, next: next)
}
