/// A product that was selected on a paywall, by a person or by default, however often in one run.
package struct ProductSelection: Hashable, Sendable {
  /// 32 hex digits that follow from the profile and the first event.
  package var selectionID: Bytes
  package var productID: Bytes?
  package var firstAt: Instant
  package var times: Int
  package var scene: Scene
}
