/// Inputs whose answers are never kept: the section `privacy` of a pipeline (SEMANTICS 1.10).
///
/// A record that tells what was entered in one of them is refused as a whole, whatever its name is.
package struct PrivacyRules: Hashable, Sendable {
  /// As the vendor names them, such as `email_input`.
  package var elementTypes: Set<Bytes> {
    didSet { refusedTypes = Set(elementTypes.map(InputNames.folded)) }
  }
  /// Ids of elements.
  package var elements: Set<Bytes> {
    didSet { refusedElements = Set(elements.map(InputNames.folded)) }
  }
  private var refusedTypes: Set<Bytes>
  private var refusedElements: Set<Bytes>

  package init(elementTypes: Set<Bytes> = [], elements: Set<Bytes> = []) {
    self.elementTypes = elementTypes
    self.elements = elements
    refusedTypes = Set(elementTypes.map(InputNames.folded))
    refusedElements = Set(elements.map(InputNames.folded))
  }

  /// The types of elements that people enter something in.
  package static let knownTypes = [
    "email_input", "phone_input", "text_input", "number_input", "date_picker", "time_picker",
    "date_time_picker", "single_choice", "multi_choice", "toggle",
  ]

  static let foldedTypes = Set(knownTypes.map { InputNames.folded(Bytes($0)) })

  package var isEmpty: Bool { elementTypes.isEmpty && elements.isEmpty }

  /// True for an event that is not to be kept.
  package func refuses(_ event: Event) -> Bool {
    guard !isEmpty, !event.params.isEmpty else { return false }
    let names = event.inputNames
    return !names.types.isDisjoint(with: refusedTypes)
      || !names.elements.isDisjoint(with: refusedElements)
  }

  /// The rules as one text: equal for equal rules.
  package var text: String {
    let types = elementTypes.sorted().map(\.string).joined(separator: ",")
    // An id can hold a comma: its length tells where it ends.
    let ids = elements.sorted().map { "\($0.count):\($0.string)" }.joined(separator: ",")
    return "types \(types) elements \(ids)"
  }
}
