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
    JSONText(params).forEachMember { key, value in read(key, value) }
  }

  private mutating func read(_ key: Bytes, _ value: JSONText) {
    switch key {
    case Key.screen: screen = Self.nonEmpty(value.scalarText)
    case Key.screenOrder: screenOrder = value.integer.flatMap { Int32(exactly: $0) }
    case Key.isLastScreen: isLastScreen = lenientBoolean(value) ?? false
    case Key.element: element = Self.nonEmpty(value.scalarText)
    case Key.elementType: elementType = value.scalarText ?? .empty
    case Key.value: self.value = value
    case Key.itemIDs: itemIDs = value
    case Key.itemTitles: itemTitles = value
    // The callback's own envelope, where it was forwarded as a whole.
    case Key.params:
      let inner = value.string.map { JSONText($0) } ?? value
      inner.forEachMember { key, value in read(key, value) }
    default: break
    }
  }

  /// Made once: a literal in a `case` would be a new array at each comparison.
  enum Key {
    static let screen: Bytes = "instanceId"
    static let screenOrder: Bytes = "screen_order"
    static let isLastScreen: Bytes = "is_last_screen"
    static let element: Bytes = "element_id"
    static let elementType: Bytes = "element_type"
    static let value: Bytes = "value"
    static let itemIDs: Bytes = "item_ids"
    static let itemTitles: Bytes = "item_titles"
    static let params: Bytes = "params"
    static let id: Bytes = "id"
    static let title: Bytes = "title"
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
  static func canRead(_ value: JSONText, of key: Bytes) -> Bool {
    guard value.kind != .null else { return true }
    switch key {
    case Key.screen, Key.element, Key.elementType: return value.scalarText != nil
    case Key.screenOrder: return value.integer.flatMap { Int32(exactly: $0) } != nil
    case Key.isLastScreen: return lenientBoolean(value) != nil
    case Key.itemIDs, Key.itemTitles: return list(value) != nil
    case Key.value: return answer(value) != nil
    default: return true
    }
  }

  /// An option in the older shape: `{"id": …, "title": …}`, where the title may be null.
  private static func item(_ value: JSONText) -> Answer.Item? {
    if let id = value.scalarText { return Answer.Item(id: id, title: nil) }
    var id: Bytes?
    var title: Bytes?
    value.forEachMember { key, member in
      if key == Key.id { id = member.scalarText }
      if key == Key.title { title = member.scalarText }
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
