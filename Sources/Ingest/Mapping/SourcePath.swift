package import Core

/// A place in a record: members inside each other, `event_properties.screen_id`.
///
/// A step names a member of an object, or of a list of `{key, value}` the item with that key, or by
/// its digits an item's place. A step goes through text that holds JSON as if it were the JSON.
package struct SourcePath: Hashable, Sendable {
  /// True for `^.requestId`: it begins at the record that held the list of records.
  package let beginsOutside: Bool
  /// Empty for `.`, the record itself.
  package let steps: [Bytes]

  /// For people: `event.name`.
  package var words: Bytes { Bytes(Array(steps.map(\.slice).joined(separator: Array(".".utf8)))) }

  package init(_ steps: [Bytes], beginsOutside: Bool = false) {
    self.steps = steps
    self.beginsOutside = beginsOutside
  }

  /// Reads a path: names with dots between them, `[…]` around a name that holds a dot, `.` for the
  /// record itself, `^` in front for the record outside.
  ///
  /// Nil for an empty name, an open bracket, or nothing.
  package init?(_ text: Bytes) {
    var rest = text.slice
    guard !rest.isEmpty else { return nil }
    beginsOutside = rest.first == UInt8(ascii: "^")
    if beginsOutside { rest = rest.dropFirst() }
    var steps: [Bytes] = []
    if rest.isEmpty || (Array(rest) == [UInt8(ascii: ".")] && !beginsOutside) {
      self.steps = []
      return
    }
    var needsMark = beginsOutside
    while let first = rest.first {
      if first == UInt8(ascii: "[") {
        guard let end = rest.firstIndex(of: UInt8(ascii: "]")), end > rest.startIndex + 1 else {
          return nil
        }
        steps.append(Bytes(Array(rest[(rest.startIndex + 1)..<end])))
        rest = rest[(end + 1)...]
        needsMark = true
        continue
      }
      if needsMark {
        guard first == UInt8(ascii: ".") else { return nil }
        rest = rest.dropFirst()
      }
      let name = rest.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
      if name.isEmpty {
        // `a.[b.c]` is as good as `a[b.c]`.
        guard rest.first == UInt8(ascii: "["), needsMark else { return nil }
        continue
      }
      steps.append(Bytes(Array(name)))
      rest = rest[name.endIndex...]
      needsMark = true
    }
    self.steps = steps
  }
}
