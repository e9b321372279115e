/// The variation of a placement that a person met first.
package struct Exposure: Hashable, Sendable {
  package var placementID: Bytes
  package var variationID: Bytes
  package var audienceVersionID: Bytes?
  package var flowID: Bytes?
  /// When it was first seen.
  package var firstAt: Instant
  /// Different variations of the placement that this person met.
  package var variations: Int
}

/// What a replay has seen of placements' variations.
///
/// Any event of the phone that carries both tells of it; records of the vendor's feed come long after.
struct ExposureLog {
  private(set) var byPlacement: [Bytes: Exposure] = [:]
  private var seen: [Bytes: Set<Bytes>] = [:]
  /// The context of the event before: events of a session mostly share one.
  private var noted = Context.empty

  /// Takes note of an event.
  ///
  /// - Parameters:
  ///   - entry: in the profile's order.
  ///   - placement: the placement that declares an audience's version or a variation, for the
  ///     vendor's own events, which name no placement.
  /// - Returns: whether a placement's first variation came with it.
  mutating func note(
    _ entry: Timeline.Entry, placement: (_ version: Bytes?, _ variation: Bytes) -> Bytes?
  ) -> Bool {
    let context = entry.event.context
    switch entry.kind {
    case .vendorRecord, .decisionForced: return false
    case .variationAssigned:
      let payload = CommercePayload(entry.event.params)
      guard let variation = context[.variationID] ?? payload.variationID else { return false }
      let version = context[.placementAudienceVersionID] ?? payload.audienceVersionID
      guard
        let id = context[.placementID] ?? payload.placementID ?? placement(version, variation)
      else { return false }
      return note(id, variation, version, context[.flowID], entry.at)
    default:
      guard context != noted else { return false }
      noted = context
      guard let id = context[.placementID], let variation = context[.variationID] else {
        return false
      }
      return note(
        id, variation, context[.placementAudienceVersionID], context[.flowID], entry.at)
    }
  }

  private mutating func note(
    _ placement: Bytes, _ variation: Bytes, _ version: Bytes?, _ flow: Bytes?, _ at: Instant
  ) -> Bool {
    let isNew = seen[placement, default: []].insert(variation).inserted
    guard byPlacement[placement] != nil else {
      byPlacement[placement] = Exposure(
        placementID: placement, variationID: variation, audienceVersionID: version, flowID: flow,
        firstAt: at, variations: 1)
      return true
    }
    if isNew { byPlacement[placement]?.variations += 1 }
    return false
  }

  /// By placement.
  var all: [Exposure] { byPlacement.values.sorted { $0.placementID < $1.placementID } }
}

extension Pipeline {
  /// The one placement that declares an audience's version, else the one that declares a variation.
  func placement(ofAudienceVersion version: Bytes?, variation: Bytes) -> Bytes? {
    func only(_ matches: (PlacementDefinition.Audience) -> Bool) -> Bytes? {
      let found = placements.filter { $0.audiences.contains(where: matches) }
      return found.count == 1 ? found[0].id : nil
    }
    if let version, let id = only({ $0.versionID == version }) { return id }
    return only { $0.variations.contains { $0.variationID == variation } }
  }
}
