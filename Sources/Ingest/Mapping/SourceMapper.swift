internal import Core
internal import CSimdjson

/// Writes the records of a chunk anew in the canonical envelope, as a mapping says.
///
/// What it writes goes through the one decoder of canonical records, so that all rules of ids, times
/// and lengths stand in one place. Used once, by one thread.
final class SourceMapper: RecordVisitor {
  /// A record in the canonical envelope, by its place in the text and where it came from.
  struct Mapped {
    let range: Range<Int>
    let place: RecordPlace
    let revision: Int64
    /// Among the pending names of ``columns``.
    let columns: Range<Int>
  }

  /// A record and the one that held the list it stood in, mostly itself.
  struct Scope {
    let record: RecordValue
    let outer: RecordValue
  }

  let mapping: SourceMapping
  let documents: EmbeddedDocuments
  let primitives: Primitives
  let members = EnvelopeMemberTable()
  var output = JSONOutput()
  var unreadable = 0
  private(set) var records: [Mapped] = []
  private(set) var rejections: [Rejection] = []
  /// Records that held an empty list.
  private(set) var blank = 0
  /// Records that lack what the source needs, by what.
  private(set) var leftOut: [Bytes: Int] = [:]
  /// Members of records that the source does not know.
  var columns = NameTable()
  /// What the envelope reads, by whole paths: it is not repeated in the params.
  let read: Set<SourcePath>
  private let knownColumns: KnownColumns

  init(_ mapping: SourceMapping, limits: ReadLimits, primitives: Primitives) {
    self.mapping = mapping
    self.primitives = primitives
    documents = EmbeddedDocuments(depth: limits.depth)
    read = mapping.readPaths
    knownColumns = KnownColumns(mapping)
  }

  /// Ends the text with what the parser may look at behind it.
  func finish() -> [UInt8] {
    output.append(raw: repeatElement(0, count: JSONParser.padding))
    return output.bytes
  }

  func visit(_ tokens: UnsafeBufferPointer<JSONToken>, at place: RecordPlace) {
    documents.reset()
    forEachRecord(in: RecordValue(tokens: tokens, index: 0)) { scope in
      if let scope { add(scope, place) } else { reject(place) }
    } ifEmpty: {
      blank += 1
    }
  }

  private func reject(_ place: RecordPlace) {
    rejections.append(
      Rejection(
        .invalidJSON, field: mapping.records?.inside?.steps.last?.string ?? "", line: place.line,
        byteOffset: place.byteOffset, length: place.length))
  }

  // MARK: Records inside a record

  /// Calls with each record that a record holds; with nil for text that cannot be read.
  func forEachRecord(
    in root: RecordValue, _ body: (Scope?) -> Void, ifEmpty: () -> Void = {}
  ) {
    guard let records = mapping.records else {
      body(Scope(record: root, outer: root))
      return
    }
    let scope = Scope(record: root, outer: root)
    guard let list = records.list.flatMap({ find($0, in: scope)?.value }), list.shape == .array
    else {
      open(root, outer: root, records, body)
      return
    }
    if list.token.length == 0 { ifEmpty() }
    list.forEachItem { item in
      documents.whileUsing { open(item, outer: root, records, body) }
    }
  }

  private func open(
    _ item: RecordValue, outer: RecordValue, _ records: SourceRecords, _ body: (Scope?) -> Void
  ) {
    guard let inside = records.inside,
      let found = find(inside, in: Scope(record: item, outer: outer))?.value
    else {
      body(Scope(record: item, outer: outer))
      return
    }
    guard found.shape == .string else {
      body(Scope(record: found, outer: outer))
      return
    }
    if records.isBase64 {
      guard let bytes = decodeBase64(found.text) else {
        body(nil)
        return
      }
      bytes.withUnsafeBufferPointer { openText($0, outer: outer, body) }
    } else {
      openText(found.text, outer: outer, body)
    }
  }

  /// One value after the other: a payload may hold several lines.
  private func openText(
    _ text: UnsafeBufferPointer<UInt8>, outer: RecordValue, _ body: (Scope?) -> Void
  ) {
    var start = 0
    while true {
      while start < text.count, isSpace(text[start]) { start += 1 }
      guard start < text.count else { return }
      guard let end = ValueScanner.endOfValue(in: text, from: start),
        let value = documents.parse(UnsafeBufferPointer(rebasing: text[start..<end]))
      else {
        body(nil)
        return
      }
      body(Scope(record: value, outer: outer))
      start = end
    }
  }

  // MARK: Envelope

  private func add(_ scope: Scope, _ place: RecordPlace) {
    let start = output.bytes.count
    guard scope.record.shape == .object else {
      output.append(raw: "null".utf8)
      records.append(
        Mapped(range: start..<output.bytes.count, place: place, revision: 0, columns: 0..<0))
      return
    }
    if mapping.leavesOutEmpty, scope.record.isEmptyObject {
      leftOut[Self.anyMember, default: 0] += 1
      return
    }
    if let missing = mapping.needed.first(where: { !hasValue($0, in: scope) }) {
      leftOut[missing.words, default: 0] += 1
      return
    }
    let columns = noteColumns(of: scope.record)
    output.append("{")
    var written: Set<Bytes> = []
    for member in mapping.members where write(member, in: scope) { written.insert(member.name) }
    if let params = mapping.params, write(params, in: scope) { written.insert("params") }
    if mapping.readsCanonicalMembers { copyCanonicalMembers(scope.record, except: written) }
    output.append("}")
    records.append(
      Mapped(
        range: start..<output.bytes.count, place: place, revision: revision(scope),
        columns: columns))
  }

  /// What an empty record is said to be without.
  private static let anyMember: Bytes = "any member"

  /// False for nothing, an empty text, and the word that databases write into CSV for nothing.
  private func hasValue(_ path: SourcePath, in scope: Scope) -> Bool {
    guard let found = find(path, in: scope)?.value else { return false }
    guard found.shape == .string else { return true }
    let isNull =
      found.text.count == 4 && zip(found.text, "null".utf8).allSatisfy { $0 | 0x20 == $1 }
    return !found.text.isEmpty && !isNull
  }

  /// - Returns: the record's names that nothing reads, among the pending ones.
  private func noteColumns(of record: RecordValue) -> Range<Int> {
    let start = columns.pending.count
    guard !knownColumns.isAll else { return start..<start }
    record.forEachMember { key, value in
      guard value.shape != .null else { return }
      columns.note(key.text) { name in
        (mapping.readsCanonicalMembers && members.slot(of: name) != nil)
          || knownColumns.names.contains(Bytes(Array(name)))
      }
    }
    return start..<columns.pending.count
  }

  /// Writes a member if one of its readings finds something; of values that cannot be meant the first,
  /// so that the decoder says what is wrong with it.
  private func write(_ member: SourceMapping.Member, in scope: Scope) -> Bool {
    let mark = output.mark
    output.append(key: member.name.slice)
    let use = Use(member.name)
    var second: RecordValue?
    for reading in member.readings {
      switch write(reading, in: scope, as: use) {
      case .written: return true
      case .unusable(let value): second = second ?? value
      case .nothing: continue
      }
    }
    guard let second else {
      output.truncate(to: mark)
      return false
    }
    output.append(second)
    return true
  }

  private func copyCanonicalMembers(_ record: RecordValue, except written: Set<Bytes>) {
    var isWritten = [Bool](repeating: false, count: EnvelopeMember.slots)
    for (slot, name) in EnvelopeMember.names.enumerated() where written.contains(name) {
      isWritten[slot] = true
    }
    if isWritten[EnvelopeMember.eventName] { isWritten[EnvelopeMember.name] = true }
    if isWritten[EnvelopeMember.occurredAt] {
      isWritten[EnvelopeMember.createdAt] = true
      isWritten[EnvelopeMember.timestamp] = true
    }
    record.forEachMember { key, value in
      guard let slot = members.slot(of: key.text), !isWritten[slot] else { return }
      output.append(key: key.text)
      let isName = slot == EnvelopeMember.eventName || slot == EnvelopeMember.name
      if isName, value.shape == .string, let name = mapping.names[Bytes(Array(value.text))] {
        output.append(string: name.slice)
      } else {
        output.append(value)
      }
    }
  }

  private func revision(_ scope: Scope) -> Int64 {
    switch mapping.revision {
    case nil: return 0
    case .constant(let number)?: return number
    case .found(let readings)?:
      for reading in readings {
        guard case .path(let path) = reading.place, holds(reading.conditions, in: scope),
          let found = find(path, in: scope)?.value, found.isScalar
        else { continue }
        let digits = found.text.filter { decimalDigit($0) != nil }.prefix(18)
        guard !digits.isEmpty else { continue }
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
      }
      return 0
    }
  }
}

extension SourceMapping {
  fileprivate var readPaths: Set<SourcePath> {
    var paths: Set<SourcePath> = []
    for reading in members.flatMap(\.readings) {
      if case .path(let path) = reading.place { paths.insert(path) }
    }
    for path in params?.from ?? [] where !path.steps.isEmpty { paths.insert(path) }
    return paths
  }
}
