/// What the fold reads from the params of a flow event; see `facts` 1.3 and 1.4 of the vendor's events.
///
/// Lenient in type, strict in meaning: a member that cannot be read is absent, the event stays.
package struct FlowParams: Sendable {
  package private(set) var screen: Bytes?
  package private(set) var screenOrder: Int32?
  package private(set) var isLastScreen = false
  package private(set) var element: Bytes?
  package private(set) var elementType: Bytes = .empty
  private var value: JSONText?
  private var itemIDs: JSONText?
  private var itemTitles: JSONText?

  package init(_ params: Bytes) {
    JSONText(params).forEachMember(known: Key.init) { key, value in read(key, value) }
  }

  private mutating func read(_ key: Key, _ value: JSONText) {
    switch key {
    case .screen: screen = Self.nonEmpty(value.scalarText)
    case .screenOrder: screenOrder = value.integer.flatMap { Int32(exactly: $0) }
    case .isLastScreen: isLastScreen = lenientBoolean(value) ?? false
    case .element: element = Self.nonEmpty(value.scalarText)
    case .elementType: elementType = value.scalarText ?? .empty
    case .value: self.value = value
    case .itemIDs: itemIDs = value
    case .itemTitles: itemTitles = value
    // The callback's own envelope, where it was forwarded as a whole.
    case .params:
      let inner = value.string.map { JSONText($0) } ?? value
      inner.forEachMember(known: Key.init) { key, value in read(key, value) }
    }
  }

  /// Members that are read.
  enum Key: String {
    case screen = "instanceId"
    case screenOrder = "screen_order"
    case isLastScreen = "is_last_screen"
    case element = "element_id"
    case elementType = "element_type"
    case value
    case itemIDs = "item_ids"
    case itemTitles = "item_titles"
    case params

    /// Nil for a name of anything else.
    init?(_ name: Span<UInt8>) {
      switch name.count {
      case 5 where name.spells("value"): self = .value
      case 6 where name.spells("params"): self = .params
      case 8 where name.spells("item_ids"): self = .itemIDs
      case 10 where name.spells("instanceId"): self = .screen
      case 10 where name.spells("element_id"): self = .element
      case 11 where name.spells("item_titles"): self = .itemTitles
      case 12 where name.spells("screen_order"): self = .screenOrder
      case 12 where name.spells("element_type"): self = .elementType
      case 14 where name.spells("is_last_screen"): self = .isLastScreen
      default: return nil
      }
    }
  }

  private static func nonEmpty(_ text: Bytes?) -> Bytes? { text.flatMap { $0.isEmpty ? nil : $0 } }

  /// What was answered; nil where the event tells no answer that can be read.
  package var answer: Answer.Value? {
    if let itemIDs, itemIDs.kind != .null {
      guard let ids = Self.list(itemIDs) else { return nil }
      let titles = itemTitles.flatMap(Self.list) ?? []
      let items = ids.enumerated().map { index, id in
        Answer.Item(id: id, title: index < titles.count ? titles[index] : nil)
      }
      return items.isEmpty ? .cleared : .items(items)
    }
    return value.flatMap(Self.answer)
  }

  private static func answer(_ value: JSONText) -> Answer.Value? {
    switch value.kind {
    case .string: return value.string.map { $0.isEmpty ? .cleared : .text($0) }
    case .number: return .number(value.text)
    case .boolean: return value.boolean.map { .boolean($0) }
    case .object: return item(value).map { .items([$0]) }
    case .array:
      let items = value.elements.compactMap(item)
      guard items.count == value.elements.count else { return nil }
      return items.isEmpty ? .cleared : .items(items)
    case .null, .none: return nil
    }
  }

  /// Whether the value of a member that is read here can be; null says nothing.
  static func canRead(_ value: JSONText, of key: Key) -> Bool {
    guard value.kind != .null else { return true }
    switch key {
    case .screen, .element, .elementType: return value.scalarText != nil
    case .screenOrder: return value.integer.flatMap { Int32(exactly: $0) } != nil
    case .isLastScreen: return lenientBoolean(value) != nil
    case .itemIDs, .itemTitles: return list(value) != nil
    case .value: return answer(value) != nil
    case .params: return true
    }
  }

  /// An option in the older shape: `{"id": …, "title": …}`, where the title may be null.
  private static func item(_ value: JSONText) -> Answer.Item? {
    if let id = value.scalarText { return Answer.Item(id: id, title: nil) }
    var id: Bytes?
    var title: Bytes?
    value.forEachMember(known: { $0.spells("id") ? true : $0.spells("title") ? false : nil }) {
      isID, member in
      if isID { id = member.scalarText } else { title = member.scalarText }
    }
    return id.map { Answer.Item(id: $0, title: title) }
  }

  /// Texts of an array, of an array as JSON in a string, or of `a,b`; nil for anything else.
  private static func list(_ value: JSONText) -> [Bytes]? {
    switch value.kind {
    case .array:
      let texts = value.elements.compactMap(\.scalarText)
      return texts.count == value.elements.count ? texts : nil
    case .string:
      guard let text = value.string else { return nil }
      let inner = JSONText(text)
      if inner.kind == .array, inner.text[inner.text.count - 1] == UInt8(ascii: "]") {
        return list(inner)
      }
      return text.isEmpty ? [] : split(text)
    case .number: return [value.text]
    case .object, .boolean, .null, .none: return nil
    }
  }

  private static func split(_ text: Bytes) -> [Bytes] {
    var parts: [Bytes] = []
    var start = 0
    for index in 0...text.count where index == text.count || text[index] == UInt8(ascii: ",") {
      let part = trimmed(text[start..<index])
      if !part.isEmpty { parts.append(part) }
      start = index + 1
    }
    return parts
  }
}

/// `true`, `1`, `1.0`, `"1"`, `"true"` and their opposites; nil for anything else.
package func lenientBoolean(_ value: JSONText) -> Bool? {
  if let boolean = value.boolean { return boolean }
  if let text = value.string, let boolean = JSONText(text).boolean { return boolean }
  switch value.integer {
  case 1: return true
  case 0: return false
  default: return nil
  }
}

/// The text without spaces, tabs and line ends around it.
package func trimmed(_ text: Bytes) -> Bytes {
  func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  var start = 0
  var end = text.count
  while start < end, isSpace(text[start]) { start += 1 }
  while end > start, isSpace(text[end - 1]) { end -= 1 }
  return text[start..<end]
}
