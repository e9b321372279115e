internal import Core

/// Reads the tree of a pipeline file into what the core checks, and collects all that is wrong.
///
/// It looks at the file's structure only: which keys there are, and of what form and range their
/// values are. Names, rules and types are the core's (`Pipeline(checking:)`).
struct PipelineReader {
  let files: SourceFiles
  private(set) var problems: [PipelineProblem] = []
  /// False once something is missing that would make the core report errors nobody made.
  private(set) var isComplete = true
  /// Names of things that could not be read.
  private(set) var unread: Set<Bytes> = []

  init(files: SourceFiles) { self.files = files }

  mutating func report(
    at position: SourcePosition, _ message: String, leavingGap: Bool = true
  ) {
    problems.append(PipelineProblem(at: position, message))
    if leavingGap { isComplete = false }
  }

  /// Reads something whose gaps make nobody else wrong: what is missing of it is known by name, or
  /// nothing names it.
  mutating func contained<Result>(_ read: (inout Self) -> Result) -> Result {
    let wasComplete = isComplete
    isComplete = true
    defer { isComplete = wasComplete }
    return read(&self)
  }

  mutating func leaveUnread(_ name: Bytes) { unread.insert(name) }

  mutating func pipeline(_ root: YAMLNode) -> (source: PipelineSource, tests: [PipelineTest])? {
    guard let section = contained({ $0.section(root, .pipeline) }) else { return nil }
    leaveSectionsUnread(of: root)
    let name = section.required("pipeline", by: &self) { $0.name($1) }
    var source = PipelineSource(name: name ?? Located("", at: root.position))
    contained { reader in
      source.historyStarts = section["history_starts"].flatMap { reader.day($0) }
      source.timeZone = section["time_zone"].flatMap { reader.timeZone($0) }
      source.defaultLanguage = section["default_language"].flatMap { reader.language($0) }
      source.runSettings = section["runs"].flatMap { reader.runSettings($0) } ?? source.runSettings
      source.people = section["people"].flatMap { reader.people($0) } ?? source.people
    }
    source.flows = named(section["flows"], "flows") { $0.flow($1, $2) }
    source.answers = named(section["answers"], "answers") { $0.answer($1, $2) }
    source.custom = named(section["custom"], "custom") { reader, key, node in
      reader.attributeType(node).map { CustomSource(key: key, type: $0.value) }
    }
    source.attributes = named(section["attributes"], "attributes") { $0.attribute($1, $2) }
    source.segments = named(section["segments"], "segments") { $0.segment($1, $2) }
    source.placements = named(section["placements"], "placements") { $0.placement($1, $2) }
    source.next = contained { $0.next(section["next"]) }
    source.excludedFromReports = contained { reader in
      section["reports"].flatMap { reader.reports($0) }
    }
    let tests = contained { $0.tests(section["tests"]) }
    source.unread = unread
    return (source, tests)
  }

  /// The names in sections whose keys are mistyped: nothing that uses them is wrong for that.
  private mutating func leaveSectionsUnread(of root: YAMLNode) {
    guard case .mapping(let entries) = root.content else { return }
    for entry in entries where !PipelineKeys.pipeline.known.contains(entry.key.value.string) {
      guard case .mapping(let named) = entry.value.content else { continue }
      for name in named { leaveUnread(name.key.value) }
    }
  }

  private mutating func flow(_ name: Located<Bytes>, _ node: YAMLNode) -> FlowSource {
    var flow = FlowSource(name: name)
    guard let section = section(node, .flow) else { return flow }
    flow.placements = names(section["placements"])
    if let ids = section["flow_ids"], section["flows"] != nil {
      report(at: ids.position, "`flows` and `flow_ids` mean the same; keep one of them")
    }
    flow.flowIDs = names(section["flows"] ?? section["flow_ids"])
    flow.screens = names(section["screens"])
    readRuns(section, into: &flow)
    let isRecognised = ["placements", "flows", "flow_ids", "screens"].contains {
      section[$0] != nil
    }
    if !isRecognised {
      report(
        at: name.position,
        "nothing recognises the flow `\(name.value.string)`; give it `placements`, `flows` or `screens`"
      )
    }
    return flow
  }

  private mutating func attribute(_ name: Located<Bytes>, _ node: YAMLNode) -> AttributeSource? {
    guard let section = section(node, .attribute) else { return nil }
    let type = section.required("type", by: &self) { $0.attributeType($1) }
    let value = section.required("value", by: &self) { $0.rule($1) }
    let runs = section["runs"].flatMap { choice($0, "runs", AttributeSource.Runs.self) }
    let plausible = section["plausible"].flatMap { bounds($0) }
    guard let type, let value else { return nil }
    if let plausible, type.value != .number {
      report(at: plausible.position, "only a number has plausible bounds")
    }
    var attribute = AttributeSource(name: name, type: type, value: value)
    attribute.runs = runs ?? .oneCompleted
    attribute.plausible = plausible
    return attribute
  }

  private mutating func attributeType(_ node: YAMLNode) -> Located<ValueType>? {
    guard let word = word(node, "the type") else { return nil }
    switch ValueType(rawValue: word.value.string) {
    case .number?: return Located(.number, at: word.position)
    case .text?: return Located(.text, at: word.position)
    default:
      let hint = didYouMean(word.value.string, ["number", "text"])
      report(
        at: word.position, "an attribute is `number` or `text`: the vendor has no other" + hint)
      return nil
    }
  }

  private mutating func segment(_ name: Located<Bytes>, _ node: YAMLNode) -> SegmentSource? {
    if name.value == "default" {
      report(at: name.position, "`default` is what the last audience is called; take another name")
    }
    return rule(node).map { SegmentSource(name: name, rule: $0) }
  }

  private mutating func people(_ node: YAMLNode) -> PeopleRules? {
    guard let section = section(node, .people) else { return nil }
    var rules = PeopleRules()
    for word in names(section["unite_by"]) {
      guard let external = PeopleRules.External(rawValue: word.value.string) else {
        let known = PeopleRules.External.allCases.map(\.rawValue)
        let hint = didYouMean(word.value.string, known)
        report(
          at: word.position,
          "people are united by " + known.joined(separator: " or ")
            + ", not by `\(word.value.string)`" + hint, leavingGap: false)
        continue
      }
      rules.unitesBy.insert(external)
    }
    if let node = section["max_events"],
      let most = integer(node, in: PeopleRules.maximumEventsRange, "`max_events`")
    {
      rules.maximumEvents = most
    }
    return rules
  }

  private mutating func reports(_ node: YAMLNode) -> Located<Bytes>? {
    section(node, .reports)?["exclude"].flatMap { name($0) }
  }

  mutating func day(_ node: YAMLNode) -> Located<Day>? {
    guard let word = word(node, "the day") else { return nil }
    guard let day = Day(iso8601: word.value.string) else {
      report(at: word.position, "a day is written like 2026-06-01 and must exist")
      return nil
    }
    return Located(day, at: word.position)
  }

  /// A name such as `Europe/Berlin`; whether it exists is for the database to say.
  private mutating func timeZone(_ node: YAMLNode) -> Located<Bytes>? {
    guard let word = word(node, "the time zone") else { return nil }
    guard isTimeZoneName(word.value.string) else {
      report(at: word.position, "a time zone is a name like Europe/Berlin or UTC")
      return nil
    }
    return word
  }
}
