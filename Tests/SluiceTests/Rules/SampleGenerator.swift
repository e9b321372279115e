@testable import Core

/// Makes random well-typed rules and random rows for them.
struct SampleGenerator {
  var random: RuleRandom

  init(seed: UInt64) { random = RuleRandom(seed: seed) }

  // MARK: Rows

  static let numbers: [Double] = [
    0, -0.0, 1, -1, 2, 3, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 0.3, 10, 64, 65, -64, 100, 1e-3, 1e15,
    1e16,
    123_456_789.987_654_3, 0.000_123_456_789_012_345_6, 1.005, 2.675, 1e-300, 1e300, 1e154, -1e155,
    .leastNonzeroMagnitude, 1.797_693_134_862_315_7e308, 9_007_199_254_740_992, 70.5, 1.81,
    4_503_599_627_370_497.5,
    0.999_999_999_999_999_5, 1e-15, 5e-16, 1_234_567_890_123_456.7, 1e22,
  ]

  static let texts: [String] = [
    "", " ", "a", "A", "abc", "ABC", "aBc", "  pad  ", "ä", "a\u{308}", "Äpfel", "😀", "x😀y", "100%",
    "a_b", "\\", "a\\b", "it's", "\"q\"", "tab\t", "new\nline", "日本語", "é", "e\u{301}", "null", "İ",
    "ß",
    "a%b_c", "zz", "lose_weight", "\u{A0}x\u{A0}", "1", "01",
  ]

  static let versions: [String] = [
    "1.0.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11",
    "1.0.0-rc.1", "4.2.0", "4.10.0", "4.2", "v1.0.0", "01.0.0", "1.0.0+build", "1.0.0-01", "1.0.0-",
    "", "1.0.0-a.b-c", "1.0.0+", "10.0.0", "99999999999999999999.0.0", "1.0.0--", "1.0.0-0a",
  ]

  mutating func row() -> [Value] {
    SampleColumns.all.map { column in
      if random.chance(6) { return .null }
      if column.name == "v1" { return .text(Bytes(random.pick(Self.versions))) }
      return value(column.type)
    }
  }

  private mutating func value(_ type: ValueType) -> Value {
    switch type {
    case .number: .number(number())
    case .text: .text(Bytes(random.pick(Self.texts)))
    case .boolean: .boolean(random.chance(2))
    case .timestamp: .timestamp(Self.instant(&random))
    case .date: .date(Day(days: Int32.random(in: 0...47_000, using: &random)))
    case .choice:
      .choice(
        (0..<Int.random(in: 0...3, using: &random)).map { _ in Bytes(random.pick(Self.texts)) })
    }
  }

  private mutating func number() -> Double {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1, 2: random.pick(Self.numbers)
    case 3: Double(Int.random(in: -70...70, using: &random))
    case 4: Double(Int.random(in: -100_000...100_000, using: &random)) / 1000
    case 5: Double(Int.random(in: -100_000...100_000, using: &random)) / 8
    case 6: Double.random(in: -1000...1000, using: &random)
    default:
      {
        let bits = Double(bitPattern: random.next())
        return bits.isFinite ? bits : 7
      }()
    }
  }

  static let now = Instant(microseconds: 1_772_359_200_123_456)

  /// Often near whole days before or after now, where days turn.
  static func instant(_ random: inout RuleRandom) -> Instant {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: Instant(microseconds: Int64.random(in: 0...4_000_000_000_000_000, using: &random))
    case 1: now.adding(microseconds: Int64.random(in: -3...3, using: &random))
    default:
      now.adding(days: Int64.random(in: -40...40, using: &random))
        .adding(microseconds: Int64.random(in: -2...2, using: &random))
    }
  }

  // MARK: Rules

  mutating func sample() -> Sample {
    let types: [ValueType] = [
      .number, .number, .text, .boolean, .boolean, .boolean, .timestamp, .date,
    ]
    return sample(random.pick(types), depth: Int.random(in: 1...5, using: &random))
  }

  private mutating func sample(_ type: ValueType, depth: Int) -> Sample {
    if depth == 0 || random.chance(8) { return leaf(type) }
    if random.chance(7), type != .choice { return anyType(type, depth) }
    switch type {
    case .number: return numeric(depth)
    case .text: return text(depth)
    case .boolean: return boolean(depth)
    case .timestamp, .date, .choice: return random.chance(2) ? leaf(type) : anyType(type, depth)
    }
  }

  private mutating func leaf(_ type: ValueType) -> Sample {
    if type != .choice, random.chance(4) { return Sample(.literal(value(type)), type) }
    let columns = SampleColumns.all.indices.filter {
      SampleColumns.all[$0].type == type && SampleColumns.all[$0].name != "v1"
    }
    return Sample(.column(random.pick(columns)), type)
  }

  /// Null stands for any operand that is not asked with a comparison.
  private mutating func operand(_ type: ValueType, _ depth: Int) -> Sample {
    random.chance(25) && type != .choice
      ? Sample(.null, type) : sample(type, depth: depth - 1)
  }

  private mutating func anyType(_ type: ValueType, _ depth: Int) -> Sample {
    let hasOrder = type != .boolean && type != .choice
    switch Int.random(in: 0..<(hasOrder ? 5 : 3), using: &random) {
    case 0:
      let count = Int.random(in: 1...3, using: &random)
      let first = sample(type, depth: depth - 1)
      return Sample(
        .call("coalesce"), type, [first] + (1..<count).map { _ in operand(type, depth) })
    case 1 where type != .choice:
      return Sample(.call("nullif"), type, [sample(type, depth: depth - 1), operand(type, depth)])
    case 0..<3: return choice(type, depth)
    default:
      let count = Int.random(in: 1...4, using: &random)
      let name = random.chance(2) ? "greatest" : "least"
      let first = sample(type, depth: depth - 1)
      return Sample(
        .call(name), type, [first] + (1..<count).map { _ in operand(type, depth) })
    }
  }

  private mutating func choice(_ type: ValueType, _ depth: Int) -> Sample {
    let hasSubject = random.chance(2)
    let hasElse = random.chance(2)
    let subject: ValueType = random.pick([.number, .text, .boolean, .timestamp, .date])
    var parts = hasSubject ? [sample(subject, depth: depth - 1)] : []
    for index in 0..<Int.random(in: 1...3, using: &random) {
      parts.append(
        hasSubject ? sample(subject, depth: depth - 1) : operand(.boolean, depth))
      parts.append(index == 0 ? sample(type, depth: depth - 1) : operand(type, depth))
    }
    if hasElse { parts.append(operand(type, depth)) }
    return Sample(.choice(hasSubject: hasSubject, hasElse: hasElse), type, parts)
  }

  private mutating func numeric(_ depth: Int) -> Sample {
    let one = { (this: inout Self, name: String) in
      Sample(.call(name), .number, [this.operand(.number, depth)])
    }
    switch Int.random(in: 0..<18, using: &random) {
    case 0: return Sample(.negative, .number, [operand(.number, depth)])
    case 1..<8:
      let sign = random.pick(["+", "-", "*", "/", "^", "^"])
      return Sample(
        .binary(sign), .number, [operand(.number, depth), operand(.number, depth)])
    case 8: return one(&self, random.pick(["abs", "floor", "ceil", "trunc", "sqrt", "round"]))
    case 9, 10:
      let decimals = Double(Int.random(in: 0...15, using: &random))
      return Sample(
        .call("round"), .number,
        [operand(.number, depth), Sample(.literal(.number(decimals)), .number)])
    case 11:
      return Sample(.call("power"), .number, [operand(.number, depth), operand(.number, depth)])
    case 12: return Sample(.call("length"), .number, [operand(.text, depth)])
    case 13:
      return Sample(.binary("-"), .number, [sample(.date, depth: 1), sample(.date, depth: 1)])
    case 14:
      return Sample(
        .call("days_between"), .number, [operand(.timestamp, 2), operand(.timestamp, 2)])
    case 15: return Sample(.call("age"), .number, [operand(.date, 2)])
    case 16: return Sample(.call("count"), .number, [sample(.choice, depth: depth - 1)])
    default:
      let salt = Sample(.literal(.text(Bytes(random.pick(Self.texts)))), .text)
      return Sample(.call("bucket"), .number, [salt])
    }
  }

  private mutating func text(_ depth: Int) -> Sample {
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: return Sample(.binary("||"), .text, [operand(.text, depth), operand(.text, depth)])
    case 2:
      let name = random.pick(["lower", "upper", "trim"])
      return Sample(.call(name), .text, [operand(.text, depth)])
    case 3:
      let count = Int.random(in: 1...3, using: &random)
      return Sample(.call("concat"), .text, (0..<count).map { _ in operand(.text, depth) })
    default:
      var parts = [operand(.text, depth), position(depth)]
      if random.chance(2) { parts.append(position(depth)) }
      return Sample(.call("substring"), .text, parts)
    }
  }

  private mutating func position(_ depth: Int) -> Sample {
    random.chance(4)
      ? operand(.number, depth)
      : Sample(.literal(.number(Double(Int.random(in: -2...6, using: &random)))), .number)
  }

  private mutating func boolean(_ depth: Int) -> Sample {
    let compared: ValueType = random.pick([.number, .number, .text, .text, .timestamp, .date])
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return Sample(.not, .boolean, [operand(.boolean, depth)])
    case 1..<6:
      let count = 2
      let word = random.pick(["and", "or"])
      return Sample(.binary(word), .boolean, (0..<count).map { _ in operand(.boolean, depth) })
    case 6..<9: return comparison(compared, depth)
    case 9: return clockComparison(depth)
    case 10:
      let word = random.pick(["is distinct from", "is not distinct from"])
      let type: ValueType = random.pick([.number, .text, .boolean, .timestamp, .date])
      return Sample(
        .binary(word), .boolean, [operand(type, depth), sample(type, depth: depth - 1)])
    case 11:
      let words = random.pick(["null", "not null"])
      let type: ValueType = random.pick([.number, .text, .boolean, .timestamp, .date, .choice])
      return Sample(.test("is \(words)"), .boolean, [sample(type, depth: depth - 1)])
    case 12:
      let word = random.pick(["true", "false", "unknown"])
      return Sample(
        .test(random.chance(2) ? "is \(word)" : "is not \(word)"), .boolean,
        [operand(.boolean, depth)])
    case 13:
      return Sample(
        .between(isNegated: random.chance(3)), .boolean,
        (0..<3).map { _ in sample(compared, depth: depth - 1) })
    case 14:
      let subject = sample(compared, depth: depth - 1)
      let count = Int.random(in: 1...3, using: &random)
      let items =
        [sample(compared, depth: depth - 1)]
        + (1..<max(2, count)).map { _ in operand(compared, depth) }
      return Sample(.oneOf(isNegated: random.chance(3)), .boolean, [subject] + items)
    case 15, 16: return like(depth)
    case 17:
      return Sample(
        .call("starts_with"), .boolean, [operand(.text, depth), operand(.text, depth)])
    case 18:
      let type: ValueType = random.pick([.choice, .text])
      return Sample(
        .call("has"), .boolean, [sample(type, depth: depth - 1), operand(.text, depth)])
    default: return versionComparison()
    }
  }

  private static let comparisons = ["=", "<>", "!=", "<", "<=", ">", ">="]

  private mutating func comparison(_ type: ValueType, _ depth: Int) -> Sample {
    if random.chance(8) {
      return Sample(
        .binary(random.pick(["=", "<>", "!="])), .boolean,
        [sample(.boolean, depth: depth - 1), sample(.boolean, depth: depth - 1)])
    }
    var right = sample(type, depth: depth - 1)
    if case .literal(let value, _) = right.shape, type == .timestamp || type == .date {
      right = Sample(.literal(value, isBare: true), type)
    }
    return Sample(
      .binary(random.pick(Self.comparisons)), .boolean, [sample(type, depth: depth - 1), right])
  }

  private mutating func clockComparison(_ depth: Int) -> Sample {
    let clock =
      random.chance(2)
      ? Sample(.call("now"), .timestamp)
      : Sample(.call("days_since"), .number, [sample(.timestamp, depth: 2)])
    let other = sample(clock.type, depth: depth - 1)
    if random.chance(4) {
      return Sample(
        .between(isNegated: random.chance(3)), .boolean,
        [clock, other, sample(clock.type, depth: depth - 1)])
    }
    if random.chance(5) {
      return Sample(.oneOf(isNegated: random.chance(3)), .boolean, [clock, other])
    }
    let sides = random.chance(2) ? [clock, other] : [other, clock]
    return Sample(.binary(random.pick(Self.comparisons)), .boolean, sides)
  }

  private mutating func versionComparison() -> Sample {
    let versions = (0..<3).map { index in
      let text =
        index > 0 && random.chance(2)
        ? Sample(.literal(.text(Bytes(random.pick(Self.versions)))), .text)
        : Sample(.column(7), .text)
      return Sample(.call("version"), .text, [text])
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return Sample(.between(isNegated: random.chance(3)), .boolean, versions)
    case 1: return Sample(.oneOf(isNegated: random.chance(3)), .boolean, versions)
    default:
      return Sample(.binary(random.pick(Self.comparisons)), .boolean, Array(versions.prefix(2)))
    }
  }

  private mutating func like(_ depth: Int) -> Sample {
    let escape = random.pick([nil, nil, nil, "!", "", "a", "ä"])
    let pieces = [
      "%", "_", "a", "b", "ä", "A", "😀", "\\\\", "\\%", "\\_", "x", " ", "%%", "B", "é",
    ]
    let others = ["%", "_", "a", "B", "ä", "\\", "x"]
    var pattern = ""
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      if let escape {
        let piece = random.pick(others)
        pattern += !escape.isEmpty && (piece == escape || random.chance(4)) ? escape + piece : piece
      } else {
        pattern += random.pick(pieces)
      }
    }
    return Sample(
      .like(
        random.pick(["like", "ilike"]), pattern: pattern, escape: escape,
        isNegated: random.chance(3)), .boolean, [operand(.text, depth)])
  }
}
