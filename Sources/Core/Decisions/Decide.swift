extension Replay {
  /// What a declared placement would show, given the segments the profile is in.
  mutating func decision(of placement: PlacementDefinition, _ context: RuleContext)
    -> PlacementDecision?
  {
    guard
      let audience = placement.audiences.first(where: { audience in
        audience.window.contains(context.now) && audience.segment.map { isMember[$0] } ?? true
      })
    else { return nil }
    let shown = shownTags(of: placement, context)
    var decision = PlacementDecision(
      placementID: placement.id,
      audience: audience.segment.map { pipeline.segments[$0].name } ?? "default",
      audienceVersionID: audience.versionID, flowID: nil, variationID: nil, variationSource: nil,
      variationReason: nil,
      tags: zip(placement.tags, shown).compactMap { tag, shown in
        (shown.value ?? shown.initial).map { PlacementDecision.Tag(name: tag.name, value: $0) }
      },
      texts: placement.texts.map { $0.text(shown) })
    if let force = forced[placement.id], context.now < force.until {
      decision.apply(force, placement, audience)
    } else {
      assign(&decision, audience, context)
    }
    return decision
  }

  /// The variation that a person's events showed, else the one that is drawn.
  private func assign(
    _ decision: inout PlacementDecision, _ audience: PlacementDefinition.Audience,
    _ context: RuleContext
  ) {
    let variations = audience.variations
    if let version = audience.versionID, let seen = observed[version] {
      decision.variationID = seen.variationID
      decision.variationSource = .observed
      let declared = variations.first { $0.variationID == seen.variationID }
      decision.flowID = declared.map(\.flowID) ?? seen.flowID
    } else if variations.count == 1 {
      decision.flowID = variations[0].flowID
      decision.variationID = variations[0].variationID
      if decision.variationID != nil {
        decision.variationSource = .predicted
      } else if decision.flowID != nil {
        decision.variationReason = "no variation declared"
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
      decision.flowID = flows.count == 1 ? variations[0].flowID : nil
    }
  }

  /// The texts of a placement's tags, in its order.
  private mutating func shownTags(of placement: PlacementDefinition, _ context: RuleContext)
    -> [TextPreview.Shown]
  {
    let localeID = latest[.locale]
    let locale = localeID.flatMap { NumberLocale(localeID: $0) } ?? .english
    var result: [TextPreview.Shown] = []
    for tag in placement.tags {
      let value: Bytes? =
        switch evaluate(tag.program, context) {
        case .number(let number):
          Bytes(numberText(number, fractionDigits: tag.fractionDigits, in: locale))
        case .text(let text):
          if let texts = tag.texts { texts.text(of: text, locale: localeID) } else { text }
        case .null, .boolean, .timestamp, .date, .choice: nil
        }
      result.append(TextPreview.Shown(value: value, initial: tag.initial))
    }
    return result
  }

  /// The first `next:` rule that holds.
  mutating func nextPlacement(_ context: RuleContext) -> NextPlacement {
    for rule in pipeline.next where rule.window.contains(context.now) {
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

extension PlacementDecision {
  /// A forced variation wins over what was seen and what is drawn, in whatever audience it stands.
  fileprivate mutating func apply(
    _ force: ForcedVariation, _ placement: PlacementDefinition,
    _ audience: PlacementDefinition.Audience
  ) {
    variationSource = .forced
    variationID = force.variationID
    guard let id = force.variationID else {
      flowID = force.flowID
      return
    }
    let declared = ([audience] + placement.audiences).lazy.flatMap(\.variations)
      .first { $0.variationID == id }
    flowID = declared.map(\.flowID) ?? force.flowID
  }
}
