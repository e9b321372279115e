/// What the params of a store message's event say.
struct StoreMessageParams {
  /// Each once, in the event's order; empty where it names none.
  private(set) var types: [Bytes] = []
  /// Of a failure: the SDK's number in digits, or a name that is no known number's; nil where none
  /// can be read.
  private(set) var code: Bytes?

  /// The SDK's number, where it is one.
  var errorCode: Int32? { code.flatMap { Int32($0.string) } }

  init(_ params: Bytes) {
    guard let object = VendorObject(JSONText(params)) else { return }
    for value in [object["types", "message_types"], object["type", "message_type"]] {
      for type in value.map(Self.texts) ?? [] where !types.contains(type) { types.append(type) }
    }
    let error = object["error"]
    let inner = error.flatMap { VendorObject($0) }
    let code =
      inner?["adapty_code", "code", "error_code"]
      ?? object["adapty_code", "error_code", "code"] ?? (inner == nil ? error : nil)
    self.code = code.flatMap(VendorError.code).map { Self.numbers[snakeCase($0)] ?? $0 }
  }

  /// The error's name on a platform, as ``ErrorName`` knows it.
  func errorName(platform: Bytes?) -> Bytes? {
    code.flatMap { ErrorName.name(of: $0, platform: platform) }
  }

  /// The numbers of the errors of `showStoreMessages`, which some send by name.
  private static let numbers: [Bytes: Bytes] = [
    "operation_in_progress": "3201", "resolver_failure": "3202", "operation_interrupted": "9000",
  ]

  /// Types that the SDK knows; it prints others as `storekit_<number>`.
  static let known: Set<Bytes> = [
    "generic", "price_increase_consent", "billing_issue", "win_back_offer",
  ]

  /// A type as its raw value; the name of the SDK's constant (`billingIssue`) means the same.
  private static func type(_ text: Bytes) -> Bytes? {
    let name = trimmed(text)
    guard !name.isEmpty, name.count <= 500 else { return nil }
    let snake = snakeCase(name)
    return known.contains(snake) ? snake : name
  }

  /// A text, a list, a list as JSON in a string, or `a,b`.
  private static func texts(_ value: JSONText) -> [Bytes] {
    let value = VendorObject.unwrapped(value) ?? value
    if value.kind == .array {
      return value.elements.compactMap { element in
        let text = VendorObject(element)?["type", "message_type"] ?? element
        return text.scalarText.flatMap(type)
      }
    }
    guard let text = value.scalarText else { return [] }
    return text.slice.split(separator: UInt8(ascii: ","))
      .compactMap { type(Bytes(Array($0))) }
  }
}
