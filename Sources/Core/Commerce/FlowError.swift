/// An error that a flow or paywall reported, without its words: they may be personal.
package struct FlowError: Hashable, Sendable {
  /// 32 hex digits that follow from the profile and the event.
  package var errorID: Bytes
  /// Canonical name of the event's kind.
  package var kind: Bytes
  package var occurredAt: Instant
  /// As received: digits, or a name; nil where it could not be read.
  package var code: Bytes?
  /// The vendor's name for the code on the event's platform; nil where it has none.
  package var name: Bytes?
  package var productID: Bytes?
  /// Products that could not be loaded.
  package var failedProductIDs: [Bytes]
  /// Whether the app asked to try again; nil where nothing tells.
  package var isRetried: Bool?
  package var scene: Scene
}
