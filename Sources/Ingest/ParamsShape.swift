internal import CSimdjson

/// How deep and how wide a parsed value is.
struct ParamsShape {
  /// Objects and arrays inside each other; a flat object is 1 deep.
  private(set) var depth = 0
  /// Members of the largest object, or items of the largest array.
  private(set) var width = 0

  /// Measures the object that starts at token `index`.
  init(_ tokens: UnsafeBufferPointer<JSONToken>, _ index: Int) { measure(tokens, index, depth: 1) }

  /// The parser's own limit of depth bounds the recursion.
  private mutating func measure(
    _ tokens: UnsafeBufferPointer<JSONToken>, _ index: Int, depth level: Int
  ) {
    depth = max(depth, level)
    width = max(width, Int(tokens[index].length))
    let end = Int(tokens[index].next)
    var child = index + 1
    while child < end {
      let value = tokens[child].shape == .key ? child + 1 : child
      if tokens[value].shape == .object || tokens[value].shape == .array {
        measure(tokens, value, depth: level + 1)
      }
      child = Int(tokens[value].next)
    }
  }

  /// The bytes of all texts in the value that starts at token `index`.
  static func textBytes(_ tokens: UnsafeBufferPointer<JSONToken>, _ index: Int) -> Int {
    let end = max(Int(tokens[index].next), index + 1)
    var sum = 0
    for token in index..<end where tokens[token].shape == .string {
      sum += Int(tokens[token].length)
    }
    return sum
  }
}
