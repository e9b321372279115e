package enum RuleUse: Sendable { case attribute, segment, next, tag }
package struct EvaluationContext {
  package let now: Instant
  package let zone: Zone
  package let profileID: Bytes
  package let primitives: Primitives
}
package enum NullCause: Hashable, Sendable {
  case operation(AbsenceReason), missing(slot: Int), none
}
package struct Evaluation { package var value: Value; package var cause: NullCause }
package struct Program: Sendable {
  package let type: ValueType
  package let slots: [Int]
  package let readsClock: Bool
  package func evaluate(_ slots: [Value], _ context: EvaluationContext) -> Evaluation {
    Evaluation(value: .null, cause: .none)
  }
  package func nextFlip(_ slots: [Value], after: Instant, _ context: EvaluationContext) -> Instant?
  { nil }
}
package func compileRule(_ rule: RuleText, scope: RuleScope, expecting: ValueType?, use: RuleUse)
  throws(PipelineProblems) -> Program
{ throw PipelineProblems([]) }
