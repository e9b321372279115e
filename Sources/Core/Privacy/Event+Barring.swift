extension Event {
  /// Everything that decides whether a copy of an event may be in its profile's set, as bytes: its raw
  /// time, the ids that it says are one person's, and the inputs that it names.
  ///
  /// Copies that are alike in it are barred together, whatever is erased, expires or is dropped, and so is
  /// what they are joined to.
  func barring(under profileID: Bytes) -> Bytes {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(UInt64(bitPattern: occurredAt.microseconds) ^ (1 << 63))
    func append(_ names: Set<Bytes>) {
      bytes.appendBigEndian(UInt32(names.count))
      for name in names.sorted() { bytes.appendField(name) }
    }
    append(
      PeopleRules.everything.links(of: [self], under: profileID, asOf: .end).ends)
    let inputs = InputNames(params)
    append(inputs.elements)
    append(inputs.types)
    return Bytes(bytes)
  }
}
