internal import CSimdjson

/// Owner of one simdjson parser and its buffers; used by one thread at a time.
struct JSONParser: ~Copyable {
  private let handle: OpaquePointer
  private let maxDepth: Int

  /// Bytes that must be readable behind everything that is parsed.
  static let padding = Int(SLUICE_JSON_PADDING)

  /// - Parameter maxDepth: objects and arrays inside each other, 1…512; a flat object is 1 deep.
  init(maxDepth: Int) {
    guard let handle = sluice_json_create() else { preconditionFailure("out of memory") }
    self.handle = handle
    self.maxDepth = min(max(maxDepth, 1), Int(SLUICE_JSON_MAX_DEPTH))
  }

  deinit { sluice_json_destroy(handle) }

  /// Parses one JSON value with white space around it; its tokens are then in ``tokens``.
  ///
  /// There must be ``padding`` readable bytes behind `bytes`.
  func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Verdict {
    switch sluice_json_parse(handle, bytes.baseAddress, bytes.count, maxDepth) {
    case SLUICE_JSON_OK: return .value
    case SLUICE_JSON_INVALID: return .invalid
    case SLUICE_JSON_INVALID_UTF8: return .invalidUTF8
    case SLUICE_JSON_TOO_DEEP: return .tooDeep
    default: preconditionFailure("out of memory")
    }
  }

  enum Verdict {
    case value, invalid, invalidUTF8, tooDeep
  }

  /// The tokens of the value that was parsed last; gone with the next ``parse(_:)``.
  var tokens: UnsafeBufferPointer<JSONToken> {
    var count = 0
    let first = sluice_json_tokens(handle, &count)
    return UnsafeBufferPointer(start: first, count: count)
  }
}

/// One token of a JSON value in document order; `sluice_json.h` says what its members hold.
typealias JSONToken = sluice_json_token

extension JSONToken {
  enum Kind: UInt8, CaseIterable {
    case object, array, key, string, number, yes, no, null
  }

  /// The door writes the same eight numbers, `SLUICE_JSON_OBJECT` to `SLUICE_JSON_NULL`.
  @inline(__always)
  var shape: Kind {
    assert(Kind(rawValue: kind) != nil)
    return unsafeBitCast(kind, to: Kind.self)
  }

  /// The text of a key, string or number; lives as long as the token.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: text, count: Int(length)) }

  var hadEscapes: Bool { flags & UInt8(SLUICE_JSON_HAD_ESCAPES) != 0 }
  var wasRepaired: Bool { flags & UInt8(SLUICE_JSON_REPAIRED) != 0 }
}
