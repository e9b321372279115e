internal import CSimdjson

/// A value in a tree of tokens; lives as long as they do.
struct RecordValue {
  let tokens: UnsafeBufferPointer<JSONToken>
  let index: Int

  var token: JSONToken { tokens[index] }
  var shape: JSONToken.Kind { token.shape }
  /// The text of a string, a number or a key; empty for anything else, whose tokens have no bytes.
  var text: UnsafeBufferPointer<UInt8> {
    switch shape {
    case .string, .number, .key: token.bytes
    default: UnsafeBufferPointer(start: nil, count: 0)
    }
  }
  /// True for text, numbers and truth.
  var isScalar: Bool {
    switch shape {
    case .string, .number, .yes, .no: true
    default: false
    }
  }

  /// True for `{}`.
  var isEmptyObject: Bool { shape == .object && Int(token.next) == index + 1 }

  /// A member of an object, the last of its name; nil where there is none.
  func member(_ name: UnsafeBufferPointer<UInt8>) -> RecordValue? {
    guard shape == .object else { return nil }
    var found: RecordValue?
    forEachMember { key, value in if key.text.elementsEqual(name) { found = value } }
    return found
  }

  /// Calls with each key and value of an object, in the order of the document.
  func forEachMember(_ body: (_ key: RecordValue, _ value: RecordValue) -> Void) {
    let end = Int(token.next)
    var key = index + 1
    while key < end {
      body(RecordValue(tokens: tokens, index: key), RecordValue(tokens: tokens, index: key + 1))
      key = Int(tokens[key + 1].next)
    }
  }

  /// Calls with each item of an array.
  func forEachItem(_ body: (RecordValue) -> Void) {
    var item = index + 1
    for _ in 0..<Int(token.length) {
      body(RecordValue(tokens: tokens, index: item))
      item = Int(tokens[item].next)
    }
  }
}
