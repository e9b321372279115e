/// Where something happened: the placement, the run and the device, as far as they are known.
package struct Scene: Hashable, Sendable {
  /// The run in which it happened; nil outside of any.
  package var runID: Bytes?
  package var sessionID: Bytes?
  package var placementID: Bytes?
  package var flowID: Bytes?
  package var variationID: Bytes?
  package var audienceName: Bytes?
  package var audienceVersionID: Bytes?
  package var platform: Bytes?
  package var appVersion: Bytes?
  package var country: Bytes?
  /// Number of the run in its timeline, from which `runID` and what is unknown are filled in.
  var run: Int?

  package init() {}

  init(_ entry: Timeline.Entry) {
    run = entry.inside
    sessionID = entry.event.sessionID
    adopt(entry.event.context)
  }

  /// Takes what is not known yet from a later event of the same thing.
  mutating func fill(from entry: Timeline.Entry) {
    run = run ?? entry.inside
    sessionID = sessionID ?? entry.event.sessionID
    adopt(entry.event.context)
  }

  /// Takes what is not known yet from a later part of the same thing.
  mutating func fill(from other: Scene) {
    run = run ?? other.run
    sessionID = sessionID ?? other.sessionID
    // A flow, a variation and an audience belong to their placement.
    if placementID == nil || placementID == other.placementID {
      placementID = other.placementID
      flowID = flowID ?? other.flowID
      variationID = variationID ?? other.variationID
      audienceName = audienceName ?? other.audienceName
      audienceVersionID = audienceVersionID ?? other.audienceVersionID
    }
    platform = platform ?? other.platform
    appVersion = appVersion ?? other.appVersion
    country = country ?? other.country
  }

  /// Takes what is not known yet from the run.
  mutating func fill(from flowRun: FlowRun) {
    runID = flowRun.runID
    placementID = placementID ?? flowRun.placementID
    flowID = flowID ?? flowRun.flowID
    // A variation and an audience belong to their placement.
    if placementID == flowRun.placementID {
      variationID = variationID ?? flowRun.variationID
      audienceName = audienceName ?? flowRun.audienceName
      audienceVersionID = audienceVersionID ?? flowRun.audienceVersionID
    }
    platform = platform ?? flowRun.platform
    appVersion = appVersion ?? flowRun.appVersion
    country = country ?? flowRun.country
  }

  /// Takes what is not known yet from the vendor's record of the same purchase.
  mutating func fill(from transaction: StoreTransaction) {
    let record = transaction.scene
    placementID = placementID ?? record.placementID
    if placementID == record.placementID {
      variationID = variationID ?? record.variationID
      audienceName = audienceName ?? record.audienceName
    }
    country = country ?? record.country
  }

  private mutating func adopt(_ context: Context) {
    for member in context.members {
      switch member.key {
      case .placementID: placementID = placementID ?? member.value
      case .flowID: flowID = flowID ?? member.value
      case .variationID: variationID = variationID ?? member.value
      case .audienceName: audienceName = audienceName ?? member.value
      case .placementAudienceVersionID: audienceVersionID = audienceVersionID ?? member.value
      case .platform: platform = platform ?? member.derivedValue
      case .appVersion: appVersion = appVersion ?? member.value
      case .country: country = country ?? member.value
      default: break
      }
    }
  }
}
