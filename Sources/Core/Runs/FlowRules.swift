/// What a pipeline says about the runs of a flow, beside how the flow is recognised.
package struct FlowRules: Hashable, Sendable {
  /// Screens that complete a run, whether or not the vendor marks them as last.
  package let completingScreens: Set<Bytes>
  /// Former ids of renamed screens → the id that counts.
  package let renamedScreens: [Bytes: Bytes]
  /// Microseconds since its last event within which an unfinished run goes on; nil: it never does.
  package let resumeWithin: Int64?

  package static let none = FlowRules(
    completingScreens: [], renamedScreens: [:], resumeWithin: nil)

  package init(
    completingScreens: Set<Bytes>, renamedScreens: [Bytes: Bytes], resumeWithin: Int64?
  ) {
    self.completingScreens = completingScreens
    self.renamedScreens = renamedScreens
    self.resumeWithin = resumeWithin
  }

  /// The screen that the params name, by the id that counts today.
  func screen(_ params: FlowParams) -> Bytes? {
    params.screen.map { renamedScreens[$0] ?? $0 }
  }

  /// True for a screen that completes a run: the vendor marks it as last, or the pipeline names it.
  func isLastScreen(_ params: FlowParams) -> Bool {
    params.isLastScreen || screen(params).map { completingScreens.contains($0) } ?? false
  }
}
