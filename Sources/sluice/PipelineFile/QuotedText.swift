internal import Core

/// Where the characters of a quoted scalar stand in the file: escapes and folds take more room there
/// than in the text that they mean.
struct QuotedText {
  /// Of each code point of the text, in its order.
  private(set) var places: [SourcePosition] = []
  private var scalars: [Unicode.Scalar] = []
  /// Blanks at the end of what was read so far that a line break swallows.
  private var blanks = 0
  private let lines: SourceLines
  private var line: Int
  /// Index in the line's characters.
  private var index: Int
  private var characters: [Unicode.Scalar]

  /// The places of a scalar's code points; nil where it is not quoted, or is read in another way than
  /// libyaml reads it.
  ///
  /// - Parameter start: of its first character, behind the quote.
  static func places(
    of scalar: YAMLScalar, from start: SourcePosition, in lines: SourceLines
  ) -> [SourcePosition]? {
    guard scalar.style == .singleQuoted || scalar.style == .doubleQuoted else { return nil }
    var reader = QuotedText(from: start, in: lines)
    guard reader.read(isDouble: scalar.style == .doubleQuoted),
      reader.scalars.elementsEqual(scalar.text.string.unicodeScalars)
    else { return nil }
    return reader.places
  }

  private init(from start: SourcePosition, in lines: SourceLines) {
    self.lines = lines
    line = start.line
    index = start.column - 1
    characters = lines.scalars(ofLine: start.line)
  }

  /// Reads up to the closing quote; false where there is none.
  private mutating func read(isDouble: Bool) -> Bool {
    while true {
      guard index < characters.count else {
        guard readBreak() else { return false }
        continue
      }
      switch (characters[index], isDouble) {
      case ("'", false):
        guard index + 1 < characters.count, characters[index + 1] == "'" else { return true }
        add("'", length: 2)
      case ("\"", true): return true
      case ("\\", true): guard readEscape() else { return false }
      case (let character, _):
        let isBlank = character == " " || character == "\t"
        let before = blanks
        add(character, length: 1)
        blanks = isBlank ? before + 1 : 0
      }
    }
  }

  private mutating func add(_ scalar: Unicode.Scalar, length: Int) {
    scalars.append(scalar)
    places.append(SourcePosition(line: line, column: index + 1))
    index += length
    blanks = 0
  }

  /// One break is a space, more of them are one line break less.
  private mutating func readBreak() -> Bool {
    scalars.removeLast(blanks)
    places.removeLast(blanks)
    blanks = 0
    let end = SourcePosition(line: line, column: index + 1)
    var breaks = 0
    repeat {
      guard goToNextLine() else { return false }
      breaks += 1
    } while index >= characters.count
    for _ in 0..<max(1, breaks - 1) {
      scalars.append(breaks == 1 ? " " : "\n")
      places.append(end)
    }
    return true
  }

  private mutating func goToNextLine() -> Bool {
    guard line < lines.count else { return false }
    line += 1
    characters = lines.scalars(ofLine: line)
    index = characters.firstIndex { $0 != " " && $0 != "\t" } ?? characters.count
    return true
  }

  private mutating func readEscape() -> Bool {
    guard index + 1 < characters.count else { return goToNextLine() }
    let sign = characters[index + 1]
    if let digits = Self.digits[sign] {
      let hex = characters.dropFirst(index + 2).prefix(digits)
      guard hex.count == digits,
        let number = UInt32(String(String.UnicodeScalarView(hex)), radix: 16),
        let scalar = Unicode.Scalar(number)
      else { return false }
      add(scalar, length: 2 + digits)
      return true
    }
    guard let scalar = Self.escapes[sign] else { return false }
    add(scalar, length: 2)
    return true
  }

  private static let digits: [Unicode.Scalar: Int] = ["x": 2, "u": 4, "U": 8]

  private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
    "0": "\0", "a": "\u{7}", "b": "\u{8}", "t": "\t", "\t": "\t", "n": "\n", "v": "\u{B}",
    "f": "\u{C}", "r": "\r", "e": "\u{1B}", " ": " ", "\"": "\"", "/": "/", "\\": "\\",
    "N": "\u{85}", "_": "\u{A0}", "L": "\u{2028}", "P": "\u{2029}",
  ]
}
