/// Where a person stands with their subscriptions, in the words of the vendor's segments.
///
/// Raw values are what rules compare with, and are stored: never rename.
package enum SubscriptionState: String, CaseIterable, Sendable {
  case subscribed
  case activeTrial = "active_trial"
  case gracePeriod = "grace_period"
  case billingIssue = "billing_issue"
  case autoRenewOff = "auto_renew_off"
  case trialCancelled = "trial_cancelled"
  case cancelled
  case neverSubscribed = "never_subscribed"

  /// The state by all subscriptions of a person; nil for unknown.
  ///
  /// One that gives access speaks for the person, the best state first; then one of which nobody
  /// knows; then the one that ended last.
  static func of(_ subscriptions: [AccessTerms], at now: Instant) -> SubscriptionState? {
    var best: SubscriptionState?
    var hasUnknown = false
    var lastEnded: (end: Instant, state: SubscriptionState)?
    for terms in subscriptions {
      switch terms.activity(at: now).isActive {
      case true?:
        let state = whileActive(terms)
        if best.map({ rank(state) < rank($0) }) ?? true { best = state }
      // The newest word is that the store tries to charge again: that is known, access is not.
      case nil where terms.hasOpenBillingIssue:
        let end = terms.expiresAt ?? Instant(microseconds: .min)
        if lastEnded.map({ $0.end <= end }) ?? true { lastEnded = (end, .billingIssue) }
      case nil: hasUnknown = true
      case false?:
        let state = afterwards(terms)
        let end = terms.expiresAt ?? Instant(microseconds: .min)
        let isLater =
          lastEnded.map { $0.end < end || ($0.end == end && rank(state) < rank($0.state)) } ?? true
        if isLater { lastEnded = (end, state) }
      }
    }
    if let best { return best }
    return hasUnknown ? nil : lastEnded?.state ?? .neverSubscribed
  }

  private static func rank(_ state: SubscriptionState) -> Int {
    allCases.firstIndex(of: state) ?? allCases.count
  }

  private static func whileActive(_ terms: AccessTerms) -> SubscriptionState {
    if terms.isInGracePeriod == true { return .gracePeriod }
    let isOff = terms.renews == false
    if terms.isTrial { return isOff ? .trialCancelled : .activeTrial }
    if isOff { return .autoRenewOff }
    return terms.billingIssueDetectedAt == nil ? .subscribed : .billingIssue
  }

  private static func afterwards(_ terms: AccessTerms) -> SubscriptionState {
    // While the store still tries to charge, the person may come back without doing anything.
    if terms.billingIssueDetectedAt != nil, terms.renews != false { return .billingIssue }
    return terms.isTrial ? .trialCancelled : .cancelled
  }
}
