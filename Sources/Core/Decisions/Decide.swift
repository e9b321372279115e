extension Pipeline {
  /// What a declared placement would show, given the segments a profile is in.
  ///
  /// - Parameters:
  ///   - isMember: truth of each segment.
  ///   - observed: the variation this person's own events last showed of an audience version.
  ///   - slots: values of all facts, for the tags.
  func decision(
    of placement: PlacementDefinition, isMember: [Bool], observed: [Bytes: ObservedVariation],
    slots: [Value], locale: NumberLocale, _ context: EvaluationContext
  ) -> PlacementDecision? {
    guard
      let audience = placement.audiences.first(where: { audience in
        audience.segment.map { isMember[$0] } ?? true
      })
    else { return nil }
    var decision = PlacementDecision(
      placementID: placement.id,
      audience: audience.segment.map { segments[$0].name } ?? "default",
      audienceVersionID: audience.versionID, flowID: nil, variationID: nil, variationSource: nil,
      variationReason: nil, tags: tags(of: placement, slots, locale, context))
    let variations = audience.variations
    if let version = audience.versionID, let seen = observed[version] {
      decision.variationID = seen.variationID
      decision.variationSource = .observed
      decision.flowID =
        variations.first { $0.variationID == seen.variationID }?.flowID ?? seen.flowID
    } else if variations.count == 1 {
      decision.variationID = variations[0].variationID
      decision.variationSource = .predicted
      decision.flowID = variations[0].flowID
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

  private func tags(
    of placement: PlacementDefinition, _ slots: [Value], _ locale: NumberLocale,
    _ context: EvaluationContext
  ) -> [PlacementDecision.Tag] {
    placement.tags.compactMap { tag in
      let text: Bytes? =
        switch tag.program.evaluate(slots, context).value {
        case .number(let number):
          Bytes(numberText(number, fractionDigits: tag.fractionDigits, in: locale))
        case .text(let text): text
        case .null, .boolean, .timestamp, .date, .choice: tag.initial
        }
      return text.map { PlacementDecision.Tag(name: tag.name, value: $0) }
    }
  }

  /// The first `next:` rule that holds.
  func nextPlacement(_ slots: [Value], _ context: EvaluationContext) -> NextPlacement {
    for rule in next {
      if let program = rule.program, program.evaluate(slots, context).value != .boolean(true) {
        continue
      }
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
