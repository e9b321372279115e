/// The order in which attributes and segments are evaluated.
extension PipelineChecker {
  /// Attributes and segments so that each comes after what it reads; reports each cycle with its path.
  ///
  /// - Parameters:
  ///   - attributes: for each, the slots its rule reads; none for a rule that is wrong.
  ///   - segments: the same.
  /// - Returns: all of them once; the order means something only where no cycle was reported.
  mutating func evaluationOrder(attributes: [[Int]], segments: [[Int]]) -> [Pipeline.Step] {
    enum Mark { case open, done }
    var marks: [Pipeline.Step: Mark] = [:]
    var order: [Pipeline.Step] = []
    var told: Set<Pipeline.Step> = []
    // A path of its own, not the program's stack: a file can make it as long as it likes.
    var path: [(step: Pipeline.Step, reads: [Pipeline.Step], next: Int)] = []

    func readsOf(_ step: Pipeline.Step) -> [Pipeline.Step] {
      let slots =
        switch step {
        case .attribute(let index): attributes[index]
        case .segment(let index): segments[index]
        }
      return slots.compactMap { slot in
        switch layout.fact(slot) {
        case .attribute(let index): .attribute(index)
        case .segment(let index): .segment(index)
        case .answer, .flow, .profile, .named: nil
        }
      }
    }

    let steps =
      attributes.indices.map { Pipeline.Step.attribute($0) }
      + segments.indices.map { Pipeline.Step.segment($0) }
    for start in steps where marks[start] == nil {
      path = [(start, readsOf(start), 0)]
      marks[start] = .open
      while let (step, reads, next) = path.last {
        guard next < reads.count else {
          path.removeLast()
          marks[step] = .done
          order.append(step)
          continue
        }
        path[path.count - 1].next += 1
        let other = reads[next]
        switch marks[other] {
        case nil:
          marks[other] = .open
          path.append((other, readsOf(other), 0))
        case .open:
          let first = path.firstIndex { $0.step == other } ?? 0
          let cycle = path[first...].map(\.step)
          // One cycle is told once, however many ways lead round it.
          if told.isDisjoint(with: cycle) { report(cycle) }
          told.formUnion(cycle)
        case .done: break
        }
      }
    }
    return order
  }

  private mutating func report(_ cycle: [Pipeline.Step]) {
    let names = (cycle + cycle.prefix(1)).map { name(of: $0).value.string }
    report(
      name(of: cycle[0]).position,
      "these rules need each other: " + names.joined(separator: " → ")
        + "; write one of them without the others")
  }

  private func name(of step: Pipeline.Step) -> Located<Bytes> {
    switch step {
    case .attribute(let index): attributeSources[index].name
    case .segment(let index): segmentSources[index].name
    }
  }
}
