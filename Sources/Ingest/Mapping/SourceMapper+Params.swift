internal import Core
internal import CSimdjson

extension SourceMapper {
  /// Writes the params; false, and nothing is written, where there are none.
  func write(_ params: SourceParams, in scope: Scope) -> Bool {
    let start = output.mark
    output.append(key: "params".utf8)
    output.append("{")
    let empty = output.mark
    var known: Set<Bytes> = []
    for member in params.computed where write(computed: member, in: scope) {
      known.insert(member.name)
    }
    for path in params.from {
      guard let found = find(path, in: scope)?.value else { continue }
      known.formUnion(copy(found, from: path, params, except: known))
    }
    guard !output.isAt(empty) else {
      output.truncate(to: start)
      return false
    }
    output.append("}")
    return true
  }

  private func write(computed member: SourceMapping.Member, in scope: Scope) -> Bool {
    let mark = output.mark
    output.append(key: member.name.slice)
    for reading in member.readings {
      if case .written = write(reading, in: scope, as: .anything) { return true }
    }
    output.truncate(to: mark)
    return false
  }

  /// Writes the members of an object or list; what cannot be read as one costs only itself.
  ///
  /// - Returns: the names that were written.
  private func copy(
    _ value: RecordValue, from path: SourcePath, _ params: SourceParams, except known: Set<Bytes>
  ) -> Set<Bytes> {
    var names: Set<Bytes> = []
    func copy(_ key: RecordValue, _ member: FoundValue, in object: RecordValue?) {
      var name = Bytes(Array(key.text))
      if !params.repeatsRead,
        read.contains(SourcePath(path.steps + [name], beginsOutside: path.beginsOutside))
      {
        return
      }
      guard !isDropped(name, params) else { return }
      if let other = params.renamed[name] {
        // Who writes both means the one that needs no other name.
        if other.array.withUnsafeBufferPointer({ object?.member($0) }) != nil { return }
        name = other
      }
      guard !known.contains(name) else { return }
      let isText = member.value.shape == .string
      if params.dropsEmpty, isText, member.value.text.isEmpty { return }
      names.insert(name)
      output.count(repairsOf: key.token)
      output.append(key: name.slice)
      writeParam(member, isJSON: false)
    }
    let isRoot = path.steps.isEmpty
    let container = value.shape == .string ? documents.document(in: value.text) : value
    switch container?.shape {
    case .object?:
      container?.forEachMember { key, member in
        // Neither what params come from nor what is read by its canonical name is one of them.
        if isRoot, params.from.contains(where: { $0.steps.count == 1 && $0.steps[0] == name(key) })
        {
          return
        }
        if isRoot, mapping.readsCanonicalMembers, !params.repeatsRead,
          members.slot(of: key.text) != nil
        {
          return
        }
        copy(key, FoundValue(value: member), in: container)
      }
    case .array?:
      var isList = true
      if let container {
        isList = forEachPair(container) { key, found in copy(key, found, in: nil) }
      }
      if !isList { unreadable += 1 }
    default:
      // An empty text is how CSV writes nothing.
      if value.shape != .string || !value.text.isEmpty { unreadable += 1 }
    }
    return names
  }

  private func name(_ key: RecordValue) -> Bytes { Bytes(Array(key.text)) }

  private func isDropped(_ name: Bytes, _ params: SourceParams) -> Bool {
    params.dropped.contains { pattern in
      guard pattern.slice.last == UInt8(ascii: "*") else { return pattern == name }
      return name.hasPrefix(pattern[0..<(pattern.count - 1)])
    }
  }
}
