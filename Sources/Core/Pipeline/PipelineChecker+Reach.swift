/// Audiences and next rules that nobody gets to, because what stands above them holds whenever they do.
extension PipelineChecker {
  mutating func checkReach(_ scope: RuleScope) {
    var order = RuleOrder(scope: scope)
    checkNext(&order, scope)
    let conditions = Dictionary(
      segmentSources.map {
        (
          $0.name.value,
          CheckedExpression($0.rule, scope: scope, expecting: .boolean, use: .segment)
        )
      }, uniquingKeysWith: { first, _ in first })
    for placement in source.placements { check(placement.audiences, conditions, &order) }
  }

  private mutating func checkNext(_ order: inout RuleOrder, _ scope: RuleScope) {
    let rules = source.next.map { rule in
      RuleOrder.Rule(
        condition: rule.window.isUnread
          ? nil
          : rule.when.map {
            CheckedExpression($0, scope: scope, expecting: .boolean, use: .next)
          } ?? .constant(.boolean(true)),
        window: rule.window.active(in: zone))
    }
    for index in rules.indices {
      let hiding = order.rules(hiding: index, in: rules).map { source.next[$0] }
      // The reader of the file tells what stands behind a rule without any condition.
      guard let first = hiding.first, hiding.allSatisfy({ !$0.isForAll }) else { continue }
      report(
        source.next[index].when?.position(ofByte: 0) ?? source.next[index].position,
        hiding.count == 1
          ? "never reached: the rule on line \(first.position.line) holds whenever this one does; "
            + "remove one of them, or put this one first"
          : "never reached: one of the rules above holds whenever this one does; remove it or put it "
            + "above them")
    }
  }

  private mutating func check(
    _ audiences: [AudienceSource], _ conditions: [Bytes: CheckedExpression?],
    _ order: inout RuleOrder
  ) {
    let rules = audiences.map { audience in
      RuleOrder.Rule(
        condition: audience.window.isUnread
          ? nil : audience.segment.flatMap { conditions[$0.value] ?? nil },
        window: audience.window.active(in: zone))
    }
    for index in rules.indices {
      guard let segment = audiences[index].segment else { continue }
      let hiding = order.rules(hiding: index, in: rules).compactMap { audiences[$0].segment?.value }
      // The reader of the file tells that a segment stands twice.
      guard !hiding.isEmpty, !hiding.contains(segment.value) else { continue }
      let names = hiding.map { "`\($0.string)`" }.joined(separator: " or ")
      report(
        segment.position,
        "nobody gets here: whoever is in `\(segment.value.string)` is in \(names), above; "
          + "put the narrower segment first")
    }
  }
}

extension NextSource {
  /// Whether it holds for everyone at all times.
  fileprivate var isForAll: Bool { when == nil && window.isAlways }
}
