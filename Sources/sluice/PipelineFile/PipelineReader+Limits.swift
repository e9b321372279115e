internal import Core

/// What a record, and a session, may cost.
extension PipelineReader {
  mutating func limits(_ node: YAMLNode, into source: inout PipelineSource) {
    guard let section = section(node, .limits) else { return }
    for limit in RecordLimit.allCases {
      guard let node = section[limit.rawValue] else { continue }
      let what = "`\(limit.rawValue)`"
      let value =
        limit.isSize ? size(node, in: limit.range, what) : integer(node, in: limit.range, what)
      // A key stands once in its mapping, and its value is in range.
      if let value { _ = source.limits.set(limit, to: value) }
    }
    if let node = section["flow_runs"],
      let most = integer(node, in: RunSettings.flowRunsRange, "`flow_runs`")
    {
      source.runSettings.mostFlowRuns = most
    }
  }

  /// A number of bytes: `65536` or `64KiB`.
  private mutating func size(
    _ node: YAMLNode, in range: ClosedRange<Int>, _ what: String
  ) -> Int? {
    guard let word = word(node, what) else { return nil }
    guard let bytes = byteCount(word.value.string), range.contains(bytes) else {
      report(
        at: node.position,
        "\(what) is a size such as 64KiB, from \(byteWords(range.lowerBound)) to "
          + byteWords(range.upperBound), leavingGap: false)
      return nil
    }
    return bytes
  }
}

/// As `byteCount` reads it.
private func byteWords(_ bytes: Int) -> String {
  for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] where bytes % (1 << shift) == 0 {
    return "\(bytes >> shift)\(unit)"
  }
  return "\(bytes)B"
}
