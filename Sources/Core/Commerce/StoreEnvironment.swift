/// Where a store keeps its books: with money, or without, for those who test.
enum StoreEnvironment {
  /// The environment of what is known to be a test and names none.
  static let sandbox: Bytes = "sandbox"

  /// True for purchases that nobody pays for: a store's sandbox and StoreKit's tests in Xcode.
  ///
  /// What names no environment is taken for real.
  static func isTest(_ environment: Bytes?) -> Bool {
    environment.map { tests.contains(trimmed($0).lowercasedASCII) } ?? false
  }

  private static let tests: Set<Bytes> = [sandbox, "xcode", "localtesting"]
}
