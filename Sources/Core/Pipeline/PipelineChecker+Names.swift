/// Names that would hide each other, and names that nothing declares.
extension PipelineChecker {
  /// What the language itself calls something.
  static let ownPrefixes: [String] = [
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
  ///
  /// The vendor gives each audience of each placement a version id of its own, and draws by it: one
  /// that stands twice is a copy that nobody changed.
  mutating func checkAudienceVersions() {
    var seen: [Bytes: (placement: Bytes, position: SourcePosition)] = [:]
    var spellings: [Bytes: Located<Bytes>] = [:]
    for placement in source.placements.sorted(by: { $0.id.position < $1.id.position }) {
      for version in placement.audiences.compactMap(\.audienceVersionID) {
        let id = version.value.withLowercaseUUID
        if let first = seen[id] {
          let place =
            first.placement == placement.id.value
            ? "" : " of the placement `\(first.placement.string)`"
          report(
            version.position,
            "this audience version is already that of the audience\(place) in line "
              + "\(first.position.line); copy this audience's own from the vendor's dashboard")
          continue
        }
        seen[id] = (placement.id.value, version.position)
        warnOfSpellings(version, "audience version", &spellings)
      }
    }
  }

  /// Ids that are no UUIDs are compared letter by letter.
  mutating func warnOfVariationsInTwoCases() {
    for placement in source.placements {
      for audience in placement.audiences {
        var spellings: [Bytes: Located<Bytes>] = [:]
        for variation in audience.variations.compactMap(\.variation) {
          warnOfSpellings(variation, "variation", &spellings)
        }
      }
    }
  }

  private mutating func warnOfSpellings(
    _ id: Located<Bytes>, _ what: String, _ seen: inout [Bytes: Located<Bytes>]
  ) {
    guard id.value.withLowercaseUUID == id.value else { return }
    let folded = id.value.lowercasedASCII
    if let first = seen[folded] {
      // The same once more is told as such.
      guard first.value != id.value else { return }
      warn(
        id.position,
        "the \(what) `\(id.value.string)` differs from that in line \(first.position.line) in nothing but "
          + "capital letters, and counts as another one; write the ids as the vendor shows them")
    } else {
      seen[folded] = id
    }
  }

  /// A next placement need not be declared, but one that nothing names is mostly mistyped.
  mutating func warnOfUnknownPlacements() {
    // What could not be read may be what names it.
    guard source.unread.isEmpty else { return }
    let known = KnownNames(
      source.placements.map(\.id.value) + source.flows.flatMap { $0.placements.map(\.value) })
    for placement in source.next.compactMap(\.placement)
    where !known.contains(placement.value) {
      warn(
        placement.position,
        "no placement and no flow of this file names `\(placement.value.string)`"
          + (known.didYouMean(placement.value).map { ": " + $0 } ?? ""))
    }
  }
}
