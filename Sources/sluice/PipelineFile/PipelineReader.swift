internal import Core

/// Reads the tree of a pipeline file into what the core checks, and collects all that is wrong.
///
/// It looks at the file's structure only: which keys there are, and of what form and range their
/// values are. Names, rules and types are the core's (`Pipeline(checking:)`).
struct PipelineReader {
  let files: SourceFiles
  private(set) var problems: [PipelineProblem] = []
  /// False once something of the part that is being read is missing.
  private(set) var isComplete = true
  /// What would make the core report errors that nobody made.
  private var unread = UnreadNames()
  private var looseRules: [LooseRule] = []

  init(files: SourceFiles) { self.files = files }

  mutating func report(
    at position: SourcePosition, _ message: String, leavingGap: Bool = true
  ) {
    problems.append(PipelineProblem(at: position, message))
    if leavingGap { isComplete = false }
  }

  /// Reads a part, whose gaps are its own: ``isComplete`` is again as it was afterwards.
  mutating func contained<Result>(_ read: (inout Self) -> Result) -> Result {
    let wasComplete = isComplete
    isComplete = true
    defer { isComplete = wasComplete }
    return read(&self)
  }

  mutating func leaveUnread(_ name: Bytes) { unread.names.insert(name) }

  mutating func leaveUnread(_ section: UnreadNames.Section) { unread.sections.insert(section) }

  /// Leaves a rule to be checked although what it belongs to could not be read.
  mutating func leaveLoose(_ rule: RuleText, _ use: RuleUse) {
    looseRules.append(LooseRule(rule, use: use))
  }

  /// Reads a whole pipeline; nil where it is no mapping.
  ///
  /// - Parameters:
  ///   - repeats: named things that are refused because their name is there already: they are looked
  ///     at, and are no part of the pipeline.
  ///   - leftOut: sections of which a part is in nothing that is read.
  mutating func pipeline(
    _ root: YAMLNode, repeats: [(section: Bytes, entry: YAMLEntry)] = [], leftOut: Set<String> = [],
    isWhole: Bool = true
  ) -> (source: PipelineSource, tests: [PipelineTest])? {
    guard let section = section(root, .pipeline) else { return nil }
    leaveSectionsUnread(of: root)
    let missing =
      isWhole
      ? leftOut.compactMap { UnreadNames.Section(rawValue: $0) } : UnreadNames.Section.allCases
    for section in missing { leaveUnread(section) }
    // Another file may say the name.
    let name =
      isWhole
      ? section.required("pipeline", by: &self) { $0.name($1) }
      : section["pipeline"].flatMap { self.name($0) }
    var source = PipelineSource(name: name ?? Located("", at: root.position))
    source.historyStarts = section["history_starts"].flatMap { day($0) }
    source.timeZone = section["time_zone"].flatMap { timeZone($0) }
    source.defaultLanguage = section["default_language"].flatMap { language($0) }
    source.runSettings = section["runs"].flatMap { runSettings($0) } ?? source.runSettings
    source.people = section["people"].flatMap { people($0) } ?? source.people
    source.privacy = section["privacy"].flatMap { privacy($0) } ?? source.privacy
    if let node = section["limits"] { limits(node, into: &source) }
    source.flows = declared(section, .flows) { $0.flow($1, $2) }
    source.answers = declared(section, .answers) { $0.answer($1, $2) }
    source.custom = declared(section, .custom) { $0.custom($1, $2) }
    source.attributes = declared(section, .attributes) { $0.attribute($1, $2) }
    source.segments = declared(section, .segments) { $0.segment($1, $2) }
    source.placements = declared(section, .placements) { $0.placement($1, $2) }
    source.next = contained { reader in
      let rules = reader.next(section["next"])
      if !reader.isComplete { reader.leaveUnread(.next) }
      return rules
    }
    source.excludedFromReports = section["reports"].flatMap { reports($0) }
    for (section, entry) in repeats { look(at: entry, in: section, of: &source) }
    let tests = tests(section["tests"])
    source.unread = unread
    source.looseRules = looseRules
    return (source, tests)
  }

  /// The names in sections whose keys are mistyped: nothing that uses them is wrong for that.
  private mutating func leaveSectionsUnread(of root: YAMLNode) {
    guard case .mapping(let entries) = root.content else { return }
    for entry in entries where !PipelineKeys.pipeline.known.contains(entry.key.value.string) {
      // The key of a thing that is indented too little.
      leaveUnread(entry.key.value)
      let meant = nearest(to: entry.key.value.string, among: PipelineKeys.pipeline.known)
      if meant == "include" {
        for section in UnreadNames.Section.allCases { leaveUnread(section) }
      }
      if case .mapping(let named) = entry.value.content {
        for name in named { leaveUnread(name.key.value) }
      } else if let section = meant.flatMap({ UnreadNames.Section(rawValue: $0) }) {
        leaveUnread(section)
      }
    }
  }

  /// Reads a thing whose name is there already, for what is wrong with it itself.
  private mutating func look(
    at entry: YAMLEntry, in section: Bytes, of source: inout PipelineSource
  ) {
    let (name, node) = (entry.key, entry.value)
    contained { reader in
      switch UnreadNames.Section(rawValue: section.string) {
      case .flows?: _ = reader.flow(name, node)
      case .answers?:
        let again = reader.answer(name, node)
        guard let index = source.answers.firstIndex(where: { $0.name.value == name.value }),
          again?.reading.type != source.answers[index].reading.type
        else { break }
        // Which of the two types is meant, nobody knows.
        source.answers.remove(at: index)
        reader.leaveUnread(name.value)
      case .attributes?:
        let again = reader.attribute(name, node)
        if let again { reader.leaveLoose(again.value, .attribute) }
        guard let index = source.attributes.firstIndex(where: { $0.name.value == name.value }),
          again?.type.value != source.attributes[index].type.value
        else { break }
        reader.leaveLoose(source.attributes.remove(at: index).value, .attribute)
        reader.leaveUnread(name.value)
      case .segments?:
        if let again = reader.segment(name, node) { reader.leaveLoose(again.rule, .segment) }
      case .placements?:
        guard let again = reader.placement(name, node) else { break }
        for tag in again.tags { reader.leaveLoose(tag.value, .tag) }
        // Tests may mean either of the two.
        reader.leaveUnread(name.value)
      case .custom?: _ = reader.custom(name, node)
      case .next?, nil: break
      }
    }
  }

  private mutating func custom(_ key: Located<Bytes>, _ node: YAMLNode) -> CustomSource? {
    guard let type = attributeType(node) else {
      // Rules name it so.
      leaveUnread(Bytes("custom." + key.value.string))
      return nil
    }
    return CustomSource(key: key, type: type.value)
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
    let isRecognised = ["placements", "flows", "flow_ids", "screens"].contains { section.has($0) }
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
    guard let type, let value else {
      if let value { leaveLoose(value, .attribute) }
      return nil
    }
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
        at: word.position,
        "an attribute's type is `number` or `text`: the vendor has no other" + hint)
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
