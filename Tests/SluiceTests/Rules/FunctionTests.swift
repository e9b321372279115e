import Testing

@testable import Core
@testable import sluice

@Suite("Operators and functions of rules")
struct FunctionTests {
  static let numbers: [RuleCase] = [
    RuleCase("2 ^ 3 ^ 2", .number(64)), RuleCase("-2 ^ 2", .number(4)),
    RuleCase("0 ^ 0", .number(1)),
    RuleCase("0 ^ -1", .null), RuleCase("(-8) ^ 0.5", .null), RuleCase("2 ^ -2", .number(0.25)),
    RuleCase("1.1 ^ 65", .number(490.37072529785183)), RuleCase("power(9, 0.5)", .number(3)),
    RuleCase("1 / 0", .null), RuleCase("0 / 5", .number(0)), RuleCase("-0", .number(0)),
    RuleCase("0 * -1", .number(0)), RuleCase("1e308 + 1e308", .null),
    RuleCase("1e-308 * 1e-308", .null),
    RuleCase("1e-200 / 1e200", .null), RuleCase("abs(-3)", .number(3)),
    RuleCase("sqrt(2)", .number(2.0.squareRoot())),
    RuleCase("sqrt(-1)", .null), RuleCase("round(2.5)", .number(2)),
    RuleCase("round(-0.3)", .number(0)),
    RuleCase("round(-1.5)", .number(-2)), RuleCase("round(2.675, 2)", .number(2.68)),
    RuleCase("round(1.005, 2)", .number(1.01)), RuleCase("round(-2.5, 0)", .number(-3)),
    RuleCase("round(0.1234567890123456789, 15)", .number(0.123_456_789_012_346)),
    RuleCase("round(1234567890123456789, 2)", .number(1_234_567_890_123_460_096)),
    RuleCase("round(1.7976931348623157e308, 1)", .null),
    RuleCase("round(5e-16, 15)", .number(1e-15)), RuleCase("round(4e-16, 15)", .number(0)),
    RuleCase("floor(-1.5)", .number(-2)), RuleCase("ceil(-1.5)", .number(-1)),
    RuleCase("trunc(-1.5)", .number(-1)), RuleCase(".5 + 1. + 1.e1 + 1E-1", .number(11.6)),
  ]

  static let texts: [RuleCase] = [
    RuleCase("lower('AÄb')", .text("aÄb")), RuleCase("upper('aäb')", .text("AäB")),
    RuleCase("length('a😀e\u{301}')", .number(4)), RuleCase("trim('  a\t ')", .text("a\t")),
    RuleCase("substring('häuser', 2, 3)", .text("äus")),
    RuleCase("substring('abc', 0, 2)", .text("a")),
    RuleCase("substring('abc', -5, 2)", .text("")), RuleCase("substring('abc', 2)", .text("bc")),
    RuleCase("substring('abc', 9)", .text("")), RuleCase("substring('abc', 1, -1)", .null),
    RuleCase("substring('abc', 1.5)", .null), RuleCase("substring('abc', 2, 1e300)", .text("bc")),
    RuleCase("starts_with('abc', 'ab')", .boolean(true)),
    RuleCase("concat('a', goal, 'b')", .text("ab")),
    RuleCase("'a' || goal", .null), RuleCase("'it''s' || ''", .text("it's")),
    RuleCase("'abc' like 'a%'", .boolean(true)), RuleCase("not 'abc' like 'a_'", .boolean(true)),
    RuleCase("'ä' like '_'", .boolean(true)), RuleCase("'ABC' ilike 'a%c'", .boolean(true)),
    RuleCase("not 'Ä' ilike 'ä'", .boolean(true)), RuleCase("'100%' like '100\\%'", .boolean(true)),
    RuleCase("'a%b' like 'a!%b' escape '!'", .boolean(true)),
    RuleCase("'a\\b' like 'a\\b' escape ''", .boolean(true)),
    RuleCase("'abcabc' like '%b%c'", .boolean(true)), RuleCase("'' like '%'", .boolean(true)),
    RuleCase("goal like 'a'", .null), RuleCase("'a' not like 'b'", .boolean(true)),
  ]

  static let others: [RuleCase] = [
    RuleCase("version('1.0.0-rc.1') < version('1.0.0')", .boolean(true)),
    RuleCase("version('4.2.0') < version('4.10.0')", .boolean(true)),
    RuleCase("version('1.0.0-beta.2') < version('1.0.0-beta.11')", .boolean(true)),
    RuleCase("version('1.0.0-2') < version('1.0.0-alpha')", .boolean(true)),
    RuleCase("version('1.0.0+a') = version('1.0.0+b')", .boolean(true)),
    RuleCase("version('4' || '.2') = version('4.2.0')", .null),
    RuleCase("version('01' || '.0.0') is null", .boolean(true)),
    RuleCase("version('1.0.0') between version('0.9.0') and version('1.0.0')", .boolean(true)),
    RuleCase("date '2026-03-01' - date '2026-02-01'", .number(28)),
    RuleCase("date '2026-03-01' - '2026-02-28'", .number(1)),
    RuleCase(
      "days_between(timestamp '2026-01-02', timestamp '2026-01-01T00:00:00.000001Z')", .number(-1)),
    RuleCase("age(date '2000-02-29')", .number(26)),
    RuleCase("age(date '2000-03-02')", .number(25)),
    RuleCase("age(date '2027-01-01')", .number(-1)),
    RuleCase("days_since(timestamp '2026-02-28T10:00:00Z') = 1", .boolean(true)),
    RuleCase("days_since('2026-03-01T10:00:01Z') = -1", .boolean(true)),
    RuleCase("now() >= '2026-03-01T10:00:00Z'", .boolean(true)),
    RuleCase("has('yoga', 'yoga')", .boolean(true)), RuleCase("has(hobbies, 'yoga')", .null),
    RuleCase("bucket('a') between 0 and 99", .boolean(true)),
  ]

  @Test("results, nulls and edges", arguments: numbers + texts + others)
  func table(_ row: RuleCase) throws {
    #expect(try Rules.value(Bytes(row.rule)) == row.expected)
  }

  @Test("who is born on 29 February is a year older on 1 March in common years")
  func leapling() throws {
    let born = Value.date(try #require(Day(year: 2000, month: 2, day: 29)))
    for (today, age) in [
      ("2026-02-28T23:59:59Z", 25.0), ("2026-03-01T00:00:00Z", 26), ("2028-02-28T12:00:00Z", 27),
      ("2028-02-29T00:00:00Z", 28),
    ] {
      let now = try #require(TimeLiteral.instant(Bytes(today)))
      #expect(try Rules.value("age(birthday)", ["birthday": born], now: now) == .number(age))
    }
  }

  @Test("choices: has and count see a set")
  func choices() throws {
    let values: [Bytes: Value] = ["hobbies": .choice(["yoga", "run", "yoga"])]
    #expect(try Rules.value("has(hobbies, 'run')", values) == .boolean(true))
    #expect(try Rules.value("has(hobbies, 'swim')", values) == .boolean(false))
    #expect(try Rules.value("count(hobbies)", values) == .number(2))
    #expect(try Rules.value("count(hobbies)", ["hobbies": .choice([])]) == .number(0))
  }

  @Test("decimal rounding is that of numeric, over many magnitudes")
  func rounding() throws {
    // Exact ties of 16 digits, where the shortest text of the number would mislead.
    #expect(
      try DecimalRounding.round(4_503_599_627_370_497.5, decimals: 0) == 4_503_599_627_370_500)
    #expect(
      try DecimalRounding.round(0.999_999_999_999_999_5, decimals: 15) == 0.999_999_999_999_999)
    #expect(try DecimalRounding.round(-2.345, decimals: 2) == -2.35)
    #expect(try DecimalRounding.round(.leastNonzeroMagnitude, decimals: 15) == 0)
    #expect(try DecimalRounding.round(1e300, decimals: 3) == 1e300)
  }

  @Test("bucket v1 is frozen")
  func bucketVectors() {
    let vectors: [(salt: Bytes, profile: Bytes, number: Int)] = BucketVectors.all
    for vector in vectors {
      let number = Bucket.number(
        salt: vector.salt, profileID: vector.profile, md5: Primitives.system.md5)
      #expect(number == vector.number, "\(vector.salt.string):\(vector.profile.string)")
    }
  }

  @Test("buckets are even over profiles and independent over salts")
  func bucketEvenness() {
    let count = 20_000
    var single = [Int](repeating: 0, count: 100)
    var joint = [Int](repeating: 0, count: 100)
    for number in 0..<count {
      let a = Bucket.number(salt: "a", profileID: Bytes("p\(number)"), md5: Primitives.system.md5)
      let b = Bucket.number(salt: "b", profileID: Bytes("p\(number)"), md5: Primitives.system.md5)
      single[a] += 1
      joint[a / 10 * 10 + b / 10] += 1
    }
    // χ² of 99 degrees of freedom: above 149 once in a thousand.
    for counts in [single, joint] {
      let expected = Double(count) / 100
      let chiSquare = counts.reduce(0.0) {
        $0 + (Double($1) - expected) * (Double($1) - expected) / expected
      }
      #expect(chiSquare < 149)
    }
  }
}
