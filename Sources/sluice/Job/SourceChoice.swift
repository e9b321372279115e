internal import Core
internal import Ingest

/// How it is decided of which source an input is.
enum SourceChoice {
  /// By `--source`.
  case chosen(SourceMapping)
  /// By the first records of each input, among the sources that come with the program.
  case recognised(SourcesFolder)

  /// What decides of it how bytes become events: a part of the reader revision (SEMANTICS 3.10).
  func revision(_ primitives: Primitives) throws(Problem) -> Bytes {
    var text: [UInt8] = []
    switch self {
    case .chosen(let mapping): text = mapping.text.array
    case .recognised(let folder):
      for name in folder.names { text += try folder.text(of: name).bytes }
    }
    return hex(primitives.sha256(text)[..<16])
  }
}

extension SourceMapping {
  /// The mapping to decode by; nil for canonical records, which need none.
  var orCanonical: SourceMapping? { name == Self.canonicalName ? nil : self }
}

/// Decides once an input, and puts it in words.
struct SourceFinder {
  private let choice: SourceChoice
  private let limits: ReadLimits
  private let primitives: Primitives
  /// Read when the first input asks for it.
  private var known: [SourceMapping]?
  private var said: Set<String> = []

  init(_ choice: SourceChoice, limits: ReadLimits, primitives: Primitives) {
    self.choice = choice
    self.limits = limits
    self.primitives = primitives
  }

  var isChosen: Bool { if case .chosen = choice { true } else { false } }

  /// The source of an input, and what to say about it, nil where it was said before.
  ///
  /// - Parameter chunk: the input's first.
  mutating func source(
    of chunk: Chunk, in input: String
  ) throws -> (mapping: SourceMapping?, words: String?) {
    switch choice {
    case .chosen(let mapping): return (mapping.orCanonical, nil)
    case .recognised(let folder):
      let mappings = try known ?? folder.mappings()
      known = mappings
      let found = SourceRecognition(
        chunk, among: mappings, limits: limits, primitives: primitives)
      switch found {
      case .recognised(let mapping, let shape):
        guard let mapping = mapping.orCanonical else { return (nil, nil) }
        return (
          mapping, once("source: \(mapping.name.string), recognised by \(shape.words)", input)
        )
      case .ambiguous(let indices):
        let names = indices.map { mappings[$0].name.string }.joined(separator: " or ")
        return (
          nil,
          once("source: canonical is assumed; it could be \(names): name it with --source", input)
        )
      case .unknown: return (nil, nil)
      }
    }
  }

  /// The first input of its kind stands for all of them.
  private mutating func once(_ words: String, _ input: String) -> String? {
    said.insert(words).inserted ? "\(words) in \(input)" : nil
  }

  /// Names of what the first records were compared with.
  var tried: String { (known ?? []).map(\.name.string).joined(separator: ", ") }
}

extension SourceShape {
  /// `messageId, originalTimestamp and type`.
  var words: String {
    let names =
      has.map(\.words.string)
      + conditions.map { condition in
        condition.values.count == 1
          ? "\(condition.path.words.string) = \(condition.values[0].string)"
          : condition.path.words.string
      }
    guard names.count > 1, let last = names.last else {
      return names.first ?? "records without a member"
    }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }
}

/// Canonical names of kinds that would count twice if two sources told of the same event; a name that is
/// none of ours by itself.
///
/// Records of the vendor's feeds are not among them: those of one transaction are one, whichever feed
/// they come from.
func kinds(named names: some Sequence<Bytes>) -> Set<Bytes> {
  Set(names.filter { EventKind(name: $0) != .vendorRecord }.map { canonicalName(of: $0) })
}

/// The canonical name of an event; its own where it means nothing, or where only the name says what it is.
func canonicalName(of name: Bytes) -> Bytes {
  let kind = EventKind(name: name)
  return kind.hasNamesOfTheirOwn ? name : kind.names.first ?? name
}
