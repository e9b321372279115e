extension PeopleRules {
  /// The ids that events say something of, besides the one they came under: whoever is erased by one of
  /// them is told of by the event.
  ///
  /// Links, whichever of them a pipeline goes by; and customers and profiles that payloads name.
  package static func idsNamed(by events: [Event], under profileID: Bytes) -> Set<Bytes> {
    var ids = everything.links(of: events, under: profileID, asOf: .end).ends
    for index in events.indices { ids.formUnion(events[index].idsInPayload) }
    return ids
  }
}

extension Event {
  /// Customers that a profile or a record in the params names, in any of its parts, and profiles that
  /// share an access level with its own.
  var idsInPayload: Set<Bytes> {
    switch kind {
    case .profileUpdated, .purchaseFinished, .restoreFinished, .vendorRecord:
      var ids = PayloadIDs()
      ids.walk(JSONText(params), isSharing: false, texts: 0)
      return ids.found
    default: return []
    }
  }
}

private struct PayloadIDs {
  private(set) var found: Set<Bytes> = []

  mutating func walk(_ value: JSONText, isSharing: Bool, texts: Int) {
    switch value.kind {
    case .object:
      value.forEachMember { key, member in
        let name = InputNames.folded(key)
        if let id = ProfileID.read(member) {
          if name == Self.customer {
            found.insert(Bytes(PeopleRules.customerPrefix.array + id.array))
          } else if isSharing, name == Self.profile {
            found.insert(id)
          }
        }
        walk(member, isSharing: isSharing || name == Self.sharing, texts: texts)
      }
    case .array:
      for element in value.elements { walk(element, isSharing: isSharing, texts: texts) }
    case .string:
      guard texts < 2, let inner = value.embedded else { return }
      walk(inner, isSharing: isSharing, texts: texts + 1)
    case .number, .boolean, .null, .none: break
    }
  }

  private static let customer: Bytes = "customeruserid"
  private static let profile: Bytes = "profileid"
  private static let sharing: Bytes = "profilessharingaccesslevel"
}
