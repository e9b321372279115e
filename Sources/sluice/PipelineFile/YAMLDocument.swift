internal import Core
internal import Ingest

/// The one document of a YAML file, and everything about its form that is refused.
struct YAMLDocument {
  /// nil for a file that is empty or cannot be read to its end.
  let root: YAMLNode?
  /// Of a mapping that cannot be read to its end: what stands before that place; nil for nothing.
  let part: YAMLNode?
  let problems: [PipelineProblem]

  /// An alias costs three bytes and can stand for anything: this many nodes are all there may be.
  static let maximumSize = 100_000
  static let maximumDepth = 64
  static let maximumBytes = 4 << 20

  init(_ bytes: [UInt8], lines: SourceLines) {
    if let problem = Self.refusal(of: bytes) {
      (root, part) = (nil, nil)
      problems = [problem]
      return
    }
    var builder = TreeBuilder(events: YAMLEvents(bytes, lines: lines))
    do throws(Refusal) {
      root = try builder.readStream()
      part = nil
      problems = builder.problems
    } catch {
      root = nil
      part = builder.part
      problems = builder.problems + [error.problem(lines)]
    }
  }

  private static func refusal(of bytes: [UInt8]) -> PipelineProblem? {
    let start = SourcePosition(line: 1, column: 1)
    if let encoding = ForeignEncoding(Array(bytes.prefix(4))) {
      return PipelineProblem(at: start, "the file is \(encoding.rawValue); save it as UTF-8")
    }
    // Shorter than that, or not of ASCII.
    if bytes.prefix(2).contains(0) {
      return PipelineProblem(at: start, "the file is UTF-16; save it as UTF-8")
    }
    guard bytes.count <= maximumBytes else {
      return PipelineProblem(at: start, "the file is larger than 4 MiB; a pipeline is not data")
    }
    return nil
  }
}

/// What ends the reading of a file.
private enum Refusal: Error {
  case syntax(YAMLSyntaxError)
  case form(PipelineProblem)

  init(at position: SourcePosition, _ message: String) {
    self = .form(PipelineProblem(at: position, message))
  }

  func problem(_ lines: SourceLines) -> PipelineProblem {
    switch self {
    case .form(let problem): problem
    case .syntax(let error): PipelineProblem(at: error.position, words(for: error, lines))
    }
  }
}

/// Puts the events together to a tree; what does not hinder that is collected, the rest is thrown.
private struct TreeBuilder {
  private enum Anchor {
    case open
    case done(YAMLNode)
  }

  let events: YAMLEvents
  private(set) var problems: [PipelineProblem] = []
  private var anchors: [Bytes: Anchor] = [:]
  private var size = 0
  /// Of the mapping at the top, those that are read.
  private var finished: [YAMLEntry] = []
  /// The key at the top that is being read, and those entries below it that are read.
  private var open: (key: Located<Bytes>, entries: [YAMLEntry])?

  init(events: YAMLEvents) { self.events = events }

  /// What was read so far.
  var part: YAMLNode? {
    let last = open.map {
      YAMLEntry(key: $0.key, value: YAMLNode(.mapping($0.entries), at: $0.key.position))
    }
    let entries =
      finished + (open.map { !$0.entries.isEmpty } ?? false ? [last].compactMap { $0 } : [])
    return entries.first.map { YAMLNode(.mapping(entries), at: $0.key.position) }
  }

  private func nextEvent() throws(Refusal) -> YAMLEvent {
    do throws(YAMLSyntaxError) { return try events.next() } catch { throw .syntax(error) }
  }

  mutating func readStream() throws(Refusal) -> YAMLNode? {
    var root: YAMLNode?
    while true {
      let event = try nextEvent()
      switch event.kind {
      case .streamStart, .documentEnd: continue
      case .streamEnd: return root
      case .documentStart:
        guard root == nil else {
          throw Refusal(
            at: event.start, "a second document begins here; a file holds one pipeline")
        }
        let first = try nextEvent()
        root = try node(first, depth: 0)
      default:
        throw Refusal(at: event.start, "cannot be read as YAML")
      }
    }
  }

  private mutating func node(_ event: YAMLEvent, depth: Int) throws(Refusal) -> YAMLNode {
    guard depth < YAMLDocument.maximumDepth else {
      throw Refusal(at: event.start, "nested more than \(YAMLDocument.maximumDepth) levels deep")
    }
    if let tag = event.tag {
      problems.append(
        PipelineProblem(at: event.start, "the tag `\(tag.string)` is refused; remove it"))
    }
    if case .alias(let name) = event.kind { return try alias(name, event, depth: depth) }
    try count(1, at: event.start)
    if let anchor = event.anchor { anchors[anchor] = .open }
    var repeats: [YAMLEntry] = []
    let node = YAMLNode(
      try content(event, depth: depth, &repeats), at: event.start, repeats: repeats)
    if let anchor = event.anchor { anchors[anchor] = .done(node) }
    return node
  }

  private mutating func content(
    _ event: YAMLEvent, depth: Int, _ repeats: inout [YAMLEntry]
  ) throws(Refusal) -> YAMLNode.Content {
    switch event.kind {
    case .scalar(let text, let style):
      return .scalar(YAMLScalar(text: text, style: style, lastLine: event.lastLine))
    case .sequenceStart:
      var items: [YAMLNode] = []
      while true {
        let event = try nextEvent()
        if case .sequenceEnd = event.kind { return .sequence(items) }
        items.append(try node(event, depth: depth + 1))
      }
    case .mappingStart: return .mapping(try entries(depth: depth, &repeats))
    default: throw Refusal(at: event.start, "cannot be read as YAML")
    }
  }

  private mutating func entries(
    depth: Int, _ repeats: inout [YAMLEntry]
  ) throws(Refusal) -> [YAMLEntry] {
    var entries: [YAMLEntry] = []
    var merged: [YAMLEntry] = []
    var firsts: [Bytes: SourcePosition] = [:]
    while true {
      let event = try nextEvent()
      if case .mappingEnd = event.kind {
        // A refused merge is read all the same: nothing is missing because of it.
        for entry in merged where firsts[entry.key.value] == nil {
          firsts[entry.key.value] = entry.key.position
          entries.append(entry)
        }
        return entries
      }
      let keyNode = try node(event, depth: depth + 1)
      if depth == 0, case .scalar(let scalar) = keyNode.content, firsts[scalar.text] == nil {
        open = (Located(scalar.text, at: keyNode.position), [])
      }
      let valueEvent = try nextEvent()
      let value = try node(valueEvent, depth: depth + 1)
      if depth == 0 { open = nil }
      guard case .scalar(let scalar) = keyNode.content, !keyNode.isNull else {
        problems.append(PipelineProblem(at: keyNode.position, "a key must be a word"))
        continue
      }
      let key = scalar.text
      if key == "<<" {
        problems.append(
          PipelineProblem(
            at: keyNode.position, "merge keys (`<<`) are not supported; write the keys out"))
        merged += value.mergeable
      } else if let first = firsts[key] {
        repeats.append(YAMLEntry(key: Located(key, at: keyNode.position), value: value))
        let isSameLine = first.line == keyNode.position.line
        problems.append(
          PipelineProblem(
            at: keyNode.position,
            "`\(key.string)` is here twice; the first is "
              + (isSameLine ? "in column \(first.column)" : "on line \(first.line)")
              + "; remove or rename one of them"))
      } else {
        firsts[key] = keyNode.position
        let entry = YAMLEntry(key: Located(key, at: keyNode.position), value: value)
        entries.append(entry)
        if depth == 0 { finished.append(entry) }
        if depth == 1 { open?.entries.append(entry) }
      }
    }
  }

  private mutating func alias(_ name: Bytes, _ event: YAMLEvent, depth: Int) throws(Refusal)
    -> YAMLNode
  {
    switch anchors[name] {
    case nil:
      throw Refusal(at: event.start, "no anchor `&\(name.string)` stands before this alias")
    case .open:
      throw Refusal(at: event.start, "`*\(name.string)` stands inside of what it repeats")
    case .done(let node):
      guard depth + node.depth < YAMLDocument.maximumDepth else {
        throw Refusal(at: event.start, "nested more than \(YAMLDocument.maximumDepth) levels deep")
      }
      try count(node.size, at: event.start)
      return node
    }
  }

  private mutating func count(_ nodes: Int, at position: SourcePosition) throws(Refusal) {
    size += nodes
    guard size <= YAMLDocument.maximumSize else {
      throw Refusal(
        at: position,
        "more than \(YAMLDocument.maximumSize) values, aliases written out; use fewer aliases")
    }
  }
}

extension YAMLNode {
  /// What a merge key would bring in.
  fileprivate var mergeable: [YAMLEntry] {
    switch content {
    case .mapping(let entries): entries
    case .sequence(let items): items.flatMap(\.mergeable)
    case .scalar: []
    }
  }
}

/// What libyaml says, and what usually cures it.
private func words(for error: YAMLSyntaxError, _ lines: SourceLines) -> String {
  let line = lines.scalars(ofLine: error.position.line)
  let found =
    line.indices.contains(error.position.column - 1) ? line[error.position.column - 1] : " "
  switch error.words {
  case "found character that cannot start any token" where found == "\t":
    return "YAML is not indented with tabs; use spaces"
  case "found character that cannot start any token":
    return "a value cannot begin with `\(found)`; quote it"
  case "mapping values are not allowed in this context":
    return "a key cannot stand here; check the indentation, and quote a value that holds `: `"
  case "control characters are not allowed":
    return "a control character; remove it, or write it as an escape in double quotes"
  case let words where words.contains("UTF-8"):
    return "not UTF-8; save the file as UTF-8"
  case let words
  where words.hasPrefix("did not find expected") && line.endsQuote(before: error.position):
    return "a value that begins with a quote ends with it; quote the whole rule, or use |"
  default:
    return "not YAML: " + error.words + (error.context.map { " " + $0 } ?? "")
  }
}

extension [Unicode.Scalar] {
  /// True where the last character before a place, blanks left out, is a quote.
  fileprivate func endsQuote(before position: SourcePosition) -> Bool {
    let last = prefix(position.column - 1).last { $0 != " " && $0 != "\t" }
    return last == "'" || last == "\""
  }
}
