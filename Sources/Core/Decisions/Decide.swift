extension Replay {
  /// What a declared placement would show, given the segments the profile is in.
  mutating func decision(of placement: PlacementDefinition, _ context: RuleContext)
    -> PlacementDecision?
  {
    guard
      let audience = placement.audiences.first(where: { audience in
        audience.segment.map { isMember[$0] } ?? true
      })
    else { return nil }
    var decision = PlacementDecision(
      placementID: placement.id,
      audience: audience.segment.map { pipeline.segments[$0].name } ?? "default",
      audienceVersionID: audience.versionID, flowID: nil, variationID: nil, variationSource: nil,
      variationReason: nil, tags: tags(of: placement, context))
    let variations = audience.variations
    if let version = audience.versionID, let seen = observed[version] {
      decision.variationID = seen.variationID
      decision.variationSource = .observed
      decision.flowID =
        variations.first { $0.variationID == seen.variationID }?.flowID ?? seen.flowID
    } else if variations.count == 1 {
      decision.flowID = variations[0].flowID
      decision.variationID = variations[0].variationID
      if decision.variationID == nil {
        decision.variationReason = "no variation declared"
      } else {
        decision.variationSource = .predicted
      }
    } else if let version = audience.versionID {
      let number = VariationDraw.number(
        audienceVersionID: version, profileID: context.profileID, context.primitives)
      let drawn = variations[
        VariationDraw.index(
          number: number,
          among: variations.map { ($0.weight, $0.variationID ?? .empty) })]
      decision.variationID = drawn.variationID
      decision.variationSource = .predicted
      decision.flowID = drawn.flowID
    } else {
      decision.variationReason = "no audience_version declared"
      let flows = Set(variations.map(\.flowID))
      decision.flowID = flows.count == 1 ? flows.first : nil
    }
    return decision
  }

  private mutating func tags(of placement: PlacementDefinition, _ context: RuleContext)
    -> [PlacementDecision.Tag]
  {
    let locale = latest[.locale].flatMap { NumberLocale(localeID: $0) } ?? .english
    var tags: [PlacementDecision.Tag] = []
    for tag in placement.tags {
      let text: Bytes? =
        switch evaluate(tag.program, context) {
        case .number(let number):
          Bytes(numberText(number, fractionDigits: tag.fractionDigits, in: locale))
        case .text(let text): text
        case .null, .boolean, .timestamp, .date, .choice: tag.initial
        }
      if let text { tags.append(PlacementDecision.Tag(name: tag.name, value: text)) }
    }
    return tags
  }

  /// The first `next:` rule that holds.
  mutating func nextPlacement(_ context: RuleContext) -> NextPlacement {
    for rule in pipeline.next {
      if let program = rule.program, evaluate(program, context) != .boolean(true) { continue }
      return NextPlacement(
        placementID: rule.placementID, because: rule.because, storeMessages: rule.storeMessages)
    }
    return NextPlacement(placementID: nil, because: "no rule holds")
  }
}

/// A variation that a person's own events showed.
struct ObservedVariation: Hashable, Sendable {
  let variationID: Bytes
  let flowID: Bytes?
}
