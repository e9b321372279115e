/// An object of the vendor's, its members by their snake-case names.
///
/// The SDK's models print `expiresAt`, its wire and the server API `expires_at`: both are one member
/// here. Keys of maps whose keys are ids are read from ``json``, where they stand as they were sent.
struct VendorObject {
  let json: JSONText
  private var members: [Bytes: JSONText] = [:]

  /// Reads an object, or an object as JSON in a string; nil for anything else.
  init?(_ value: JSONText) {
    guard let object = Self.unwrapped(value), object.kind == .object else { return nil }
    json = object
    var members: [Bytes: JSONText] = [:]
    object.forEachMember { key, value in
      let name = snakeCase(key)
      // Who sends both spellings means the one that says something.
      if value.kind != .null || members[name] == nil { members[name] = value }
    }
    self.members = members
  }

  /// A value, or what a string of JSON holds: some bridges send objects as text.
  static func unwrapped(_ value: JSONText) -> JSONText? {
    value.string == nil ? value : value.embedded
  }

  func has(_ name: Bytes) -> Bool { members[name] != nil }

  /// The first of these members that is there and not null.
  subscript(names: Bytes...) -> JSONText? {
    for name in names {
      if let value = members[name], value.kind != .null { return value }
    }
    return nil
  }

  func object(_ name: Bytes) -> VendorObject? { self[name].flatMap { VendorObject($0) } }

  /// A text that is not empty and of at most so many bytes.
  func text(_ value: JSONText?, upTo limit: Int = 500) -> Bytes? {
    value?.scalarText.flatMap { $0.isEmpty || $0.count > limit ? nil : $0 }
  }
}

/// `expiresAt` as `expires_at`; text without capitals as it is.
///
/// Several capitals in a row are one word: `customerUserID` is `customer_user_id`.
func snakeCase(_ name: Bytes) -> Bytes {
  func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
  guard name.slice.contains(where: isCapital) else { return name }
  var result: [UInt8] = []
  result.reserveCapacity(name.count + 4)
  var previous: UInt8?
  for byte in name.slice {
    if isCapital(byte) {
      if let previous, !isCapital(previous), previous != UInt8(ascii: "_") {
        result.append(UInt8(ascii: "_"))
      }
      result.append(byte | 0x20)
    } else {
      result.append(byte)
    }
    previous = byte
  }
  return Bytes(result)
}

/// What everything that was bought says of itself.
extension VendorObject {
  /// The store's id of the transaction.
  var transactionID: Bytes? {
    text(self["vendor_transaction_id", "store_transaction_id", "transaction_id"])
  }

  /// True where nobody paid; nil where nothing tells.
  var isSandbox: Bool? {
    self["is_sandbox"].flatMap(lenientBoolean)
      ?? text(self["environment"]).map { StoreEnvironment.isTest($0) }
  }
}
