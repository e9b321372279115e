/// An encoding of text that is not read, as a file's first bytes tell it.
///
/// Raw values are names that iconv knows.
package enum ForeignEncoding: String, Sendable {
  case utf16 = "UTF-16"
  case utf16LittleEndian = "UTF-16LE"
  case utf16BigEndian = "UTF-16BE"
  case utf32 = "UTF-32"
  case utf32LittleEndian = "UTF-32LE"
  case utf32BigEndian = "UTF-32BE"

  /// - Parameter head: the first four bytes, or all where there are fewer.
  package init?(_ head: [UInt8]) {
    if head == [0xFF, 0xFE, 0, 0] || head == [0, 0, 0xFE, 0xFF] {
      self = .utf32
    } else if head.starts(with: [0xFE, 0xFF]) || head.starts(with: [0xFF, 0xFE]) {
      self = .utf16
    } else {
      // Without a mark: JSON and names of columns begin with ASCII, whose other bytes are zero then.
      switch head.map({ $0 == 0 }) {
      case [false, true, false, true]: self = .utf16LittleEndian
      case [true, false, true, false]: self = .utf16BigEndian
      case [false, true, true, true]: self = .utf32LittleEndian
      case [true, true, true, false]: self = .utf32BigEndian
      default: return nil
      }
    }
  }
}
