internal import CYAML
internal import Core

/// What libyaml finds next in a file.
struct YAMLEvent {
  enum Kind {
    case streamStart, streamEnd, documentStart, documentEnd, sequenceEnd, mappingEnd
    case alias(Bytes)
    case scalar(Bytes, YAMLScalar.Style)
    case sequenceStart, mappingStart
  }

  let kind: Kind
  let anchor: Bytes?
  let tag: Bytes?
  let start: SourcePosition
  /// The last line that holds any of it.
  let lastLine: Int
}

/// The stream of events that libyaml reads from bytes.
///
/// Owns the parser, which keeps pointers to itself and to its input: both stay where they are until
/// the stream goes away.
final class YAMLEvents {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeMutableBufferPointer<UInt8>
  private let markLength: Int
  private let lines: SourceLines

  init(_ bytes: [UInt8], lines: SourceLines) {
    self.lines = lines
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    input = .allocate(capacity: max(bytes.count, 1))
    _ = input.initialize(from: bytes)
    // With its encoding set, libyaml takes a byte-order mark for a character.
    markLength = bytes.starts(with: SourceLines.byteOrderMark) ? SourceLines.byteOrderMark.count : 0
    // Fails only without memory, and then every event is an error.
    if yaml_parser_initialize(parser) == 1 {
      yaml_parser_set_input_string(
        parser, input.baseAddress.map { $0 + markLength }, bytes.count - markLength)
      // Without this, two bytes that look like a UTF-16 mark would switch the reader over.
      yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    }
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deinitialize(count: 1)
    parser.deallocate()
    input.deallocate()
  }

  /// The next event.
  ///
  /// - Throws: the place and words of what is no YAML; nothing can be read after it.
  func next() throws(YAMLSyntaxError) -> YAMLEvent {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
    defer { yaml_event_delete(&event) }
    var anchor: Bytes?
    var tag: Bytes?
    let kind: YAMLEvent.Kind
    switch event.type {
    case YAML_ALIAS_EVENT:
      kind = .alias(Bytes(copying: event.data.alias.anchor) ?? .empty)
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      anchor = Bytes(copying: scalar.anchor)
      tag = Bytes(copying: scalar.tag)
      let text = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      kind = .scalar(Bytes(Array(text)), style(scalar.style))
    case YAML_SEQUENCE_START_EVENT:
      anchor = Bytes(copying: event.data.sequence_start.anchor)
      tag = Bytes(copying: event.data.sequence_start.tag)
      kind = .sequenceStart
    case YAML_MAPPING_START_EVENT:
      anchor = Bytes(copying: event.data.mapping_start.anchor)
      tag = Bytes(copying: event.data.mapping_start.tag)
      kind = .mappingStart
    case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
    case YAML_MAPPING_END_EVENT: kind = .mappingEnd
    case YAML_STREAM_START_EVENT: kind = .streamStart
    case YAML_DOCUMENT_START_EVENT: kind = .documentStart
    case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
    default: kind = .streamEnd
    }
    // An end in column 0 is the start of the line after a block's last one.
    let isAtLineStart = event.end_mark.column == 0 && event.end_mark.line > event.start_mark.line
    return YAMLEvent(
      kind: kind, anchor: anchor, tag: tag, start: position(event.start_mark),
      lastLine: Int(event.end_mark.line) + (isAtLineStart ? 0 : 1))
  }

  private func style(_ style: yaml_scalar_style_t) -> YAMLScalar.Style {
    switch style {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE: .singleQuoted
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE: .doubleQuoted
    case YAML_LITERAL_SCALAR_STYLE: .literal
    case YAML_FOLDED_SCALAR_STYLE: .folded
    default: .plain
    }
  }

  private func position(_ mark: yaml_mark_t) -> SourcePosition {
    SourcePosition(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }

  private func syntaxError() -> YAMLSyntaxError {
    let words = parser.pointee.problem.map { String(cString: $0) } ?? "out of memory"
    // The reader of bytes knows an offset, the stages after it know a line and a column.
    guard parser.pointee.error == YAML_READER_ERROR else {
      return YAMLSyntaxError(
        at: lines.clamped(position(parser.pointee.problem_mark)), words: words,
        context: parser.pointee.context.map { String(cString: $0) })
    }
    return YAMLSyntaxError(
      at: lines.position(ofByte: parser.pointee.problem_offset + markLength), words: words,
      context: nil)
  }
}

/// The first place at which a file is no YAML, in libyaml's words.
struct YAMLSyntaxError: Error {
  let position: SourcePosition
  let words: String
  let context: String?

  init(at position: SourcePosition, words: String, context: String?) {
    self.position = position
    self.words = words
    self.context = context
  }
}

extension Bytes {
  fileprivate init?(copying text: UnsafeMutablePointer<yaml_char_t>?) {
    guard let text else { return nil }
    var count = 0
    while text[count] != 0 { count += 1 }
    self.init(Array(UnsafeBufferPointer(start: text, count: count)))
  }
}
