internal import Core

/// One text for all files that say the same: the text whose hash names a generation (SEMANTICS 4.3).
///
/// JSON on one line, keys in byte order, without tests, descriptions and comments. Scalars keep what
/// they mean: null, true, false and plain numbers stay bare, all else is quoted; rules are quoted
/// and trimmed. As JSON written this way is YAML, the reader of pipeline files reads it back.
enum CanonicalText {
  /// Where a value stands: its keys from the top, `nil` for any name or place in a list.
  private typealias Pattern = [String?]

  private static let omitted: [Pattern] = [
    ["tests"], ["description"], ["flows", nil, "description"], ["answers", nil, "description"],
    ["attributes", nil, "description"], ["placements", nil, "description"],
    ["placements", nil, "audiences", nil, "description"],
    ["placements", nil, "tags", nil, "description"], ["next", nil, "description"],
  ]

  private static let rules: [Pattern] = [
    ["attributes", nil, "value"], ["segments", nil], ["placements", nil, "tags", nil],
    ["placements", nil, "tags", nil, "value"], ["next", nil, "when"],
  ]

  static func pipeline(_ root: YAMLNode) -> Bytes {
    var writer = JSONWriter(omitted: omitted, rules: rules)
    writer.write(root, path: [])
    return Bytes(writer.output)
  }

  /// Any value, nothing left out.
  static func json(_ node: YAMLNode) -> Bytes {
    var writer = JSONWriter(omitted: [], rules: [])
    writer.write(node, path: [])
    return Bytes(writer.output)
  }

  private struct JSONWriter {
    let omitted: [Pattern]
    let rules: [Pattern]
    private(set) var output: [UInt8] = []

    init(omitted: [Pattern], rules: [Pattern]) {
      self.omitted = omitted
      self.rules = rules
    }

    mutating func write(_ node: YAMLNode, path: [String]) {
      switch node.content {
      case .scalar(let scalar):
        let isRule = rules.contains { matches($0, path) }
        if isRule && !node.isMissingRule {
          write(quoted: scalar.text.trimmed)
        } else {
          write(scalar)
        }
      case .sequence(let items):
        write(between: "[", "]", items) { $0.write($1, path: path + [""]) }
      case .mapping(let entries):
        let kept = entries.filter { entry in
          !omitted.contains { matches($0, path + [entry.key.value.string]) }
        }
        write(between: "{", "}", kept.sorted { $0.key.value < $1.key.value }) { writer, entry in
          writer.write(key: entry.key.value)
          writer.write(": ")
          writer.write(entry.value, path: path + [entry.key.value.string])
        }
      }
    }

    private func matches(_ pattern: Pattern, _ path: [String]) -> Bool {
      pattern.count == path.count && zip(pattern, path).allSatisfy { $0 == nil || $0 == $1 }
    }

    private mutating func write(_ scalar: YAMLScalar) {
      switch scalar.meaning {
      case .null: write("null")
      case .boolean, .number: output += scalar.text.slice
      case .text: write(quoted: scalar.text)
      }
    }

    private mutating func write<Item>(
      between open: String, _ close: String, _ items: [Item],
      _ writeItem: (inout JSONWriter, Item) -> Void
    ) {
      write(open)
      for (index, item) in items.enumerated() {
        if index > 0 { write(", ") }
        writeItem(&self, item)
      }
      write(close)
    }

    /// A long key is announced: YAML's reader looks 1,024 bytes ahead for the colon of one that is not.
    private mutating func write(key: Bytes) {
      let start = output.count
      write(quoted: key)
      if output.count - start > 1000 {
        output.insert(contentsOf: Array("? ".utf8), at: start)
        write(" ")
      }
    }

    private mutating func write(_ text: String) { output += Array(text.utf8) }

    /// Escapes what JSON must, and what YAML refuses or takes for the end of a line.
    private mutating func write(quoted text: Bytes) {
      write("\"")
      for scalar in text.string.unicodeScalars {
        switch scalar.value {
        case 0x22: write("\\\"")
        case 0x5C: write("\\\\")
        case 0x0A: write("\\n")
        case 0x09: write("\\t")
        case 0x00...0x1F, 0x7F...0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
          let digits = String(scalar.value, radix: 16)
          write("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
        default: write(String(scalar))
        }
      }
      write("\"")
    }
  }
}

extension YAMLNode {
  /// True for nothing and `~`, which are no rule; the word `null` is one.
  fileprivate var isMissingRule: Bool {
    guard case .scalar(let scalar) = content else { return true }
    return scalar.meaning == .null && scalar.text != "null"
  }
}

extension Bytes {
  /// The text without ASCII white space at its ends.
  fileprivate var trimmed: Bytes {
    let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = slice.firstIndex(where: { !isBlank($0) }),
      let last = slice.lastIndex(where: { !isBlank($0) })
    else { return .empty }
    return Bytes(Array(slice[first...last]))
  }
}
