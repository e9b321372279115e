internal import Core

/// What is different between two pipelines, by their canonical texts.
struct PipelineChanges: Sendable {
  struct Change: Hashable, Sendable {
    /// From the top, such as `segments.obese` or `next[2].when`.
    let key: String
    /// As canonical text; nil where there is none.
    let old: String?
    let new: String?
  }

  /// By key.
  let list: [Change]

  init(from old: Bytes, to new: Bytes) {
    let before = Self.values(old)
    let after = Self.values(new)
    list = Set(before.keys).union(after.keys).sorted()
      .filter { before[$0] != after[$0] }
      .map { Change(key: $0, old: before[$0], new: after[$0]) }
  }

  private static func values(_ text: Bytes) -> [String: String] {
    let bytes = text.array
    guard let root = YAMLDocument(bytes, lines: SourceLines(bytes)).root else { return [:] }
    var values: [String: String] = [:]
    collect(root, at: "", into: &values)
    return values
  }

  /// Goes down to scalars and to lists of scalars, which are read as one value.
  private static func collect(
    _ node: YAMLNode, at key: String, into values: inout [String: String]
  ) {
    switch node.content {
    case .mapping(let entries) where !entries.isEmpty:
      for entry in entries {
        let name = entry.key.value.string
        collect(entry.value, at: key.isEmpty ? name : key + "." + name, into: &values)
      }
    case .sequence(let items) where items.contains { !$0.isScalar }:
      for (index, item) in items.enumerated() {
        collect(item, at: "\(key)[\(index + 1)]", into: &values)
      }
    case .scalar, .sequence, .mapping: values[key] = CanonicalText.json(node).string
    }
  }
}

extension YAMLNode {
  fileprivate var isScalar: Bool { if case .scalar = content { true } else { false } }
}
