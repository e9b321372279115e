/// Which variation of an audience a profile gets, drawn exactly as the vendor's SDK draws it.
package enum VariationDraw {
  /// The number 0–99 a profile draws in an audience version: MD5 of
  /// `<audience version id>-<profile id>`, its last 8 bytes big-endian, modulo 100.
  package static func number(
    audienceVersionID: Bytes, profileID: Bytes, _ primitives: Primitives
  ) -> Int {
    let digest = primitives.md5(audienceVersionID.array + [UInt8(ascii: "-")] + profileID.array)
    var value: UInt64 = 0
    for byte in digest.suffix(8) { value = value << 8 | UInt64(byte) }
    return Int(value % 100)
  }

  /// The variation that covers a drawn number: by weight ascending, then by id.
  ///
  /// - Parameters:
  ///   - number: 0–99.
  ///   - variations: at least one; weights are not negative and sum to 100, or else the last one
  ///     takes what is left.
  /// - Returns: the index of the variation drawn.
  package static func index(
    number: Int, among variations: [(weight: Int, variationID: Bytes)]
  ) -> Int {
    let order = variations.indices.sorted {
      (variations[$0].weight, variations[$0].variationID)
        < (variations[$1].weight, variations[$1].variationID)
    }
    var rest = number
    for index in order {
      rest -= variations[index].weight
      if rest < 0 { return index }
    }
    return order.last ?? 0
  }
}
