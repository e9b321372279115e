extension Event {
  /// Everything that decides whether a copy of an event may be in its profile's set, as bytes: its raw
  /// time, the ids that it says are one person's, and the inputs that it names.
  ///
  /// Copies that are alike in it are barred together, whatever is erased, expires or is dropped, and so is
  /// what they are joined to: a join has the core of one of them, and a customer that both of them name.
  /// Hence what the core links and what the context links stand apart, and not as one set of ids.
  func barring(under profileID: Bytes) -> Bytes {
    var core = self
    core.context = .empty
    var bytes: [UInt8] = []
    bytes.appendBigEndian(UInt64(bitPattern: occurredAt.microseconds) ^ (1 << 63))
    func append(_ names: Set<Bytes>) {
      bytes.appendBigEndian(UInt32(names.count))
      for name in names.sorted() { bytes.appendField(name) }
    }
    append(PeopleRules.everything.links(of: [core], under: profileID, asOf: .end).ends)
    bytes.appendField(context[.customerUserID].flatMap { ProfileID.read($0) } ?? .empty)
    let inputs = inputNames
    append(inputs.elements)
    append(inputs.types)
    // Last, so that copies that were told apart without them are stored in the same order.
    append(core.idsInPayload)
    return Bytes(bytes)
  }
}
