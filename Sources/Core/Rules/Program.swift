/// A rule, checked and compiled: a flat list of instructions over slots.
///
/// A value or null, never an error (SEMANTICS 7.1). A slot that holds a value of another type than
/// the scope said counts as null in whatever uses it.
///
/// A class although it is a value: it never changes, and a copy for a loop over many rules counts one
/// reference instead of six (measured: a fifth of the time).
package final class Program: Sendable {
  /// Of every value that is not null.
  package let type: ValueType
  /// Slots that the rule reads, ascending.
  package let slots: [Int]

  /// What changes with time alone; see ``nextFlip(_:in:using:)``.
  let terms: [Term]
  let code: [Instruction]
  let constants: [Value]
  let patterns: [LikePattern]
  let functions: [Function]

  /// A place where the rule compares with the clock, compiled.
  struct Term: Sendable {
    struct Test: Sendable {
      let comparison: Comparison
      let other: [Instruction]
    }

    let kind: ClockTerm.Kind
    /// The instant or day that time is counted from; empty for `now()`.
    let subject: [Instruction]
    let tests: [Test]
  }

  init(_ expression: CheckedExpression, type: ValueType, terms: [ClockTerm]) {
    var compiler = Compiler()
    self.type = type
    code = compiler.compile(expression)
    self.terms = terms.map { term in
      Term(
        kind: term.kind, subject: term.subject.map { compiler.compile($0) } ?? [],
        tests: term.tests.map {
          Term.Test(comparison: $0.comparison, other: compiler.compile($0.other))
        })
    }
    constants = compiler.constants
    patterns = compiler.patterns
    functions = compiler.functions
    slots = compiler.slots.sorted()
  }

  /// True where time alone can change the value.
  package var readsClock: Bool { !terms.isEmpty }

  /// The value of the rule; never negative zero.
  ///
  /// `slots` are by index, more of them than the greatest of ``slots``. The evaluator is scratch
  /// space, and holds afterwards why the value is null. No allocation for numbers and booleans once
  /// it has grown.
  package func evaluate(
    _ slots: [Value], in context: RuleContext, using evaluator: inout Evaluator
  ) -> Value {
    evaluator.run(code, of: self, slots, context)
  }
}

private func problem(_ error: SyntaxProblem, in rule: RuleText) -> PipelineProblem {
  // YAML cuts a plain scalar at ` #` and `: ` and unwraps a leading quote (SEMANTICS 7.8).
  var hint = rule.isPlainScalar ? "; if YAML cut the rule, quote it or use |" : ""
  // `--x` is no double minus.
  let rest = rule.text.slice.dropFirst(error.offset)
  if rest.starts(with: "--".utf8) || rest.isEmpty && rule.text.string.contains("--") {
    hint = "; what stands behind -- is a comment"
  }
  return PipelineProblem(at: rule.position(ofByte: error.offset), error.message + hint)
}

/// Checks and compiles a rule.
///
/// `expected` is the type that the rule must give, nil for any. A failure holds everything that is
/// wrong, by position, at most 20 problems; a rule that cannot be read has one, at the first place.
package func compileRule(
  _ rule: RuleText, scope: RuleScope, expecting expected: ValueType?, use: RuleUse
) throws(PipelineProblems) -> Program {
  let expression: Expression
  do {
    expression = try Parser.expression(of: rule.text)
  } catch {
    throw PipelineProblems([problem(error, in: rule)])
  }
  var checker = Checker(scope: scope, use: use)
  let asksTruth = use.asksTruth && expected ?? .boolean == .boolean
  guard let root = checker.root(expression, expecting: expected), checker.findings.isEmpty,
    case .value(let type) = root.type
  else {
    let hopeless = NeverTrue.findings(
      inSoundPartsOf: expression, asksTruth: asksTruth, scope: scope, use: use, rule: rule.text)
    throw problems(
      checker.findings.map { ($0.offset, $0.message) } + hopeless.map { ($0.offset, $0.message) },
      in: rule)
  }
  let hopeless = NeverTrue.findings(
    in: expression, root.expression, asksTruth: type == .boolean && use.asksTruth, scope: scope,
    rule: rule.text)
  guard hopeless.isEmpty else {
    throw problems(hopeless.map { ($0.offset, $0.message) }, in: rule)
  }
  return Program(root.expression, type: type, terms: checker.terms)
}

/// By position: 200, and how many more there are.
private func problems(
  _ findings: [(offset: Int, message: String)], in rule: RuleText
) -> PipelineProblems {
  let sorted = findings.sorted { $0.offset < $1.offset }
  var list = sorted.prefix(200).map {
    PipelineProblem(at: rule.position(ofByte: $0.offset), $0.message)
  }
  if sorted.count > list.count {
    list.append(
      PipelineProblem(
        at: rule.position(ofByte: sorted[list.count].offset),
        "from here on \(sorted.count - list.count) more places of this rule are wrong"))
  }
  return PipelineProblems(list)
}
