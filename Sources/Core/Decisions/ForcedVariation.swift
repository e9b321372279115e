/// A variation that somebody is to be shown until an instant, whatever was drawn (SEMANTICS 6.5).
///
/// Said by the event `decision_forced`, whose params are `placement_id`, `variation_id` or `flow_id`,
/// and `until`. The latest one of a placement counts; one that is over counts for nothing, so a force
/// whose `until` lies in the past lifts an earlier one.
package struct ForcedVariation: Hashable, Sendable {
  package let variationID: Bytes?
  package let flowID: Bytes?
  package let until: Instant

  package init(variationID: Bytes?, flowID: Bytes?, until: Instant) {
    self.variationID = variationID
    self.flowID = flowID
    self.until = until
  }

  /// The placement and the force that an event's params tell; nil where one of the three is missing.
  static func read(_ params: Bytes) -> (placement: Bytes, force: ForcedVariation)? {
    var texts: [Bytes: Bytes] = [:]
    JSONText(params).forEachMember { key, value in
      if let text = value.scalarText, !text.isEmpty { texts[key] = text }
    }
    guard let placement = texts["placement_id"],
      let until = texts["until"].flatMap(TimeLiteral.instant),
      texts["variation_id"] != nil || texts["flow_id"] != nil
    else { return nil }
    return (
      placement,
      ForcedVariation(variationID: texts["variation_id"], flowID: texts["flow_id"], until: until)
    )
  }

  /// The placement that an event's params tell; nil where it forces nothing.
  package static func placement(in params: Bytes) -> Bytes? { read(params)?.placement }

  /// The event that says it, known by a hash of what it says.
  ///
  /// The hash covers the time of the saying too: who forces A, then B, then A again means A.
  package func event(
    of profileID: Bytes, placement: Bytes, at now: Instant, _ primitives: Primitives
  ) -> Event {
    var params = Array("{".utf8)
    func member(_ name: String, _ value: Bytes?) {
      guard let value else { return }
      if params.count > 1 { params.append(UInt8(ascii: ",")) }
      params += jsonString(Bytes(name)) + [UInt8(ascii: ":")] + jsonString(value)
    }
    // Canonical JSON has its keys in byte order.
    member("flow_id", flowID)
    member("placement_id", placement)
    member("until", Bytes(until.iso8601))
    member("variation_id", variationID)
    params.append(UInt8(ascii: "}"))
    var said: [UInt8] = []
    said.appendField(profileID)
    said.appendField(now.microseconds)
    said.appendField(Bytes(params))
    return Event(
      identity: Identity(id: hex(primitives.sha256(said)[..<16])), name: "decision_forced",
      occurredAt: now, params: Bytes(params))
  }
}
