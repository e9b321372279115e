extension Replay {
  /// The first instant after now at which time alone could change a decision or what is next.
  mutating func nextDecisionReview(after context: RuleContext) -> Instant? {
    let now = context.now
    var review: Instant?
    for rule in pipeline.next {
      review = earlier(review, rule.window.change(after: now))
      review = earlier(review, rule.program.flatMap { nextFlip(of: $0, context) })
    }
    for placement in pipeline.placements {
      for audience in placement.audiences {
        review = earlier(review, audience.window.change(after: now))
      }
      for tag in placement.tags { review = earlier(review, nextFlip(of: tag.program, context)) }
      if let until = forced[placement.id]?.until, until > now { review = earlier(review, until) }
    }
    return review
  }
}
