internal import Core

/// What placements show to whom, and which placement comes next.
extension PipelineReader {
  mutating func placement(_ id: Located<Bytes>, _ node: YAMLNode) -> PlacementSource? {
    guard let section = section(node, .placement) else { return nil }
    var placement = PlacementSource(id: id)
    placement.audiences =
      section.required("audiences", by: &self) { $0.audiences($1, of: id) } ?? []
    placement.areAudiencesKnown = isComplete && !section.hasUnknownKeys
    placement.tags = named(section["tags"], "tags") { $0.tag($1, $2) }
    placement.areTagsKnown =
      section["tags"].map { $0.isNull || $0.entryCount == placement.tags.count }
      ?? !section.hasUnknownKeys
    placement.texts = section["texts"].map { previews($0) } ?? []
    return placement
  }

  private mutating func audiences(
    _ node: YAMLNode, of placement: Located<Bytes>
  ) -> [AudienceSource]? {
    guard let items = items(node, "`audiences`") else { return nil }
    guard (1...200).contains(items.count) else {
      report(at: node.position, "a placement has 1 to 200 audiences; here are \(items.count)")
      return nil
    }
    let audiences = items.map { audience($0) }
    let defaults = audiences.indices.filter { audiences[$0].isDefault }
    if defaults.isEmpty {
      report(
        at: node.position,
        "`\(placement.value.string)` needs a last audience with `default: true` for everyone else")
    }
    for index in defaults.dropLast() {
      report(
        at: audiences[index].source.position,
        "a second default; only the last audience is one: give this one a `segment`")
    }
    if let last = defaults.last, last != audiences.count - 1 {
      report(
        at: audiences[last].source.position,
        "the default audience must be the last one; move it to the end")
    }
    var seen: [Bytes: Int] = [:]
    for source in audiences.map(\.source) {
      // What counts only for a time leaves room for the same people later.
      guard let segment = source.segment else { continue }
      if let line = seen[segment.value] {
        report(
          at: segment.position,
          "nobody gets here: `\(segment.value.string)` is an audience on line \(line) already; remove one of them"
        )
      }
      if source.window.isAlways {
        seen[segment.value] = seen[segment.value] ?? segment.position.line
      }
    }
    return audiences.map(\.source)
  }

  private mutating func audience(_ node: YAMLNode) -> (source: AudienceSource, isDefault: Bool) {
    var audience = AudienceSource(position: node.position)
    guard let section = section(node, .audience) else { return (audience, false) }
    audience.segment = section["segment"].flatMap { name($0) }
    var isDefault = false
    if let node = section["default"] {
      isDefault = boolean(node) ?? true
      if !isDefault {
        report(at: node.position, "`default` is `true`, or the key is not there: remove it")
      }
    }
    if section.has("segment") == section.has("default") {
      report(
        at: node.position, "an audience has a `segment`, or is `default: true`: exactly one of them"
      )
    }
    audience.audienceVersionID = section["audience_version"].flatMap { name($0) }
    audience.window = window(section)
    if isDefault, let window = section["from"] ?? section["until"] {
      report(
        at: window.position, "the default audience is for everyone at all times; remove this",
        leavingGap: false)
    }
    audience.variations = section.required("show", by: &self) { $0.variations($1) } ?? []
    return (audience, isDefault)
  }

  private mutating func window(_ section: PipelineSection) -> WindowSource {
    var window = WindowSource()
    window.from = section["from"].flatMap { moment($0) }
    window.until = section["until"].flatMap { moment($0) }
    window.isUnread =
      section.has("from") && window.from == nil || section.has("until") && window.until == nil
    return window
  }

  private mutating func variations(_ node: YAMLNode) -> [VariationSource]? {
    guard case .sequence(let items) = node.content else {
      guard let variation = variation(node) else { return nil }
      checkChoice(among: [variation], at: node.position)
      return [variation]
    }
    guard (1...20).contains(items.count) else {
      report(at: node.position, "an audience shows 1 to 20 flows; here are \(items.count)")
      return nil
    }
    let variations = items.compactMap { variation($0) }
    guard variations.count == items.count else { return nil }
    checkChoice(among: variations, at: node.position)
    return variations
  }

  private mutating func variation(_ node: YAMLNode) -> VariationSource? {
    guard let section = section(node, .variation) else { return nil }
    let showsNothing = section["nothing"] != nil
    if let node = section["nothing"], boolean(node) == false {
      report(at: node.position, "`nothing` is `true`, or the key is not there: remove it")
    }
    if showsNothing, let flow = section["flow"] {
      report(at: flow.position, "a variation has a `flow`, or `nothing: true`; remove one of them")
    }
    let flow =
      showsNothing ? nil : section.required("flow", by: &self) { $0.name($1) }
    guard showsNothing || flow != nil else { return nil }
    var variation = VariationSource(position: node.position, flow: flow)
    variation.variation = section["variation"].flatMap { name($0) }
    if let node = section["weight"] {
      variation.weight = integer(node, in: 0...100, "a weight").map {
        Located($0, at: node.position)
      }
      variation.isWeightUnread = variation.weight == nil
    }
    return variation
  }

  /// Where there is a choice, each variation has an id and a weight, and all people get one.
  private mutating func checkChoice(among variations: [VariationSource], at list: SourcePosition) {
    guard variations.count > 1 else {
      if let weight = variations.first?.weight, weight.value != 100 {
        report(
          at: weight.position, "the only variation has weight 100; remove the weight",
          leavingGap: false)
      }
      return
    }
    var seen: Set<Bytes> = []
    var hasHoldout = false
    for variation in variations {
      guard let id = variation.variation else {
        // Those who see nothing need no id, if there is one such group.
        if variation.flow == nil, !hasHoldout {
          hasHoldout = true
          continue
        }
        report(at: variation.position, "with several variations, each needs its id in `variation`")
        continue
      }
      if !seen.insert(id.value.withLowercaseUUID).inserted {
        report(
          at: id.position,
          "this audience has the variation `\(id.value.string)` already; each has an id of its own")
      }
    }
    let weights = variations.compactMap(\.weight?.value)
    if weights.count < variations.count {
      for variation in variations where variation.weight == nil && !variation.isWeightUnread {
        report(at: variation.position, "with several variations, each needs a `weight` in percent")
      }
    } else if weights.reduce(0, +) != 100 {
      let written = weights.map(String.init).joined(separator: " + ")
      report(
        at: list, "the weights are \(written) = \(weights.reduce(0, +)); they must sum to 100",
        leavingGap: false)
    }
  }

  private mutating func tag(_ name: Located<Bytes>, _ node: YAMLNode) -> TagSource? {
    if case .scalar = node.content { return rule(node).map { TagSource(name: name, value: $0) } }
    guard let section = section(node, .tag) else { return nil }
    let value = section.required("value", by: &self) { $0.rule($1) }
    let digits = section["fraction_digits"].flatMap { node in
      integer(node, in: 0...15, "`fraction_digits`").map { Located($0, at: node.position) }
    }
    let initial = section["initial"].flatMap { freeText($0, "`initial`") }
    let texts = section["texts"].flatMap { languageTexts($0) }
    guard let value else { return nil }
    var tag = TagSource(name: name, value: value)
    tag.texts = texts
    tag.fractionDigits = digits
    tag.initial = initial
    return tag
  }

  mutating func next(_ node: YAMLNode?) -> [NextSource] {
    guard let node, !node.isNull, let items = items(node, "`next`") else { return [] }
    let rules = items.compactMap { nextRule($0) }
    if let always = rules.firstIndex(where: { $0.hasNoCondition }), always < rules.count - 1 {
      report(
        at: rules[always + 1].source.position,
        "never reached: the rule on line \(rules[always].source.position.line) has no `when`; move that rule to the end",
        leavingGap: false)
    }
    return rules.map(\.source)
  }

  private mutating func nextRule(
    _ node: YAMLNode
  ) -> (source: NextSource, hasNoCondition: Bool)? {
    guard let section = section(node, .next) else { return nil }
    var next = NextSource(position: node.position)
    // Which placements may come next is known all the same.
    next.when = contained { reader in section["when"].flatMap { reader.rule($0) } }
    next.window = window(section)
    next.placement = section["placement"].flatMap { name($0) }
    if let node = section["nothing"], boolean(node) == false {
      report(at: node.position, "`nothing` is `true`, or the key is not there: remove it")
    }
    if section.has("placement") == section.has("nothing") {
      report(
        at: node.position, "a next rule has a `placement`, or `nothing: true`: exactly one of them")
    }
    next.storeMessages = names(section["store_messages"])
    next.because = section["because"].flatMap { freeText($0, "`because`") }
    let isAlways = ["when", "from", "until"].allSatisfy { !section.has($0) }
    return (next, isAlways)
  }
}
