/// When runs begin, end and take in stragglers (SEMANTICS 5.1, 5.2), in microseconds, and how many
/// there can be.
package struct RunSettings: Hashable, Sendable {
  /// Silence that ends a run of events without a session id.
  package var gapWithoutSession: Int64 = 30 * 60 * 1_000_000
  /// Silence that ends a run within one session id.
  package var gapWithinSession: Int64 = 24 * 3600 * 1_000_000
  /// How late a run's own `flow_appeared` may come: nothing orders the two callbacks.
  package var lateAppearance: Int64 = 10 * 1_000_000
  /// How late a screen or an input may come after `flow_disappeared`: the input that is sent as
  /// focus is lost.
  package var lateInput: Int64 = 2 * 1_000_000
  /// Runs that one session can have: one that has more is no person's, and makes up none.
  package var mostFlowRuns = Self.usualMostFlowRuns

  package static let usualMostFlowRuns = 1000
  package static let flowRunsRange = 1...1_000_000

  package init() {}
}
