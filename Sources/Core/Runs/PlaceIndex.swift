/// Finds where in a list a key stands that stands there once, for a list that only grows.
///
/// A few are looked through; an index of many keeps a list of thousands from taking time with the square
/// of their number.
struct PlaceIndex<Key: Hashable> {
  private var places: [Key: Int] = [:]

  private static var few: Int { 16 }

  /// The place of a key among items; nil where it is not there.
  mutating func place<Item>(of key: Key, in items: [Item], by keyOf: (Item) -> Key) -> Int? {
    guard items.count > Self.few else { return items.firstIndex { keyOf($0) == key } }
    for index in places.count..<items.count { places[keyOf(items[index])] = index }
    return places[key]
  }
}

/// What an answer is to: one element of one screen.
struct AnsweredInput: Hashable {
  let screen: Bytes
  let element: Bytes

  init(_ answer: Answer) {
    screen = answer.screen
    element = answer.element
  }
}
