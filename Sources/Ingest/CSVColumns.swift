internal import CSimdjson
internal import Core

/// The header of a CSV file: what the cells of a row are called, and how a row is written as the JSON
/// object that other layouts hold in the first place.
///
/// Each cell becomes a member with a text; an empty one is absent. A cell `params` that holds a JSON
/// object is that object; `params.weight` is a member of it, and wins over the same one in `params`.
struct CSVColumns: Sendable {
  let delimiter: UInt8
  /// The header as it stands in the file: files that were joined repeat it.
  let row: [UInt8]
  /// A name that occurs twice.
  let duplicate: Bytes?
  private let columns: [Column]

  private enum Column: Sendable {
    /// Without a name: passed over.
    case nameless
    /// The member's name as a JSON string, and a colon.
    case member(key: [UInt8])
    case params
    /// The same for what follows `params.`.
    case param(key: [UInt8])
  }

  var count: Int { columns.count }

  /// Reads a header.
  ///
  /// - Returns: nil where it does not look like one: at least two names that begin with a letter, `_`
  ///   or `$`, parted by commas, tabs or semicolons.
  init?(row: UnsafeBufferPointer<UInt8>) {
    var best = CSVCells()
    var delimiter = UInt8(ascii: ",")
    for candidate in Self.delimiters {
      var scanner = CSVScanner(delimiter: candidate)
      for byte in row { _ = scanner.step(byte) }
      guard scanner.state != .malformed, scanner.state != .quoted else { continue }
      var cells = CSVCells()
      cells.read(row, delimiter: candidate)
      if cells.count > best.count { (best, delimiter) = (cells, candidate) }
    }
    let names = (0..<best.count).map { Bytes(Array(best[$0])) }
    let named = names.filter { !$0.isEmpty }
    guard named.count > 1, named.allSatisfy({ Self.isName($0.slice) }) else { return nil }
    var seen: Set<Bytes> = []
    duplicate = named.first { !seen.insert($0).inserted }
    self.delimiter = delimiter
    self.row = Array(row)
    columns = names.map { name in
      if name.isEmpty { return .nameless }
      if name == Self.params { return .params }
      if name.hasPrefix(Self.paramsPrefix) {
        return .param(key: Self.key(name.slice.dropFirst(Self.paramsPrefix.count)))
      }
      return .member(key: Self.key(name.slice))
    }
  }

  private static let delimiters = [UInt8(ascii: ","), UInt8(ascii: "\t"), UInt8(ascii: ";")]
  private static let params: Bytes = "params"
  private static let paramsPrefix: Bytes = "params."

  private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80
    }
    guard let first = name.first, let last = name.last else { return false }
    return (isLetter(first) || first == UInt8(ascii: "_") || first == UInt8(ascii: "$"))
      && last > 0x20
      && name.allSatisfy {
        isLetter($0) || decimalDigit($0) != nil
          || Array("_$.-/()#:%&+*=?!@' \r\n".utf8).contains($0)
      }
  }

  private static func key(_ name: ArraySlice<UInt8>) -> [UInt8] {
    var key: [UInt8] = []
    appendText(name, to: &key)
    key.append(UInt8(ascii: ":"))
    return key
  }

  /// True if the first row is a header and no line outside of quotes starts an object or array.
  static func isHeader(of sample: UnsafeBufferPointer<UInt8>, isWhole: Bool) -> Bool {
    guard let row = firstRow(in: sample, isWhole: isWhole),
      CSVColumns(row: UnsafeBufferPointer(rebasing: sample[row])) != nil
    else { return false }
    var isQuoted = false
    for index in row.upperBound..<sample.count {
      if sample[index] == quote { isQuoted.toggle() }
      if sample[index] == newline, !isQuoted, index + 1 < sample.count,
        opensContainer(sample[index + 1])
      {
        return false
      }
    }
    return true
  }

  /// Where the first row that is not empty stands, without its line end; nil where it is cut.
  static func firstRow(
    in bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool
  ) -> Range<Int>? {
    guard let start = bytes.firstIndex(where: { $0 != newline && $0 != UInt8(ascii: "\r") })
    else { return nil }
    // No delimiter is told yet, and a quoted name may hold a newline: what gives most names is meant.
    var best: (row: Range<Int>, count: Int)?
    var first: Range<Int>?
    for delimiter in delimiters {
      var scanner = CSVScanner(delimiter: delimiter)
      let end = bytes[start...].firstIndex { scanner.step($0) }
      guard end != nil || isWhole else { continue }
      var row = start..<(end ?? bytes.count)
      if bytes[row.upperBound - 1] == UInt8(ascii: "\r") { row = row.dropLast() }
      first = first ?? row
      guard row != best?.row,
        let columns = CSVColumns(row: UnsafeBufferPointer(rebasing: bytes[row]))
      else { continue }
      if columns.count > best?.count ?? 0 { best = (row, columns.count) }
    }
    return best?.row ?? first
  }

  /// Writes a row's cells, as many as there are columns, as a JSON object.
  func appendObject(_ cells: CSVCells, _ parser: borrowing JSONParser, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
    let start = output.count
    func separate() { if output.count > start { output.append(UInt8(ascii: ",")) } }
    var params: ArraySlice<UInt8> = []
    var members: [UInt8] = []
    for (index, column) in columns.enumerated() where !cells[index].isEmpty {
      switch column {
      case .nameless: break
      case .params: params = cells[index]
      case .member(let key):
        separate()
        output += key
        Self.appendText(cells[index], to: &output)
      case .param(let key):
        if !members.isEmpty { members.append(UInt8(ascii: ",")) }
        members += key
        Self.appendText(cells[index], to: &members)
      }
    }
    if !params.isEmpty {
      separate()
      output += Self.paramsKey
      guard let isEmpty = Self.isEmptyObject(params, parser) else {
        // It is no object: the reader counts it as a member that cannot be read.
        Self.appendText(params, to: &output)
        if !members.isEmpty {
          output.append(UInt8(ascii: ","))
          output += Self.paramsKey
          Self.appendObject(members, to: &output)
        }
        output.append(UInt8(ascii: "}"))
        return
      }
      output += params
      if !members.isEmpty {
        while output.removeLast() != UInt8(ascii: "}") {}
        if !isEmpty { output.append(UInt8(ascii: ",")) }
        output += members
        output.append(UInt8(ascii: "}"))
      }
    } else if !members.isEmpty {
      separate()
      output += Self.paramsKey
      Self.appendObject(members, to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }

  private static let paramsKey = key(params.slice)

  private static func appendObject(_ members: [UInt8], to output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
    output += members
    output.append(UInt8(ascii: "}"))
  }

  /// Nil for what is no JSON object.
  private static func isEmptyObject(
    _ text: ArraySlice<UInt8>, _ parser: borrowing JSONParser
  ) -> Bool? {
    let padded = Array(text) + [UInt8](repeating: 0, count: JSONParser.padding)
    return padded.withUnsafeBufferPointer { bytes in
      guard parser.parse(UnsafeBufferPointer(rebasing: bytes[..<text.count])) == .value,
        parser.tokens[0].shape == .object
      else { return nil }
      return parser.tokens[0].length == 0
    }
  }

  /// Writes a text as a JSON string.
  private static func appendText(_ text: ArraySlice<UInt8>, to output: inout [UInt8]) {
    output.append(quote)
    for byte in text {
      switch byte {
      case quote, UInt8(ascii: "\\"):
        output.append(UInt8(ascii: "\\"))
        output.append(byte)
      case 0..<0x20:
        output += [UInt8(ascii: "\\"), UInt8(ascii: "u"), 0x30, 0x30, 0x30 + (byte >> 4)]
        output.append(hexDigits[Int(byte & 15)])
      default: output.append(byte)
      }
    }
    output.append(quote)
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
}
