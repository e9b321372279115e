@testable import Core

/// Makes random conditions over few terms and few constants, so that many of them exclude each other.
struct ConditionGenerator {
  var random: RuleRandom

  init(seed: UInt64) { random = RuleRandom(seed: seed) }

  private static let numbers = ["0", "1", "2", "1.5", "-1", "3"]
  private static let texts = ["'a'", "'b'", "'ab'", "'A'", "''"]
  private static let dates = ["'2026-01-01'", "'2026-01-02'", "'2026-01-03'"]
  private static let instants = ["'2026-03-01T10:00:00Z'", "'2026-02-27T10:00:00Z'"]
  private static let versions = ["version('1.0.0')", "version('2.0.0')", "version('2.0.0-a')"]

  mutating func condition(depth: Int) -> String {
    guard depth > 0, !random.chance(4) else { return literal() }
    switch Int.random(in: 0..<10, using: &random) {
    case 0...3: return "(\(condition(depth: depth - 1)) and \(condition(depth: depth - 1)))"
    case 4, 5: return "(\(condition(depth: depth - 1)) or \(condition(depth: depth - 1)))"
    case 6: return "not (\(condition(depth: depth - 1)))"
    case 7:
      let test = random.pick(["unknown", "true", "false", "not true", "not false", "not unknown"])
      return "(\(condition(depth: depth - 1))) is \(test)"
    case 8:
      return "case when \(condition(depth: depth - 1)) then \(condition(depth: depth - 1)) "
        + "else \(condition(depth: depth - 1)) end"
    default: return "coalesce(\(condition(depth: depth - 1)), \(condition(depth: depth - 1)))"
    }
  }

  private mutating func literal() -> String {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1, 2:
      return compared(
        [
          "bmi", "weight", "bmi", "-bmi", "abs(bmi)", "length(goal)", "count(hobbies)",
          "floor(bmi)",
          "bmi + 1", "coalesce(bmi, 1)", "greatest(bmi, 2)", "least(bmi, weight, 1)",
          "onboarding.days_since_completed", "bucket('s')", "age(birthday)",
          "case when premium then 1 else 2 end", "nullif(bmi, 1)", "round(bmi, 1)", "bmi + null",
          "case bmi when 1 then 2 when weight then 3 end", "sqrt(bmi)", "bmi / weight",
        ], Self.numbers)
    case 3, 4:
      let subject = random.pick([
        "goal", "goal", "profile.country", "lower(goal)", "goal || 'a'", "upper(goal)",
        "trim(goal)",
        "concat(goal, 'b')", "nullif(goal, 'a')", "coalesce(goal, 'ab')",
      ])
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        return
          "\(subject) \(negation())like \(random.pick(["'a%'", "'b'", "'%b'", "'A_'", "'%'", "' %'"]))"
      case 1: return "starts_with(\(subject), \(random.pick(Self.texts)))"
      default: return compared([subject], Self.texts)
      }
    case 5:
      return random.chance(2)
        ? compared(["birthday"], Self.dates) : compared(["onboarding.started_at"], Self.instants)
    case 6: return compared(["version(profile.app_version)"], Self.versions)
    default:
      return random.pick([
        "premium", "obese", "premium = true", "premium <> obese", "has(hobbies, 'a')",
        "bmi < weight",
        "bmi = weight", "weight <= bmi", "bmi is null", "goal is not null",
        "goal = profile.country",
        "bmi is distinct from 1", "goal is not distinct from null", "goal not in ('a', null)",
        "bmi between weight and 2", "1 in (bmi, weight)", "2 > 1", "bmi in (weight, 1)",
        "has(goal, 'a')", "has(hobbies, 'b')", "(bmi > 1) is null", "(premium and obese) is null",
        "coalesce(bmi, weight) is null", "greatest(bmi, weight) is null", "bmi in (1, null)",
        "case bmi when 1 then premium when 2 then obese end", "(obese or null)",
        "(premium and true)",
      ])
    }
  }

  private mutating func negation() -> String { random.chance(3) ? "not " : "" }

  private mutating func compared(_ terms: [String], _ constants: [String]) -> String {
    let term = random.pick(terms)
    let (first, second) = (random.pick(constants), random.pick(constants))
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return "\(term) is null"
    case 1: return "\(term) \(negation())between \(first) and \(second)"
    case 2: return "\(term) \(negation())in (\(first), \(second))"
    case 3: return "\(first) \(random.pick(Comparison.allCases).rawValue) \(term)"
    default: return "\(term) \(random.pick(Comparison.allCases).rawValue) \(first)"
    }
  }

  /// Values for the names of `Rules`, of those that the conditions compare with and their neighbours.
  mutating func row() -> [Bytes: Value] {
    var row: [Bytes: Value] = [:]
    func set(_ name: Bytes, _ value: Value) { row[name] = value }
    let numbers = [0, 1, 2, 1.5, -1, 3, 0.5, 2.5, -2, 100].map { Value.number($0) }
    let texts = ["a", "b", "ab", "A", "", "Ab", "c", "bb"].map { Value.text(Bytes($0)) }
    for name in ["bmi", "weight"] as [Bytes] {
      if !random.chance(5) { set(name, random.pick(numbers)) }
    }
    for name in ["goal", "profile.country"] as [Bytes] {
      if !random.chance(5) { set(name, random.pick(texts)) }
    }
    for name in ["premium", "obese"] as [Bytes] {
      if !random.chance(4) { set(name, .boolean(random.chance(2))) }
    }
    if !random.chance(5) {
      let versions = ["1.0.0", "2.0.0", "2.0.0-a", "1.5.0", "3.0.0", "x"]
      set("profile.app_version", .text(Bytes(random.pick(versions))))
    }
    if !random.chance(5) {
      set("birthday", .date(Day(days: 20_453 + Int32.random(in: 0...4, using: &random))))
    }
    for name in ["onboarding.started_at", "onboarding.days_since_completed"] as [Bytes]
    where !random.chance(5) {
      let days = Int64.random(in: -4...2, using: &random)
      let instant = Instant(microseconds: 1_772_359_200_000_000).adding(days: days)
      set(name, .timestamp(instant.adding(microseconds: Int64.random(in: -1...1, using: &random))))
    }
    if !random.chance(5) {
      set("hobbies", .choice((["a", "b", "c"] as [Bytes]).filter { _ in random.chance(2) }))
    }
    return row
  }
}
