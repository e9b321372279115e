/// The inputs that an event's params name, wherever in them they stand and however they are written.
///
/// Sources differ: params in params, JSON as text, lists of answers, maps of them by element, lists of
/// `{"key": …, "value": …}` or of pairs. Names are compared without letter case, `_`, `-` and spaces. It takes a name
/// too many rather than one too few: what is dropped for it can be read again, what is stored is stored.
package struct InputNames: Hashable, Sendable {
  package private(set) var elements: Set<Bytes> = []
  /// Those of ``PrivacyRules/knownTypes``.
  package private(set) var types: Set<Bytes> = []

  package init(_ params: Bytes) { walk(JSONText(params), isInAnswers: false, texts: 0) }

  /// As of an event's params, of which the vendor's older onboardings have one that names no input.
  fileprivate init(_ params: Bytes, of event: Bytes) {
    self.init(params)
    if event == Self.emailEvent { types.insert(Self.folded("email_input")) }
  }

  private static let emailEvent: Bytes = "user_email_collected"

  private mutating func walk(_ value: JSONText, isInAnswers: Bool, texts: Int) {
    switch value.kind {
    case .object: read(value, isInAnswers, texts)
    case .array:
      let items = value.elements
      for item in items { walk(item, isInAnswers: isInAnswers, texts: texts) }
      if items.count == 2, let label = items[0].scalarText {
        pair(label, items[1])
        if isInAnswers { elements.insert(Self.folded(label)) }
      }
    case .string:
      // A text in a text in a text is nobody's format.
      guard texts < 3, let inner = value.embedded else { return }
      walk(inner, isInAnswers: isInAnswers, texts: texts + 1)
    case .number, .boolean, .null, .none: break
    }
  }

  private mutating func read(_ object: JSONText, _ isInAnswers: Bool, _ texts: Int) {
    var label = Bytes.empty
    var paired: JSONText?
    object.forEachMember { key, member in
      let name = Self.folded(key)
      if isInAnswers { elements.insert(name) }
      if let text = member.scalarText.map(Self.folded) {
        if Word.element.contains(name) || (isInAnswers && Word.id.contains(name)) {
          elements.insert(text)
        }
        if !Word.answer.contains(name), PrivacyRules.foldedTypes.contains(text) {
          types.insert(text)
        } else if Word.type.contains(name) {
          insertType(text)
        }
        if Word.label.contains(name) { label = text }
      }
      if Word.element.contains(name) { takeAll(of: member, asTypes: false) }
      if Word.value.contains(name) { paired = member }
      walk(member, isInAnswers: isInAnswers || Word.answers.contains(name), texts: texts)
    }
    if let paired { pair(label, paired) }
  }

  /// Takes what a pair names: `{"key": "element_id", "value": "email"}`, or both in a list.
  private mutating func pair(_ label: Bytes, _ value: JSONText) {
    let label = Self.folded(label)
    if Word.element.contains(label) || Word.type.contains(label) {
      takeAll(of: value, asTypes: Word.type.contains(label))
    }
  }

  /// Takes a type, whole or as tools shorten it: `email` for `email_input`.
  private mutating func insertType(_ text: Bytes) {
    types.insert(text)
    let whole = Bytes(Array(text.slice) + Array("input".utf8))
    if PrivacyRules.foldedTypes.contains(whole) { types.insert(whole) }
  }

  /// Takes the texts of a pair's value: `{"string_value": "email"}`, or the text itself.
  private mutating func takeAll(of value: JSONText, asTypes: Bool) {
    if let text = value.scalarText.map(Self.folded) {
      if asTypes { insertType(text) } else { elements.insert(text) }
    }
    value.forEachMember { _, member in takeAll(of: member, asTypes: asTypes) }
    for item in value.elements { takeAll(of: item, asTypes: asTypes) }
  }

  /// As names are compared: without what nobody sees in them, too, such as spaces of no width.
  static func folded(_ name: Bytes) -> Bytes {
    var name = name
    if name.slice.contains(where: { $0 >= 0x80 }) {
      let seen = name.string.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
      name = Bytes(String(String.UnicodeScalarView(seen)).lowercased())
    }
    var folded: [UInt8] = []
    folded.reserveCapacity(name.count)
    for byte in name.slice {
      switch byte {
      case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: " "): continue
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): folded.append(byte | 0x20)
      default: folded.append(byte)
      }
    }
    return Bytes(folded)
  }

  /// Names of members, folded; made once.
  private enum Word {
    static let element: Set<Bytes> = ["elementid", "element", "elementname", "inputid"]
    static let type: Set<Bytes> = ["elementtype", "inputtype"]
    /// Of an answer within a list of answers.
    static let id: Set<Bytes> = ["id", "key", "name", "question", "questionid"]
    static let answers: Set<Bytes> = [
      "answers", "inputs", "userinputs", "responses", "elements", "fields", "form", "data",
      "values",
      "results",
    ]
    /// What people said: a choice can be called as a type is.
    static let answer: Set<Bytes> = ["value", "title", "text", "label", "itemids", "itemtitles"]
    static let label: Set<Bytes> = ["key", "name"]
    static let value: Set<Bytes> = ["value"]
  }
}

extension Event {
  /// The inputs that it tells of, by its params or by its name.
  var inputNames: InputNames { InputNames(params, of: name) }
}
