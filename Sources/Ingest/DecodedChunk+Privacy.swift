package import Core

extension DecodedChunk {
  /// The chunk without the events that a pipeline does not keep: their records count as filtered.
  package func dropping(_ rules: PrivacyRules) -> DecodedChunk {
    guard !rules.isEmpty else { return self }
    let kept = events.indices.filter { !rules.refuses(events[$0].event) }
    guard kept.count < events.count else { return self }
    var counts = counts
    counts.events -= events.count - kept.count
    counts.filtered += events.count - kept.count
    return DecodedChunk(
      events: kept.map { events[$0] }, rejections: rejections, counts: counts,
      textBytes: textBytes, places: places.isEmpty ? [] : kept.map { places[$0] },
      unknown: unknown)
  }
}
