/// A record that did not become an event: why, and where it stands.
///
/// Holds no part of the record: what people typed stays in the file.
package struct Rejection: Hashable, Sendable {
  package let reason: Reason
  /// The member at fault, by its canonical name; empty where the whole record is.
  package let field: String
  /// 1-based line of the record's first byte.
  package let line: Int
  /// Offset of the record's first byte in the (uncompressed) input.
  package let byteOffset: Int
  /// The record's length in bytes.
  package let length: Int

  package init(_ reason: Reason, field: String = "", line: Int, byteOffset: Int, length: Int) {
    self.reason = reason
    self.field = field
    self.line = line
    self.byteOffset = byteOffset
    self.length = length
  }

  /// In the order of the table's key; of one key, the same one is first however they came.
  package func precedes(_ other: Rejection) -> Bool {
    if byteOffset != other.byteOffset { return byteOffset < other.byteOffset }
    if length != other.length { return length < other.length }
    if reason != other.reason { return reason.rawValue < other.reason.rawValue }
    return field < other.field
  }

  /// Why a record was refused.
  ///
  /// Raw values are stored and counted: never rename one.
  package enum Reason: String, CaseIterable, Sendable {
    case invalidJSON = "invalid_json"
    case notAnObject = "not_an_object"
    case truncatedRecord = "truncated_record"
    case recordTooLarge = "record_too_large"
    case tooDeep = "too_deep"
    case invalidUTF8 = "invalid_utf8"
    case missingMember = "missing_member"
    case wrongType = "wrong_type"
    case illegalID = "illegal_id"
    case idTooLong = "id_too_long"
    case invalidTime = "invalid_time"
    case timeOutOfRange = "time_out_of_range"
    case unreadableTail = "unreadable_tail"
    case wrongEncoding = "wrong_encoding"
    /// A row of CSV that has not as many cells as the header.
    case raggedRow = "ragged_row"
    /// A row of CSV with something behind the quote that ends a cell.
    case invalidCSV = "invalid_csv"
    /// An answer's texts together are longer than is let through.
    case answerTooLong = "answer_too_long"
    /// The event's parameters are longer than is let through, as they would be stored.
    case paramsTooLarge = "params_too_large"
    /// An object or array of the parameters has more members or items than are let through.
    case tooManyMembers = "too_many_members"

    /// Where in the reading a record is refused for this.
    package var stage: Stage {
      switch self {
      case .truncatedRecord, .unreadableTail, .wrongEncoding, .raggedRow, .invalidCSV: .frame
      case .invalidJSON, .notAnObject, .invalidUTF8: .parse
      case .recordTooLarge, .tooDeep, .answerTooLong, .paramsTooLarge, .tooManyMembers: .limit
      case .missingMember, .wrongType, .illegalID, .idTooLong, .invalidTime, .timeOutOfRange:
        .envelope
      }
    }
  }

  /// A step of the reading.
  ///
  /// Raw values are stored: never rename one.
  package enum Stage: String, CaseIterable, Sendable {
    /// Finding where the record begins and ends.
    case frame
    /// Its JSON.
    case parse
    /// What it may cost.
    case limit
    /// Its members.
    case envelope
  }
}
