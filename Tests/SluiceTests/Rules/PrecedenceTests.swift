import Testing

@testable import Core

@Suite("Precedence of rules")
struct PrecedenceTests {
  /// A rule, and the same with every parenthesis written.
  static let same: [(String, String)] = [
    ("1 + 2 * 3", "1 + (2 * 3)"), ("8 - 3 - 2", "(8 - 3) - 2"), ("8 / 4 / 2", "(8 / 4) / 2"),
    ("2 ^ 3 ^ 2", "(2 ^ 3) ^ 2"), ("-2 ^ 2", "(-2) ^ 2"), ("2 ^ -2", "2 ^ (-2)"),
    ("2 * 3 ^ 2", "2 * (3 ^ 2)"), ("- - 2", "-(-2)"), ("2 - -2", "2 - (-2)"),
    ("true or false and false", "true or (false and false)"),
    ("not true and false", "(not true) and false"), ("not 1 = 2", "not (1 = 2)"),
    ("not premium is null", "not (premium is null)"), ("1 + 1 = 2", "(1 + 1) = 2"),
    ("bmi = 2 is null", "(bmi = 2) is null"), ("bmi is null = true", "(bmi is null) = true"),
    ("bmi is null is null", "(bmi is null) is null"),
    ("premium = bmi between 1 and 2", "premium = (bmi between 1 and 2)"),
    ("bmi between 1 + 1 and 2 * 2 and premium", "(bmi between (1 + 1) and (2 * 2)) and premium"),
    ("bmi not between 1 and 2 or premium", "(not (bmi between 1 and 2)) or premium"),
    ("goal || 'a' like 'a%'", "(goal || 'a') like 'a%'"),
    ("premium = goal like 'a'", "premium = (goal like 'a')"),
    ("bmi + 1 in (1, 2)", "(bmi + 1) in (1, 2)"),
    ("bmi in (1) = premium", "(bmi in (1)) = premium"),
    ("premium is distinct from bmi > 2", "premium is distinct from (bmi > 2)"),
    ("premium = not obese", "premium = (not obese)"),
    ("not not premium", "not (not premium)"),
  ]

  @Test("operators bind as in PostgreSQL", arguments: same)
  func precedence(_ rule: String, _ full: String) throws {
    let left = try Parser.expression(of: Bytes(rule))
    let right = try Parser.expression(of: Bytes(full))
    #expect(left.shape == right.shape)
  }

  @Test(
    "operators that do not chain are refused at the second one",
    arguments: [
      ("1 < bmi < 3", "1:9: comparisons do not chain: write a < b and b < c"),
      ("bmi = 1 = premium", "1:9: comparisons do not chain: write a < b and b < c"),
      (
        "bmi between 1 and 2 between 3 and 4",
        "1:21: these operators do not chain: use parentheses"
      ),
      (
        "bmi is distinct from 2 is null", "1:24: these operators do not chain: use parentheses"
      ),
    ])
  func chains(_ rule: String, _ problem: String) {
    #expect(Rules.problems(Bytes(rule)) == [problem])
  }

  @Test("keywords and functions take any case, names do not")
  func letterCase() throws {
    #expect(try Rules.value("Case When TRUE Then LOWER('A') End") == .text("a"))
    #expect(Rules.problems("BMI is null") == ["1:1: there is no “BMI”: did you mean bmi?"])
  }

  @Test("names are dotted, quoted where odd, and may be keywords after a dot")
  func names() throws {
    #expect(try Rules.value("\"custom\".\"odd key\"", ["custom.odd key": .text("x")]) == .text("x"))
    #expect(try Rules.value("profile . country", ["profile.country": .text("DE")]) == .text("DE"))
    #expect(try Rules.value("größe + 1", ["größe": .number(1)]) == .number(2))
    let tree = try Parser.expression(of: "access.case.is")
    #expect(tree.shape == "access.case.is")
  }

  @Test("comments end with their line")
  func comments() throws {
    #expect(try Rules.value("1 -- one\n+ 2 --two") == .number(3))
    #expect(try Rules.value("'a--b'") == .text("a--b"))
  }
}

extension Expression {
  /// The tree in prefix form, without places.
  var shape: String {
    switch node {
    case .null: "null"
    case .number(let number): "\(number)"
    case .text(let text): "'\(text.string)'"
    case .boolean(let isTrue): "\(isTrue)"
    case .moment(let type, let text): "\(type)'\(text.string)'"
    case .name(let name, _): name.string
    case .negative(let operand): "(- \(operand.shape))"
    case .not(let operand): "(not \(operand.shape))"
    case .all(let parts): "(and \(parts.map(\.shape)))"
    case .any(let parts): "(or \(parts.map(\.shape)))"
    case .calculated(let first, let links):
      links.reduce(first.shape) { "(\($1.sign) \($0) \($1.operand.shape))" }
    case .joined(let parts): parts.dropFirst().reduce(parts[0].shape) { "(|| \($0) \($1.shape))" }
    case .comparison(let sign, let left, let right): "(\(sign) \(left.shape) \(right.shape))"
    case .distinct(let left, let right): "(distinct \(left.shape) \(right.shape))"
    case .test(let operand, let test): "(is \(test) \(operand.shape))"
    case .between(let value, let low, let high):
      "(between \(value.shape) \(low.shape) \(high.shape))"
    case .oneOf(let value, let items): "(in \(value.shape) \(items.map(\.shape)))"
    case .like(let value, let pattern, _, let foldsCase):
      "(\(foldsCase ? "ilike" : "like") \(value.shape) \(pattern.shape))"
    case .choice(let subject, let branches, let otherwise):
      "(case \(subject?.shape ?? "") \(branches.map { [$0.when.shape, $0.then.shape] }) "
        + "\(otherwise?.shape ?? ""))"
    case .call(let name, let arguments): "\(name.string)(\(arguments.map(\.shape)))"
    }
  }
}
