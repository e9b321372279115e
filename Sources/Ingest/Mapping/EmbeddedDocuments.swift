/// JSON documents found inside the texts of one record, each parsed once.
///
/// Parsers and buffers are kept from record to record; the values are gone with the next ``reset()``,
/// those of one of several records inside with the end of ``whileUsing(_:)``.
final class EmbeddedDocuments {
  private final class Document {
    let parser: JSONParser
    /// Where the text stood that was parsed.
    var source: UnsafeBufferPointer<UInt8>?
    var root: RecordValue?
    private var memory = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)

    init(depth: Int) { parser = JSONParser(maxDepth: depth) }

    deinit { memory.deallocate() }

    /// Copies the text to where there is padding behind it, and parses it.
    func parse(_ text: UnsafeBufferPointer<UInt8>) {
      if memory.count < text.count + JSONParser.padding {
        memory.deallocate()
        memory = .allocate(capacity: 2 * text.count + JSONParser.padding)
        memory.initialize(repeating: 0)
      }
      _ = memory.update(fromContentsOf: text)
      let copy = UnsafeBufferPointer(rebasing: memory[..<text.count])
      root =
        parser.parse(copy) == .value ? RecordValue(tokens: parser.tokens, index: 0) : nil
    }
  }

  private let depth: Int
  private var documents: [Document] = []
  private var used = 0

  init(depth: Int) { self.depth = depth }

  func reset() { used = 0 }

  /// Gives the documents back that were parsed meanwhile: a list of many must not hold one for each.
  func whileUsing(_ body: () -> Void) {
    let before = used
    body()
    used = before
  }

  /// The object or list that a text holds as JSON; nil for any other text.
  func document(in text: UnsafeBufferPointer<UInt8>) -> RecordValue? {
    guard let first = text.first(where: { !isSpace($0) }), opensContainer(first) else { return nil }
    for document in documents[..<used] {
      if let known = document.source, known.baseAddress == text.baseAddress,
        known.count == text.count
      {
        return document.root
      }
    }
    let document = next()
    document.source = text
    document.parse(text)
    return document.root
  }

  /// Parses a text that need not outlive the call; nil for what is no JSON.
  func parse(_ text: UnsafeBufferPointer<UInt8>) -> RecordValue? {
    let document = next()
    document.source = nil
    document.parse(text)
    return document.root
  }

  private func next() -> Document {
    if used == documents.count { documents.append(Document(depth: depth)) }
    used += 1
    return documents[used - 1]
  }
}
