/// A checked pipeline: everything that turns a profile's events into its outcome.
///
/// One for all people: a class, since each replay holds it, and as a value it is two dozen references.
package final class Pipeline: Sendable {
  package let name: Bytes
  /// Start of the day before which people's past is unknown; nil when all of it is known.
  package let historyStarts: Instant?
  package let zone: Zone
  package let flows: [Bytes]
  /// In the order of `flows`.
  package let flowRules: [FlowRules]
  package let matcher: FlowMatcher
  package let runSettings: RunSettings
  /// Which ids are one person's.
  package let people: PeopleRules
  /// Which answers are never kept.
  package let privacy: PrivacyRules
  /// What one record may cost.
  package let limits: RecordLimits
  package let answers: [AnswerDefinition]
  let runReads: RunReads
  /// By key.
  package let attributes: [AttributeDefinition]
  /// By name.
  package let segments: [SegmentDefinition]
  /// By id.
  package let placements: [PlacementDefinition]
  package let next: [NextDefinition]
  /// Attributes and segments so that each comes after what it reads.
  package let order: [Step]
  package let excludedFromReports: Bytes?
  /// The zones that events name, for the dates of pickers; the program reads them from the system.
  package let zones: @Sendable (Bytes) -> Zone?
  let slots: SlotLayout
  /// For each slot, whether at least one rule reads it.
  let isSlotRead: [Bool]
  /// The names that an attribute's rule may use, and those of all other rules.
  let attributeScope: RuleScope
  let ruleScope: RuleScope
  /// What is allowed and yet most likely a mistake, by position.
  package let warnings: [PipelineProblem]

  init(
    name: Bytes,
    historyStarts: Instant?,
    zone: Zone,
    flows: [Bytes],
    flowRules: [FlowRules],
    matcher: FlowMatcher,
    runSettings: RunSettings,
    people: PeopleRules,
    privacy: PrivacyRules,
    limits: RecordLimits,
    answers: [AnswerDefinition],
    runReads: RunReads,
    attributes: [AttributeDefinition],
    segments: [SegmentDefinition],
    placements: [PlacementDefinition],
    next: [NextDefinition],
    order: [Step],
    excludedFromReports: Bytes?,
    zones: @escaping @Sendable (Bytes) -> Zone?,
    slots: SlotLayout,
    isSlotRead: [Bool],
    attributeScope: RuleScope,
    ruleScope: RuleScope,
    warnings: [PipelineProblem]
  ) {
    self.name = name
    self.historyStarts = historyStarts
    self.zone = zone
    self.flows = flows
    self.flowRules = flowRules
    self.matcher = matcher
    self.runSettings = runSettings
    self.people = people
    self.privacy = privacy
    self.limits = limits
    self.answers = answers
    self.runReads = runReads
    self.attributes = attributes
    self.segments = segments
    self.placements = placements
    self.next = next
    self.order = order
    self.excludedFromReports = excludedFromReports
    self.zones = zones
    self.slots = slots
    self.isSlotRead = isSlotRead
    self.attributeScope = attributeScope
    self.ruleScope = ruleScope
    self.warnings = warnings
  }

  package enum Step: Hashable, Sendable {
    case attribute(Int)
    case segment(Int)
  }
}

package struct AttributeDefinition: Sendable {
  package let key: Bytes
  /// `number` or `text`.
  package let type: ValueType
  package let rule: Bytes
  let program: Program
  package let runs: AttributeSource.Runs
  package let plausible: ClosedRange<Double>?
  /// Indices of the answers its rule reads, in the order it names them.
  let answers: [Int]
  /// Indices of the flows all of those answers can come from; nil for any flow.
  let flows: Set<Int>?
}

package struct SegmentDefinition: Sendable {
  package let name: Bytes
  package let rule: Bytes
  let program: Program
}

package struct PlacementDefinition: Sendable {
  package struct Audience: Sendable {
    /// Index of the segment; nil for the default audience.
    package let segment: Int?
    package let versionID: Bytes?
    package let window: ActiveWindow
    package let variations: [Variation]
  }

  package struct Variation: Sendable {
    /// nil: people who are shown nothing, to compare with.
    package let flowID: Bytes?
    package let variationID: Bytes?
    package let weight: Int
  }

  package struct Tag: Sendable {
    package let name: Bytes
    let program: Program
    package let fractionDigits: Int?
    package let initial: Bytes?
    /// What people read instead of the rule's value; nil: the value itself.
    package let texts: LanguageTexts?
  }

  package let id: Bytes
  package let audiences: [Audience]
  package let tags: [Tag]
  package let texts: [TextPreview]
}

package struct NextDefinition: Sendable {
  /// nil always holds.
  let program: Program?
  package let rule: Bytes?
  package let window: ActiveWindow
  /// nil: nothing to show.
  package let placementID: Bytes?
  package let storeMessages: [Bytes]
  package let because: Bytes
}

/// Where each fact's value stands in the array that rules read.
struct SlotLayout: Sendable {
  let answers: Int
  let attributes: Int
  let segments: Int
  let flows: Int
  /// Facts that at least one rule names.
  let named: [NamedFact]

  var count: Int { firstNamed + named.count }

  func answer(_ index: Int) -> Int { index }
  func attribute(_ index: Int) -> Int { answers + index }
  func segment(_ index: Int) -> Int { answers + attributes + index }

  func flow(_ index: Int, _ fact: FlowFact) -> Int {
    flow(index, factAt: FlowFact.all.firstIndex(of: fact) ?? 0)
  }

  /// As ``flow(_:_:)``, for the fact that stands at an index of ``FlowFact/all``.
  func flow(_ index: Int, factAt fact: Int) -> Int {
    firstFlow + index * FlowFact.all.count + fact
  }

  func profile(_ index: Int) -> Int { firstProfile + index }

  func named(_ index: Int) -> Int { firstNamed + index }

  private var firstFlow: Int { answers + attributes + segments }
  private var firstProfile: Int { firstFlow + flows * FlowFact.all.count }

  private var firstNamed: Int { firstProfile + ProfileFact.all.count }

  /// What stands in a slot.
  func fact(_ slot: Int) -> Fact {
    if slot < answers { return .answer(slot) }
    if slot < answers + attributes { return .attribute(slot - answers) }
    if slot < firstFlow { return .segment(slot - answers - attributes) }
    if slot < firstProfile {
      let (flow, fact) = (slot - firstFlow).quotientAndRemainder(
        dividingBy: FlowFact.all.count)
      return .flow(flow, FlowFact.all[fact])
    }
    if slot < firstNamed { return .profile(ProfileFact.all[slot - firstProfile]) }
    return .named(named[slot - firstNamed])
  }
}
