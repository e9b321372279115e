/// One attempt to restore earlier purchases; it is no purchase.
package struct Restore: Hashable, Sendable {
  /// Raw values are stored: never rename.
  package enum Outcome: String, CaseIterable, Sendable {
    case success
    case failed
    /// Nothing tells how it ended.
    case started
  }

  /// 32 hex digits that follow from the profile and the first event.
  package var restoreID: Bytes
  package var outcome: Outcome
  package var startedAt: Instant?
  package var finishedAt: Instant?
  /// Whether the restored profile has an active access level; nil where no profile came along.
  package var hasAccess: Bool?
  package var errorCode: Bytes?
  package var errorName: Bytes?
  package var scene: Scene
}
