/// Sets of events by person, where all sets are at hand.
///
/// - Parameters:
///   - sets: each profile id once.
///   - rules: what unites, besides merges.
///   - asOf: links that are stated later do not count yet.
/// - Returns: each person who has an event, in no order.
package func people(of sets: [EventSet], _ rules: PeopleRules, asOf: Instant) -> [PersonEvents] {
  var components = Components()
  var givenUp: Set<Bytes> = []
  for set in sets {
    for link in rules.links(of: set, asOf: asOf) {
      components.unite(link.fromID, link.intoID)
      if link.origin == .profileMerged { givenUp.insert(link.fromID) }
    }
  }
  let linked = Set(components.ids)
  guard !linked.isEmpty else { return sets.map { PersonEvents($0) } }
  var byID = Dictionary(
    uniqueKeysWithValues: sets.filter { linked.contains($0.profileID) }.map { ($0.profileID, $0) })
  var people = sets.filter { !linked.contains($0.profileID) }.map { PersonEvents($0) }
  for group in components.groups where group.count <= Components.largest {
    let members = group.compactMap { byID.removeValue(forKey: $0) }
    guard !members.isEmpty else { continue }
    let canonical = Components.canonical(of: group, givenUp: givenUp)
    people.append(
      PersonEvents(
        profileID: canonical, aliases: group.filter { $0 != canonical }, sets: members))
  }
  return people + byID.values.map { PersonEvents($0) }
}
