/// Turns a pipeline's source into a ``Pipeline``, or into everything that is wrong with it.
package struct PipelineChecker {
  let source: PipelineSource
  let zone: Zone
  private var problems: [PipelineProblem] = []
  /// What is allowed and yet most likely a mistake.
  private(set) var warnings: [PipelineProblem] = []

  /// Of the attributes, once their rules are understood; nil for one that is wrong.
  private var attributeValues: [KnownValues?] = []
  let answerSources: [AnswerSource]
  let attributeSources: [AttributeSource]
  let segmentSources: [SegmentSource]
  let layout: SlotLayout
  /// The facts with ids in them that some rule names, by full name.
  private let namedFacts: [(name: Bytes, fact: NamedFact)]
  let flowIndex: [Bytes: Int]
  private let segmentIndex: [Bytes: Int]
  private let knownFlows: KnownNames
  private let knownSegments: KnownNames
  let knownAnswers: KnownNames

  /// Checks names, types, limits and cycles.
  ///
  /// - Parameters:
  ///   - source: as the file's reader made it, its shape already right.
  ///   - zone: of the pipeline's `time_zone`; UTC where it has none.
  ///   - zones: those that events name; by default none is known.
  /// - Throws: every problem found, by position.
  package static func check(
    _ source: PipelineSource, zone: Zone = .utc,
    zones: @escaping @Sendable (Bytes) -> Zone? = { _ in nil }
  ) throws(PipelineProblems) -> Pipeline {
    var checker = PipelineChecker(source, zone)
    let pipeline = checker.pipeline(zones)
    guard let pipeline, checker.problems.isEmpty else {
      throw PipelineProblems(
        checker.problems.sorted { $0.position < $1.position }, warnings: checker.warnings)
    }
    return pipeline
  }

  private init(_ source: PipelineSource, _ zone: Zone) {
    self.source = source
    self.zone = zone
    // By name, so that the order of a file's keys decides nothing.
    answerSources = source.answers.sorted { $0.name.value < $1.name.value }
    attributeSources = source.attributes.sorted { $0.name.value < $1.name.value }
    segmentSources = source.segments.sorted { $0.name.value < $1.name.value }
    flowIndex = Dictionary(
      source.flows.enumerated().map { ($1.name.value, $0) }, uniquingKeysWith: { first, _ in first }
    )
    segmentIndex = Dictionary(
      segmentSources.enumerated().map { ($1.name.value, $0) },
      uniquingKeysWith: { first, _ in first })
    knownFlows = KnownNames(source.flows.map(\.name.value))
    knownSegments = KnownNames(segmentSources.map(\.name.value))
    knownAnswers = KnownNames(answerSources.map(\.name.value))
    let customTypes = Dictionary(source.custom.map { ($0.key.value, $0.type) }) { first, _ in first
    }
    namedFacts = source.rules.reduce(into: Set<Bytes>()) { $0.formUnion(namesUsed(in: $1.text)) }
      .sorted()
      .compactMap { name in NamedFact(name: name, customTypes: customTypes).map { (name, $0) } }
    layout = SlotLayout(
      answers: answerSources.count, attributes: attributeSources.count,
      segments: segmentSources.count, flows: source.flows.count, named: namedFacts.map(\.fact))
  }

  mutating func report(_ position: SourcePosition, _ message: String) {
    problems.append(PipelineProblem(at: position, message))
  }

  mutating func warn(_ position: SourcePosition, _ message: String) {
    warnings.append(PipelineProblem(at: position, message))
  }

  private mutating func pipeline(_ zones: @escaping @Sendable (Bytes) -> Zone?) -> Pipeline? {
    checkNames()
    let flowRules = checkedFlowRules()
    let matcher = flowMatcher()
    let answers = answerSources.map { answerDefinition($0) }
    let answerScope = scope(withAnswers: true)
    attributeValues = attributeSources.map {
      CheckedExpression($0.value, scope: answerScope, expecting: $0.type.value, use: .attribute)
        .map { KnownValues(of: $0, in: answerScope) }
    }
    checkPlausible()
    let attributeScope = scope(withAnswers: true)
    let ruleScope = scope(withAnswers: false)
    let attributes = attributeSources.map { attributeDefinition($0, attributeScope, answers) }
    let segments = segmentSources.map { segmentDefinition($0, ruleScope) }
    let placements = source.placements.map { placementDefinition($0, ruleScope) }
    let next = source.next.map { nextDefinition($0, ruleScope) }
    for loose in source.looseRules {
      _ = program(
        loose.rule, loose.use == .attribute ? attributeScope : ruleScope,
        loose.use == .segment || loose.use == .next ? .boolean : nil, loose.use)
    }
    checkReach(ruleScope)
    warnOfUnknownPlacements()
    for message in source.next.flatMap(\.storeMessages) {
      if let why = unknownStoreMessage(message.value) {
        report(message.position, "this lets through " + why)
      }
    }
    warnOfVariationsInTwoCases()
    warnOfDroppedAnswers()
    if let excluded = source.excludedFromReports { _ = segmentIndex(excluded) }
    checkAudienceVersions()
    let order = evaluationOrder(
      attributes: attributes.map { $0?.program.slots ?? [] },
      segments: segments.map { $0?.program.slots ?? [] })
    guard problems.isEmpty else { return nil }
    let checkedAttributes = attributes.compactMap { $0 }
    let checkedSegments = segments.compactMap { $0 }
    var programs: [Program] = checkedAttributes.map { $0.program }
    programs += checkedSegments.map { $0.program }
    programs += next.compactMap { $0.program }
    for placement in placements { programs += placement.tags.map { $0.program } }
    var isSlotRead = [Bool](repeating: false, count: layout.count)
    for slot in programs.flatMap({ $0.slots }) { isSlotRead[slot] = true }
    return Pipeline(
      name: source.name.value, historyStarts: source.historyStarts.map { zone.start(of: $0.value) },
      zone: zone, flows: source.flows.map(\.name.value), flowRules: flowRules, matcher: matcher,
      runSettings: source.runSettings, people: source.people, privacy: source.privacy,
      limits: source.limits, answers: answers,
      runReads: RunReads(answers, checkedAttributes, layout, isSlotRead: isSlotRead),
      attributes: checkedAttributes,
      segments: checkedSegments, placements: placements.sorted { $0.id < $1.id }, next: next,
      order: order, excludedFromReports: source.excludedFromReports?.value, zones: zones,
      slots: layout,
      isSlotRead: isSlotRead, attributeScope: attributeScope, ruleScope: ruleScope,
      warnings: warnings.sorted { $0.position < $1.position })
  }

  // MARK: Names

  private mutating func checkNames() {
    checkUnique(source.flows.map(\.name), "flow")
    checkUnique(source.answers.map(\.name), "answer")
    checkUnique(source.attributes.map(\.name) + source.segments.map(\.name), "attribute or segment")
    checkUnique(source.placements.map(\.id), "placement")
    checkShadowing()
    for attribute in source.attributes { checkKey(attribute.name) }
    for attribute in source.custom { checkKey(attribute.key) }
    if source.attributes.count > 30 {
      report(
        source.attributes[30].name.position,
        "a profile has at most 30 custom attributes, this pipeline has \(source.attributes.count): "
          + "make segments of some, or remove them")
    }
  }

  private mutating func checkUnique(_ names: [Located<Bytes>], _ what: String) {
    var seen: [Bytes: SourcePosition] = [:]
    for name in names {
      if let first = seen[name.value] {
        let place = first.file == name.position.file ? "" : "another file, "
        report(
          name.position,
          "the \(what) `\(name.value.string)` is already declared in \(place)line \(first.line); "
            + "take another name")
      } else {
        seen[name.value] = name.position
      }
    }
  }

  /// The vendor's rule for keys of custom attributes.
  private mutating func checkKey(_ key: Located<Bytes>) {
    let isAllowed = key.value.slice.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard key.value != "profile_id" else {
      report(
        key.position, "every row has its `profile_id`; give the attribute another name")
      return
    }
    guard isAllowed, (1...30).contains(key.value.count) else {
      report(
        key.position,
        "the attribute key `\(key.value.string)` must have 1 to 30 characters of A-Z a-z 0-9 . _ -")
      return
    }
  }

  private mutating func flowMatcher() -> FlowMatcher {
    FlowMatcher(
      byPlacement: claims(\.placements, "placement"), byFlowID: claims(\.flowIDs, "flow id"),
      byScreen: withFormerIDs(claims(\.screens, "screen")))
  }

  private mutating func claims(_ ids: KeyPath<FlowSource, [Located<Bytes>]>, _ what: String)
    -> [Bytes: Int]
  {
    var result: [Bytes: Int] = [:]
    for (index, flow) in source.flows.enumerated() {
      for id in flow[keyPath: ids] {
        // Flow ids of the envelope are lower-cased when they are read; the others are exact.
        let key = ids == \FlowSource.flowIDs ? id.value.withLowercaseUUID : id.value
        if let other = result[key], other != index {
          report(
            id.position,
            "the \(what) `\(id.value.string)` already belongs to the flow "
              + "`\(source.flows[other].name.value.string)`: an event must fit one flow; remove it from one of them"
          )
        }
        result[key] = index
      }
    }
    return result
  }

  mutating func flowIndices(_ names: [Located<Bytes>]) -> [Int] {
    var result: [Int] = []
    for name in names {
      if let index = flowIndex[name.value] {
        result.append(index)
      } else if !source.unread.mayDeclare(name.value, in: .flows) {
        report(name.position, knownFlows.unknown("flow", name.value))
      }
    }
    return result
  }

  private mutating func segmentIndex(_ name: Located<Bytes>) -> Int? {
    if let index = segmentIndex[name.value] { return index }
    guard !source.unread.mayDeclare(name.value, in: .segments) else { return nil }
    report(name.position, knownSegments.unknown("segment", name.value))
    return nil
  }

  // MARK: Rules

  /// Why a placement is none that the file knows; nil for one that it names anywhere.
  private func unknownPlacement(_ id: Bytes) -> String? {
    let known = Set(
      source.placements.map(\.id.value) + source.flows.flatMap { $0.placements.map(\.value) }
        + source.next.compactMap { $0.placement?.value })
    guard !known.contains(id) else { return nil }
    let near = Nearest.names(to: id, among: known.sorted())
    return "asks for a placement that nothing names, \(id.string)"
      + (near.isEmpty ? "" : ": did you mean \(near.map(\.string).joined(separator: ", "))?")
  }

  /// Why a type of store message is most likely mistyped; nil for any that is like none of the vendor's.
  func unknownStoreMessage(_ type: Bytes) -> String? {
    guard !StoreMessageParams.known.contains(type) else { return nil }
    let near = Nearest.names(to: type, among: StoreMessageParams.known.sorted())
    guard !near.isEmpty else { return nil }
    return "a store message that there is not, \(type.string): did you mean "
      + near.map(\.string).joined(separator: ", ") + "?"
  }

  private func scope(withAnswers: Bool) -> RuleScope {
    var scope = RuleScope()
    scope.unread = source.unread
    scope.readsAnswers = withAnswers
    for (index, flow) in source.flows.enumerated() {
      let former = Set(flow.renamedScreens.map(\.former.value))
      for fact in FlowFact.allCases {
        scope.add(
          Bytes(flow.name.value.string + "." + fact.rawValue),
          RuleScope.Entry(
            fact, slot: layout.flow(index, fact),
            form: fact == .lastScreen && !former.isEmpty ? .noneOf(former) : nil))
      }
    }
    for (index, fact) in ProfileFact.all.enumerated() {
      scope.add(
        Bytes("profile." + fact.name.string),
        RuleScope.Entry(fact, slot: layout.profile(index)))
    }
    for (index, segment) in segmentSources.enumerated() {
      scope.add(
        segment.name.value, RuleScope.Entry(type: .boolean, slot: layout.segment(index)))
    }
    for (index, attribute) in attributeSources.enumerated() {
      let known = attributeValues.isEmpty ? nil : attributeValues[index]
      scope.add(
        attribute.name.value,
        RuleScope.Entry(
          type: attribute.type.value, slot: layout.attribute(index),
          bounds: bounds(of: attribute, known), isWhole: known?.isWhole ?? false,
          form: attribute.type.value == .text ? known?.texts.map { .oneOf($0) } ?? .attribute : nil)
      )
    }
    for (index, named) in namedFacts.enumerated() {
      let why: String? =
        switch named.fact {
        case .exposedVariation(let id): unknownPlacement(id)
        case .storeMessageIsPending(let type): unknownStoreMessage(type).map { "asks for " + $0 }
        case .access, .subscriptionState, .custom, .purchases: nil
        }
      if let why {
        scope.refuse(named.name, because: why)
      } else {
        scope.add(named.name, RuleScope.Entry(named.fact, slot: layout.named(index)))
      }
    }
    scope.mention("subscription_state")
    for fact in PurchaseFact.allCases { scope.mention(Bytes("purchases." + fact.rawValue)) }
    scope.refuse(
      "purchases.", because: "is no fact: purchases have `count`, `last_at` and `revenue_usd`")
    scope.refuse("exposed.", because: "is no fact: write `exposed.<placement id>.variation`")
    scope.refuse(
      "access.",
      because: "is none of `access.<level>.…`: "
        + AccessFact.allCases.map(\.rawValue).joined(separator: ", "))
    scope.refuse(
      "store_message.", because: "can only be asked as `store_message.<type>.is_pending`")
    scope.refuse(
      "custom.",
      because: "is not declared: name the attribute and its type in the section `custom`")
    for (index, answer) in answerSources.enumerated() {
      if withAnswers {
        scope.add(
          answer.name.value,
          RuleScope.Entry(
            type: answer.reading.type, slot: layout.answer(index), bounds: answer.plausible?.value,
            form: answer.reading == .text && answer.inputs.allSatisfy { $0.fallback == nil }
              ? .notEmpty : nil))
      } else if scope.entries[answer.name.value] == nil {
        scope.refuse(
          answer.name.value,
          because: "is an answer: only an attribute's value can read it, "
            + "because an attribute says which run speaks. Declare one, such as "
            + "`\(answer.name.value.string)_value: { type: …, value: \(answer.name.value.string) }`, "
            + "and use that")
      }
    }
    return scope
  }

  /// Those of the file and those of the rule.
  private func bounds(of attribute: AttributeSource, _ known: KnownValues?) -> ClosedRange<Double>?
  {
    guard let plausible = attribute.plausible?.value else { return known?.bounds }
    guard let bounds = known?.bounds, bounds.overlaps(plausible) else { return plausible }
    return bounds.clamped(to: plausible)
  }

  /// Bounds that no value of the rule lies between: nobody would have the attribute.
  private mutating func checkPlausible() {
    for (attribute, known) in zip(attributeSources, attributeValues) {
      guard let plausible = attribute.plausible, let bounds = known?.bounds,
        !bounds.overlaps(plausible.value)
      else { continue }
      report(
        plausible.position,
        "the rule's values lie between \(shortestText(of: bounds.lowerBound)) and "
          + "\(shortestText(of: bounds.upperBound)), and never between these bounds")
    }
  }

  private mutating func program(
    _ rule: RuleText, _ scope: RuleScope, _ type: ValueType?, _ use: RuleUse
  ) -> Program? {
    do {
      return try compileRule(rule, scope: scope, expecting: type, use: use)
    } catch {
      problems += error.list
      return nil
    }
  }

  private mutating func attributeDefinition(
    _ source: AttributeSource, _ scope: RuleScope, _ answers: [AnswerDefinition]
  ) -> AttributeDefinition? {
    guard source.type.value == .number || source.type.value == .text else {
      report(
        source.type.position,
        "an attribute is a `number` or a `text`: the vendor's profiles hold nothing else")
      return nil
    }
    guard let program = program(source.value, scope, source.type.value, .attribute) else {
      return nil
    }
    let needed = program.slots.filter { $0 < layout.answers }
    var flows: Set<Int>?
    for index in needed where !answers[index].flows.isEmpty {
      flows = flows.map { $0.intersection(answers[index].flows) } ?? Set(answers[index].flows)
    }
    let areFlowsKnown = needed.allSatisfy {
      answers[$0].flows.count == answerSources[$0].flows.count
    }
    if let flows, flows.isEmpty, areFlowsKnown, source.runs != .latestEach {
      report(
        source.name.position,
        "the answers of `\(source.name.value.string)` share no flow, so no single run has them all: "
          + "use `runs: latest_each` to take each answer from its own latest run")
    }
    return AttributeDefinition(
      key: source.name.value, type: source.type.value, rule: source.value.text, program: program,
      runs: source.runs, plausible: source.plausible?.value, answers: needed, flows: flows)
  }

  private mutating func segmentDefinition(_ source: SegmentSource, _ scope: RuleScope)
    -> SegmentDefinition?
  {
    guard let program = program(source.rule, scope, .boolean, .segment) else { return nil }
    return SegmentDefinition(name: source.name.value, rule: source.rule.text, program: program)
  }

  private mutating func placementDefinition(_ source: PlacementSource, _ scope: RuleScope)
    -> PlacementDefinition
  {
    let audiences = source.audiences.map { audience in
      PlacementDefinition.Audience(
        segment: audience.segment.flatMap { segmentIndex($0) },
        versionID: audience.audienceVersionID?.value.withLowercaseUUID,
        window: window(audience.window),
        variations: audience.variations.map {
          PlacementDefinition.Variation(
            flowID: $0.flow?.value.withLowercaseUUID,
            variationID: $0.variation?.value.withLowercaseUUID,
            weight: $0.weight?.value ?? 100)
        })
    }
    var tags: [PlacementDefinition.Tag] = []
    for tag in source.tags {
      guard let program = program(tag.value, scope, nil, .tag) else { continue }
      guard program.type == .number || program.type == .text else {
        report(
          tag.value.position(ofByte: 0),
          "a tag shows a number or a text, this rule gives a \(program.type.rawValue)")
        continue
      }
      tags.append(
        PlacementDefinition.Tag(
          name: tag.name.value, program: program, fractionDigits: fractionDigits(tag, program.type),
          initial: tag.initial, texts: languageTexts(tag, program.type)))
    }
    tags.sort { $0.name < $1.name }
    return PlacementDefinition(
      id: source.id.value, audiences: audiences, tags: tags,
      texts: previews(
        source.texts, tags: source.tags.map(\.name.value).sorted(),
        areTagsKnown: source.areTagsKnown))
  }

  private mutating func nextDefinition(_ source: NextSource, _ scope: RuleScope) -> NextDefinition {
    NextDefinition(
      program: source.when.flatMap { program($0, scope, .boolean, .next) },
      rule: source.when?.text, window: window(source.window),
      placementID: source.placement?.value,
      storeMessages: source.storeMessages.map(\.value),
      because: source.because ?? source.when.map { trimmed($0.text) } ?? "default")
  }
}

extension AnswerReading {
  /// The type its values have in rules.
  package var type: ValueType {
    switch self {
    case .number: .number
    case .text, .choice: .text
    case .boolean: .boolean
    case .date: .date
    case .choices: .choice
    }
  }
}
