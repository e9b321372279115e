import Core

@testable import Store
@testable import sluice

/// A merge as an app sends it.
func mergeEvent(_ from: String, _ into: String, minute: Int64 = 0, id: String? = nil) -> Event {
  storeEvent(
    id ?? "merge \(from) \(into)", minute: minute, name: "profile_merged",
    params: #"{"from":"\#(from)","into":"\#(into)"}"#)
}

/// An event of somebody whom the app's owner knows by an id.
func customerEvent(_ id: String, customer: String, minute: Int64) -> Event {
  var event = storeEvent(id, minute: minute)
  event.context = Context([.platform: "ios", .customerUserID: Bytes(customer)])
  return event
}

extension Store {
  /// Loads events one unit a part, each part under one profile; gives the sums.
  @discardableResult
  func loadParts(
    _ parts: [(Bytes, [Event])], people: PeopleRules = PeopleRules(),
    asOf: Instant = at(minute: 1000),
    _ generation: Generation = .example
  ) throws -> UnitCounts {
    let job = try exampleJob(asOf: asOf, generation)
    var sums = UnitCounts()
    for (number, (id, events)) in parts.enumerated() {
      sums += try load([id: events], job, from: Int64(number), people: people)
    }
    sums += try settle(job, people: people)
    return sums
  }

  /// Who stands under whom: `alias>canonical`, by alias.
  func aliases() throws -> [String] {
    try query("select profile_id || '>' || canonical_id from sluice.profile_aliases order by 1")
      .rows.compactMap { $0[0] }
  }

  func ids(_ sql: String) throws -> [String] { try query(sql).rows.compactMap { $0[0] } }

  /// The ids that rows stand under.
  func profiles() throws -> [String] {
    try ids("select profile_id from sluice.profiles order by 1")
  }
}

/// All orders of a list.
func permutations<Element>(_ elements: [Element]) -> [[Element]] {
  guard elements.count > 1 else { return [elements] }
  return elements.indices.flatMap { index in
    var rest = elements
    let first = rest.remove(at: index)
    return permutations(rest).map { [first] + $0 }
  }
}
