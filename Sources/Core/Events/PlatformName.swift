/// The one spelling of each platform's name, whatever an SDK or an analytics tool makes of it.
///
/// The vendor's own SDKs print `Android` and `android` for one thing, others `IOS` and `ios`. Events keep
/// what they came with; all that is derived from them holds the spelling of the vendor's segments.
package enum PlatformName {
  /// The vendor's spelling of a platform's name; a name that it has none for stays as it is.
  package static func canonical(_ name: Bytes) -> Bytes {
    spellings[trimmed(name).lowercasedASCII] ?? name
  }

  package static let android: Bytes = "Android"

  private static let spellings: [Bytes: Bytes] = {
    let names: [Bytes] = ["iOS", "iPadOS", "macOS", "tvOS", "visionOS", android, "Web"]
    return Dictionary(
      names.map { ($0.lowercasedASCII, $0) }, uniquingKeysWith: { first, _ in first })
  }()
}

extension Context.Member {
  /// The value as derived rows hold it and rules see it.
  var derivedValue: Bytes { key == .platform ? PlatformName.canonical(value) : value }
}
