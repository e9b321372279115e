internal import Core

/// A mapping whose keys have been looked at.
struct PipelineSection {
  let position: SourcePosition
  let what: String
  fileprivate let values: [Bytes: YAMLNode]
  /// Keys that are there under a mistyped name.
  fileprivate let misspelt: Set<String>
  /// True where a key is none that is known.
  let hasUnknownKeys: Bool

  subscript(key: String) -> YAMLNode? { values[Bytes(key)] }

  /// Whether a key is there, in whatever spelling: one that is mistyped is not missing, too.
  func has(_ key: String) -> Bool { self[key] != nil || misspelt.contains(key) }

  /// Reads what must be there; reports it where it is not.
  func required<Result>(
    _ key: String, by reader: inout PipelineReader,
    _ read: (inout PipelineReader, YAMLNode) -> Result?
  ) -> Result? {
    guard let node = self[key] else {
      if !misspelt.contains(key) { reader.report(at: position, "\(what) needs `\(key)`") }
      return nil
    }
    return read(&reader, node)
  }
}

/// Values of the forms that a pipeline file is made of. Each is nil after its problem was reported.
extension PipelineReader {
  mutating func section(_ node: YAMLNode, _ keys: PipelineKeys) -> PipelineSection? {
    guard case .mapping(let entries) = node.content else {
      report(
        at: node.position, "\(keys.what) is written as `key: value` lines; this is \(node.form)")
      return nil
    }
    var values: [Bytes: YAMLNode] = [:]
    var misspelt: Set<String> = []
    var hasUnknownKeys = false
    for entry in entries {
      let key = entry.key.value.string
      if keys.known.contains(key) {
        values[entry.key.value] = entry.value
      } else if keys.later.contains(key) {
        report(at: entry.key.position, "`\(key)` is not supported yet")
      } else {
        hasUnknownKeys = true
        unknown(entry, among: keys)
        misspelt.formUnion(nearest(to: key, among: keys.known + keys.later).map { [$0] } ?? [])
      }
    }
    return PipelineSection(
      position: node.position, what: keys.what, values: values, misspelt: misspelt,
      hasUnknownKeys: hasUnknownKeys)
  }

  private mutating func unknown(_ entry: YAMLEntry, among keys: PipelineKeys) {
    let key = entry.key.value.string
    var hint = didYouMean(key, keys.known + keys.later)
    let isTypo = !hint.isEmpty
    if hint.isEmpty && entry.value.isNull {
      // `{ value: coalesce(a, b) }` is the text `coalesce(a` and the key `b)`.
      hint = "; between { and } a comma ends a value: quote a rule or text that holds one"
    } else if hint.isEmpty {
      let most = 20
      hint = "; known are " + keys.known.prefix(most).joined(separator: ", ")
      if keys.known.count > most { hint += " and \(keys.known.count - most) more" }
    }
    report(
      at: entry.key.position, "\(keys.what) has no key `\(key)`" + hint,
      leavingGap: isTypo || entry.value.isNull)
  }

  /// The things that a section of the pipeline declares; those that cannot be read are left unread.
  mutating func declared<Result>(
    _ pipeline: PipelineSection, _ section: UnreadNames.Section,
    _ read: (inout PipelineReader, Located<Bytes>, YAMLNode) -> Result?
  ) -> [Result] {
    let node = pipeline[section.rawValue]
    if let node, !node.isNull, !node.isMapping { leaveUnread(section) }
    return named(node, section.rawValue) { reader, name, node in
      let result = read(&reader, name, node)
      // An answer of which a part could not be read has another type than its author means.
      let isWhole = section != .answers || reader.isComplete
      if section != .custom, result == nil || !isWhole { reader.leaveUnread(name.value) }
      return isWhole ? result : nil
    }
  }

  /// The entries of a mapping from names to things, in the order of the names' bytes.
  ///
  /// The order in the file says nothing, so that a file and its canonical text give one pipeline.
  mutating func named<Result>(
    _ node: YAMLNode?, _ what: String,
    _ read: (inout PipelineReader, Located<Bytes>, YAMLNode) -> Result?
  ) -> [Result] {
    guard let node, !node.isNull else { return [] }
    guard case .mapping(let entries) = node.content else {
      report(at: node.position, "`\(what)` is written as `name: …` lines; this is \(node.form)")
      return []
    }
    return entries.sorted { $0.key.value < $1.key.value }.compactMap { entry in
      contained { reader in
        reader.checkName(entry.key) ? read(&reader, entry.key, entry.value) : nil
      }
    }
  }

  mutating func items(_ node: YAMLNode, _ what: String) -> [YAMLNode]? {
    guard case .sequence(let items) = node.content else {
      report(at: node.position, "\(what) is a list: `- …` lines or `[…, …]`; this is \(node.form)")
      return nil
    }
    return items
  }

  /// A word as written: text, or a number taken as text.
  mutating func word(_ node: YAMLNode, _ what: String) -> Located<Bytes>? {
    guard case .scalar(let scalar) = node.content else {
      report(at: node.position, "\(what) is one word, not a list or a mapping")
      return nil
    }
    switch scalar.meaning {
    case .null: report(at: node.position, "\(what) is missing: write it after the key")
    case .boolean: report(at: node.position, "\(what) is a word; quote it to mean the text")
    case .number, .text: return Located(scalar.text, at: node.position)
    }
    return nil
  }

  /// A name or an id: not empty, without blanks at its ends, of at most 500 bytes (SEMANTICS 1.5).
  mutating func name(_ node: YAMLNode) -> Located<Bytes>? {
    guard let word = word(node, "the name"), checkName(word) else { return nil }
    return word
  }

  mutating func checkName(_ name: Located<Bytes>) -> Bool {
    let scalars = Array(name.value.string.unicodeScalars)
    if scalars.isEmpty {
      report(at: name.position, "a name cannot be empty; write one")
    } else if scalars.contains(where: { $0.properties.generalCategory == .control }) {
      report(at: name.position, "a name cannot hold a control character; remove it")
    } else if [scalars.first, scalars.last].contains(where: { $0?.properties.isWhitespace ?? false }
    ) {
      report(at: name.position, "a stray space at the start or the end; remove it")
    } else if name.value.count > 500 {
      report(
        at: name.position,
        "a name has at most 500 bytes, this one has \(name.value.count); shorten it")
    } else {
      return true
    }
    return false
  }

  /// One name or a list of them, each once; nothing for nothing.
  mutating func names(_ node: YAMLNode?) -> [Located<Bytes>] {
    guard let node else { return [] }
    guard case .sequence(let items) = node.content else { return name(node).map { [$0] } ?? [] }
    if items.isEmpty { report(at: node.position, "the list is empty; remove the key") }
    return namesOnce(items)
  }

  mutating func namesOnce(_ items: [YAMLNode]) -> [Located<Bytes>] {
    var seen: Set<Bytes> = []
    return items.compactMap { item in
      guard let name = name(item) else { return nil }
      guard seen.insert(name.value).inserted else {
        report(
          at: name.position, "`\(name.value.string)` is in this list twice; remove one",
          leavingGap: false)
        return nil
      }
      return name
    }
  }

  /// Words for people, or a value to show: anything on one line or more, also nothing at all.
  mutating func freeText(_ node: YAMLNode, _ what: String) -> Bytes? {
    guard case .scalar(let scalar) = node.content, scalar.meaning != .null else {
      report(at: node.position, "\(what) is a text; write \"\" for an empty one", leavingGap: false)
      return nil
    }
    let isUnfit = scalar.text.string.unicodeScalars.contains {
      $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
    }
    guard !isUnfit else {
      report(
        at: node.position, "\(what) cannot hold a control character; remove it", leavingGap: false)
      return nil
    }
    return scalar.text
  }

  mutating func rule(_ node: YAMLNode) -> RuleText? {
    guard case .scalar(let scalar) = node.content else {
      report(
        at: node.position,
        "a rule is one text; quote it or use | where it begins with `[` or `{` or holds `: `")
      return nil
    }
    // `null` is a literal of the rule language; `~` is none.
    let rule = RuleText(scalar, at: node.position, in: files.lines(at: node.position))
    guard !rule.text.isEmpty, scalar.style != .plain || scalar.text != "~" else {
      report(at: node.position, "the rule is missing: write it after the key")
      return nil
    }
    return rule
  }

  mutating func boolean(_ node: YAMLNode) -> Bool? {
    if case .scalar(let scalar) = node.content, case .boolean(let value) = scalar.meaning {
      return value
    }
    report(at: node.position, "write true or false, without quotes")
    return nil
  }

  mutating func number(_ node: YAMLNode) -> Double? {
    guard case .scalar(let scalar) = node.content, scalar.meaning == .number,
      let value = Double(scalar.text.string)
    else {
      report(
        at: node.position, "not a number; write it like 70, 0.5 or -3, without quotes",
        leavingGap: false)
      return nil
    }
    guard value.isFinite else {
      report(at: node.position, "the number is too large: at most 1.8e308", leavingGap: false)
      return nil
    }
    // Minus zero is never kept (SEMANTICS 7.2).
    return value == 0 ? 0 : value
  }

  mutating func integer(_ node: YAMLNode, in range: ClosedRange<Int>, _ what: String) -> Int? {
    guard case .scalar(let scalar) = node.content, scalar.meaning == .number,
      let value = Int(scalar.text.string), range.contains(value)
    else {
      report(
        at: node.position,
        "\(what) is a whole number from \(range.lowerBound) to \(range.upperBound)",
        leavingGap: false)
      return nil
    }
    return value
  }

  /// `[lowest, highest]`, both allowed values.
  mutating func bounds(_ node: YAMLNode) -> Located<ClosedRange<Double>>? {
    guard case .sequence(let items) = node.content, items.count == 2 else {
      report(at: node.position, "write the bounds as [lowest, highest]", leavingGap: false)
      return nil
    }
    guard let lowest = number(items[0]), let highest = number(items[1]) else { return nil }
    guard lowest <= highest else {
      report(
        at: node.position, "the lowest bound comes first: write [lowest, highest]",
        leavingGap: false)
      return nil
    }
    return Located(lowest...highest, at: node.position)
  }

  /// A word out of the raw values of an enumeration.
  mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ node: YAMLNode, _ what: String, _: Choice.Type
  ) -> Choice? where Choice.RawValue == String {
    choice(node, what, Choice.allCases.map(\.rawValue)).flatMap { Choice(rawValue: $0) }
  }

  mutating func choice(_ node: YAMLNode, _ what: String, _ allowed: [String]) -> String? {
    guard let word = word(node, "`\(what)`")?.value.string else { return nil }
    guard allowed.contains(word) else {
      let hint = didYouMean(word, allowed)
      let list = hint.isEmpty ? "; it is one of " + allowed.joined(separator: ", ") : hint
      report(at: node.position, "`\(what)` cannot be `\(word)`" + list)
      return nil
    }
    return word
  }
}
