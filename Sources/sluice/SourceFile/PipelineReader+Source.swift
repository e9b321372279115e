internal import Core
internal import Ingest

/// Reads the tree of a source file; the forms of values are those of pipeline files.
extension PipelineReader {
  mutating func source(_ root: YAMLNode) -> SourceMapping? {
    guard let section = section(root, .source) else { return nil }
    let name = section.required("source", by: &self) { $0.name($1) }
    var mapping = SourceMapping(name: name?.value ?? .empty)
    mapping.shapes = oneOrMore(section["recognised_by"]).compactMap { shape($0) }
    mapping.records = section["records"].flatMap { records($0) }
    mapping.readsCanonicalMembers = section["canonical_members"].flatMap { boolean($0) } ?? false
    let zone = section["time_zone"].flatMap { self.zone($0) }
    mapping.revision = section["revision"].flatMap { revision($0) }
    mapping.needed = oneOrMore(section["leave_out_without"]).compactMap { path($0) }
    mapping.leavesOutEmpty = section["leave_out_empty"].flatMap { boolean($0) } ?? false
    mapping.knownNames = Set(oneOrMore(section["known_names"]).compactMap { scalar($0) })
    mapping.columns = section["columns"].map { node in
      Set(oneOrMore(node).compactMap { scalar($0) })
    }
    mapping.members = envelope(section["envelope"], zone: zone)
    mapping.names = words(section["names"], "names")
    mapping.params = section["params"].flatMap { params($0, zone: zone) }
    if !mapping.readsCanonicalMembers { requireMembers(section) }
    return mapping
  }

  /// Without these every record would be rejected.
  private mutating func requireMembers(_ section: PipelineSection) {
    guard let envelope = section["envelope"] else {
      report(
        at: section.position,
        "nothing says where the members stand; give it an `envelope`, or `canonical_members: true`")
      return
    }
    guard case .mapping(let entries) = envelope.content else { return }
    let missing = ["event_name", "profile_id", "occurred_at"].filter { name in
      !entries.contains { $0.key.value.string == name }
    }
    guard !missing.isEmpty else { return }
    let list = missing.map { "`\($0)`" }.joined(separator: ", ")
    report(
      at: envelope.position, "every record would be rejected: the envelope does not say \(list)")
  }

  private func oneOrMore(_ node: YAMLNode?) -> [YAMLNode] {
    guard let node, !node.isNull else { return [] }
    if case .sequence(let items) = node.content { return items }
    return [node]
  }

  // MARK: Recognition and records

  private mutating func shape(_ node: YAMLNode) -> SourceShape? {
    guard let section = section(node, .shape) else { return nil }
    var shape = SourceShape()
    shape.has = oneOrMore(section["has"]).compactMap { path($0) }
    shape.lacks = oneOrMore(section["lacks"]).compactMap { path($0) }
    shape.conditions = conditions(section["is"], "is")
    guard !(shape.has.isEmpty && shape.conditions.isEmpty) else {
      report(at: node.position, "every record is like this; give it `has` or `is`")
      return nil
    }
    return shape
  }

  private mutating func conditions(_ node: YAMLNode?, _ what: String) -> [SourceCondition] {
    guard let node, !node.isNull else { return [] }
    guard case .mapping(let entries) = node.content else {
      report(at: node.position, "`\(what)` is written as `path: value` lines")
      return []
    }
    return entries.compactMap { entry in
      guard let path = path(entry.key) else { return nil }
      let values = oneOrMore(entry.value).compactMap { scalar($0) }
      return SourceCondition(path, values)
    }
  }

  private mutating func records(_ node: YAMLNode) -> SourceRecords? {
    guard case .mapping = node.content else { return path(node).map { SourceRecords(list: $0) } }
    guard let section = section(node, .records) else { return nil }
    let records = SourceRecords(
      list: section["list"].flatMap { path($0) }, inside: section["inside"].flatMap { path($0) },
      isBase64: section["base64"].flatMap { boolean($0) } ?? false)
    guard records.list != nil || records.inside != nil else {
      report(at: node.position, "`records` needs `list`, `inside` or both")
      return nil
    }
    return records
  }

  private mutating func revision(_ node: YAMLNode) -> SourceRevision? {
    if case .scalar(let scalar) = node.content, scalar.meaning == .number {
      return integer(node, in: 0...999_999_999, "a revision").map { .constant(Int64($0)) }
    }
    let readings = readings(node, zone: nil)
    return readings.isEmpty ? nil : .found(readings)
  }

  // MARK: Envelope

  private mutating func envelope(_ node: YAMLNode?, zone: Zone?) -> [SourceMapping.Member] {
    guard let node, let section = section(node, .envelope) else { return [] }
    let members = SourceMapping.memberNames.compactMap { name in
      section[name].map { SourceMapping.Member(Bytes(name), readings($0, zone: zone)) }
    }
    return members.filter { !$0.readings.isEmpty }
  }

  private mutating func readings(_ node: YAMLNode, zone: Zone?) -> [SourceReading] {
    oneOrMore(node).compactMap { reading($0, zone: zone) }
  }

  private mutating func reading(_ node: YAMLNode, zone: Zone?) -> SourceReading? {
    guard case .mapping = node.content else {
      guard let path = path(node) else { return nil }
      var reading = SourceReading(.path(path))
      reading.zone = zone
      return reading
    }
    guard let section = section(node, .reading) else { return nil }
    let given = ["path", "value", "tuple"].filter { section[$0] != nil }
    guard given.count == 1, let place = place(section) else {
      if given.count != 1 {
        report(at: node.position, "a reading needs one of `path`, `value` and `tuple`")
      }
      return nil
    }
    var reading = SourceReading(place)
    reading.conditions = conditions(section["when"], "when")
    reading.ignored = oneOrMore(section["not"]).compactMap { scalar($0) }
    reading.prefix = section["prefix"].flatMap { freeText($0, "`prefix`") } ?? .empty
    reading.values = words(section["map"], "map")
    reading.unit = section["unit"].flatMap { choice($0, "unit", SourceReading.Unit.self) }
    reading.zone = section["zone"].flatMap { self.zone($0) } ?? zone
    reading.isLocal = section["local"].flatMap { boolean($0) } ?? false
    reading.each = section["each"].flatMap { path($0) }
    reading.total = section["last_of"].flatMap { path($0) }
    reading.isDate = section["date"].flatMap { boolean($0) } ?? false
    reading.isJSON = section["json"].flatMap { boolean($0) } ?? false
    return reading
  }

  private mutating func place(_ section: PipelineSection) -> SourceReading.Place? {
    if let node = section["value"] { return scalar(node).map { .constant($0) } }
    if let node = section["path"] { return path(node).map { .path($0) } }
    guard let node = section["tuple"], let items = items(node, "`tuple`") else { return nil }
    guard items.count > 1 else {
      report(at: node.position, "a tuple has two members or more; for one write `path`")
      return nil
    }
    let paths = items.compactMap { path($0) }
    return paths.count == items.count ? .tuple(paths) : nil
  }

  // MARK: Params

  private mutating func params(_ node: YAMLNode, zone: Zone?) -> SourceParams? {
    var params = SourceParams()
    guard case .mapping = node.content else {
      params.from = oneOrMore(node).compactMap { path($0) }
      return params
    }
    guard let section = section(node, .params) else { return nil }
    params.from = oneOrMore(section["from"]).compactMap { path($0) }
    params.computed = named(section["set"], "set") { reader, name, node in
      SourceMapping.Member(name.value, reader.readings(node, zone: zone))
    }
    params.renamed = words(section["rename"], "rename")
    params.dropped = oneOrMore(section["drop"]).compactMap { scalar($0) }
    params.dropsEmpty = section["drop_empty"].flatMap { boolean($0) } ?? false
    params.repeatsRead = section["repeat"].flatMap { boolean($0) } ?? false
    if params.from.isEmpty, params.computed.isEmpty {
      report(at: node.position, "`params` needs `from` or `set`")
    }
    return params
  }

  // MARK: Small forms

  private mutating func path(_ node: YAMLNode) -> SourcePath? {
    word(node, "the path").flatMap { path($0) }
  }

  private mutating func path(_ word: Located<Bytes>) -> SourcePath? {
    if let path = SourcePath(word.value) { return path }
    report(
      at: word.position,
      "`\(word.value.string)` is no path: write names with dots between them, `[…]` around a name that holds a dot"
    )
    return nil
  }

  /// Text, or a number or truth taken as text.
  private mutating func scalar(_ node: YAMLNode) -> Bytes? {
    guard case .scalar(let scalar) = node.content, scalar.meaning != .null else {
      report(at: node.position, "write one value; quote an empty text", leavingGap: false)
      return nil
    }
    return scalar.text
  }

  /// `theirs: ours` lines.
  private mutating func words(_ node: YAMLNode?, _ what: String) -> [Bytes: Bytes] {
    let pairs = named(node, what) { reader, name, node in
      reader.word(node, "`\(what)`").map { (name.value, $0.value) }
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  private mutating func zone(_ node: YAMLNode) -> Zone? {
    guard let word = word(node, "the time zone") else { return nil }
    if let zone = ZoneFile.zone(named: word.value) { return zone }
    report(
      at: word.position,
      "no zone `\(word.value.string)` on this machine: name one as Europe/Berlin, or install tzdata"
    )
    return nil
  }
}
