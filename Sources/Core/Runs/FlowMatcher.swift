/// Recognises the flow an event belongs to: by placement, then flow id, then screen.
package struct FlowMatcher: Sendable {
  /// A declared flow by its index, or an undeclared one by its placement or flow id.
  package enum Key: Hashable, Sendable {
    case declared(Int)
    case undeclared(Bytes)
    /// Of no flow: nothing says which one it is.
    case none
  }

  private let byPlacement: [Bytes: Int]
  private let byFlowID: [Bytes: Int]
  private let byScreen: [Bytes: Int]

  package init(byPlacement: [Bytes: Int], byFlowID: [Bytes: Int], byScreen: [Bytes: Int]) {
    self.byPlacement = byPlacement
    self.byFlowID = byFlowID
    self.byScreen = byScreen
  }

  /// True where a screen tells the flow of an event that names none.
  var readsScreens: Bool { !byScreen.isEmpty }

  /// What an event of a declared flow carries: its first placement, else its first flow id.
  ///
  /// Empty for a flow that is recognised by screens alone.
  package func mark(of flow: Int) -> [ContextKey: Bytes] {
    func first(_ ids: [Bytes: Int]) -> Bytes? {
      ids.filter { $0.value == flow }.keys.min()
    }
    if let placement = first(byPlacement) { return [.placementID: placement] }
    return first(byFlowID).map { [.flowID: $0] } ?? [:]
  }

  /// A screen that tells a declared flow, where screens do.
  package func screen(of flow: Int) -> Bytes? {
    byScreen.filter { $0.value == flow }.keys.min()
  }

  /// The flow an event names.
  ///
  /// - Parameters:
  ///   - event: of one of the four flow kinds.
  ///   - screen: the screen its params name, read only where screens are declared.
  /// - Returns: nil for an event that names neither placement, flow nor a declared screen.
  package func key(of event: Event, screen: @autoclosure () -> Bytes?) -> Key? {
    let placement = event.context[.placementID]
    if let placement, let flow = byPlacement[placement] { return .declared(flow) }
    let flowID = event.context[.flowID]
    if let flowID, let flow = byFlowID[flowID] { return .declared(flow) }
    if !byScreen.isEmpty, let screen = screen(), let flow = byScreen[screen] {
      return .declared(flow)
    }
    return (placement ?? flowID).map { .undeclared($0) }
  }
}
