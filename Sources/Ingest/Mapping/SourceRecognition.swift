package import Core

/// Which source the first records of an input are of.
package enum SourceRecognition: Hashable, Sendable {
  /// At least half of the records looked at have its shape, and no other's that asks for as much.
  case recognised(SourceMapping, by: SourceShape)
  /// Several sources, by index, have equal claims.
  case ambiguous([Int])
  case unknown

  /// How many records are looked at.
  package static let sample = 25

  /// Looks at the first records of a chunk, the first of an input.
  package init(
    _ chunk: Chunk, among mappings: [SourceMapping], limits: ReadLimits, primitives: Primitives
  ) {
    let recogniser = Recogniser(mappings, limits: limits, primitives: primitives)
    let hasUnwrapped = chunk.visit(recogniser, limits: limits).hasUnwrapped
    self = recogniser.verdict
    if hasUnwrapped { nameWrapper(among: mappings) }
  }

  /// The layout has opened the base64 before anybody looked: canonical records inside are of the source
  /// that wraps them so.
  private mutating func nameWrapper(among mappings: [SourceMapping]) {
    switch self {
    case .recognised(let mapping, _) where mapping.name != SourceMapping.canonicalName: return
    case .ambiguous: return
    case .recognised, .unknown: break
    }
    let wrapper = mappings.first { $0.records?.isBase64 == true && $0.readsCanonicalMembers }
    guard let wrapper, let inside = wrapper.records?.inside else { return }
    var shape = SourceShape()
    shape.has = [SourcePath((wrapper.records?.list?.steps ?? []) + inside.steps)]
    self = .recognised(wrapper, by: shape)
  }
}

private final class Recogniser: RecordVisitor {
  private let mappers: [SourceMapper]
  private var seen = 0
  /// Records without any member tell nothing of the others.
  private var empty = 0
  /// By mapping and shape.
  private var votes: [[Int]]

  init(_ mappings: [SourceMapping], limits: ReadLimits, primitives: Primitives) {
    mappers = mappings.map { SourceMapper($0, limits: limits, primitives: primitives) }
    votes = mappings.map { [Int](repeating: 0, count: $0.shapes.count) }
  }

  func visit(_ tokens: UnsafeBufferPointer<JSONToken>, at place: RecordPlace) {
    guard seen + empty < SourceRecognition.sample else { return }
    guard !RecordValue(tokens: tokens, index: 0).isEmptyObject else {
      empty += 1
      return
    }
    seen += 1
    for (index, mapper) in mappers.enumerated() {
      if let shape = mapper.shape(of: tokens) { votes[index][shape] += 1 }
    }
  }

  var verdict: SourceRecognition {
    var best: [(mapping: Int, shape: Int)] = []
    var strength = 0
    for (index, counts) in votes.enumerated() {
      guard seen > 0, counts.reduce(0, +) * 2 >= seen,
        let shape = counts.indices.max(by: { counts[$0] < counts[$1] })
      else { continue }
      let claim = mappers[index].mapping.shapes[shape].strength
      if claim > strength { best = [] }
      if claim >= strength {
        best.append((index, shape))
        strength = claim
      }
    }
    guard let first = best.first else {
      guard seen == 0, empty > 0 else { return .unknown }
      // Nothing but what one source expects: a delivery of its own, kept in a file of its own.
      let expecting = mappers.map(\.mapping).filter(\.leavesOutEmpty)
      return expecting.count == 1 ? .recognised(expecting[0], by: SourceShape()) : .unknown
    }
    guard best.count == 1 else { return .ambiguous(best.map(\.mapping)) }
    let mapping = mappers[first.mapping].mapping
    return .recognised(mapping, by: mapping.shapes[first.shape])
  }
}

extension SourceMapper {
  /// The first shape that the first record in a record has; nil for none.
  fileprivate func shape(of tokens: UnsafeBufferPointer<JSONToken>) -> Int? {
    documents.reset()
    var found: Int?
    var isFirst = true
    forEachRecord(in: RecordValue(tokens: tokens, index: 0)) { scope in
      defer { isFirst = false }
      guard isFirst, let scope else { return }
      found = mapping.shapes.firstIndex { shape in
        shape.has.allSatisfy { find($0, in: scope) != nil }
          && shape.lacks.allSatisfy { find($0, in: scope) == nil }
          && holds(shape.conditions, in: scope)
      }
    }
    return found
  }
}
