internal import Core

/// Which members of a source's records are known: those that its mapping reads, and those that its
/// maker documents.
struct KnownColumns {
  /// True where everything that stands in a record becomes a param, and no list says what may.
  let isAll: Bool
  let names: Set<Bytes>

  init(_ mapping: SourceMapping) {
    let params = mapping.params
    isAll = mapping.columns == nil && params?.from.contains { $0.steps.isEmpty } == true
    var readings = mapping.members.flatMap(\.readings)
    readings += params?.computed.flatMap(\.readings) ?? []
    if case .found(let others)? = mapping.revision { readings += others }
    var paths = (params?.from ?? []) + mapping.needed
    for reading in readings {
      switch reading.place {
      case .path(let path): paths.append(path)
      case .tuple(let parts): paths += parts
      case .constant: break
      }
      paths += reading.conditions.map(\.path)
      if let total = reading.total { paths.append(total) }
    }
    for shape in mapping.shapes { paths += shape.has + shape.conditions.map(\.path) }
    let read = paths.filter { !$0.beginsOutside }.compactMap(\.steps.first)
    names = Set(read).union(mapping.columns ?? [])
  }
}
