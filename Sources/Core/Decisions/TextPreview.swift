/// A text of a flow with tags in it, as its author wrote it: `Your BMI is {bmi}`.
package struct TextPreview: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    case text(Bytes)
    /// Index of a tag of the placement.
    case tag(Int)
  }

  let parts: [Part]

  /// A tag as far as a text needs it.
  struct Shown: Hashable {
    /// nil: the app passes none.
    let value: Bytes?
    let initial: Bytes?
  }

  /// What the flow shows: every tag's value, or every tag's initial value where one has no value.
  ///
  /// The vendor's SDK gives up on a text at its first tag without a value and renders the text's
  /// fallback, in which each tag stands with its initial value; one without shows nothing.
  func text(_ tags: [Shown]) -> Bytes {
    let isMissing = parts.contains { part in
      if case .tag(let index) = part { tags[index].value == nil } else { false }
    }
    var result: [UInt8] = []
    for part in parts {
      switch part {
      case .text(let text): result += text.slice
      case .tag(let index):
        let shown = isMissing ? tags[index].initial : tags[index].value
        result += (shown ?? .empty).slice
      }
    }
    return Bytes(result)
  }

  /// What is wrong with a text.
  enum Mistake: Error, Hashable {
    case unclosed
    case stray
    case unknownTag(Bytes)
  }

  /// Reads a text; `{{` and `}}` stand for braces.
  ///
  /// - Parameter tags: names of the placement's tags, case-sensitive.
  init(_ source: Bytes, tags: [Bytes]) throws(Mistake) {
    var parts: [Part] = []
    var plain: [UInt8] = []
    var index = 0
    func at(_ offset: Int, _ byte: UInt8) -> Bool {
      offset < source.count && source[offset] == byte
    }
    let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
    while index < source.count {
      let byte = source[index]
      if byte == open, !at(index + 1, open) {
        var end = index + 1
        while end < source.count, source[end] != close { end += 1 }
        guard end < source.count else { throw .unclosed }
        let name = source[index + 1..<end]
        guard let tag = tags.firstIndex(of: name) else { throw .unknownTag(name) }
        if !plain.isEmpty { parts.append(.text(Bytes(plain))) }
        plain = []
        parts.append(.tag(tag))
        index = end + 1
        continue
      }
      if byte == close, !at(index + 1, close) { throw .stray }
      plain.append(byte)
      index += byte == open || byte == close ? 2 : 1
    }
    if !plain.isEmpty { parts.append(.text(Bytes(plain))) }
    self.parts = parts
  }
}
