internal import Core

/// When runs begin, end and go on.
extension PipelineReader {
  mutating func runSettings(_ node: YAMLNode) -> RunSettings? {
    guard let section = section(node, .runs) else { return nil }
    var settings = RunSettings()
    func read(_ key: String, _ path: WritableKeyPath<RunSettings, Int64>, atLeast: Int64) {
      guard let node = section[key], let duration = duration(node, key) else { return }
      guard duration >= atLeast else {
        report(at: node.position, "`\(key)` must be longer than nothing", leavingGap: false)
        return
      }
      settings[keyPath: path] = duration
    }
    read("gap_without_session", \.gapWithoutSession, atLeast: 1)
    read("gap_within_session", \.gapWithinSession, atLeast: 1)
    read("late_appearance", \.lateAppearance, atLeast: 0)
    read("late_input", \.lateInput, atLeast: 0)
    return settings
  }

  mutating func readRuns(_ section: PipelineSection, into flow: inout FlowSource) {
    flow.completingScreens = names(section["completed"])
    flow.renamedScreens = named(section["same_as"], "same_as") { reader, former, node in
      guard let current = reader.name(node) else { return nil }
      return RenamedScreenSource(former: former, current: current)
    }
    if let node = section["resume_within"] {
      flow.resumeWithin = duration(node, "resume_within")
      if flow.resumeWithin == 0 {
        report(
          at: node.position, "nothing goes on within no time; remove the key", leavingGap: false)
      }
    }
  }

  /// `30 min`, `10 s`, `2 h`, `7 days`: a whole number and a unit, in microseconds.
  mutating func duration(_ node: YAMLNode, _ what: String) -> Int64? {
    guard let word = word(node, "`\(what)`") else { return nil }
    let parts = word.value.string.split(separator: " ")
    let digits = word.value.string.prefix { $0.isASCII && $0.isNumber }
    let unit =
      parts.count == 2 ? String(parts[1]) : String(word.value.string.dropFirst(digits.count))
    guard parts.count <= 2, parts.count == 1 || parts[0] == digits, let number = Int64(digits),
      let seconds = Self.secondsOfUnit[unit], number <= 3_650 * 86_400 / seconds
    else {
      report(
        at: node.position,
        "`\(what)` is a duration like 10 s, 30 min, 2 h or 7 days, at most 3650 days",
        leavingGap: false)
      return nil
    }
    return number * seconds * 1_000_000
  }

  private static let secondsOfUnit: [String: Int64] = [
    "s": 1, "second": 1, "seconds": 1, "min": 60, "minute": 60, "minutes": 60, "h": 3600,
    "hour": 3600, "hours": 3600, "d": 86_400, "day": 86_400, "days": 86_400,
  ]

  /// A day, which is its first instant in the pipeline's zone, or a time with its zone.
  mutating func moment(_ node: YAMLNode) -> Located<Moment>? {
    guard let word = word(node, "the time") else { return nil }
    guard let moment = Moment(iso8601: word.value.string) else {
      report(
        at: word.position,
        "write a day like 2026-06-01 or a time with its zone like 2026-06-01T12:00:00Z")
      return nil
    }
    return Located(moment, at: word.position)
  }
}

extension Moment {
  /// `2026-06-01`, or a time with its zone such as `2026-06-01T12:00:00Z`.
  init?(iso8601 text: String) {
    if let day = Day(iso8601: text) {
      self = .day(day)
    } else if let instant = Instant(iso8601: text) {
      self = .instant(instant)
    } else {
      return nil
    }
  }
}
