/// Names that would hide each other, and names that nothing declares.
extension PipelineChecker {
  /// What the language itself calls something.
  private static let ownPrefixes: [String] = [
    "profile", "access", "custom", "purchases", "store_message", "exposed",
  ]

  /// Refuses names under which a rule would read something else than its author thinks.
  mutating func checkShadowing() {
    var taken: [Bytes: String] = [:]
    for flow in source.flows {
      let name = flow.name.value.string
      if Self.ownPrefixes.contains(name) || name == "subscription_state" {
        report(
          flow.name.position,
          "`\(name)` is what rules call other facts; give the flow another name")
      }
      for fact in FlowFact.allCases {
        taken[Bytes(name + "." + fact.rawValue)] = "a fact of the flow `\(name)`"
      }
    }
    let names =
      attributeSources.map(\.name) + segmentSources.map(\.name) + answerSources.map(\.name)
    for name in names {
      let text = name.value.string
      let prefix = text.split(separator: ".", omittingEmptySubsequences: false).first ?? ""
      if let what = taken[name.value] {
        report(name.position, "`\(text)` is \(what); take another name")
      } else if text == "subscription_state"
        || text.contains(".") && Self.ownPrefixes.contains(String(prefix))
      {
        report(
          name.position,
          "rules read `\(text)` as a fact of the person; take another name")
      }
    }
  }

  /// Variations of two audiences could not be told apart by what phones report.
  mutating func checkAudienceVersions() {
    for placement in source.placements {
      var seen: [Bytes: SourcePosition] = [:]
      for version in placement.audiences.compactMap(\.audienceVersionID) {
        let id = version.value.withLowercaseUUID
        if let first = seen[id] {
          report(
            version.position,
            "this audience version is already that of the audience in line \(first.line)")
        }
        seen[id] = version.position
      }
    }
  }

  /// A next placement need not be declared, but one that nothing names is mostly mistyped.
  mutating func warnOfUnknownPlacements() {
    let known = Set(
      source.placements.map(\.id.value) + source.flows.flatMap { $0.placements.map(\.value) })
    for placement in source.next.compactMap(\.placement)
    where !known.contains(placement.value) && !source.unread.contains(placement.value) {
      let near = Nearest.names(to: placement.value, among: Array(known))
      warn(
        placement.position,
        "no placement and no flow of this file names `\(placement.value.string)`"
          + (near.isEmpty
            ? "" : ": did you mean \(near.map { "`\($0.string)`" }.joined(separator: ", "))?"))
    }
  }
}
