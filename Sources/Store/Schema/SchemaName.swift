package import Core

/// The schema that all of the program's tables are in.
package struct SchemaName: Hashable, Sendable {
  /// As the user wrote it: `[a-z_][a-z0-9_]{0,50}`.
  package let name: String
  /// The first argument of every advisory lock of this schema (SEMANTICS 3.1).
  let lockKey: Int32

  package static let standard = "sluice"

  package init(_ name: String, _ primitives: Primitives) throws {
    let bytes = Array(name.utf8)
    let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte) || byte == 0x5F }
    let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
    guard let first = bytes.first, bytes.count <= 51, isLetter(first),
      bytes.allSatisfy({ isLetter($0) || isDigit($0) }), !name.hasPrefix("pg_")
    else {
      throw Problem(
        .usage, at: "--schema", "not a name for a schema",
        next: "use 1 to 51 of a–z, 0–9 and _, no digit first, not starting with pg_")
    }
    self.name = name
    lockKey = primitives.md5(bytes).prefix(4).reduce(Int32(0)) { $0 << 8 | Int32($1) }
  }

  /// The name as SQL takes it, whatever words SQL reserves.
  var quoted: String { "\"\(name)\"" }

  /// SQL in which the token `sluice.` names this schema.
  ///
  /// Exactly that token: not the end of a longer name, and nothing that is already quoted.
  func applied(to sql: String) -> String {
    let token = Array("sluice.".utf8)
    let replacement = Array((quoted + ".").utf8)
    let text = Array(sql.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(text.count + 1024)
    var index = 0
    while index < text.count {
      if text[index] == token[0], text[index...].starts(with: token),
        index == 0 || !Self.belongsToName(text[index - 1])
      {
        result += replacement
        index += token.count
      } else {
        result.append(text[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func belongsToName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
    case 0x22, 0x24, 0x2E, 0x5F: true  // " $ . _
    default: false
    }
  }
}

extension SchemaName {
  /// What names this schema on a command line, for words; empty for the usual one.
  var option: String { name == "sluice" ? "" : " --schema \(name)" }
}
