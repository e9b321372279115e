/// Versions as semver.org defines them, kept as text.
///
/// Source: Semantic Versioning 2.0.0, items 2, 9, 10 (form) and 11 (precedence).
enum SemanticVersion {
  /// The version without its build metadata, or nil for a text that is no version.
  ///
  /// Build metadata has no part in precedence, so two versions of one precedence have one canonical
  /// text.
  static func canonical(_ text: Bytes) -> Bytes? {
    let (rest, build) = text.cut(at: UInt8(ascii: "+"))
    if let build, !build.split(at: UInt8(ascii: ".")).allSatisfy(isIdentifier) { return nil }
    let (core, preRelease) = rest.cut(at: UInt8(ascii: "-"))
    let numbers = core.split(at: UInt8(ascii: "."))
    guard numbers.count == 3, numbers.allSatisfy({ isNumeric($0) && hasNoLeadingZero($0) }) else {
      return nil
    }
    guard let preRelease else { return rest }
    let identifiers = preRelease.split(at: UInt8(ascii: "."))
    let areSound = identifiers.allSatisfy {
      isIdentifier($0) && (!isNumeric($0) || hasNoLeadingZero($0))
    }
    return areSound ? rest : nil
  }

  /// Whether `left` precedes `right`; both canonical.
  static func precedes(_ left: Bytes, _ right: Bytes) -> Bool {
    let (leftCore, leftPre) = left.cut(at: UInt8(ascii: "-"))
    let (rightCore, rightPre) = right.cut(at: UInt8(ascii: "-"))
    if leftCore != rightCore { return listPrecedes(leftCore, rightCore) }
    // A version that is released is above its own pre-releases.
    guard let leftPre, let rightPre else { return leftPre != nil && rightPre == nil }
    return listPrecedes(leftPre, rightPre)
  }

  /// The answer of a comparison of two values that `canonical` gave, null if one is null.
  static func truth(_ comparison: Comparison, _ left: Value, _ right: Value) -> Value {
    guard case .text(let a) = left, case .text(let b) = right else { return .null }
    let order = a == b ? 0 : precedes(a, b) ? -1 : 1
    return .boolean(comparison.holds(order, 0))
  }

  /// Dotted identifiers from the left; a list is below a longer one that begins with it.
  private static func listPrecedes(_ left: Bytes, _ right: Bytes) -> Bool {
    let lefts = left.split(at: UInt8(ascii: "."))
    let rights = right.split(at: UInt8(ascii: "."))
    for (a, b) in zip(lefts, rights) where a != b {
      switch (isNumeric(a), isNumeric(b)) {
      case (true, true): return (a.count, a) < (b.count, b)
      case (true, false): return true
      case (false, true): return false
      case (false, false): return a < b
      }
    }
    return lefts.count < rights.count
  }

  private static func isNumeric(_ text: Bytes) -> Bool {
    !text.isEmpty && text.slice.allSatisfy(\.isDigit)
  }

  private static func hasNoLeadingZero(_ text: Bytes) -> Bool {
    text.count == 1 || text[0] != UInt8(ascii: "0")
  }

  private static func isIdentifier(_ text: Bytes) -> Bool {
    !text.isEmpty
      && text.slice.allSatisfy {
        $0.isDigit || $0.isUppercaseASCII || $0.isLowercaseASCII || $0 == UInt8(ascii: "-")
      }
  }
}

extension Bytes {
  /// What stands before and after the first separator; after is nil where there is none.
  fileprivate func cut(at separator: UInt8) -> (Bytes, Bytes?) {
    for offset in 0..<count where self[offset] == separator {
      return (self[0..<offset], self[offset + 1..<count])
    }
    return (self, nil)
  }

  fileprivate func split(at separator: UInt8) -> [Bytes] {
    var parts: [Bytes] = []
    var start = 0
    for offset in 0..<count where self[offset] == separator {
      parts.append(self[start..<offset])
      start = offset + 1
    }
    return parts + [self[start..<count]]
  }
}
