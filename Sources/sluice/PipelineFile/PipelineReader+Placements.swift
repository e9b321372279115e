internal import Core

/// What placements show to whom, and which placement comes next.
extension PipelineReader {
  mutating func placement(_ id: Located<Bytes>, _ node: YAMLNode) -> PlacementSource? {
    guard let section = section(node, .placement) else { return nil }
    var placement = PlacementSource(id: id)
    placement.audiences =
      section.required("audiences", by: &self) { $0.audiences($1, of: id) } ?? []
    placement.tags = named(section["tags"], "tags") { $0.tag($1, $2) }
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
        at: audiences[index].source.position, "a second default; only the last audience is one")
    }
    if let last = defaults.last, last != audiences.count - 1 {
      report(at: audiences[last].source.position, "the default audience must be the last one")
    }
    var seen: [Bytes: Int] = [:]
    for segment in audiences.compactMap(\.source.segment) {
      if let line = seen[segment.value] {
        report(
          at: segment.position,
          "nobody gets here: `\(segment.value.string)` is an audience on line \(line) already")
      }
      seen[segment.value] = seen[segment.value] ?? segment.position.line
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
      if !isDefault { report(at: node.position, "`default` is true or not there") }
    }
    if (section["segment"] != nil) == (section["default"] != nil) {
      report(at: node.position, "an audience has a `segment`, or is `default: true`")
    }
    audience.audienceVersionID = section["audience_version"].flatMap { name($0) }
    audience.variations = section.required("show", by: &self) { $0.variations($1) } ?? []
    return (audience, isDefault)
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
    guard let flow = section.required("flow", by: &self, { $0.name($1) }) else { return nil }
    var variation = VariationSource(position: node.position, flow: flow)
    variation.variation = section["variation"].flatMap { name($0) }
    if let node = section["weight"], let weight = integer(node, in: 0...100, "a weight") {
      variation.weight = Located(weight, at: node.position)
    }
    return variation
  }

  /// Where there is a choice, each variation has an id and a weight, and all people get one.
  private mutating func checkChoice(among variations: [VariationSource], at list: SourcePosition) {
    guard variations.count > 1 else {
      if let weight = variations.first?.weight, weight.value != 100 {
        report(at: weight.position, "the only variation has weight 100", leavingGap: false)
      }
      return
    }
    var seen: Set<Bytes> = []
    for variation in variations {
      guard let id = variation.variation else {
        report(at: variation.position, "with several variations, each needs its id in `variation`")
        continue
      }
      if !seen.insert(id.value).inserted {
        report(at: id.position, "this audience has the variation `\(id.value.string)` already")
      }
    }
    let weights = variations.compactMap(\.weight?.value)
    if weights.count < variations.count {
      for variation in variations where variation.weight == nil {
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
    let digits = section["fraction_digits"].flatMap { integer($0, in: 0...15, "`fraction_digits`") }
    let initial = section["initial"].flatMap { freeText($0, "`initial`") }
    guard let value else { return nil }
    var tag = TagSource(name: name, value: value)
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
        "never reached: the rule on line \(rules[always].source.position.line) has no `when`",
        leavingGap: false)
    }
    return rules.map(\.source)
  }

  private mutating func nextRule(
    _ node: YAMLNode
  ) -> (source: NextSource, hasNoCondition: Bool)? {
    guard let section = section(node, .next) else { return nil }
    var next = NextSource(position: node.position)
    next.when = section["when"].flatMap { rule($0) }
    next.placement = section["placement"].flatMap { name($0) }
    if let node = section["nothing"], boolean(node) == false {
      report(at: node.position, "`nothing` is true or not there")
    }
    if (section["placement"] != nil) == (section["nothing"] != nil) {
      report(at: node.position, "a next rule has a `placement`, or `nothing: true`")
    }
    next.storeMessages = names(section["store_messages"])
    next.because = section["because"].flatMap { freeText($0, "`because`") }
    return (next, section["when"] == nil)
  }
}
