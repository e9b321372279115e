/// One thing of which a record can have too much.
///
/// Raw values are the keys of `limits:` in a pipeline file, and the names in `--limits`.
package enum RecordLimit: String, CaseIterable, Sendable {
  /// The whole record.
  case record
  /// All texts in `params.value` together.
  case answer
  /// `params` as they are stored.
  case params
  /// Objects and arrays inside each other in `params`, itself counted.
  case depth
  /// Members of one object, or items of one array, anywhere in `params`.
  case members

  /// What holds where nobody says otherwise.
  package var usual: Int {
    switch self {
    case .record: 1 << 20
    case .answer: 64 << 10
    case .params: 256 << 10
    case .depth: 32
    case .members: 1000
    }
  }

  package var range: ClosedRange<Int> {
    switch self {
    case .record: 1 << 10...1 << 30
    case .answer, .params: 1...1 << 30
    case .depth: 1...512
    case .members: 1...1_000_000
    }
  }

  /// True for a size in bytes, false for a count.
  package var isSize: Bool {
    switch self {
    case .record, .answer, .params: true
    case .depth, .members: false
    }
  }
}

/// What one record may cost, as far as somebody said so.
package struct RecordLimits: Hashable, Sendable {
  private var said: [RecordLimit: Int] = [:]

  package init() {}

  /// What was said, or what usually holds; always within the limit's range.
  package subscript(limit: RecordLimit) -> Int { said[limit] ?? limit.usual }

  /// Sets a limit.
  ///
  /// - Returns: false, and nothing is set, for a value out of its range, or where it was set before.
  package mutating func set(_ limit: RecordLimit, to value: Int) -> Bool {
    guard said[limit] == nil, limit.range.contains(value) else { return false }
    said[limit] = value
    return true
  }

  /// The same, where others are said with what these say.
  package func overridden(by others: RecordLimits) -> RecordLimits {
    var result = self
    result.said.merge(others.said) { _, new in new }
    return result
  }
}
