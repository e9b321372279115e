import Testing

@testable import Core
@testable import sluice

@Suite("Any input to rules")
struct RuleFuzzTests {
  @Test("random bytes and random tokens are read or refused, and what is read runs")
  func fuzz() {
    var random = RuleRandom(seed: 7)
    let pieces =
      Keyword.allCases.map(\.rawValue) + Functions.table.map(\.name.string)
      + Rules.names.map(\.name.string)
      + [
        "(", ")", ",", ".", "+", "-", "*", "/", "^", "=", "<>", "!=", "<", "<=", ">", ">=", "||",
        "'a'",
        "''", "\"", "'", "1", "0", "1e308", ".5", "--", "\n", "date '2026-01-01'", "ä", "≥", "\0",
        "1.0.0",
        "now()", "version('1.0.0')", "null", "'2026-01-01'", "\u{FEFF}",
      ]
    var evaluator = Evaluator()
    var accepted = 0
    for run in 0..<10_000 {
      var bytes: [UInt8] = []
      if run.isMultiple(of: 4) {
        bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
      } else {
        for _ in 0..<Int.random(in: 1...12, using: &random) {
          bytes += Array(random.pick(pieces).utf8) + (random.chance(3) ? [] : [32])
        }
      }
      switch Rules.compile(Bytes(bytes)) {
      case .failure(let failure): #expect(!failure.list.isEmpty, "seed 7, run \(run)")
      case .success(let program):
        accepted += 1
        let slots = Rules.slots(["bmi": .number(1), "goal": .text(Bytes([0xC3, 0x28, 0x80]))])
        let value = program.evaluate(slots, in: Rules.context(), using: &evaluator)
        if case .number(let number) = value { #expect(number.isFinite, "seed 7, run \(run)") }
      }
    }
    #expect(accepted > 100)
  }

  @Test("random well-typed rules over hostile rows give a finite number, their own type, or null")
  func total() throws {
    var generator = SampleGenerator(seed: 8)
    var evaluator = Evaluator()
    let scope = SampleColumns.scope
    for run in 0..<3000 {
      let sample = generator.sample()
      let text = sample.written(as: .rule)
      var checker = Checker(scope: scope, use: .segment, refusesOddVersions: false)
      let tree = try Parser.expression(of: Bytes(text))
      let checked = checker.root(tree, expecting: sample.type)
      let root = try #require(checked, "\(text)")
      let program = Program(root.expression, type: sample.type, terms: checker.terms)
      // A slot of another type than the scope said counts as null, it never traps.
      let row =
        run.isMultiple(of: 3) ? generator.row().shuffled(using: &generator.random) : generator.row()
      let value = program.evaluate(row, in: Rules.context(), using: &evaluator)
      if case .number(let number) = value {
        #expect(number.isFinite && !(number == 0 && number.sign == .minus), "seed 8, run \(run)")
      }
    }
  }
}
