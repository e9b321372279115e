/// A statement of one event that two ids are one person's: an edge of SEMANTICS 6.1.
package struct ProfileLink: Hashable, Comparable, Sendable {
  /// What said it.
  ///
  /// Raw values are stored: never rename.
  package enum Origin: String, Comparable, Sendable {
    case profileMerged = "profile_merged"
    case customerUserID = "customer_user_id"
    case integrationIDs = "integration_ids"

    package static func < (left: Origin, right: Origin) -> Bool { left.rawValue < right.rawValue }
  }

  /// Of a merge: the id that was given up for the other.
  package let fromID: Bytes
  package let intoID: Bytes
  package let origin: Origin

  /// Creates a link; nil where both ends are one id.
  package init?(from fromID: Bytes, into intoID: Bytes, _ origin: Origin) {
    guard fromID != intoID else { return nil }
    self.fromID = fromID
    self.intoID = intoID
    self.origin = origin
  }

  /// The link that the params of a `profile_merged` event state; nil where an end is missing or junk,
  /// or both are one id.
  package init?(merge params: Bytes) {
    var from: Bytes?
    var into: Bytes?
    JSONText(params).forEachMember { key, value in
      if key == Self.fromKey { from = ProfileID.read(value) }
      if key == Self.intoKey { into = ProfileID.read(value) }
    }
    guard let from, let into else { return nil }
    self.init(from: from, into: into, .profileMerged)
  }

  private static let fromKey: Bytes = "from"
  private static let intoKey: Bytes = "into"

  package static func < (left: ProfileLink, right: ProfileLink) -> Bool {
    (left.fromID, left.intoID, left.origin) < (right.fromID, right.intoID, right.origin)
  }
}

extension Sequence<ProfileLink> {
  /// Both ends of each.
  package var ends: Set<Bytes> { reduce(into: []) { $0.formUnion([$1.fromID, $1.intoID]) } }
}
